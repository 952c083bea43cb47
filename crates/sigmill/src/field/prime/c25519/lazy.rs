//! Arithmetic that leaves carries and reductions to where they are needed.

use core::fmt::Debug;

/// A field whose products come out in one form and are multiplied in another, with sums and
/// differences on the way from the one to the other: what a Montgomery ladder needs, so that each
/// value is carried once.
///
/// Products come in pairs, as the coordinates of points do. Those of a pair are independent of each
/// other, so they may be computed in turn; and the first of a pair is made so that others can be
/// subtracted from it: a *minuend*.
///
/// One value or several lanes wide. Constant time. Each implementation states the bounds of its
/// forms.
pub trait LazyField: Copy + Debug {
    /// What a product gives.
    type Product: Copy;
    /// What a product takes.
    type Factor: Copy;
    /// One choice for each lane.
    type Choice: Copy;
    /// Whether products that do not wait for each other had better stand side by side in a program,
    /// farther than within pairs; then every product is a minuend. Else less is kept at a time.
    const IN_TURN: bool;

    /// `a b`; not a minuend.
    fn product(self, a: &Self::Factor, b: &Self::Factor) -> Self::Product;
    /// `a b` of two pairs; the first is a minuend.
    fn products(self, factors: [[&Self::Factor; 2]; 2]) -> [Self::Product; 2];
    /// `a^2` of two; the first is a minuend.
    fn squares(self, factors: [&Self::Factor; 2]) -> [Self::Product; 2];
    /// `a - b` for a minuend a.
    fn difference(self, a: &Self::Product, b: &Self::Product) -> Self::Factor;
    /// `a + b` and `a - b` of each pair, for minuends a.
    fn sums_and_differences<const N: usize>(
        self,
        products: [&[Self::Product; 2]; N],
    ) -> [[Self::Factor; 2]; N];
    /// Each of them as a factor.
    fn factors<const N: usize>(self, products: [&Self::Product; N]) -> [Self::Factor; N];
    /// `a + SMALL b`, where `SMALL` is below 2^17.
    fn add_multiple<const SMALL: u64>(self, a: &Self::Product, b: &Self::Factor) -> Self::Factor;
    /// `a` where the choice is made, else `b`, without a branch.
    fn choose(self, choice: Self::Choice, a: &Self::Factor, b: &Self::Factor) -> Self::Factor;
}
