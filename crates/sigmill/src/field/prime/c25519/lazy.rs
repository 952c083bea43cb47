//! Arithmetic that delays carries and reductions until they are needed.

use core::fmt::Debug;

/// A field whose products have one form and whose factors have another, with sums and differences
/// between the two. This is what a Montgomery ladder needs: each value is carried only once.
///
/// Products come in pairs, like the coordinates of points. The products of a pair are independent,
/// so they may be interleaved. The first of a pair is computed so that others can be subtracted
/// from it: it is a *minuend*.
///
/// One value or several lanes wide. Constant time. Each implementation states the bounds of its
/// forms.
pub trait LazyField: Copy + Debug {
    /// Form of the result of a product.
    type Product: Copy;
    /// Form of the operands of a product.
    type Factor: Copy;
    /// One choice for each lane.
    type Choice: Copy;
    /// True if independent products should be interleaved beyond pairs; every product is then a
    /// minuend. Otherwise fewer values are live at a time.
    const IN_TURN: bool;

    /// `a b`; not a minuend.
    fn product(self, a: &Self::Factor, b: &Self::Factor) -> Self::Product;
    /// `a b` of two pairs; the first result is a minuend.
    fn products(self, factors: [[&Self::Factor; 2]; 2]) -> [Self::Product; 2];
    /// `a^2` of two values; the first result is a minuend.
    fn squares(self, factors: [&Self::Factor; 2]) -> [Self::Product; 2];
    /// `a - b` for a minuend a.
    fn difference(self, a: &Self::Product, b: &Self::Product) -> Self::Factor;
    /// `a + b` and `a - b` of each pair, for minuends a.
    fn sums_and_differences<const N: usize>(
        self,
        products: [&[Self::Product; 2]; N],
    ) -> [[Self::Factor; 2]; N];
    /// Converts products to factors.
    fn factors<const N: usize>(self, products: [&Self::Product; N]) -> [Self::Factor; N];
    /// `a + SMALL b`, where `SMALL` is below 2^17.
    fn add_multiple<const SMALL: u64>(self, a: &Self::Product, b: &Self::Factor) -> Self::Factor;
    /// `a` where the choice is made, otherwise `b`, without a branch.
    fn choose(self, choice: Self::Choice, a: &Self::Factor, b: &Self::Factor) -> Self::Factor;
}
