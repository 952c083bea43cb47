//! Many sums of affine points at once: binary trees of affine additions, all of a level sharing
//! one inversion.

use alloc::vec;
use alloc::vec::Vec;

use crate::curve::{AffinePoint, Curve, Group, LanesOf};
use crate::field::Mask;

/// A point to add, and whether to subtract it instead.
type Term<'p, C> = (&'p AffinePoint<<C as Curve>::BaseElement>, bool);

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
    /// The most slots that a group can have.
    stride: usize,
    /// `stride` slots for each group.
    points: Vec<AffinePoint<L::Element>>,
    /// The lanes of each slot that hold no point; a lane's points stand before its absences.
    absent: Vec<L::Mask>,
    /// The slots in use of each group.
    lengths: Vec<usize>,
    /// The lanes of each group whose result is not the sum.
    dead: Vec<L::Mask>,
    /// The terms of the group that is being gathered, lane by lane in each slot.
    terms: Vec<Term<'p, C>>,
    denominators: Vec<L::Element>,
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
        let zero = group.field().zero();
        let pairs = groups * (stride / 2);
        Self {
            group,
            stride,
            points: Vec::with_capacity(groups * stride),
            absent: Vec::with_capacity(groups * stride),
            lengths: Vec::with_capacity(groups),
            dead: Vec::with_capacity(groups),
            terms: vec![(filler, false); stride * L::WIDTH],
            denominators: vec![zero; pairs],
            scratch: vec![zero; pairs],
        }
    }

    /// Forgets all groups, and keeps the memory.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.points.clear();
        self.absent.clear();
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
    /// When a lane has more terms than there are slots.
    #[inline(always)]
    pub fn push<T: Iterator<Item = Term<'p, C>>>(
        &mut self,
        point: Option<&(AffinePoint<L::Element>, L::Mask)>,
        terms_of_lane: impl Fn(usize) -> T,
    ) {
        const MOST: usize = 8;
        const { assert!(L::WIDTH <= MOST) };
        let field = self.group.field();
        let start = self.points.len();
        let nowhere = L::Mask::from_lanes(|_| false);
        let mut dead = nowhere;
        if let Some((point, wrong)) = point {
            self.points.push(*point);
            self.absent.push(nowhere);
            dead = *wrong;
        }
        let mut counts = [0; MOST];
        for (lane, count) in counts[..L::WIDTH].iter_mut().enumerate() {
            terms_of_lane(lane).for_each(|term| {
                self.terms[*count * L::WIDTH + lane] = term;
                *count += 1;
            });
        }
        let most = counts.into_iter().max().unwrap_or(0);
        for slot in 0..most {
            let terms = &self.terms[slot * L::WIDTH..][..L::WIDTH];
            let gathered = AffinePoint {
                x: field.pack(|lane| &terms[lane].0.x),
                y: field.pack(|lane| &terms[lane].0.y),
            };
            // The sign of a digit is a coin toss that no branch predictor wins: no branch.
            let negative = L::Mask::from_lanes(|lane| terms[lane].1);
            self.points
                .push(self.group.negate_affine_if(&gathered, negative));
            self.absent
                .push(L::Mask::from_lanes(|lane| slot >= counts[lane]));
        }
        let length = self.points.len() - start;
        assert!(length <= self.stride, "more terms than slots");
        let filler = AffinePoint {
            x: field.zero(),
            y: field.zero(),
        };
        let everywhere = L::Mask::from_lanes(|_| true);
        self.points.resize(start + self.stride, filler);
        self.absent.resize(start + self.stride, everywhere);
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

    /// One level of the trees.
    #[inline(always)]
    fn halve(&mut self) {
        let group = self.group;
        let field = group.field();
        let one = field.one();
        let mut count = 0;
        self.for_pairs(|this, row, first, second| {
            let mut denominator = field.sub(&this.points[second].x, &this.points[first].x);
            let skipped = this.absent[second].or(this.dead[row]);
            if skipped.any() {
                denominator = field.select(skipped, &one, &denominator);
            }
            this.denominators[count] = denominator;
            count += 1;
        });
        let zeros =
            field.batch_invert_vartime(&mut self.denominators[..count], &mut self.scratch[..count]);
        if zeros {
            count = 0;
            self.for_pairs(|this, row, _, _| {
                let zero = field.is_zero(&this.denominators[count]);
                this.dead[row] = this.dead[row].or(zero);
                count += 1;
            });
        }
        // First all slopes, then all x, then all y: neighbouring products do not wait for each
        // other. Between the last two, the new x stands in the second point.
        count = 0;
        self.for_pairs(|this, _, first, second| {
            let rise = field.sub(&this.points[second].y, &this.points[first].y);
            this.denominators[count] = field.mul(&this.denominators[count], &rise);
            count += 1;
        });
        count = 0;
        self.for_pairs(|this, _, first, second| {
            let [p, q] = [this.points[first].x, this.points[second].x];
            let slope = &this.denominators[count];
            this.points[second].x = field.sub_both(&field.square(slope), &p, &q);
            count += 1;
        });
        count = 0;
        self.for_pairs(|this, row, first, second| {
            let (p, x) = (this.points[first], this.points[second].x);
            let mut sum = AffinePoint { x, y: p.y };
            if this.lengths[row] > 2 {
                let slope = &this.denominators[count];
                sum.y = field.sub(&field.mul(slope, &field.sub(&p.x, &x)), &p.y);
            }
            let absent = this.absent[second];
            if absent.any() {
                sum.x = field.select(absent, &p.x, &sum.x);
                sum.y = field.select(absent, &p.y, &sum.y);
            }
            this.points[first] = sum;
            count += 1;
        });
        for length in &mut self.lengths {
            *length = length.div_ceil(2);
        }
    }

    /// Calls `visit` with every pair of this level: its group and the places of its two points.
    #[inline(always)]
    fn for_pairs(&mut self, mut visit: impl FnMut(&mut Self, usize, usize, usize)) {
        for row in 0..self.lengths.len() {
            let length = self.lengths[row];
            let half = length.div_ceil(2);
            let start = row * self.stride;
            for first in start..start + length - half {
                visit(self, row, first, first + half);
            }
        }
    }
}
