//! P-256 in eight lanes.

use super::montgomery_x8::{Columns, carry, limbs_of_words, multiples, unrolled};
use super::{FieldX8, LaneModulus, Reduction};
use crate::field::Coordinate;
use crate::field::p256::PRIME;
use crate::limbs::{LIMB_BITS, Words, X8, to_radix};

/// The field of P-256 in eight lanes on words of `W`, with single values by kernel `S`.
pub type P256FieldX8<W, S> = FieldX8<W, P256ReductionX8, S, 4, 5>;

/// The reduction modulo the prime of P-256. It multiplies by three powers of two and their
/// difference, not by the limbs of p: p + 1 = 2^256 - 2^224 + 2^192 + 2^96.
#[derive(Clone, Copy, Debug)]
pub struct P256ReductionX8;

const CONSTANTS: LaneModulus<4, 5> = LaneModulus::new(&PRIME);

/// Multiples of p, indexed by the quotient by 2^257, that reduce a value below 16p to below 2.25
/// 2^256.
const FOR_SINGLE: [X8; 5] = multiples(&to_radix(PRIME.prime(), LIMB_BITS), 0, 2, 0);

impl Reduction<4, 5> for P256ReductionX8 {
    type Tag = Coordinate;

    const SPARSE: bool = true;

    #[inline(always)]
    fn constants(self) -> &'static LaneModulus<4, 5> {
        &CONSTANTS
    }

    /// -1 / p = 1 mod 2^52, so q is t\[i\] itself. As q p = q (p + 1) - q, the lowest limb
    /// vanishes, and q (p + 1) / 2^52 is q times 2^44 (limb 0), 2^36 (limb 2), 2^48 - 2^16 (limb
    /// 3). Each of five limbs grows by less than 2^54. The lowest column is one low half, so it has
    /// no carry.
    #[inline(always)]
    fn reduce<W: Words>(self, words: W, mut t: Columns<W, 5>) -> [W::Word; 5] {
        let t = t.as_flattened_mut();
        let to_limb_0 = words.splat(1 << 44);
        let to_limb_2 = words.splat(1 << 36);
        let to_limb_3 = words.splat((1 << 48) - (1 << 16));
        unrolled!(W, i < 5, {
            let q = t[i];
            t[i + 1] = words.madd_low(t[i + 1], q, to_limb_0);
            t[i + 2] = words.madd_high(t[i + 2], q, to_limb_0);
            t[i + 3] = words.madd_low(t[i + 3], q, to_limb_2);
            t[i + 4] = words.madd_high(t[i + 4], q, to_limb_2);
            t[i + 4] = words.madd_low(t[i + 4], q, to_limb_3);
            t[i + 5] = words.madd_high(t[i + 5], q, to_limb_3);
            if i > 0 {
                t[i + 1] = words.add(t[i + 1], words.shr::<LIMB_BITS>(q));
            }
        });
        [t[5], t[6], t[7], t[8], t[9]]
    }

    /// Divides by 2^256, which is close enough to m.
    #[inline(always)]
    fn quotient<W: Words>(self, words: W, highest: W::Word) -> W::Word {
        words.sar::<48>(highest)
    }

    /// Converts from R = 2^256 to R = 2^260, by a multiplication by 16.
    #[inline(always)]
    fn limbs_of_single<W: Words>(self, words: W, single: [W::Word; 4]) -> [W::Word; 5] {
        reduce_sixteenfold(words, limbs_of_words(words, &single, 4))
    }

    /// 16p minus the sixteenfold value, before reduction: limb by limb, above -2^52 and below 2^56.
    #[inline(always)]
    fn limbs_of_signed<W: Words>(
        self,
        words: W,
        single: [W::Word; 4],
        negative: u8,
    ) -> [W::Word; 5] {
        let mut limbs = limbs_of_words::<W, 4, 5>(words, &single, 4);
        for (limb, &p) in limbs.iter_mut().zip(CONSTANTS.prime()) {
            let negated = words.sub(words.splat(p << 4), *limb);
            *limb = words.select(negative, negated, *limb);
        }
        reduce_sixteenfold(words, limbs)
    }
}

/// Weakly reduces a value v in 0 ..= 16p by subtracting 2p for each 2^257 in it.
///
/// The quotient q comes from the highest limb. The limbs below it amount to less than 2^212 and
/// more than -2^208. So the quotient is off by at most one, and only for v that close to a multiple
/// of 2^257. If it is too large, it is at least 1, and v - 2p q is at least q (2^257 - 2p) -
/// 2^208 > 0, as 2^257 - 2p is above 2^224. Otherwise v - 2p q is below 2^257 + 2^212 + 7 (2^257 -
/// 2p) < 2.25 2^256.
#[inline(always)]
fn reduce_sixteenfold<W: Words>(words: W, mut limbs: [W::Word; 5]) -> [W::Word; 5] {
    let q = words.sar::<49>(limbs[4]);
    for i in 0..5 {
        if CONSTANTS.prime()[i] != 0 {
            limbs[i] = words.add(limbs[i], words.lookup(&FOR_SINGLE[i], q));
        }
    }
    carry(words, limbs)
}
