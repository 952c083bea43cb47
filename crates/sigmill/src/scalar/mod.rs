//! Integers modulo the order of a curve: the fields of [`crate::field`] for the primes n, and the
//! conversion of a digest to the integer e.

mod digest;
mod halves;
mod modulus;
mod split;

pub use digest::{element, from_digest, from_leftmost_bits, integer_from_digest, reduce};
#[cfg(feature = "signing")]
pub use digest::{nonzero_from_leftmost_bits, octets};
pub use halves::{Halves, halves_vartime};
pub use modulus::{AnyScalarField, AnyScalarFieldX8, Order, Scalar};
pub use split::{Half, Split};
