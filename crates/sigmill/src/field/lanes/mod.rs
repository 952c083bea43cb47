//! Fields that are several values wide: in the lanes of vectors, or side by side.

mod doubles;
mod in_memory;
mod mask;
mod montgomery_x8;
mod narrow_x4;
mod p256;
mod pair;
mod pipeline;
mod residue;
mod secp256k1;
mod side_by_side;

pub use doubles::{
    DoublesField, DoublesModulus, DoublesReduction, DoublesRegisters, P256DoublesField,
    P256DoublesReduction, P384DoublesField, P384DoublesReduction, Secp256k1DoublesField,
    Secp256k1DoublesReduction,
};
pub use in_memory::{Form, InMemory, LaneRegisters};
pub use mask::LaneMask;
pub use montgomery_x8::{AnyReduction, FactorX8, FieldX8, LaneModulus, Reduction, RegistersX8};
pub use narrow_x4::{
    C25519FieldNarrowX4, FactorNarrowX4, FieldNarrowX4, MaskNarrowX4, NarrowModulus,
    NarrowReduction, P256FieldNarrowX4, P256NarrowReduction, RegistersNarrowX4,
    Secp256k1FieldNarrowX4, Secp256k1NarrowReduction,
};
pub use p256::{P256FieldX8, P256ReductionX8};
pub use pair::Pair;
pub use pipeline::{Stages, each_pipelined};
pub use residue::{LaneResidue, LaneWords};
pub use secp256k1::{Secp256k1FieldX8, Secp256k1ReductionX8};
pub use side_by_side::SideBySide;
