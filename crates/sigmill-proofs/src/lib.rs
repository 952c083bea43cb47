//! Proofs about the vector code of the library: that no input overflows, that results are in the
//! range that the next operation requires, and that they are congruent to what they should be.
//!
//! The code of lanes is generic over the vectors that it computes with. [`Symbolic`] is one more
//! backend of these. Its words stand for all inputs at once: each has a range, and a polynomial in
//! the limbs of the inputs. So one run of the shipped code proves its properties for all inputs.
//! `docs/proofs.md` explains the method.
//!
//! - `polynomial`, `arena`: what is known of a value.
//! - `claim`: what is claimed of a function, and its proof.
//! - `words`: lanes of 52 bits. `narrow`: lanes of 29 bits, multiplied as 32 by 32 bits. `doubles`:
//!   lanes of doubles. `quads`: the four products at once of X25519.

pub mod arena;
pub mod claim;
pub mod doubles;
pub mod narrow;
pub mod polynomial;
pub mod quads;
pub mod words;

pub use words::Symbolic;
