//! Many sums of affine points at once, as binary trees of affine additions. All additions of a
//! level share one inversion.

use alloc::vec;
use alloc::vec::Vec;

use super::lane_terms::{LaneMultiples, LaneTerms};
use super::slot_pairs::{SlotPair, SlotPairs};
use crate::curve::{AffinePoint, Curve, Group, LanesOf};
use crate::field::{Limbs, MOST_LANES, Mask, VariableTime};
use crate::recode::BoothLanes;

/// Sums of points, one for each row of a block. A group consists of one row for each lane.
///
/// A row's points are stored in slots. Each level of the tree adds the second half of a group's
/// slots to the first, with one affine addition for each pair: 2M + 1S, and 3M for its share of the
/// level's one inversion. The last level needs only x, which saves 1M. So a row of n points costs 5
/// (n - 1) - 1 products and n - 1 squares, and its share of ceil(log2 n) inversions.
///
/// If a pair has no slope (equal or opposite points), the lane is *exceptional*: its result is not
/// the sum, and [`sum`](Self::sum) reports that. An attacker chooses Q, r and s and can cause this;
/// the caller must add such rows in another way. Variable time: for public values only.
#[derive(Debug)]
pub struct BlockSumsVartime<'p, C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    /// True if the sums' y-coordinates are needed.
    with_y: bool,
    /// The most slots of a group.
    stride: usize,
    /// `stride` slots for each group.
    points: Vec<AffinePoint<L::Element>>,
    /// The lanes of each slot that hold no point. A lane's points come before its absences.
    absent: Vec<L::Mask>,
    /// The number of slots in use of each group.
    lengths: Vec<usize>,
    /// The lanes of each group whose result is not the sum.
    exceptional: Vec<L::Mask>,
    terms: LaneTerms<'p, C, L>,
    digits: BoothLanes,
    /// The additions of the current level.
    pairs: Vec<SlotPair>,
    scratch: Vec<L::Element>,
}

impl<'p, C: Curve, L: LanesOf<C>> BlockSumsVartime<'p, C, L> {
    /// Makes room for this number of groups of at most `stride` points in each row. `filler` is any
    /// point; it fills lanes without a row.
    #[inline(always)]
    pub fn new(
        group: Group<C, L>,
        filler: &'p AffinePoint<C::BaseElement>,
        groups: usize,
        stride: usize,
    ) -> Self {
        let pairs = groups * (stride / 2);
        let nowhere = AffinePoint::filled(group.field().zero());
        Self {
            group,
            with_y: false,
            stride,
            points: vec![nowhere; groups * stride],
            absent: vec![L::Mask::from_lanes(|_| true); groups * stride],
            lengths: Vec::with_capacity(groups),
            exceptional: Vec::with_capacity(groups),
            terms: LaneTerms::new(filler, groups, stride),
            digits: BoothLanes::new(C::Integer::ZERO.as_ref().len()),
            pairs: Vec::with_capacity(pairs),
            scratch: Vec::with_capacity(pairs),
        }
    }

    /// Computes the y-coordinates of the sums too.
    #[inline(always)]
    #[must_use]
    pub fn with_y(mut self) -> Self {
        self.with_y = true;
        self
    }

    /// Reads a block of this number of groups. Each group may have a point for every lane, with the
    /// mask of lanes where it is not valid, and has the terms of at most two multiples of points
    /// with tables.
    ///
    /// All terms are named before the first one is read, and prefetched one group ahead.
    ///
    /// # Panics
    /// Panics if a lane has more terms than there are slots, or if there are more groups than there
    /// is room for.
    #[inline(always)]
    pub fn read_block<'k, 'q, M: AsRef<[LaneMultiples<'p, 'k, C>]>>(
        &mut self,
        groups: usize,
        point: impl Fn(usize) -> Option<&'q (AffinePoint<L::Element>, L::Mask)>,
        multiples: impl Fn(usize) -> M,
    ) where
        L: 'q,
    {
        const { assert!(L::WIDTH <= MOST_LANES) };
        self.terms.clear();
        self.lengths.clear();
        self.exceptional.clear();
        for group in 0..groups {
            let multiples = multiples(group);
            self.terms
                .name(self.group.field(), multiples.as_ref(), &mut self.digits);
        }
        self.terms.ask_for_first();
        for group in 0..groups {
            self.read_group(group, point(group));
        }
    }

    #[inline(never)]
    fn read_group(&mut self, group: usize, point: Option<&(AffinePoint<L::Element>, L::Mask)>) {
        let terms = &self.terms;
        let counts = terms.groups()[group];
        let start = group * self.stride;
        let nowhere = L::Mask::from_lanes(|_| false);
        let (mut exceptional, mut first) = (nowhere, start);
        if let Some((point, lanes)) = point {
            (self.points[start], self.absent[start]) = (*point, nowhere);
            (exceptional, first) = (*lanes, start + 1);
        }
        terms.read(self.group, group, &mut self.points[first..]);
        let absent = &mut self.absent[first..][..counts.slots];
        absent.fill(nowhere);
        if !counts.are_full(L::WIDTH) {
            for (slot, absent) in absent.iter_mut().enumerate() {
                *absent = counts.absent(slot);
            }
        }
        let length = first - start + counts.slots;
        assert!(length <= self.stride, "more terms than slots");
        if length == 0 {
            self.absent[start] = L::Mask::from_lanes(|_| true);
        }
        self.lengths.push(length);
        // A lane without a point in the first slot has no point at all: its sum is infinity.
        self.exceptional.push(exceptional.or(self.absent[start]));
    }

    /// Adds up every row of every group.
    #[inline(always)]
    pub fn add_up(&mut self) {
        while self.lengths.iter().any(|&length| length > 1) {
            self.halve();
        }
    }

    /// The sums of a group, with y only after [`with_y`](Self::with_y), and the lanes without a
    /// sum: those whose row had no point or is exceptional.
    #[inline(always)]
    pub fn sum(&self, group: usize) -> (&AffinePoint<L::Element>, L::Mask) {
        (&self.points[group * self.stride], self.exceptional[group])
    }

    /// Performs one level of the trees.
    #[inline(never)]
    fn halve(&mut self) {
        self.pairs.clear();
        for (group, length) in self.lengths.iter_mut().enumerate() {
            let half = length.div_ceil(2);
            let start = group * self.stride;
            let needs_y = *length > 2 || self.with_y;
            for first in start..start + *length - half {
                let pair = SlotPair::new(first, first + half, group, needs_y);
                self.pairs.push(pair);
            }
            *length = half;
        }
        let zero = self.group.field().zero();
        self.scratch.resize(self.pairs.len(), zero);
        let level = SlotPairs {
            pairs: &self.pairs,
            absent: &self.absent,
        };
        self.group.add_affine::<VariableTime, _>(
            level,
            &mut self.points,
            &mut self.exceptional,
            None,
            &mut self.scratch,
        );
    }
}
