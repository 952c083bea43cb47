//! Integers modulo a prime: one contract over width and representation, one file per
//! representation.
//!
//! A *field* is a small copyable value (a backend, or the proof that the CPU has one) and its
//! methods are the arithmetic; an *element* is plain data. So two backends of one representation
//! share their elements, and with them every table of points.

mod binary_gcd;
#[cfg(target_arch = "x86_64")]
mod binary_gcd_x86;
pub mod c25519;
mod divsteps;
#[cfg(target_arch = "x86_64")]
mod divsteps_x86;
mod factors;
mod invert;
mod invert_all;
mod invert_all_vartime;
mod invert_vartime;
#[cfg(target_arch = "x86_64")]
mod invert_vartime_x86;
mod lanes;
mod modulus;
mod montgomery;
mod montgomery_x8;
#[cfg(target_arch = "x86_64")]
mod montgomery_x86;
pub mod p256;
pub mod p384;
mod pair;
mod pipeline;
mod power;
mod power_vartime;
mod roots;
pub mod secp256k1;
mod signed_62;
mod traits;
#[cfg(target_arch = "x86_64")]
mod wide_4x64_x86;

pub use binary_gcd::binary_gcd_inverse;
pub use factors::Factors;
pub use invert_all::{ConstantTime, Denominators, Inversion, TOGETHER, invert_all};
pub use invert_all_vartime::{VariableTime, invert_all_vartime};
pub use lanes::{Body, Lanes, MOST_LANES, Registers, SHELF, SingleElement, SingleInteger};
pub use modulus::Modulus;
pub use montgomery::{Kernel, MontgomeryField, Portable, Residue};
pub use montgomery_x8::{
    ClearLowest, FieldX8, LaneX8, MaskX8, Reduction, ReductionX8, RegistersX8, ResidueX8,
};
#[cfg(target_arch = "x86_64")]
pub use montgomery_x86::AdxKernel;
pub use pair::Pair;
pub use pipeline::{Stages, each_pipelined};
pub use power::{euler_symbol, fermat_inverse};
pub use roots::roots_of_all;
pub use traits::{Field, Limbs, Mask, PrimeField};
