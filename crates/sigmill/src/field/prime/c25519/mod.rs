//! The prime of Curve25519, p = 2^255 - 19 (RFC 7748 §4.1).
//!
//! There is no Montgomery form: 2^256 = 38 modulo p, so one short product folds the high half of a
//! product onto the low half. Elements are weakly reduced: any integer below 2^256 represents its
//! residue.

#[cfg(feature = "comparisons")]
mod fermat;
mod fold_4x64;
#[cfg(target_arch = "x86_64")]
mod fold_4x64_x86;
mod fold_5x51_x4;
mod fold_5x52_x8;
mod lazy;
mod single;

pub use fold_4x64::C25519Portable;
#[cfg(target_arch = "x86_64")]
pub use fold_4x64_x86::C25519Adx;
pub use fold_5x51_x4::{C25519X4, Columns};
pub use fold_5x52_x8::C25519FieldX8;
pub use lazy::LazyField;
pub use single::{C25519Field, FieldElement, FoldKernel};

use crate::field::Modulus;
use crate::limbs::from_hex;

/// The prime 2^255 - 19.
pub const PRIME: Modulus<4> = Modulus::without_montgomery_form(from_hex(
    "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed",
));
