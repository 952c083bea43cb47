//! Integers modulo the order of a curve: the fields of [`crate::field`] under the primes n, and
//! the way from a digest to the integer e.

mod digest;
mod orders;
mod split;

pub use digest::{element, from_digest, from_leftmost_bits, integer_from_digest, reduce};
#[cfg(target_arch = "x86_64")]
pub use orders::{P256AdxScalarField, P384AdxScalarField, Secp256k1AdxScalarField};
pub use orders::{
    P256Order, P256Scalar, P256ScalarField, P256ScalarFieldX8, P384Order, P384Scalar,
    P384ScalarField, Secp256k1Order, Secp256k1Scalar, Secp256k1ScalarField, Secp256k1ScalarFieldX8,
};
pub use split::{Half, Split};
