//! Columns of products, in a low half and a high half.

use super::reduction::Limbs;
use crate::limbs::Doubles;

/// The sum of the products of a column, cut in two at a power of two.
#[derive(Clone, Copy)]
pub(super) struct Halves<D: Doubles<WIDTH>, const WIDTH: usize> {
    /// A large negative number less the multiples of the power that are next to each product.
    pub(super) high: D::Double,
    /// A large number and what is left.
    pub(super) low: D::Double,
}

impl<D: Doubles<WIDTH>, const WIDTH: usize> Halves<D, WIDTH> {
    /// The first product. To subtract a product from `-high` rounds it to what the last digit of
    /// that number is; `low` is more than `high` by what the low half begins with.
    #[inline(always)]
    pub(super) fn of(doubles: D, high: f64, low: f64, a: D::Double, b: D::Double) -> Self {
        let high = doubles.multiply_sub(a, b, doubles.splat(-high));
        let minus_rounded = doubles.add(doubles.splat(low), high);
        Self {
            high,
            low: doubles.multiply_add(a, b, minus_rounded),
        }
    }

    /// A product more: two multiply-adds, the second one of which is exact.
    #[inline(always)]
    pub(super) fn add(&mut self, doubles: D, a: D::Double, b: D::Double) {
        let high = doubles.multiply_sub(a, b, self.high);
        let minus_rounded = doubles.sub(high, self.high);
        let rest = doubles.multiply_add(a, b, minus_rounded);
        self.low = doubles.add(self.low, rest);
        self.high = high;
    }
}

/// What a product of two limbs is multiplied by, as their column may begin a bit before they do.
pub(super) trait Alignment {
    /// Whether the product of limbs i and j counts twice in column i + j.
    fn is_doubled(i: usize, j: usize) -> bool;
}

/// Column `K` of a b.
#[inline(always)]
pub(super) fn product_column<A, D, const L: usize, const WIDTH: usize, const K: usize>(
    doubles: D,
    first: (f64, f64),
    a: &Limbs<D, L, WIDTH>,
    b: [&Limbs<D, L, WIDTH>; 2],
) -> Halves<D, WIDTH>
where
    A: Alignment,
    D: Doubles<WIDTH>,
{
    let (from, to) = (K.saturating_sub(L - 1), K.min(L - 1) + 1);
    product_column_part::<A, D, L, WIDTH, K>(doubles, first, a, b, (from, to))
}

/// What limbs `from` to `to` - 1 of a bring to column `K` of a b.
#[allow(
    clippy::needless_range_loop,
    reason = "iterators leave their adapters around vectors"
)]
#[inline(always)]
pub(super) fn product_column_part<A, D, const L: usize, const WIDTH: usize, const K: usize>(
    doubles: D,
    (high, low): (f64, f64),
    a: &Limbs<D, L, WIDTH>,
    [b, twice_b]: [&Limbs<D, L, WIDTH>; 2],
    (from, to): (usize, usize),
) -> Halves<D, WIDTH>
where
    A: Alignment,
    D: Doubles<WIDTH>,
{
    let factor = |i: usize| match A::is_doubled(i, K - i) {
        true => twice_b[K - i],
        false => b[K - i],
    };
    let mut halves = Halves::of(doubles, high, low, a[from], factor(from));
    for i in from + 1..to {
        halves.add(doubles, a[i], factor(i));
    }
    halves
}

/// Column `K` of a^2: the products of different limbs once, doubled.
#[inline(always)]
pub(super) fn square_column<A, D, const L: usize, const WIDTH: usize, const K: usize>(
    doubles: D,
    first: (f64, f64),
    a: [&Limbs<D, L, WIDTH>; 2],
) -> Halves<D, WIDTH>
where
    A: Alignment,
    D: Doubles<WIDTH>,
{
    let (from, to) = (K.saturating_sub(L - 1), K / 2 + 1);
    square_column_part::<A, D, L, WIDTH, K>(doubles, first, a, (from, to))
}

/// What limbs `from` to `to` - 1 and those from the middle on bring to column `K` of a^2.
#[inline(always)]
pub(super) fn square_column_part<A, D, const L: usize, const WIDTH: usize, const K: usize>(
    doubles: D,
    (high, low): (f64, f64),
    [a, twice_a]: [&Limbs<D, L, WIDTH>; 2],
    (from, to): (usize, usize),
) -> Halves<D, WIDTH>
where
    A: Alignment,
    D: Doubles<WIDTH>,
{
    let factors = |i: usize| {
        let j = K - i;
        match (A::is_doubled(i, j), i == j) {
            (false, true) => (a[i], a[j]),
            (true, true) | (false, false) => (a[i], twice_a[j]),
            (true, false) => (twice_a[i], twice_a[j]),
        }
    };
    let (x, y) = factors(from);
    let mut halves = Halves::of(doubles, high, low, x, y);
    for i in from + 1..to {
        let (x, y) = factors(i);
        halves.add(doubles, x, y);
    }
    halves
}

/// Twice each limb.
#[inline(always)]
pub(super) fn twice<D: Doubles<WIDTH>, const L: usize, const WIDTH: usize>(
    doubles: D,
    a: &Limbs<D, L, WIDTH>,
) -> Limbs<D, L, WIDTH> {
    let mut twice = *a;
    for limb in &mut twice {
        *limb = doubles.add(*limb, *limb);
    }
    twice
}

/// All columns but the last, one after the other, by a macro of what makes one: the compiler keeps
/// loops over them.
macro_rules! all_columns {
    ($make:ident) => {
        [
            $make!(0),
            $make!(1),
            $make!(2),
            $make!(3),
            $make!(4),
            $make!(5),
            $make!(6),
            $make!(7),
            $make!(8),
            $make!(9),
        ]
    };
}

pub(super) use all_columns;
