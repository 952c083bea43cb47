//! The prime of P-256, p = 2^256 - 2^224 + 2^192 + 2^96 - 1 (FIPS 186-5, SP 800-186 §3.2.1.3).
//!
//! Both kernels use that p is Montgomery-friendly: -p^-1 = 1 mod 2^64. So the factor q of a
//! reduction step is the low limb itself, and q p is a sum of shifts of q (Gueron and Krasnov,
//! *Fast prime field elliptic-curve cryptography with 256-bit primes*, §3).

#[cfg(feature = "comparisons")]
mod fermat;
mod mont_4x64;
#[cfg(target_arch = "x86_64")]
mod mont_4x64_x86;

#[cfg(feature = "comparisons")]
pub use fermat::{fermat_inverse, fermat_inverse_square};
pub use mont_4x64::P256Kernel;
#[cfg(target_arch = "x86_64")]
pub use mont_4x64_x86::P256AdxKernel;

use crate::field::{Coordinate, Modulus, MontgomeryField, Residue};
use crate::limbs::from_hex;

/// The prime of P-256.
pub const PRIME: Modulus<4> = Modulus::new(from_hex(
    "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
));

/// An element of the field of P-256.
pub type FieldElement = Residue<Coordinate, 4>;

/// The field of P-256 in portable code.
pub type P256Field = MontgomeryField<P256Kernel, 4>;

/// The field of P-256 in MULX/ADCX/ADOX code.
#[cfg(target_arch = "x86_64")]
pub type P256AdxField = MontgomeryField<P256AdxKernel, 4>;
