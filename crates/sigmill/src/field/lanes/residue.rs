//! Values in lanes as plain data.

use core::marker::PhantomData;

use zeroize::Zeroize;

/// Integers modulo a prime, side by side: number i of each limb `V` belongs to lane i. `T`
/// separates the elements of a prime from others. The registers document the range of the limbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct LaneResidue<T, V, const L: usize> {
    pub(super) limbs: [V; L],
    modulus: PhantomData<T>,
}

impl<T, V, const L: usize> LaneResidue<T, V, L> {
    #[inline(always)]
    pub(super) fn from_limbs(limbs: [V; L]) -> Self {
        Self {
            limbs,
            modulus: PhantomData,
        }
    }

    /// The limbs, lowest first.
    pub fn limbs(&self) -> &[V; L] {
        &self.limbs
    }
}

impl<T, V: Zeroize, const L: usize> Zeroize for LaneResidue<T, V, L> {
    fn zeroize(&mut self) {
        self.limbs.zeroize();
    }
}

/// The content of one lane: an integer in words of 64 bits, or the bits of its limbs.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct LaneWords<T, const N: usize> {
    pub(super) words: [u64; N],
    modulus: PhantomData<T>,
}

impl<T, const N: usize> LaneWords<T, N> {
    #[inline(always)]
    pub(super) fn new(words: [u64; N]) -> Self {
        Self {
            words,
            modulus: PhantomData,
        }
    }
}
