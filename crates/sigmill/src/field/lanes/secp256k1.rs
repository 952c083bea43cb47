//! secp256k1 in eight lanes.

use super::montgomery_x8::{Columns, carry, limbs_of_words};
use super::{FieldX8, LaneModulus, Reduction};
use crate::field::Coordinate;
use crate::field::secp256k1::{FOLD, PRIME};
use crate::limbs::{LIMB_BITS, Words};

/// The field of secp256k1 in eight lanes on words of `W`, with single values by kernel `S`.
pub type Secp256k1FieldX8<W, S> = FieldX8<W, Secp256k1ReductionX8, S, 4, 5>;

/// The reduction modulo the prime of secp256k1, by folding. Modulo p, 2^260 is 2^4 c and 2^256 is
/// c, where c = 2^256 - p has 33 bits. 12 multiply-adds.
#[derive(Clone, Copy, Debug)]
pub struct Secp256k1ReductionX8;

const CONSTANTS: LaneModulus<4, 5> = LaneModulus::new(&PRIME);

impl Reduction<4, 5> for Secp256k1ReductionX8 {
    type Tag = Coordinate;

    const SPARSE: bool = true;

    /// A square takes longer than for other primes, with fewer operations.
    const CHAINS_BESIDE: usize = 3;

    #[inline(always)]
    fn constants(self) -> &'static LaneModulus<4, 5> {
        &CONSTANTS
    }

    /// On input t is below 14.1 2^512 and every column below 2^57; on output the limbs are below
    /// 2^58, and the value below 1.01 2^256.
    ///
    /// The high columns are carried, as a multiplication reads 52 bits; t\[9\] is then below 2^48.
    /// 2^4 c is below 2^37, so the fold leaves less than 2^33 above column 4. The part of column 4
    /// above bit 48 is less than 2^10. Both together are less than 2^38 at 2^256 and are folded
    /// once more.
    #[inline(always)]
    fn reduce<W: Words>(self, words: W, t: Columns<W, 5>) -> [W::Word; 5] {
        let [[t0, t1, t2, t3, t4], mut high] = t;
        for i in 0..4 {
            high[i + 1] = words.add(high[i + 1], words.shr::<LIMB_BITS>(high[i]));
        }
        let factor = words.splat(FOLD << 4);
        let mut r = [t0, t1, t2, t3, t4, words.splat(0)];
        for i in 0..5 {
            r[i] = words.madd_low(r[i], high[i], factor);
            r[i + 1] = words.madd_high(r[i + 1], high[i], factor);
        }
        let [r0, r1, r2, r3, r4, above] = r;
        let top = words.add(words.shr::<48>(r4), words.shl::<4>(above));
        let factor = words.splat(FOLD);
        [
            words.madd_low(r0, top, factor),
            words.madd_high(r1, top, factor),
            r2,
            r3,
            words.and(r4, words.splat((1 << 48) - 1)),
        ]
    }

    /// Divides by 2^256, which is close enough to m.
    #[inline(always)]
    fn quotient<W: Words>(self, words: W, highest: W::Word) -> W::Word {
        words.sar::<48>(highest)
    }

    /// No conversion is needed.
    #[inline(always)]
    fn limbs_of_single<W: Words>(self, words: W, single: [W::Word; 4]) -> [W::Word; 5] {
        limbs_of_words(words, &single, 0)
    }

    /// p minus the value, limb by limb.
    #[inline(always)]
    fn limbs_of_signed<W: Words>(
        self,
        words: W,
        single: [W::Word; 4],
        negative: u8,
    ) -> [W::Word; 5] {
        let mut limbs = self.limbs_of_single(words, single);
        for (limb, &p) in limbs.iter_mut().zip(CONSTANTS.prime()) {
            let negated = words.sub(words.splat(p), *limb);
            *limb = words.select(negative, negated, *limb);
        }
        carry(words, limbs)
    }
}
