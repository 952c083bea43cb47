//! Arithmetic in lanes of double-precision numbers, using fused multiply-adds. For public values,
//! on CPUs without AVX-512 IFMA.
//!
//! A value has six or eight limbs. Each is a double of either sign, an integer times a unit. The
//! parts of a product of two limbs above and below some power of two are two doubles, so columns
//! are sums of exact halves ([docs/lanes.md], "Doubles").
//!
//! Every function accepts and returns elements as specified by [`DoublesReduction`].
//!
//! The same code runs on AVX2 with FMA, on AVX-512, and on portable numbers, bit for bit.
//!
//! [docs/lanes.md]: https://github.com/sigmill/sigmill/blob/main/docs/lanes.md

mod columns;
mod digits;
mod modulus;
mod p256;
mod p384;
mod reduction;
mod registers;
mod secp256k1;

use super::InMemory;
use crate::field::Kernel;
use crate::limbs::Doubles;
pub use modulus::DoublesModulus;
pub use p256::{P256DoublesField, P256DoublesReduction};
pub use p384::{P384DoublesField, P384DoublesReduction};
pub use reduction::DoublesReduction;
pub use registers::DoublesRegisters;
pub use secp256k1::{Secp256k1DoublesField, Secp256k1DoublesReduction};

/// The field of integers modulo the prime of reduction `K` in `WIDTH` lanes, on doubles of `D`.
///
/// `S` is the kernel for the corresponding single values.
pub type DoublesField<D, K, S, const N: usize, const L: usize, const WIDTH: usize> =
    InMemory<DoublesRegisters<D, K, N, L, WIDTH>, S, N>;

impl<D, K, S, const N: usize, const L: usize, const WIDTH: usize> DoublesField<D, K, S, N, L, WIDTH>
where
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    /// Creates the field on these doubles, with single values by this kernel of the same prime.
    #[inline(always)]
    pub fn new(doubles: D, reduction: K, single: S) -> Self {
        debug_assert_eq!(reduction.constants().prime, single.modulus().prime());
        Self::of(DoublesRegisters::new(doubles, reduction), single)
    }

    /// The prime and its reduction.
    pub fn reduction(self) -> K {
        self.registers().reduction
    }
}
