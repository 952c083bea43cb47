//! Counted operations.

use std::ops::{Add, AddAssign, Mul};

/// Products and squares in the field that a curve is defined over, or modulo its order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Operations {
    /// Products, and conversions, which are products too.
    pub products: f64,
    /// Squares.
    pub squares: f64,
}

/// The work of one row or one table, on average over all integers. It is split by the way in which
/// operations are done: a product takes longer if it waits for another one.
///
/// An operation on all lanes of a field counts as one; a row has a share of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// On single values in the formulas for one point, where most wait for others.
    pub in_turn: Operations,
    /// On single values, many side by side.
    pub side_by_side: Operations,
    /// On lanes, in the formulas for one point per lane.
    pub lanes_in_turn: Operations,
    /// On lanes, many side by side.
    pub lanes_side_by_side: Operations,
    /// On lanes, for powers: squares that come without sums and differences.
    pub lanes_to_powers: Operations,
    /// Inversions of single values.
    pub inversions: f64,
    /// Points that are looked up in tables, or brought into the lists of a batch and read there.
    pub points: f64,
    /// The work of a batch for its rows and keys in addition to all that, in rows.
    pub handled_rows: f64,
}

impl Operations {
    /// Creates operations from the numbers of products and squares.
    pub(super) const fn new(products: f64, squares: f64) -> Self {
        Self { products, squares }
    }

    /// Creates operations that are all products.
    pub(super) const fn products(products: f64) -> Self {
        Self::new(products, 0.0)
    }
}

impl Work {
    /// Returns products and squares of all kinds.
    pub fn operations(&self) -> Operations {
        let single = self.in_turn + self.side_by_side;
        single + self.lanes_in_turn + self.lanes_side_by_side + self.lanes_to_powers
    }
}

/// Implements sums and multiples, field by field.
macro_rules! sums_and_multiples {
    ($type:ident: $($field:ident)*) => {
        impl Add for $type {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                Self { $($field: self.$field + other.$field),* }
            }
        }

        impl AddAssign for $type {
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl Mul<f64> for $type {
            type Output = Self;

            fn mul(self, times: f64) -> Self {
                Self { $($field: self.$field * times),* }
            }
        }
    };
}

sums_and_multiples!(Operations: products squares);
sums_and_multiples!(
    Work: in_turn side_by_side lanes_in_turn lanes_side_by_side lanes_to_powers inversions points
        handled_rows
);
