//! Sums of many lists of points, as trees of affine additions. A level of all lists shares one
//! inversion, and the sums are exact for all points.

use alloc::vec;
use alloc::vec::Vec;

use super::lists::{Entry, LONGEST, List, Run, cut, lists_of};
use crate::curve::{AffinePoint, Curve, Group, LanesOf};
use crate::field::{
    Body, Field as _, Lanes, MOST_LANES, Mask as _, Registers as _, VariableTime, lane_item,
};
use crate::limbs::X8;
use crate::multiply::affine_steps::{AffineSteps, DoubledPoint};
use crate::multiply::slot_pairs::{SlotPair, SlotPairs};
use crate::table::prefetch;

/// The number of points whose additions share inversions. They occupy 500 KiB in lanes and should
/// stay in a second-level cache. Twice as many measure the same, but cause page faults for memory
/// that the allocator has given back. Run `bench -- --only verify/hinted` after changing it.
pub const POINTS_TOGETHER: usize = 4096;

/// Sums that are points, with the keys of their lists. Sums that are infinity are left out.
#[derive(Debug)]
pub(super) struct Sums<E> {
    pub(super) keys: Vec<u32>,
    pub(super) points: Vec<AffinePoint<E>>,
}

impl<E> Sums<E> {
    /// Creates an empty list with room for this number of sums.
    pub(super) fn with_room(room: usize) -> Self {
        Self {
            keys: Vec::with_capacity(room),
            points: Vec::with_capacity(room),
        }
    }
}

/// Adds up lists of points.
///
/// A list of m points costs m - 1 affine additions of 5M + 1S. A pair of points with the same x has
/// no slope, and an attacker can cause as many such pairs as he likes. A level with such a pair
/// inverts once more, through memory, and doubles the equal points of all such pairs side by side.
/// That costs at most about four times the time, whatever the points. Variable time: for public
/// values only.
pub(super) struct ListSums<C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    slots: Vec<AffinePoint<L::Element>>,
    /// The lanes of each slot that hold no point.
    absent: Vec<L::Mask>,
    pairs: Vec<SlotPair>,
    exceptional: Vec<L::Mask>,
    scratch: Vec<L::Element>,
    steps: AffineSteps<C, L, VariableTime>,
    /// True if a lane may lack a point before one that it has.
    has_gaps: bool,
}

/// One run for each lane.
#[derive(Clone, Copy, Debug)]
struct Rows {
    /// The index of its first run.
    run: usize,
    /// The index of its first slot.
    slot: usize,
    /// The number of its slots in use.
    length: usize,
}

impl<C: Curve, L: LanesOf<C>> ListSums<C, L> {
    #[inline(always)]
    pub(super) fn new(group: &Group<C, L>) -> Self {
        Self {
            group: *group,
            slots: vec![],
            absent: vec![],
            pairs: vec![],
            exceptional: vec![],
            scratch: vec![],
            steps: AffineSteps::new(*group),
            has_gaps: false,
        }
    }

    /// Returns the sum of every list.
    #[inline(never)]
    pub(super) fn add_up(
        &mut self,
        points: &[AffinePoint<L::Lane>],
        entries: &[Entry],
        lists: &[List],
    ) -> Sums<L::Lane> {
        let mut sums = Sums::with_room(lists.len());
        let mut runs = cut(lists);
        let is_part = |run: &&Run| !run.is_whole;
        let mut parts = Sums::with_room(runs.iter().filter(is_part).count());
        self.add_up_runs(points, entries, &runs, &mut sums, &mut parts);
        // The sums of the parts of a list form a list again.
        while !parts.keys.is_empty() {
            let keyed = parts.keys.iter().zip(0..);
            let keyed = keyed.map(|(&key, i)| (key, Entry::new(i, false)));
            let (entries, lists) = lists_of(keyed.collect());
            runs = cut(&lists);
            let points = core::mem::take(&mut parts.points);
            parts.keys.clear();
            self.add_up_runs(&points, &entries, &runs, &mut sums, &mut parts);
        }
        sums
    }

    fn add_up_runs(
        &mut self,
        points: &[AffinePoint<L::Lane>],
        entries: &[Entry],
        runs: &[Run],
        sums: &mut Sums<L::Lane>,
        parts: &mut Sums<L::Lane>,
    ) {
        const { assert!(L::WIDTH <= MOST_LANES) };
        let (mut rows, mut slot) = (vec![], 0);
        for run in (0..runs.len()).step_by(L::WIDTH) {
            // Runs are ordered by length, the longest ones first.
            let length = runs[run].list.length as usize;
            if slot + length > POINTS_TOGETHER / L::WIDTH {
                self.add_up_rows(points, entries, runs, &mut rows, sums, parts);
                slot = 0;
            }
            rows.push(Rows { run, slot, length });
            slot += length;
        }
        self.add_up_rows(points, entries, runs, &mut rows, sums, parts);
    }

    /// Adds up rows that fit into the slots at once, and removes them.
    fn add_up_rows(
        &mut self,
        points: &[AffinePoint<L::Lane>],
        entries: &[Entry],
        runs: &[Run],
        rows: &mut Vec<Rows>,
        sums: &mut Sums<L::Lane>,
        parts: &mut Sums<L::Lane>,
    ) {
        self.read(points, entries, runs, rows);
        let mut lengths: Vec<usize> = rows.iter().map(|rows| rows.length).collect();
        while lengths.iter().any(|&length| length > 1) {
            self.halve(rows, &mut lengths);
        }
        for row in rows.drain(..) {
            let (sum, absent) = (&self.slots[row.slot], self.absent[row.slot]);
            let runs = runs[row.run..].iter().enumerate();
            self.group.take_lanes(sum, runs, |(lane, run), point| {
                if absent.lane(lane) {
                    return;
                }
                let sums = match run.is_whole {
                    true => &mut *sums,
                    false => &mut *parts,
                };
                sums.keys.push(run.list.key);
                sums.points.push(point);
            });
        }
    }

    /// Reads the points of rows into their slots.
    #[inline(never)]
    fn read(
        &mut self,
        points: &[AffinePoint<L::Lane>],
        entries: &[Entry],
        runs: &[Run],
        rows: &[Rows],
    ) {
        let nowhere = AffinePoint::filled(self.group.field().zero());
        let slots = rows.last().map_or(0, |rows| rows.slot + rows.length);
        let none = L::Mask::from_lanes(|_| false);
        if slots > self.slots.len() {
            // The old contents are not needed, so nothing is copied.
            self.slots = vec![];
            self.slots = vec![nowhere; slots.next_power_of_two().min(POINTS_TOGETHER / L::WIDTH)];
        }
        self.absent.clear();
        self.absent.resize(slots, none);
        self.has_gaps = false;
        let reading = Reading::<L> {
            points,
            entries,
            runs,
            rows,
            slots: &mut self.slots,
            absent: &mut self.absent,
            named: [[[Entry::new(0, false); MOST_LANES]; LONGEST]; 2],
        };
        self.group.field().each(rows.len(), reading);
    }

    /// Performs one level of the trees: adds the second half of every row's slots to the first.
    #[inline(never)]
    fn halve(&mut self, rows: &[Rows], lengths: &mut [usize]) {
        self.pairs.clear();
        for (rows, length) in rows.iter().zip(lengths) {
            let half = length.div_ceil(2);
            for first in rows.slot..rows.slot + *length - half {
                // Each pair has its own mask.
                let mask = self.pairs.len();
                self.pairs
                    .push(SlotPair::new(first, first + half, mask, true));
            }
            *length = half;
        }
        if self.has_gaps {
            self.close_gaps();
        }
        let (field, none) = (self.group.field(), L::Mask::from_lanes(|_| false));
        // The buffer never shrinks: the first levels are the longest.
        let longest = self.pairs.len().max(self.scratch.len());
        self.scratch.resize(longest, field.zero());
        self.exceptional.clear();
        self.exceptional.resize(self.pairs.len(), none);
        let level = SlotPairs {
            pairs: &self.pairs,
            absent: &self.absent,
        };
        let has_exceptions = self.group.add_affine::<VariableTime, _>(
            level,
            &mut self.slots,
            &mut self.exceptional,
            None,
            &mut self.scratch[..self.pairs.len()],
        );
        if has_exceptions {
            self.add_exceptional();
        }
    }

    /// In lanes that lack the first point of a pair, moves the second one into its place.
    #[cold]
    #[inline(never)]
    fn close_gaps(&mut self) {
        for pair in &self.pairs {
            let (first, second) = (pair.first(), pair.second());
            let (before, behind) = (self.absent[first], self.absent[second]);
            if before.any() {
                let (p, q) = (self.slots[first], &self.slots[second]);
                self.slots[first] = self.group.select_affine(before, q, &p);
                self.absent[first] =
                    L::Mask::from_lanes(|lane| before.lane(lane) && behind.lane(lane));
                self.absent[second] = before.or(behind);
            }
        }
    }

    /// Computes the sums of the pairs without a slope: P + P = 2P, and P - P is no point.
    ///
    /// If the inverse of the denominator is zero, so is the slope, and the y of the supposed sum
    /// is -y(P). Q is still in its slot, and is P or -P.
    #[cold]
    #[inline(never)]
    fn add_exceptional(&mut self) {
        let field = self.group.field();
        let (mut places, mut doubles) = (vec![], vec![]);
        for (pair, &exceptional) in self.pairs.iter().zip(&self.exceptional) {
            if !exceptional.any() {
                continue;
            }
            let (sum, q) = (&self.slots[pair.first()], &self.slots[pair.second()]);
            let same = field.is_zero(&field.add(&sum.y, &q.y));
            debug_assert!(
                same.or(field.equal(&sum.y, &q.y))
                    .or(not(exceptional))
                    .all(L::WIDTH)
            );
            let is = |lane: usize| exceptional.lane(lane) && same.lane(lane);
            let is_not = |lane: usize| exceptional.lane(lane) && !same.lane(lane);
            let opposite = L::Mask::from_lanes(is_not);
            if opposite.any() {
                self.absent[pair.first()] = self.absent[pair.first()].or(opposite);
                self.has_gaps = true;
            }
            let equal: L::Mask = L::Mask::from_lanes(is);
            if equal.any() {
                places.push((pair.first(), equal));
                doubles.push(DoubledPoint::from_affine(field, q));
            }
        }
        // No point of odd order has y = 0. The contents of the other lanes are ignored.
        let mut unused = vec![L::Mask::from_lanes(|_| false); doubles.len()];
        self.steps.double(&mut doubles, &mut unused);
        for ((place, equal), double) in places.into_iter().zip(doubles) {
            let (double, sum) = (double.to_affine(field), self.slots[place]);
            self.slots[place] = self.group.select_affine(equal, &double, &sum);
        }
    }
}

fn not<M: crate::field::Mask>(mask: M) -> M {
    M::from_lanes(|lane| !mask.lane(lane))
}

/// Reads points into slots, one row in each step, and prefetches those of the next row.
struct Reading<'a, L: Lanes> {
    points: &'a [AffinePoint<L::Lane>],
    entries: &'a [Entry],
    runs: &'a [Run],
    rows: &'a [Rows],
    slots: &'a mut [AffinePoint<L::Element>],
    absent: &'a mut [L::Mask],
    /// The entries of the current row and of the next one, by slots.
    named: [[[Entry; MOST_LANES]; LONGEST]; 2],
}

/// The runs of a row, one for each lane.
#[derive(Clone, Copy)]
struct LaneRuns {
    starts: [u32; MOST_LANES],
    /// The lengths of the runs less one.
    last: [u32; MOST_LANES],
}

impl<L: Lanes> Reading<'_, L> {
    #[inline(always)]
    fn runs(&self, row: &Rows) -> LaneRuns {
        let runs = &self.runs[row.run..];
        let mut of_lanes = LaneRuns {
            starts: [0; MOST_LANES],
            last: [0; MOST_LANES],
        };
        for lane in 0..L::WIDTH {
            let list = &lane_item(runs, lane).list;
            of_lanes.starts[lane] = list.start;
            of_lanes.last[lane] = list.length - 1;
        }
        of_lanes
    }

    /// Returns the entries of the lanes in slot `slot` and prefetches their points. A shorter run
    /// repeats its last entry.
    #[inline(always)]
    fn ask_for(&self, runs: &LaneRuns, slot: usize) -> [Entry; MOST_LANES] {
        let mut places = runs.starts;
        for (place, last) in places.iter_mut().zip(runs.last) {
            *place += last.min(slot as u32);
        }
        let mut entries = [Entry::new(0, false); MOST_LANES];
        for (entry, place) in entries[..L::WIDTH].iter_mut().zip(places) {
            *entry = self.entries[place as usize];
            prefetch(&self.points[entry.index()]);
        }
        entries
    }
}

impl<L: Lanes> Body<L> for Reading<'_, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let row = self.rows[i];
        if i == 0 {
            let runs = self.runs(&row);
            for slot in 0..row.length {
                self.named[0][slot] = self.ask_for(&runs, slot);
            }
        }
        let next = self
            .rows
            .get(i + 1)
            .map(|next| (next.length, self.runs(next)));
        let last = self.runs(&row).last;
        for slot in 0..row.length {
            if let Some((length, runs)) = &next
                && slot < *length
            {
                self.named[(i + 1) % 2][slot] = self.ask_for(runs, slot);
            }
            let entries = self.named[i % 2][slot];
            let first = &self.points[entries[0].index()];
            let (mut x, mut y) = ([&first.x; MOST_LANES], [&first.y; MOST_LANES]);
            for (lane, entry) in entries[..L::WIDTH].iter().enumerate().skip(1) {
                let point = &self.points[entry.index()];
                (x[lane], y[lane]) = (&point.x, &point.y);
            }
            let negative = field.is_number(&X8(entries.map(Entry::sign)), 1);
            let y = field.negate_if(&field.gather_lanes(y), negative);
            self.slots[row.slot + slot] = AffinePoint {
                x: field.store(&field.gather_lanes(x)),
                y: field.store(&y),
            };
            // The runs of a row are ordered by length.
            if slot > last[L::WIDTH - 1] as usize {
                let is_absent = |lane: usize| slot > last[lane] as usize;
                self.absent[row.slot + slot] = L::Mask::from_lanes(is_absent);
            }
        }
    }
}
