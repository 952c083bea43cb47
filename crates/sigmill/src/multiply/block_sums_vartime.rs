//! Many sums of affine points at once: binary trees of affine additions, all of a level sharing
//! one inversion.

use alloc::vec;
use alloc::vec::Vec;

use super::gathering::{Gathering, Term};
use crate::curve::{AffinePoint, Curve, Group, LanesOf};
use crate::field::{
    Body, Denominators, Factors, Field, Lanes, MOST_LANES, Mask, Registers as _, Stages,
    each_pipelined, invert_all_vartime,
};

/// Sums of points, one for each row of a block; as many rows as there are lanes form a group.
///
/// A row's points stand in slots. Each level of the tree adds the second half of a group's slots
/// to the first, one affine addition for each pair: 2M + 1S, and 3M for its share of the level's
/// one inversion; the last level needs x only and saves 1M. So a row of n points takes 5 (n - 1) -
/// 1 products and n - 1 squares, and its share of ceil(log2 n) inversions.
///
/// Where a pair has no slope (equal or opposite points), the lane is *dead*: its result is not a
/// sum, and [`x`](Self::x) says so. An attacker chooses Q, r and s and can bring that about; who
/// uses this must add such rows in another way. Variable time: for public values only.
#[derive(Debug)]
pub struct BlockSums<'p, C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    /// Whether the sums' y-coordinates are asked for.
    with_y: bool,
    /// The most slots that a group can have.
    stride: usize,
    /// `stride` slots for each group there is room for.
    points: Vec<AffinePoint<L::Element>>,
    /// The lanes of each slot that hold no point; a lane's points stand before its absences.
    absent: Vec<L::Mask>,
    /// The slots in use of each group.
    lengths: Vec<usize>,
    /// The lanes of each group whose result is not the sum.
    dead: Vec<L::Mask>,
    /// The terms of the group that is being gathered, lane by lane in each slot.
    terms: Vec<Term<'p, C>>,
    /// The additions of the level, and the lanes of each group that have no slope in it.
    pairs: Vec<Pair>,
    dying: Vec<L::Mask>,
    scratch: Vec<L::Element>,
}

impl<'p, C: Curve, L: LanesOf<C>> BlockSums<'p, C, L> {
    /// Room for so many groups of at most `stride` points a row. `filler` is any point: it is what
    /// lanes without a row are made of.
    #[inline(always)]
    pub fn new(
        group: Group<C, L>,
        filler: &'p AffinePoint<C::BaseElement>,
        groups: usize,
        stride: usize,
    ) -> Self {
        let pairs = groups * (stride / 2);
        let zero = group.field().zero();
        let nowhere = AffinePoint { x: zero, y: zero };
        Self {
            group,
            with_y: false,
            stride,
            points: vec![nowhere; groups * stride],
            absent: vec![L::Mask::from_lanes(|_| true); groups * stride],
            lengths: Vec::with_capacity(groups),
            dead: Vec::with_capacity(groups),
            terms: vec![(filler, false); stride * L::WIDTH],
            pairs: Vec::with_capacity(pairs),
            dying: Vec::with_capacity(groups),
            scratch: Vec::with_capacity(pairs),
        }
    }

    /// The same for sums whose y-coordinates are asked for too, by [`point`](Self::point).
    #[inline(always)]
    #[must_use]
    pub fn with_y(mut self) -> Self {
        self.with_y = true;
        self
    }

    /// Forgets all groups, and keeps the memory.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.lengths.clear();
        self.dead.clear();
    }

    /// Adds a group: perhaps a point for every lane, with the lanes in which it is wrong, and the
    /// terms of each lane's row.
    ///
    /// All terms are taken before the first point is read, so that the loads from large tables
    /// overlap.
    ///
    /// # Panics
    /// When a lane has more terms than there are slots, and when there are more groups than there is
    /// room for.
    #[inline(always)]
    pub fn push<T: Iterator<Item = Term<'p, C>>>(
        &mut self,
        point: Option<&(AffinePoint<L::Element>, L::Mask)>,
        terms_of_lane: impl Fn(usize) -> T,
    ) {
        const { assert!(L::WIDTH <= MOST_LANES) };
        let start = self.lengths.len() * self.stride;
        let nowhere = L::Mask::from_lanes(|_| false);
        let (mut dead, mut first) = (nowhere, start);
        if let Some((point, wrong)) = point {
            (self.points[start], self.absent[start]) = (*point, nowhere);
            (dead, first) = (*wrong, start + 1);
        }
        let mut counts = [0; MOST_LANES];
        for (lane, count) in counts[..L::WIDTH].iter_mut().enumerate() {
            terms_of_lane(lane).for_each(|term| {
                self.terms[*count * L::WIDTH + lane] = term;
                *count += 1;
            });
        }
        let most = counts.into_iter().max().unwrap_or(0);
        let length = first - start + most;
        assert!(length <= self.stride, "more terms than slots");
        let gathering = Gathering {
            group: self.group,
            terms: &self.terms,
            slots: &mut self.points[first..],
        };
        self.group.field().each(most, gathering);
        for slot in 0..most {
            self.absent[first + slot] = L::Mask::from_lanes(|lane| slot >= counts[lane]);
        }
        if length == 0 {
            self.absent[start] = L::Mask::from_lanes(|_| true);
        }
        self.lengths.push(length);
        // A lane without a point in the first slot has none at all: its sum is infinity.
        self.dead.push(dead.or(self.absent[start]));
    }

    /// Adds up every row of every group.
    #[inline(always)]
    pub fn add_up(&mut self) {
        while self.lengths.iter().any(|&length| length > 1) {
            self.halve();
        }
    }

    /// The x-coordinates of the sums of a group, and the lanes in which there is none: where the
    /// row had no point, or is dead.
    #[inline(always)]
    pub fn x(&self, group: usize) -> (&L::Element, L::Mask) {
        (&self.points[group * self.stride].x, self.dead[group])
    }

    /// The sums of a group, and the lanes in which there is none, as [`x`](Self::x). Only after
    /// [`with_y`](Self::with_y).
    #[inline(always)]
    pub fn point(&self, group: usize) -> (&AffinePoint<L::Element>, L::Mask) {
        debug_assert!(self.with_y);
        (&self.points[group * self.stride], self.dead[group])
    }

    /// One level of the trees.
    #[inline(never)]
    fn halve(&mut self) {
        let field = self.group.field();
        self.pairs.clear();
        for (row, length) in self.lengths.iter_mut().enumerate() {
            let half = length.div_ceil(2);
            let start = row * self.stride;
            self.pairs
                .extend((start..start + *length - half).map(|first| Pair {
                    row,
                    first,
                    second: first + half,
                    is_last: *length == 2 && !self.with_y,
                }));
            *length = half;
        }
        self.scratch.resize(self.pairs.len(), field.zero());
        self.dying.clear();
        self.dying
            .resize(self.dead.len(), L::Mask::from_lanes(|_| false));
        let mut level = Level {
            group: self.group,
            pairs: &self.pairs,
            points: &mut self.points,
            absent: &self.absent,
            dead: &self.dead,
            dying: &mut self.dying,
        };
        if invert_all_vartime(field, &mut level, &mut self.scratch) {
            for (dead, &dying) in self.dead.iter_mut().zip(&self.dying) {
                *dead = dead.or(dying);
            }
        }
    }
}

/// Two points of a group that are added.
#[derive(Clone, Copy, Debug)]
struct Pair {
    row: usize,
    first: usize,
    second: usize,
    /// Whether nothing but x is asked of the sum.
    is_last: bool,
}

/// The additions of one level.
struct Level<'a, C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    pairs: &'a [Pair],
    points: &'a mut [AffinePoint<L::Element>],
    absent: &'a [L::Mask],
    /// As the level began: the denominators depend on it.
    dead: &'a [L::Mask],
    /// The lanes that have no slope in this level.
    dying: &'a mut [L::Mask],
}

impl<C: Curve, L: LanesOf<C>> Denominators<L> for Level<'_, C, L> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.pairs.len()
    }

    /// One where there is nothing to add.
    #[inline(always)]
    fn denominator(&self, field: L::Registers, i: usize) -> <L::Registers as Factors>::Factor {
        let Pair {
            row, first, second, ..
        } = self.pairs[i];
        let [p, q] = [first, second].map(|place| &self.points[place].x);
        let denominator = field.difference(&field.load(q), &field.load(p));
        let skipped = self.absent[second].or(self.dead[row]);
        if skipped.any() {
            field.choose(skipped, &field.factor(&field.one()), &denominator)
        } else {
            denominator
        }
    }

    #[inline(always)]
    fn take(&mut self, first: usize, inverses: &mut [L::Element], zeros: bool) {
        let field = self.group.field();
        let pairs = &self.pairs[first..][..inverses.len()];
        if zeros {
            for (pair, inverse) in pairs.iter().zip(&*inverses) {
                let dying = &mut self.dying[pair.row];
                *dying = dying.or(field.is_zero(inverse));
            }
        }
        let slopes = Slopes::<L> {
            pairs,
            points: &*self.points,
            slopes: &mut *inverses,
        };
        field.each(pairs.len(), slopes);
        let sums = Sums {
            group: self.group,
            pairs,
            points: &mut *self.points,
            absent: self.absent,
            slopes: inverses,
        };
        each_pipelined(field, pairs.len(), sums);
    }
}

/// From the inverse denominators to the slopes.
struct Slopes<'a, L: Lanes> {
    pairs: &'a [Pair],
    points: &'a [AffinePoint<L::Element>],
    slopes: &'a mut [L::Element],
}

impl<L: Lanes> Body<L> for Slopes<'_, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let Pair { first, second, .. } = self.pairs[i];
        let [p, q] = [first, second].map(|place| &self.points[place].y);
        let rise = field.difference(&field.load(q), &field.load(p));
        let slope = field.times(&rise, &field.load(&self.slopes[i]));
        self.slopes[i] = field.store(&slope);
    }
}

/// From the slopes to the sums, in the places of the first points: x-coordinates (1S), and then
/// y-coordinates (1M).
struct Sums<'a, C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    pairs: &'a [Pair],
    points: &'a mut [AffinePoint<L::Element>],
    absent: &'a [L::Mask],
    slopes: &'a [L::Element],
}

impl<C: Curve, L: LanesOf<C>> Stages<L> for Sums<'_, C, L> {
    type Between = <L::Registers as Field>::Element;

    #[inline(always)]
    fn begin(&self, field: L::Registers, i: usize) -> Self::Between {
        let Pair { first, second, .. } = self.pairs[i];
        let [p, q] = [first, second].map(|place| &self.points[place].x);
        let slope = field.load(&self.slopes[i]);
        field.square_sub_both(&slope, &field.load(p), &field.load(q))
    }

    #[inline(always)]
    fn finish(&mut self, field: L::Registers, i: usize, mut x: Self::Between) {
        let group = self.group.in_registers(field);
        let pair = self.pairs[i];
        let p = group.load(&self.points[pair.first]);
        let mut y = p.y;
        if !pair.is_last {
            let run = field.difference(&p.x, &x);
            y = field.times_sub(&run, &field.load(&self.slopes[i]), &p.y);
        }
        let absent = self.absent[pair.second];
        if absent.any() {
            x = field.select(absent, &p.x, &x);
            y = field.select(absent, &p.y, &y);
        }
        self.points[pair.first] = group.store(&AffinePoint { x, y });
    }
}
