//! Integers modulo a prime: one contract over width and representation, one file per
//! representation.
//!
//! A *field* is a small copyable value (a backend, or the proof that the CPU has one) and its
//! methods are the arithmetic; an *element* is plain data. So two backends of one representation
//! share their elements, and with them every table of points.
//!
//! Beside the contract there are three rooms, each of which imports those before it: `invert` has
//! what divides, `prime` the fields of single values, `lanes` many values side by side.

mod factors;
mod invert;
mod lanes;
mod modulus;
pub mod prime;
mod traits;
mod traits_lanes;

pub use factors::Factors;
pub(crate) use invert::invert_lanes;
#[cfg(feature = "bulk")]
pub use invert::operations_of_root;
pub use invert::{
    ConstantTime, Denominators, Inversion, TOGETHER, VariableTime, inverse_square_root_vartime,
    invert_all, invert_all_vartime, invert_two, roots_of_all,
};
#[cfg(feature = "comparisons")]
pub use invert::{binary_gcd_inverse, euler_symbol, fermat_inverse};
pub use lanes::{
    AnyReduction, DoublesField, DoublesLane, DoublesModulus, DoublesReduction, DoublesRegisters,
    DoublesResidue, FactorNarrowX4, FieldNarrowX4, FieldX8, LaneMask, LaneModulus, LaneNarrowX4,
    LaneX8, MaskNarrowX4, NarrowModulus, NarrowReduction, P256DoublesField, P256DoublesReduction,
    P256FieldNarrowX4, P256FieldX8, P256NarrowReduction, P256ReductionX8, P384DoublesField,
    P384DoublesReduction, Pair, Reduction, RegistersNarrowX4, RegistersX8, ResidueNarrowX4,
    ResidueX8, Secp256k1DoublesField, Secp256k1DoublesReduction, Secp256k1FieldNarrowX4,
    Secp256k1FieldX8, Secp256k1NarrowReduction, Secp256k1ReductionX8, SideBySide, Stages,
    each_pipelined,
};
pub use modulus::Modulus;
#[cfg(target_arch = "x86_64")]
pub use prime::EitherKernel;
pub use prime::{
    AnyKernel, Coordinate, Kernel, LimbCount, MontgomeryField, Residue, c25519, p256, secp256k1,
};
pub use traits::{Field, Limbs, Mask, PrimeField};
pub use traits_lanes::{
    Body, Lanes, MOST_LANES, Registers, SHELF, SecretLanes, SecretRegisters, SingleElement,
    SingleInteger,
};
