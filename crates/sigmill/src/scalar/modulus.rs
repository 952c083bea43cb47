//! The fields of integers modulo orders. All use the kernel of any prime.

use crate::field::{AnyKernel, AnyReduction, FieldX8, MontgomeryField, Residue};

/// The tag that separates integers modulo an order from elements of other fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order;

/// An integer modulo an order of `N` limbs.
pub type Scalar<const N: usize> = Residue<Order, N>;

/// The field of integers modulo an order of `N` limbs.
pub type AnyScalarField<const N: usize> = MontgomeryField<AnyKernel<Order, N>, N>;

/// The field of integers modulo an order of `N` limbs in eight lanes of `L` limbs, on words of `W`.
pub type AnyScalarFieldX8<W, const N: usize, const L: usize> =
    FieldX8<W, AnyReduction<Order, N, L>, AnyKernel<Order, N>, N, L>;
