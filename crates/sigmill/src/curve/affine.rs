//! Sums of points in affine coordinates: the formulas, and the loops over many additions whose
//! slopes share an inversion.

mod adding;

use zeroize::Zeroize;

use super::{AffinePoint, Curve, Group, LanesOf};
use crate::field::{Field, Inversion, Lanes, Mask as _, Registers};
use adding::Adding;

/// An affine point as it is kept: by its x and its y, or twice that.
pub trait Coordinates<E>: Copy {
    /// Whether 2y is kept in place of y: it is what the slope of the tangent is divided by, and the
    /// sum of two points is no more work.
    const DOUBLED_Y: bool;

    /// From x and y, or 2y.
    fn new(coordinates: [E; 2]) -> Self;

    /// x and y, or 2y.
    fn coordinates(&self) -> [&E; 2];
}

impl<E: Copy> Coordinates<E> for AffinePoint<E> {
    const DOUBLED_Y: bool = false;

    #[inline(always)]
    fn new([x, y]: [E; 2]) -> Self {
        Self { x, y }
    }

    #[inline(always)]
    fn coordinates(&self) -> [&E; 2] {
        [&self.x, &self.y]
    }
}

/// What an addition adds to its point P.
#[derive(Clone, Copy, Debug)]
pub enum Addend<'a, E> {
    /// Another point, by its coordinates; its x is not that of P.
    Point([&'a E; 2]),
    /// P. Where 2y is kept of points, all additions beside it double too ([`Lines::Tangents`]).
    Itself,
    /// P + Q, where 2y is kept of P; its x is not that of P.
    FirstSum(&'a FirstSum<E>),
}

/// What is kept of P + Q on the way to 2P + Q as (P + Q) + P (K. Eisentraeger, K. Lauter, P. L.
/// Montgomery, *Fast elliptic curve arithmetic and improved Weil pairing evaluation*, 2003).
#[derive(Clone, Copy, Debug)]
pub struct FirstSum<E> {
    /// The slope of the chord through P and Q.
    pub slope: E,
    /// The x-coordinate.
    pub x: E,
}

impl<E: Zeroize> Zeroize for FirstSum<E> {
    fn zeroize(&mut self) {
        self.slope.zeroize();
        self.x.zeroize();
    }
}

/// What the slopes of additions are those of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Chords.
    Chords,
    /// Tangents.
    Tangents,
    /// Chords through P and P + Q.
    SecondChords,
}

/// Additions whose slopes share an inversion: which points they add, and where their sums go. No
/// sum takes the place of a point of another addition.
///
/// Implementations are `#[inline(always)]`, as those of [`Body`](crate::field::Body).
pub trait AffineAdditions<L: Lanes>: Copy {
    /// How points are kept.
    type Point: Coordinates<L::Element>;

    /// What the slopes are those of.
    const LINES: Lines = Lines::Chords;

    /// Whether they can be first ones, of whose sums no y is wanted ([`FirstSum`]).
    const MAY_BE_FIRST: bool = false;

    /// The place of the point P of addition `i`.
    #[inline(always)]
    fn place(self, i: usize) -> usize {
        i
    }

    /// What is added to it.
    fn addend<'a>(&'a self, points: &'a [Self::Point], i: usize) -> Addend<'a, L::Element>;

    /// Whether the y of the sum is wanted.
    #[inline(always)]
    fn wants_y(self, _: usize) -> bool {
        true
    }

    /// The mask that takes the lanes in which addition `i` has no slope.
    #[inline(always)]
    fn number_of_mask(self, i: usize) -> usize {
        i
    }

    /// The lanes in which there is nothing to add, and P stays.
    #[inline(always)]
    fn absent(self, _: usize) -> L::Mask {
        L::Mask::from_lanes(|_| false)
    }

    /// The lanes whose denominators do not count: those, and perhaps some that are exceptional when
    /// the additions begin.
    #[inline(always)]
    fn skipped(self, _exceptional: &[L::Mask], i: usize) -> L::Mask {
        self.absent(i)
    }
}

impl<C: Curve, L: LanesOf<C>> Group<C, L> {
    /// Makes as many additions as `scratch` is long, and says whether one had no slope. 5M + 1S
    /// each, 1S more for a tangent, 1M less without y.
    ///
    /// What has no slope becomes `exceptional`, and its sum is none; nobody looks where the
    /// inversion is one of secrets. If there are `first_sums`, for additions that may be first
    /// ones, they take what is kept of the sums, and the points stay.
    #[inline(always)]
    pub fn add_affine<I: Inversion, A: AffineAdditions<L>>(
        &self,
        additions: A,
        points: &mut [A::Point],
        exceptional: &mut [L::Mask],
        first_sums: Option<&mut [FirstSum<L::Element>]>,
        scratch: &mut [L::Element],
    ) -> bool {
        debug_assert!(A::MAY_BE_FIRST || first_sums.is_none());
        let mut adding = Adding {
            group: *self,
            count: scratch.len(),
            additions,
            points,
            exceptional,
            first_sums,
        };
        I::share(self.field(), &mut adding, scratch)
    }
}

/// Single values stay in registers by themselves, and their loops in the function around them.
impl<C: Curve, F: Field> Group<C, F> {
    /// Many additions in affine coordinates: `sums[i]` = P + Q with (P, Q) = `pair(i)`, given the
    /// slopes of the lines through them. 1M + 1S each.
    ///
    /// First all x-coordinates, then all y-coordinates: neighbouring products do not wait for each
    /// other.
    #[inline(always)]
    pub fn add_affine_by_slope<'p>(
        &self,
        pair: impl Fn(usize) -> (&'p AffinePoint<F::Element>, &'p AffinePoint<F::Element>),
        slopes: &[F::Element],
        sums: &mut [AffinePoint<F::Element>],
    ) {
        let f = self.field();
        for (i, (slope, sum)) in slopes.iter().zip(sums.iter_mut()).enumerate() {
            let (p, q) = pair(i);
            sum.x = f.square_sub_both(slope, &p.x, &q.x);
        }
        for (i, (slope, sum)) in slopes.iter().zip(sums.iter_mut()).enumerate() {
            let (p, _) = pair(i);
            sum.y = f.mul_sub(slope, &f.sub(&p.x, &sum.x), &p.y);
        }
    }

    /// 3 x^2 + a, the numerator of the slope of a tangent in affine coordinates. 1S.
    #[inline(always)]
    pub fn affine_tangent(&self, x: &F::Element) -> F::Element {
        let f = self.field();
        let x2 = f.square(x);
        f.add(&f.add(&f.double(&x2), &x2), &self.a)
    }
}

/// The formulas, from memory to registers. A point is [x, y], or [x, 2y] where `doubled_y` says so.
impl<C: Curve, R: Registers> Group<C, R> {
    /// What the slope is divided by; of a chord between points with 2y, half of that.
    #[inline(always)]
    fn denominator(
        &self,
        [x, y]: [&R::Stored; 2],
        addend: Addend<'_, R::Stored>,
        doubled_y: bool,
    ) -> R::Factor {
        let f = self.field();
        match addend {
            Addend::Point([other, _]) => f.difference(&f.load(other), &f.load(x)),
            Addend::Itself if doubled_y => f.factor(&f.load(y)),
            Addend::Itself => f.factor(&f.double(&f.load(y))),
            Addend::FirstSum(sum) => f.difference(&f.load(x), &f.load(&sum.x)),
        }
    }

    /// What is divided. 1S for a tangent.
    #[inline(always)]
    fn numerator(&self, [x, y]: [&R::Stored; 2], addend: Addend<'_, R::Stored>) -> R::Factor {
        let f = self.field();
        match addend {
            Addend::Point([_, other]) => f.difference(&f.load(other), &f.load(y)),
            Addend::Itself => f.square_triple_add(&f.load(x), &self.a),
            Addend::FirstSum(_) => f.factor(&f.load(y)),
        }
    }

    /// The slope of a second chord; those of others are numerator times inverse. 1M.
    ///
    /// With P + Q = (x', -m (x' - x) - y) and m the slope of the first chord, that of the chord
    /// through P + Q and P is ((-m (x' - x) - y) - y) / (x' - x) = 2y / (x - x') - m.
    #[inline(always)]
    fn second_slope(
        &self,
        numerator: &R::Factor,
        inverse: &R::Element,
        addend: Addend<'_, R::Stored>,
    ) -> R::Element {
        let f = self.field();
        match addend {
            Addend::FirstSum(sum) => f.times_sub(numerator, inverse, &f.load(&sum.slope)),
            _ => f.times(numerator, inverse),
        }
    }

    /// The x-coordinate of the sum. 1S.
    #[inline(always)]
    fn sum_x(&self, slope: &R::Stored, x: &R::Stored, addend: Addend<'_, R::Stored>) -> R::Element {
        let other = match addend {
            Addend::Point([other, _]) => other,
            Addend::Itself => x,
            Addend::FirstSum(sum) => &sum.x,
        };
        let f = self.field();
        f.square_sub_both(&f.load(slope), &f.load(x), &f.load(other))
    }

    /// The y-coordinate of the sum, or twice that. 1M.
    #[inline(always)]
    fn sum_y(
        &self,
        slope: &R::Stored,
        [x, y]: [&R::Stored; 2],
        sum_x: &R::Element,
        doubled_y: bool,
    ) -> R::Element {
        let f = self.field();
        let (run, slope) = (f.difference(&f.load(x), sum_x), f.load(slope));
        if doubled_y {
            f.double_times_sub(&run, &slope, &f.load(y))
        } else {
            f.times_sub(&run, &slope, &f.load(y))
        }
    }
}
