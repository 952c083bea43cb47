//! Sums of points in affine coordinates: the formulas, and the loops over many additions whose
//! slopes share an inversion.

mod adding;

use zeroize::Zeroize;

use super::{AffinePoint, Curve, Group, LanesOf};
use crate::field::{Field, Inversion, Lanes, Mask as _, Registers};
use adding::Adding;

/// An affine point as it is stored: x, and y or 2y.
pub trait Coordinates<E>: Copy {
    /// True if 2y is stored in place of y. The slope of the tangent has the divisor 2y, and the sum
    /// of two points costs no more with it.
    const DOUBLED_Y: bool;

    /// Creates a point from x, and y or 2y.
    fn new(coordinates: [E; 2]) -> Self;

    /// Returns x, and y or 2y.
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

/// The point that an addition adds to its point P.
#[derive(Clone, Copy, Debug)]
pub enum Addend<'a, E> {
    /// Another point, given its coordinates. Its x differs from that of P.
    Point([&'a E; 2]),
    /// P itself. If 2y is stored for points, all additions of the same call must double too
    /// ([`Lines::Tangents`]).
    Itself,
    /// P + Q, where 2y is stored for P. The x of P + Q differs from that of P.
    FirstSum(&'a FirstSum<E>),
}

/// The part of P + Q that is kept to compute 2P + Q as (P + Q) + P (K. Eisentraeger, K. Lauter, P.
/// L. Montgomery, *Fast elliptic curve arithmetic and improved Weil pairing evaluation*, 2003).
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

/// The kind of lines whose slopes the additions need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Chords.
    Chords,
    /// Tangents.
    Tangents,
    /// Chords through P and P + Q.
    SecondChords,
}

/// Additions whose slopes share an inversion: the points they add, and the places of the sums. No
/// sum may replace a point of another addition.
///
/// Implementations are `#[inline(always)]`, as those of [`Body`](crate::field::Body) are.
pub trait AffineAdditions<L: Lanes>: Copy {
    /// The form in which points are stored.
    type Point: Coordinates<L::Element>;

    /// The kind of lines.
    const LINES: Lines = Lines::Chords;

    /// True if the additions can be first additions, whose sums need no y ([`FirstSum`]).
    const MAY_BE_FIRST: bool = false;

    /// The place of the point P of addition `i`.
    #[inline(always)]
    fn place(self, i: usize) -> usize {
        i
    }

    /// The point that addition `i` adds to P.
    fn addend<'a>(&'a self, points: &'a [Self::Point], i: usize) -> Addend<'a, L::Element>;

    /// Returns true if the y of the sum is wanted.
    #[inline(always)]
    fn wants_y(self, _: usize) -> bool {
        true
    }

    /// The index of the mask that records the lanes in which addition `i` has no slope.
    #[inline(always)]
    fn number_of_mask(self, i: usize) -> usize {
        i
    }

    /// The lanes in which there is nothing to add, and P stays.
    #[inline(always)]
    fn absent(self, _: usize) -> L::Mask {
        L::Mask::from_lanes(|_| false)
    }

    /// The lanes whose denominators do not count: the absent ones, and possibly some that are
    /// exceptional when the additions begin.
    #[inline(always)]
    fn skipped(self, _exceptional: &[L::Mask], i: usize) -> L::Mask {
        self.absent(i)
    }
}

impl<C: Curve, L: LanesOf<C>> Group<C, L> {
    /// Performs as many additions as `scratch` has elements, and returns true if one had no slope.
    /// 5M + 1S each, 1S more for a tangent, 1M less without y.
    ///
    /// Additions without a slope are marked in `exceptional`, and their sums are meaningless. An
    /// inversion of secrets does not check for them. If `first_sums` is given, for additions that
    /// may be first ones, it receives the part of the sums that is kept, and the points stay
    /// unchanged.
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

/// Single values stay in registers by themselves, and so do their loops in the surrounding
/// function.
impl<C: Curve, F: Field> Group<C, F> {
    /// Adds many points in affine coordinates: `sums[i]` = P + Q with (P, Q) = `pair(i)`, given the
    /// slopes of the lines through them. 1M + 1S each.
    ///
    /// All x-coordinates come first, then all y-coordinates, so that neighbouring products do not
    /// wait for each other.
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

/// The formulas, from memory to registers. A point is [x, y], or [x, 2y] if `doubled_y` is true.
impl<C: Curve, R: Registers> Group<C, R> {
    /// The divisor of the slope; for a chord between points with 2y, half the divisor.
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

    /// The dividend of the slope. 1S for a tangent.
    #[inline(always)]
    fn numerator(&self, [x, y]: [&R::Stored; 2], addend: Addend<'_, R::Stored>) -> R::Factor {
        let f = self.field();
        match addend {
            Addend::Point([_, other]) => f.difference(&f.load(other), &f.load(y)),
            Addend::Itself => f.square_triple_add(&f.load(x), &self.a),
            Addend::FirstSum(_) => f.factor(&f.load(y)),
        }
    }

    /// The slope of a second chord; for other lines, numerator times inverse. 1M.
    ///
    /// With P + Q = (x', -m (x' - x) - y), where m is the slope of the first chord, the chord
    /// through P + Q and P has the slope ((-m (x' - x) - y) - y) / (x' - x) = 2y / (x - x') - m.
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
