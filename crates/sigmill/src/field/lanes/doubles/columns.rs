//! Columns of products, in a low half and a high half.

use super::reduction::Limbs;
use crate::limbs::{Doubles, F64x4};

/// The sum of the products of a column, cut in two at a power of two.
#[derive(Clone, Copy)]
pub(super) struct Halves<D: Doubles<WIDTH>, const WIDTH: usize> {
    /// A large negative number less the multiples of the power that are next to each product.
    pub(super) high: D::Double,
    /// A large number and what is left.
    pub(super) low: D::Double,
}

impl<D: Doubles<WIDTH>, const WIDTH: usize> Halves<D, WIDTH> {
    /// The first product. To subtract a product from a large number rounds it to what the last
    /// digit of that number is.
    #[inline(always)]
    fn of(doubles: D, first: &'static First, a: D::Double, b: D::Double) -> Self {
        let [high, low] = doubles.begin_column(&first.0, a, b);
        Self { high, low }
    }

    /// A product more: two multiply-adds, the second one of which is exact.
    #[inline(always)]
    pub(super) fn add(&mut self, doubles: D, a: D::Double, b: D::Double) {
        [self.high, self.low] = doubles.add_to_column([self.high, self.low], a, b);
    }
}

/// What the halves of a column begin with, in memory.
pub(super) struct First([F64x4; 2]);

impl First {
    /// The high half begins with `-high`, the low one with `low` and what the high one is then.
    pub(super) const fn new(high: f64, low: f64) -> Self {
        Self([F64x4([-high; 4]), F64x4([low; 4])])
    }
}

/// Column `K` of a b.
#[inline(always)]
pub(super) fn product_column<D, const L: usize, const WIDTH: usize, const K: usize>(
    doubles: D,
    first: &'static First,
    a: &Limbs<D, L, WIDTH>,
    b: &Limbs<D, L, WIDTH>,
) -> Halves<D, WIDTH>
where
    D: Doubles<WIDTH>,
{
    let (from, to) = (K.saturating_sub(L - 1), K.min(L - 1) + 1);
    product_column_part::<D, L, WIDTH, K>(doubles, first, a, b, (from, to))
}

/// What limbs `from` to `to` - 1 of a bring to column `K` of a b.
#[allow(
    clippy::needless_range_loop,
    reason = "iterators leave their adapters around vectors"
)]
#[inline(always)]
pub(super) fn product_column_part<D, const L: usize, const WIDTH: usize, const K: usize>(
    doubles: D,
    first: &'static First,
    a: &Limbs<D, L, WIDTH>,
    b: &Limbs<D, L, WIDTH>,
    (from, to): (usize, usize),
) -> Halves<D, WIDTH>
where
    D: Doubles<WIDTH>,
{
    let mut halves = Halves::of(doubles, first, a[from], b[K - from]);
    for i in from + 1..to {
        halves.add(doubles, a[i], b[K - i]);
    }
    halves
}

/// A factor of a square: its limbs, and twice each of them.
pub(super) struct Squared<'a, D: Doubles<WIDTH>, const L: usize, const WIDTH: usize> {
    pub(super) limbs: &'a Limbs<D, L, WIDTH>,
    pub(super) twice: &'a Limbs<D, L, WIDTH>,
}

/// Column `K` of a^2: the products of different limbs once, doubled.
#[inline(always)]
pub(super) fn square_column<D, const L: usize, const WIDTH: usize, const K: usize>(
    doubles: D,
    first: &'static First,
    a: Squared<'_, D, L, WIDTH>,
) -> Halves<D, WIDTH>
where
    D: Doubles<WIDTH>,
{
    let (from, to) = (K.saturating_sub(L - 1), K / 2 + 1);
    square_column_part::<D, L, WIDTH, K>(doubles, first, a, (from, to))
}

/// What limbs `from` to `to` - 1 and those from the middle on bring to column `K` of a^2.
#[inline(always)]
pub(super) fn square_column_part<D, const L: usize, const WIDTH: usize, const K: usize>(
    doubles: D,
    first: &'static First,
    a: Squared<'_, D, L, WIDTH>,
    (from, to): (usize, usize),
) -> Halves<D, WIDTH>
where
    D: Doubles<WIDTH>,
{
    let other = |i: usize| match 2 * i == K {
        true => a.limbs[i],
        false => a.twice[K - i],
    };
    let mut halves = Halves::of(doubles, first, a.limbs[from], other(from));
    for i in from + 1..to {
        halves.add(doubles, a.limbs[i], other(i));
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
