//! How multiples of a prime are added in eight lanes, and the constants that it takes.

use core::fmt::Debug;
use core::marker::PhantomData;

use super::LIMBS;
use crate::field::Modulus;
use crate::field::modulus::power_of_two;
use crate::limbs::{LIMB_BITS, LIMB_MASK, Words, X8};

/// How a product is reduced; all else of the arithmetic is the same for every prime.
pub trait Reduction: Copy + Debug + Send + Sync + 'static {
    /// The prime, in 2^256 - 2^250 .. 2^256.
    type Modulus: Modulus<4>;

    /// R is 2 to this power; 0 for elements that are in no Montgomery form, whose single values
    /// then are not either.
    const R_BITS: u32;

    /// Five limbs of t / R mod p, below 2^58, which amount to less than t / 2^260 + 2^256, or 1.01 2^256
    /// if that is more.
    ///
    /// On input t is below 14.1 2^512, and every column below 2^57.
    fn reduce<W: Words>(words: W, t: [W::Word; 2 * LIMBS]) -> [W::Word; LIMBS];
}

/// How multiples of a prime are added to clear limbs from below: Montgomery's reduction, R = 2^260.
pub trait ClearLowest: Copy + Debug + Send + Sync + 'static {
    /// The prime, in 2^256 - 2^250 .. 2^256.
    type Modulus: Modulus<4>;

    /// Adds q p / 2^52 to t\[1\] .. t\[5\], rounded so that t\[0\] becomes zero: q is -t\[0\] / p
    /// mod 2^52. The low 52 bits of t\[0\] count, its higher bits go to t\[1\].
    ///
    /// Each of t\[1\] .. t\[5\] grows by less than 2^54.
    fn clear_lowest<W: Words>(words: W, t: &mut [W::Word]);
}

impl<K: ClearLowest> Reduction for K {
    type Modulus = K::Modulus;

    const R_BITS: u32 = 260;

    /// The limbs of t / 2^260 mod p, below 2^57, for t < 16p 2^256: below t / 2^260 + p.
    #[inline(always)]
    fn reduce<W: Words>(words: W, mut t: [W::Word; 2 * LIMBS]) -> [W::Word; LIMBS] {
        for i in 0..LIMBS {
            K::clear_lowest(words, &mut t[i..i + LIMBS + 1]);
        }
        let [.., t5, t6, t7, t8, t9] = t;
        [t5, t6, t7, t8, t9]
    }
}

/// The reduction modulo any such prime, by full products.
#[derive(Clone, Copy, Debug)]
pub struct ReductionX8<M>(PhantomData<M>);

impl<M: Modulus<4>> ClearLowest for ReductionX8<M> {
    type Modulus = M;

    #[inline(always)]
    fn clear_lowest<W: Words>(words: W, t: &mut [W::Word]) {
        let p = const { multiple::<M>(1) };
        let factor = words.splat(M::NEGATED_INVERSE & LIMB_MASK);
        let q = words.madd_low(words.splat(0), t[0], factor);
        for (j, &limb) in p.iter().enumerate() {
            let limb = words.splat(limb);
            t[j] = words.madd_low(t[j], q, limb);
            t[j + 1] = words.madd_high(t[j + 1], q, limb);
        }
        t[1] = words.add(t[1], words.shr::<LIMB_BITS>(t[0]));
    }
}

/// `k` p in five limbs of 52 bits, for k < 16.
pub(super) const fn multiple<M: Modulus<4>>(k: u64) -> [u64; LIMBS] {
    let mut wide = [0; LIMBS];
    let mut carry = 0;
    let mut i = 0;
    while i < 4 {
        let sum = M::MODULUS[i] as u128 * k as u128 + carry;
        wide[i] = sum as u64;
        carry = sum >> 64;
        i += 1;
    }
    wide[4] = carry as u64;
    to_radix_52(&wide)
}

/// The multiples of p that bring a value near to zero, by its quotient k: (`plus` - k `step`) p for
/// each k in `least` .. `least` + 8, in the place of its low three bits, limb by limb (two's
/// complement, no carries).
pub(super) const fn multiples<M: Modulus<4>>(least: i64, step: i64, plus: i64) -> [X8; LIMBS] {
    let p = multiple::<M>(1);
    let mut tables = [X8([0; 8]); LIMBS];
    let mut k = least;
    while k < least + 8 {
        let factor = (plus - k * step) as u64;
        let mut i = 0;
        while i < LIMBS {
            tables[i].0[(k & 7) as usize] = p[i].wrapping_mul(factor);
            i += 1;
        }
        k += 1;
    }
    tables
}

/// One in five limbs of 52 bits: R mod p.
pub(super) const fn one<K: Reduction>() -> [u64; LIMBS] {
    limbs_of(&power_of_two(&K::Modulus::MODULUS, K::R_BITS))
}

/// An integer of four limbs in five limbs of 52 bits.
pub(super) const fn limbs_of(integer: &[u64; 4]) -> [u64; LIMBS] {
    to_radix_52(&[integer[0], integer[1], integer[2], integer[3], 0])
}

/// Cuts an integer below 2^260 into limbs of 52 bits.
const fn to_radix_52(wide: &[u64; LIMBS]) -> [u64; LIMBS] {
    let mut limbs = [0; LIMBS];
    let mut i = 0;
    while i < LIMBS {
        let (start, shift) = (52 * i / 64, 52 * i % 64);
        let mut limb = wide[start] >> shift;
        if shift > 12 && start + 1 < LIMBS {
            limb |= wide[start + 1] << (64 - shift);
        }
        limbs[i] = limb & LIMB_MASK;
        i += 1;
    }
    limbs
}
