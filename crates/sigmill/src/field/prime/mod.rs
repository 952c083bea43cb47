//! Fields of single values: the Montgomery field of any prime, and the kernels of primes whose shape
//! is made use of.

pub mod c25519;
mod montgomery;
#[cfg(target_arch = "x86_64")]
mod montgomery_x86;
pub mod p256;
pub mod p384;
pub mod secp256k1;
#[cfg(target_arch = "x86_64")]
mod wide_4x64_x86;

pub use montgomery::{Kernel, MontgomeryField, Portable, Residue};
#[cfg(target_arch = "x86_64")]
pub use montgomery_x86::AdxKernel;
