//! Fields of single values: the Montgomery field of any prime, and kernels that exploit the shape
//! of their prime.

mod any;
pub mod c25519;
#[cfg(target_arch = "x86_64")]
mod either;
mod mersenne_521;
mod montgomery;
#[cfg(target_arch = "x86_64")]
mod montgomery_x86;
pub mod p256;
pub mod secp256k1;
mod solinas_384;
#[cfg(target_arch = "x86_64")]
mod solinas_384_x86;
#[cfg(target_arch = "x86_64")]
mod wide_4x64_x86;
#[cfg(target_arch = "x86_64")]
mod wide_x86;

pub use any::{AnyKernel, LimbCount};
#[cfg(target_arch = "x86_64")]
pub use either::EitherKernel;
pub use montgomery::{Coordinate, Kernel, MontgomeryField, Residue};
