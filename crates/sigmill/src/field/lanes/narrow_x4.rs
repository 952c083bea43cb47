//! Arithmetic in four lanes by products of 32 bits: nine limbs of 29 bits, for primes just below
//! 2^256. Elements are in Montgomery form with R = 2^261. Primes that fold have no Montgomery form
//! (R = 1).
//!
//! For secrets, on CPUs without AVX-512 IFMA. The code uses only integers, whose instructions take
//! the same time for all operands.
//!
//! An *element* has limbs below 2^29, the highest below 1.1875 2^24, so its value is below
//! 1.1875 2^256. Each function accepts and returns such elements; debug builds check this. Inside a
//! function, limbs are 64-bit words with room for sums. They are never negative, because no shift
//! keeps the sign.
//!
//! 2^255 - 19 shares the columns of products and the carries, but has its own ranges (`c25519.rs`).
//!
//! The same code runs on AVX2 and on portable quads, limb for limb.

use zeroize::Zeroize;

mod c25519;
mod p256;
mod reduction;
mod registers;
mod secp256k1;

use super::InMemory;
use crate::ct;
use crate::field::{Kernel, Mask};
use crate::limbs::{AlignedX4, NarrowQuads, array_from_fn};
pub use c25519::C25519FieldNarrowX4;
pub use p256::{P256FieldNarrowX4, P256NarrowReduction};
pub use reduction::{NarrowModulus, NarrowReduction};
pub use registers::{FactorNarrowX4, RegistersNarrowX4};
pub use secp256k1::{Secp256k1FieldNarrowX4, Secp256k1NarrowReduction};

/// Number of lanes of an element.
const WIDTH: usize = 4;

/// Number of limbs of an element.
const LIMBS: usize = 9;

/// Number of bits of a limb.
const BITS: i32 = 29;

const MASK: u64 = (1 << BITS) - 1;

/// Bound for the highest limb of an element (exclusive).
const ELEMENT_TOP: u64 = 19 << 20;

/// Bounds for the lowest limb, for those between, and for the highest.
const fn bounds(lowest: u64, between: u64, highest: u64) -> [u64; LIMBS] {
    let mut bounds = [between; LIMBS];
    bounds[0] = lowest;
    bounds[LIMBS - 1] = highest;
    bounds
}

/// Reports whether every limb is below its bound in all lanes.
fn are_below(limbs: &[AlignedX4; LIMBS], bounds: &[u64; LIMBS]) -> bool {
    let below = |(limb, bound): (&AlignedX4, &u64)| limb.0.iter().all(|word| word < bound);
    limbs.iter().zip(bounds).all(below)
}

/// Reports whether every limb is below 2^29, and the highest below 1.1875 2^24.
fn is_element(limbs: &[AlignedX4; LIMBS]) -> bool {
    are_below(limbs, &NarrowModulus::ELEMENT_BOUNDS)
}

/// A word of all ones or all zeros for each of four lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaskNarrowX4(AlignedX4);

impl Zeroize for MaskNarrowX4 {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Mask for MaskNarrowX4 {
    #[inline(always)]
    fn any(self) -> bool {
        let [a, b, c, d] = self.0.0;
        a | b | c | d != 0
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(AlignedX4(array_from_fn(|i| self.0.0[i] | other.0.0[i])))
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        Self(AlignedX4(array_from_fn(|i| self.0.0[i] & !other.0.0[i])))
    }

    #[inline(always)]
    fn from_lanes(holds: impl Fn(usize) -> bool) -> Self {
        Self(AlignedX4(array_from_fn(|i| ct::mask(holds(i)))))
    }

    #[inline(always)]
    fn lane(self, i: usize) -> bool {
        self.0.0[i] & 1 == 1
    }
}

/// The field of integers modulo the prime of reduction `K` in four lanes, on quads of `Q`.
///
/// `S` is the kernel for the corresponding single values.
pub type FieldNarrowX4<Q, K, S> = InMemory<RegistersNarrowX4<Q, K>, S, 4>;

impl<Q, K, S> FieldNarrowX4<Q, K, S>
where
    Q: NarrowQuads,
    K: NarrowReduction,
    S: Kernel<4, Tag = K::Tag>,
{
    /// Creates the field on these quads, with single values by this kernel of the same prime.
    #[inline(always)]
    pub fn new(quads: Q, reduction: K, single: S) -> Self {
        debug_assert_eq!(reduction.constants().modulus, single.modulus());
        Self::of(RegistersNarrowX4::new(quads, reduction), single)
    }
}
