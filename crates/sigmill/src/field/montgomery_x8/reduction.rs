//! How multiples of a prime are added in eight lanes, and the constants that it takes.

use core::fmt::Debug;
use core::marker::PhantomData;

use super::LIMBS;
use crate::field::Modulus;
use crate::field::modulus::power_of_two;
use crate::limbs::{LIMB_BITS, LIMB_MASK, Words, X8};

/// How multiples of a prime are added to clear limbs from below and from above; all else of
/// Montgomery arithmetic is the same for every prime.
pub trait Reduction: Copy + Debug + Send + Sync + 'static {
    /// The prime, in 2^256 - 2^250 .. 2^256.
    type Modulus: Modulus<4>;

    /// Adds q p / 2^52 to t\[1\] .. t\[5\], rounded so that t\[0\] becomes zero: q is -t\[0\] / p
    /// mod 2^52. The low 52 bits of t\[0\] count, its higher bits go to t\[1\].
    ///
    /// Each of t\[1\] .. t\[5\] grows by less than 2^54.
    fn clear_lowest<W: Words>(words: W, t: &mut [W::Word]);
}

/// The reduction modulo any such prime, by full products.
#[derive(Clone, Copy, Debug)]
pub struct ReductionX8<M>(PhantomData<M>);

impl<M: Modulus<4>> Reduction for ReductionX8<M> {
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

/// 2^exponent mod p in five limbs of 52 bits.
pub(super) const fn residue_of_power<M: Modulus<4>>(exponent: u32) -> [u64; LIMBS] {
    let power = power_of_two(&M::MODULUS, exponent);
    to_radix_52(&[power[0], power[1], power[2], power[3], 0])
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
