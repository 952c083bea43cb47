//! Multiples of points that have tables, as the table points that sum to them. The digits of all
//! lanes are extracted at once.

use alloc::vec;
use alloc::vec::Vec;

use super::gathering::gather;
use crate::curve::{AffinePoint, Curve, Group, LanesOf};
use crate::field::{Body, MOST_LANES, Mask, Registers as _};
use crate::limbs::X8;
use crate::recode::{BoothLanes, LaneDigits, booth_digit};
use crate::table::{WindowRows, prefetch};

/// k P for each lane of a group, for points P that have tables.
#[derive(Clone, Copy, Debug)]
pub struct LaneMultiples<'p, 'k, C: Curve> {
    /// The tables of P, one for each lane.
    pub tables: [WindowRows<'p, C::BaseElement>; MOST_LANES],
    /// k, one for each lane, little-endian in limbs and below the order.
    pub scalars: &'k [C::Integer],
}

impl<C: Curve> LaneMultiples<'_, '_, C> {
    /// The most terms of a lane.
    #[inline(always)]
    fn slots(&self, width: usize) -> usize {
        let tables = &self.tables[..width];
        tables.iter().map(|rows| rows.len()).max().unwrap_or(0)
    }

    /// The window, if all lanes have the same.
    #[inline(always)]
    fn window(&self, width: usize) -> Option<u32> {
        let window = self.tables[0].window();
        let mut tables = self.tables[..width].iter();
        tables.all(|rows| rows.window() == window).then_some(window)
    }

    /// Digit `index` of each lane in its own window, and the start of its row. The digit is zero
    /// beyond the last one.
    #[cold]
    #[inline(never)]
    fn digits(&self, width: usize, index: usize) -> (LaneDigits, [usize; MOST_LANES]) {
        let (mut numbers, mut negative) = (X8::default(), X8::default());
        let mut rows = [0; MOST_LANES];
        for (lane, k) in self.scalars[..width].iter().enumerate() {
            let table = self.tables[lane];
            if index < table.len() {
                let digit = booth_digit(k.as_ref(), table.window(), index as u32);
                numbers.0[lane] = u64::from(digit.unsigned_abs());
                negative.0[lane] = u64::from(digit < 0);
                rows[lane] = index << (table.window() - 1);
            }
        }
        (LaneDigits { numbers, negative }, rows)
    }
}

/// The points to add in each lane of the groups of a block.
///
/// The points of the lanes' first digits form the first slot of a group, those of their second
/// digits the second slot, and so on. A digit that is zero has no point; the lane's last point
/// takes its place.
#[derive(Debug)]
pub(super) struct LaneTerms<'p, C: Curve, L: LanesOf<C>> {
    /// The number of slots that each group has room for.
    stride: usize,
    /// The points of each slot, one for each lane.
    points: Vec<&'p AffinePoint<C::BaseElement>>,
    /// The lanes of each slot whose point is subtracted.
    negative: Vec<L::Mask>,
    /// The digits that are zero, by slot.
    zeros: Vec<(usize, L::Mask)>,
    groups: Vec<Counts>,
}

/// The numbers of points in a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts {
    /// The number of points of each lane.
    lanes: [usize; MOST_LANES],
    /// The number of slots in use.
    pub(super) slots: usize,
}

impl Counts {
    /// Returns true if every lane has a point in every slot.
    #[inline(always)]
    pub(super) fn are_full(&self, width: usize) -> bool {
        self.lanes[..width].iter().all(|&count| count == self.slots)
    }

    /// The lanes that have no point in a slot.
    #[inline(always)]
    pub(super) fn absent<M: Mask>(&self, slot: usize) -> M {
        M::from_lanes(|lane| slot >= self.lanes[lane])
    }
}

impl<'p, C: Curve, L: LanesOf<C>> LaneTerms<'p, C, L> {
    /// Makes room for this number of groups of at most `stride` slots. `filler` is any point.
    pub(super) fn new(
        filler: &'p AffinePoint<C::BaseElement>,
        groups: usize,
        stride: usize,
    ) -> Self {
        Self {
            stride,
            points: vec![filler; groups * stride * L::WIDTH],
            negative: vec![L::Mask::from_lanes(|_| false); groups * stride],
            zeros: Vec::new(),
            groups: Vec::with_capacity(groups),
        }
    }

    /// Removes all groups, but keeps the memory.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.groups.clear();
    }

    /// The numbers of points in each group.
    #[inline(always)]
    pub(super) fn groups(&self) -> &[Counts] {
        &self.groups
    }

    /// Prefetches the points of the first group. Those of other groups are prefetched while the
    /// group before is read.
    #[inline(always)]
    pub(super) fn ask_for_first(&self) {
        for point in self.points_of(0) {
            prefetch(*point);
        }
    }

    /// The points of a group, one for each lane in each slot; empty if the group does not exist.
    #[inline(always)]
    fn points_of(&self, group: usize) -> &[&'p AffinePoint<C::BaseElement>] {
        let Some(counts) = self.groups.get(group) else {
            return &[];
        };
        &self.points[group * self.stride * L::WIDTH..][..counts.slots * L::WIDTH]
    }

    /// Names the points of another group, which sum to the multiples of each lane; there are at
    /// most two multiples. No point is read or prefetched. `digits` is scratch space.
    ///
    /// # Panics
    /// Panics if there are more terms than slots, or more groups than there is room for.
    #[inline(never)]
    pub(super) fn name(
        &mut self,
        field: L,
        multiples: &[LaneMultiples<'p, '_, C>],
        digits: &mut BoothLanes,
    ) {
        let first = self.groups.len() * self.stride;
        let mut slots = 0;
        for of_lanes in multiples {
            let count = of_lanes.slots(L::WIDTH);
            assert!(slots + count <= self.stride, "more terms than slots");
            let window = of_lanes.window(L::WIDTH);
            if const { L::WIDTH > 1 } {
                digits.set(&of_lanes.scalars[..L::WIDTH]);
            }
            let collect = CollectPoints {
                multiples: of_lanes,
                points: of_lanes.tables.map(WindowRows::points),
                digits,
                window,
                first: first + slots,
                terms: &mut *self,
            };
            field.each(count, collect);
            slots += count;
        }
        let lanes = [slots; MOST_LANES];
        self.groups.push(Counts { lanes, slots });
        if !self.zeros.is_empty() {
            self.close_gaps(first);
        }
    }

    /// Moves a lane's points before its absences.
    #[cold]
    #[inline(never)]
    fn close_gaps(&mut self, first: usize) {
        let Some(counts) = self.groups.last_mut() else {
            return;
        };
        // Starts at the last zero, so that no zero follows the one that is replaced.
        while let Some((slot, zeros)) = self.zeros.pop() {
            for lane in (0..L::WIDTH).filter(|&lane| zeros.lane(lane)) {
                counts.lanes[lane] -= 1;
                let last = first + counts.lanes[lane];
                self.points[slot * L::WIDTH + lane] = self.points[last * L::WIDTH + lane];
                let (here, there) = (self.negative[slot], self.negative[last]);
                let from = |other: usize| if other == lane { there } else { here };
                self.negative[slot] = L::Mask::from_lanes(|other| from(other).lane(other));
            }
        }
        counts.slots = counts.lanes[..L::WIDTH].iter().copied().max().unwrap_or(0);
    }

    /// Reads the points of a group into lanes.
    #[inline(always)]
    pub(super) fn read(
        &self,
        group: Group<C, L>,
        number: usize,
        slots: &mut [AffinePoint<L::Element>],
    ) {
        let (points, ahead) = (self.points_of(number), self.points_of(number + 1));
        let reading = Reading {
            group,
            points,
            ahead,
            negative: &self.negative[number * self.stride..],
            slots,
        };
        let steps = points.len().max(ahead.len()) / L::WIDTH;
        group.field().each(steps, reading);
    }
}

/// Collects references to the points of a multiple, one digit in each step.
struct CollectPoints<'a, 'p, 'k, C: Curve, L: LanesOf<C>> {
    multiples: &'a LaneMultiples<'p, 'k, C>,
    points: [&'p [AffinePoint<C::BaseElement>]; MOST_LANES],
    digits: &'a BoothLanes,
    window: Option<u32>,
    /// The slot of the first digit.
    first: usize,
    terms: &'a mut LaneTerms<'p, C, L>,
}

impl<C: Curve, L: LanesOf<C>> Body<L> for CollectPoints<'_, '_, '_, C, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        if const { L::WIDTH == 1 } {
            return self.collect_one(i);
        }
        let (digits, rows) = match self.window {
            Some(window) => {
                let digits = self.digits.digits(L::WIDTH, window, i as u32);
                (digits, [i << (window - 1); MOST_LANES])
            }
            None => self.multiples.digits(L::WIDTH, i),
        };
        let slot = self.first + i;
        let named = &mut self.terms.points[slot * L::WIDTH..][..L::WIDTH];
        for (lane, point) in named.iter_mut().enumerate() {
            // Any point will do for a digit that is zero.
            let points = self.points[lane];
            let place = (digits.numbers.0[lane] as usize + rows[lane]).wrapping_sub(1);
            *point = points.get(place).unwrap_or(&points[0]);
        }
        self.terms.negative[slot] = field.is_number(&digits.negative, 1);
        let zeros = field.is_number(&digits.numbers, 0);
        if zeros.any() {
            self.terms.zeros.push((slot, zeros));
        }
    }
}

impl<C: Curve, L: LanesOf<C>> CollectPoints<'_, '_, '_, C, L> {
    /// A step of a field with one lane.
    #[inline(always)]
    fn collect_one(&mut self, i: usize) {
        let (table, k) = (self.multiples.tables[0], &self.multiples.scalars[0]);
        let digit = booth_digit(k.as_ref(), table.window(), i as u32);
        let (points, slot) = (self.points[0], self.first + i);
        let place = (i << (table.window() - 1)) + digit.unsigned_abs() as usize;
        self.terms.points[slot] = points.get(place.wrapping_sub(1)).unwrap_or(&points[0]);
        self.terms.negative[slot] = L::Mask::from_lanes(|_| digit < 0);
        if digit == 0 {
            let zeros = L::Mask::from_lanes(|_| true);
            self.terms.zeros.push((slot, zeros));
        }
    }
}

/// Reads points into lanes, one slot in each step, and prefetches those of the next group.
///
/// Fetching a point from a large table takes longer than reading eight points, and there is room
/// for some dozen requests. One slot at a time, no request waits for room.
struct Reading<'a, 'p, C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    points: &'a [&'p AffinePoint<C::BaseElement>],
    ahead: &'a [&'p AffinePoint<C::BaseElement>],
    negative: &'a [L::Mask],
    slots: &'a mut [AffinePoint<L::Element>],
}

impl<C: Curve, L: LanesOf<C>> Body<L> for Reading<'_, '_, C, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let places = i * L::WIDTH..(i + 1) * L::WIDTH;
        if let Some(ahead) = self.ahead.get(places.clone()) {
            for point in ahead {
                prefetch(*point);
            }
        }
        if let Some(points) = self.points.get(places) {
            self.slots[i] = gather(self.group, field, points, self.negative[i]);
        }
    }
}

#[cfg(all(test, feature = "p256"))]
mod tests {
    use super::*;
    use crate::curve::P256;
    use crate::field::p256::P256Kernel;
    use crate::field::{P256FieldX8, P256ReductionX8};
    use crate::limbs::PortableWords;
    use crate::table::WindowTable;

    /// Scalars below the order, many with digits that are zero.
    fn scalars() -> Vec<[u64; 4]> {
        let mut k = [0x9e37_79b9_7f4a_7c15u64, 3, 5, 7];
        let mut scalars = vec![
            [0; 4],
            [1, 0, 0, 0],
            [u64::MAX, u64::MAX, u64::MAX, 0],
            [0, 0, 1 << 40, 0],
            [0, u64::MAX, 0, 1 << 62],
            [u64::MAX - 1, 0, 0, 1],
        ];
        while scalars.len() < 24 {
            k = k.map(|limb| limb.wrapping_mul(0xd134_2543_de82_ef95).rotate_left(29) + 1);
            scalars.push([k[0], k[1], k[2], k[3] >> 1]);
        }
        scalars
    }

    /// Every lane has the terms of its multiples, each negated according to its sign.
    fn check<L: LanesOf<P256>>(field: L, windows: [[u32; MOST_LANES]; 2]) {
        let single = Group::new(P256, P256.base_field());
        let generator = P256.generator();
        let table = |window| WindowTable::build_vartime(&single, generator, window).unwrap();
        let built: Vec<_> = (0..12)
            .map(|window| (window > 0).then(|| table(window)))
            .collect();
        let tables = windows.map(|of| of.map(|window| built[window as usize].as_ref().unwrap()));
        let tables = tables.map(|of| of.map(WindowTable::rows));
        let (scalars, groups) = (scalars(), 3);
        let most = |of: [WindowRows<'_, _>; MOST_LANES]| of.map(WindowRows::len).into_iter().max();
        let stride = tables.iter().filter_map(|of| most(*of)).sum();
        let mut terms = LaneTerms::<P256, L>::new(generator, groups, stride);
        let mut digits = BoothLanes::new(4);
        let of_lanes = |group: usize, which: usize| LaneMultiples {
            tables: tables[which],
            scalars: &scalars[(group * L::WIDTH + which) % 16..],
        };
        for group in 0..groups {
            terms.name(
                field,
                &[of_lanes(group, 0), of_lanes(group, 1)],
                &mut digits,
            );
        }
        for group in 0..groups {
            let counts = terms.groups()[group];
            let wide = Group::wide(P256, field);
            let zero = field.zero();
            let mut read = vec![AffinePoint { x: zero, y: zero }; stride];
            terms.read(wide, group, &mut read);
            for lane in 0..L::WIDTH {
                let mut expected = vec![];
                for which in 0..2 {
                    let multiples = of_lanes(group, which);
                    let k = &multiples.scalars[lane];
                    for (point, negative) in multiples.tables[lane].terms_vartime(k) {
                        let point = single.negate_affine_if(point, negative);
                        expected.push((*point.x.montgomery_limbs(), *point.y.montgomery_limbs()));
                    }
                }
                let mut found = vec![];
                for (slot, read) in read[..counts.slots].iter().enumerate() {
                    if counts.absent::<L::Mask>(slot).lane(lane) {
                        continue;
                    }
                    let (mut x, mut y) = ([generator.x; MOST_LANES], [generator.y; MOST_LANES]);
                    field.unpack(&read.x, &mut x[..L::WIDTH]);
                    field.unpack(&read.y, &mut y[..L::WIDTH]);
                    found.push((*x[lane].montgomery_limbs(), *y[lane].montgomery_limbs()));
                }
                expected.sort_unstable();
                found.sort_unstable();
                assert_eq!(found, expected, "group {group}, lane {lane}");
            }
        }
    }

    #[test]
    fn terms_are_those_of_each_scalar() {
        let lanes = P256FieldX8::new(PortableWords, P256ReductionX8, P256Kernel);
        for window in [1, 4, 7, 11] {
            check(P256.base_field(), [[window; MOST_LANES], [9; MOST_LANES]]);
            check(lanes, [[window; MOST_LANES], [9; MOST_LANES]]);
        }
        // Each lane has its own window.
        check(
            lanes,
            [[4, 11, 1, 7, 7, 5, 2, 9], [3, 3, 8, 3, 3, 3, 3, 10]],
        );
    }
}
