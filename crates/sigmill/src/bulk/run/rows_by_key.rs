//! The rows of a section in the order in which they are judged: key by key.

use std::ops::Range;

use super::key_group::KeyGroup;
use crate::CurveName;
use crate::bulk::columns::Rows;
use crate::bulk::plan::{GroupKey, PlannedStrategy};

/// The usable keys of a section with their rows: curve by curve, and keys of one window and
/// strategy together. A place is an index in this order.
pub(super) struct RowsByKey<'a, 'r> {
    pub(super) rows: &'a Rows<'r>,
    /// The row of the call at which the section begins.
    first: usize,
    pub(super) groups: Vec<KeyGroup<'a>>,
    /// The row at each place, counted from the start of the section.
    order: Vec<u32>,
    /// The first place of each group, and the end of the last group.
    starts: Vec<u32>,
}

impl<'a, 'r> RowsByKey<'a, 'r> {
    /// Orders the rows of a section, which begins at row `first`, by counting: each row is put
    /// directly at its place. `group_of_row` yields for each row its index in `groups`, or `None`
    /// if it is in no group.
    pub(super) fn new(
        rows: &'a Rows<'r>,
        first: usize,
        groups: Vec<KeyGroup<'a>>,
        group_of_row: impl Iterator<Item = Option<u32>>,
    ) -> Self {
        let (groups, rank) = in_judging_order(groups);
        let mut starts = Vec::with_capacity(groups.len() + 1);
        let mut sum = 0;
        for group in &groups {
            starts.push(sum);
            sum += group.rows();
        }
        starts.push(sum);
        let mut next = starts.clone();
        let mut order = vec![0; sum as usize];
        for (row, group) in (0..).zip(group_of_row) {
            if let Some(group) = group {
                let place = &mut next[rank[group as usize] as usize];
                order[*place as usize] = row;
                *place += 1;
            }
        }
        Self {
            rows,
            first,
            groups,
            order,
            starts,
        }
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// Returns the places of the rows of a group.
    pub(super) fn places(&self, group: usize) -> Range<usize> {
        self.starts[group] as usize..self.starts[group + 1] as usize
    }

    /// Returns the row of the call at a place.
    pub(super) fn row(&self, place: usize) -> usize {
        self.first + self.order[place] as usize
    }

    /// Returns the rows, counted from the start of the section, in the order of their places.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }
}

/// Sorts keys by curve, window and strategy, in this order, and returns the new place of each. Keys
/// that are alike keep their order.
fn in_judging_order(groups: Vec<KeyGroup<'_>>) -> (Vec<KeyGroup<'_>>, Vec<u32>) {
    let rank = |group: &KeyGroup<'_>| -> (CurveName, u32, PlannedStrategy) {
        let (curve, strategy, window): GroupKey = group.plan_key();
        (curve, window, strategy)
    };
    if groups.is_sorted_by_key(rank) {
        let places = (0..groups.len() as u32).collect();
        return (groups, places);
    }
    let mut numbered: Vec<(u32, KeyGroup<'_>)> = (0..).zip(groups).collect();
    numbered.sort_by_key(|(_, group)| rank(group));
    let mut places = vec![0; numbered.len()];
    for (place, (number, _)) in (0..).zip(&numbered) {
        places[*number as usize] = place;
    }
    (
        numbered.into_iter().map(|(_, group)| group).collect(),
        places,
    )
}
