//! Arithmetic in eight lanes: `L` limbs of 52 bits, for any odd prime that leaves four of the bits
//! free. Elements are in Montgomery form with R = 2^(52 L). Primes that fold have no Montgomery
//! form (R = 1).
//!
//! An element of a lane holds a R mod p *weakly reduced*: every limb is below 2^52 and the value is
//! below 2.25m. Here m is p, or a multiple of p if p has few bits in the highest limb
//! ([`LaneModulus`]). Each function accepts and returns such elements; debug builds check this.
//! Inside a function, limbs are 64-bit words with room for sums. They may be negative between a
//! subtraction and the carries.
//!
//! The same code runs on AVX-512 IFMA and on portable words, limb for limb.

mod columns;
mod constants;
mod factors;
mod reduction;
mod registers;
mod steps;

use super::{InMemory, LaneResidue};
use crate::field::Kernel;
use crate::limbs::{LIMB_MASK, Words, X8};
pub(super) use columns::{Columns, unrolled};
pub use constants::LaneModulus;
pub(super) use constants::multiples;
pub use factors::FactorX8;
pub use reduction::{AnyReduction, Reduction};
pub(super) use reduction::{carry, limbs_of_words};
pub use registers::RegistersX8;

/// The field of integers modulo the prime of reduction `K` in eight lanes, on words of `W`.
///
/// `S` is the kernel for the corresponding single values.
pub type FieldX8<W, K, S, const N: usize, const L: usize> = InMemory<RegistersX8<W, K, N, L>, S, N>;

impl<W, K, S, const N: usize, const L: usize> FieldX8<W, K, S, N, L>
where
    W: Words,
    K: Reduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    /// Creates the field on these words, with single values by this kernel of the same prime.
    #[inline(always)]
    pub fn new(words: W, reduction: K, single: S) -> Self {
        debug_assert_eq!(reduction.constants().modulus, single.modulus());
        Self::of(RegistersX8::new(words, reduction), single)
    }
}

/// Reports whether every limb is below 2^52 and the value below 2.25m.
fn is_weakly_reduced<T, const N: usize, const L: usize>(
    constants: &LaneModulus<N, L>,
    a: &LaneResidue<T, X8, L>,
) -> bool {
    (0..8).all(|lane| {
        let limbs = a.limbs.map(|limb| limb.0[lane]);
        limbs.iter().all(|&limb| limb <= LIMB_MASK) && limbs[L - 1] < constants.weak_bound
    })
}
