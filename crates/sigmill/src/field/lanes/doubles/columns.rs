//! Columns of products, each a low half and a high half.

use super::reduction::Limbs;
use crate::limbs::{Doubles, F64x4};

/// The sum of the products of a column, split at a power of two.
#[derive(Clone, Copy)]
pub(super) struct Halves<D: Doubles<WIDTH>, const WIDTH: usize> {
    /// A large negative number, minus the multiple of the power that is nearest to each product.
    pub(super) high: D::Double,
    /// A large number, plus the rest of each product.
    pub(super) low: D::Double,
}

impl<D: Doubles<WIDTH>, const WIDTH: usize> Halves<D, WIDTH> {
    /// Starts a column with its first product. Subtracting a product from a large number rounds it
    /// to the last digit of that number.
    #[inline(always)]
    pub(super) fn of(doubles: D, first: &'static First, a: D::Double, b: D::Double) -> Self {
        let (high, low) = doubles.begin_column(&first.0, a, b);
        Self { high, low }
    }

    /// Adds a product: two multiply-adds, the second of which is exact.
    #[inline(always)]
    pub(super) fn add(&mut self, doubles: D, a: D::Double, b: D::Double) {
        doubles.add_to_column(&mut self.high, &mut self.low, a, b);
    }
}

/// Initial values of the halves of a column, in memory.
pub(super) struct First([F64x4; 2]);

impl First {
    /// The high half starts with `-high`, the low half with `low` plus the high half at that point.
    pub(super) const fn new(high: f64, low: f64) -> Self {
        Self([F64x4([-high; 4]), F64x4([low; 4])])
    }
}

/// A column of a b: the products of limb i of a and limb k - i of b, for the first of two lists of
/// i. Columns are macros because loops would be unrolled separately in each of hundreds of
/// products.
macro_rules! product_column {
    ($d:expr, $first:expr, $a:expr, $b:expr; $k:tt, [$i:tt $($next:tt)*], $of_square:tt) => {{
        let (d, a, b) = ($d, $a, $b);
        #[allow(unused_mut, reason = "some columns have one product")]
        let mut halves = Halves::of(d, $first, a[$i], b[$k - $i]);
        $(halves.add(d, a[$next], b[$k - $next]);)*
        halves
    }};
}

/// A column of a^2, for the second of two lists of i: the products of different limbs, once and
/// doubled. `$twice` has twice each limb of a.
macro_rules! square_column {
    ($d:expr, $first:expr, $a:expr, $twice:expr; $k:tt, $of_product:tt, [$i:tt $($next:tt)*]) => {{
        let (d, a, twice) = ($d, $a, $twice);
        #[allow(unused_mut, reason = "some columns have one product")]
        let mut halves = Halves::of(d, $first, a[$i], square_column!(@other a, twice, $k, $i));
        $(halves.add(d, a[$next], square_column!(@other a, twice, $k, $next));)*
        halves
    }};
    (@other $a:ident, $twice:ident, $k:tt, $i:tt) => {
        if 2 * $i == $k { $a[$i] } else { $twice[$k - $i] }
    };
}

/// Column k of six limbs, created by a macro `$make`. It receives two lists of limb numbers: those
/// of a product and those of a square.
macro_rules! of_six_limbs {
    (0, $make:ident($($of:expr),*)) => {
        $make!($($of),*; 0, [0], [0])
    };
    (1, $make:ident($($of:expr),*)) => {
        $make!($($of),*; 1, [0 1], [0])
    };
    (2, $make:ident($($of:expr),*)) => {
        $make!($($of),*; 2, [0 1 2], [0 1])
    };
    (3, $make:ident($($of:expr),*)) => {
        $make!($($of),*; 3, [0 1 2 3], [0 1])
    };
    (4, $make:ident($($of:expr),*)) => {
        $make!($($of),*; 4, [0 1 2 3 4], [0 1 2])
    };
    (5, $make:ident($($of:expr),*)) => {
        $make!($($of),*; 5, [0 1 2 3 4 5], [0 1 2])
    };
    (6, $make:ident($($of:expr),*)) => {
        $make!($($of),*; 6, [1 2 3 4 5], [1 2 3])
    };
    (7, $make:ident($($of:expr),*)) => {
        $make!($($of),*; 7, [2 3 4 5], [2 3])
    };
    (8, $make:ident($($of:expr),*)) => {
        $make!($($of),*; 8, [3 4 5], [3 4])
    };
    (9, $make:ident($($of:expr),*)) => {
        $make!($($of),*; 9, [4 5], [4])
    };
    (10, $make:ident($($of:expr),*)) => {
        $make!($($of),*; 10, [5], [5])
    };
}

pub(super) use {of_six_limbs, product_column, square_column};

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

/// All columns except the last, in order, each created by the macro `$make`.
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
