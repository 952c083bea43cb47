//! Integers modulo a prime. One contract covers every width and representation; each representation
//! has its own file.
//!
//! A *field* is a small copyable value: a backend, or the proof that the CPU supports one. Its
//! methods are the arithmetic. An *element* is plain data. So two backends of one representation
//! share their elements, and therefore every table of points.
//!
//! Next to the contract there are three modules. Each imports only those before it: `invert` has
//! inversion, `prime` the fields of single values, `lanes` the fields of many values side by side.

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
pub use invert::{binary_gcd_inverse, euler_symbol, fermat_inverse, for_proofs};
pub use lanes::{
    AnyReduction, C25519FieldNarrowX4, DoublesField, DoublesModulus, DoublesReduction,
    DoublesRegisters, FactorNarrowX4, FactorX8, FieldNarrowX4, FieldX8, Form, InMemory, LaneMask,
    LaneModulus, LaneRegisters, LaneResidue, LaneWords, MaskNarrowX4, NarrowModulus,
    NarrowReduction, P256DoublesField, P256DoublesReduction, P256FieldNarrowX4, P256FieldX8,
    P256NarrowReduction, P256ReductionX8, P384DoublesField, P384DoublesReduction, Pair, Reduction,
    RegistersNarrowX4, RegistersX8, Secp256k1DoublesField, Secp256k1DoublesReduction,
    Secp256k1FieldNarrowX4, Secp256k1FieldX8, Secp256k1NarrowReduction, Secp256k1ReductionX8,
    SideBySide, Stages, each_pipelined,
};
pub use modulus::Modulus;
#[cfg(target_arch = "x86_64")]
pub use prime::EitherKernel;
pub use prime::{
    AnyKernel, Coordinate, Kernel, LimbCount, MontgomeryField, Residue, c25519, p256, secp256k1,
};
pub use traits::{Field, Limbs, Mask, PrimeField};
pub(crate) use traits_lanes::lane_item;
pub use traits_lanes::{
    Body, LOOKUP_BLOCK, Lanes, MOST_LANES, Registers, SecretLanes, SecretRegisters, SingleElement,
    SingleInteger,
};
