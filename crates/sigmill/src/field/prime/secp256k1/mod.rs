//! The prime of secp256k1, p = 2^256 - 2^32 - 977 (SEC 2 §2.4.1).
//!
//! 2^256 is 2^32 + 977 modulo p, so one short product folds the high half of a product onto the low
//! half. There is no Montgomery form; in the terms of [`Modulus`], R = 1.

mod fold_4x64;
#[cfg(target_arch = "x86_64")]
mod fold_4x64_x86;

pub use fold_4x64::Secp256k1Kernel;
#[cfg(target_arch = "x86_64")]
pub use fold_4x64_x86::Secp256k1AdxKernel;

use crate::field::{Coordinate, Modulus, MontgomeryField, Residue};
use crate::limbs::from_hex;

/// c = 2^256 - p.
pub(in crate::field) const FOLD: u64 = (1 << 32) + 977;

/// The prime of secp256k1.
pub const PRIME: Modulus<4> = Modulus::without_montgomery_form(from_hex(
    "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
));

/// An element of the field of secp256k1.
pub type FieldElement = Residue<Coordinate, 4>;

/// The field of secp256k1 in portable code.
pub type Secp256k1Field = MontgomeryField<Secp256k1Kernel, 4>;

/// The field of secp256k1 in MULX/ADCX/ADOX code.
#[cfg(target_arch = "x86_64")]
pub type Secp256k1AdxField = MontgomeryField<Secp256k1AdxKernel, 4>;
