//! Arithmetic that leaves carries and reductions to where they are needed.

use core::fmt::Debug;

/// A field whose products come out in one form and are multiplied in another, with sums and
/// differences on the way from the one to the other: what a Montgomery ladder needs, so that each
/// value is carried once.
///
/// One value or several lanes wide. Constant time. Each implementation states the bounds of both
/// forms.
pub trait LazyField: Copy + Debug {
    /// What a product gives.
    type Product: Copy;
    /// What a product takes.
    type Factor: Copy;
    /// One choice for each lane.
    type Choice: Copy;

    /// `a b`.
    fn product(self, a: &Self::Factor, b: &Self::Factor) -> Self::Product;
    /// `a^2`.
    fn squared(self, a: &Self::Factor) -> Self::Product;
    /// `a + b`.
    fn sum(self, a: &Self::Product, b: &Self::Product) -> Self::Factor;
    /// `a - b`.
    fn difference(self, a: &Self::Product, b: &Self::Product) -> Self::Factor;
    /// `a`.
    fn factor(self, a: &Self::Product) -> Self::Factor;
    /// `a + SMALL b`, where `SMALL` is below 2^17.
    fn add_multiple<const SMALL: u64>(self, a: &Self::Product, b: &Self::Factor) -> Self::Factor;
    /// `a` where the choice is made, else `b`, without a branch.
    fn choose(self, choice: Self::Choice, a: &Self::Factor, b: &Self::Factor) -> Self::Factor;
}
