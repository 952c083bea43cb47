//! Proofs about the vector code of the library: that no input overflows, that results are in the
//! range that the next operation requires, and that they are congruent to what they should be.
//!
//! The code of lanes is generic over the vectors that it computes with. [`Symbolic`] is one more
//! backend of these. Its words stand for all inputs at once: each has a range, and a polynomial in
//! the limbs of the inputs. So one run of the shipped code proves its properties for all inputs.
//! `docs/proofs.md` explains the method.

pub mod arena;
pub mod claim;
pub mod doubles;
pub mod narrow;
pub mod polynomial;
pub mod quads;
pub mod words;

pub use words::Symbolic;
