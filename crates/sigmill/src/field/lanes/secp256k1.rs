//! The reduction of secp256k1 in eight lanes.

use super::{FieldX8, Reduction};
use crate::field::secp256k1::{FOLD, Secp256k1Prime};
use crate::limbs::{LIMB_BITS, Words};

/// The field of secp256k1 in eight lanes on words of `W`, with single values by kernel `S`.
pub type Secp256k1FieldX8<W, S> = FieldX8<W, Secp256k1ReductionX8, S>;

/// The reduction modulo the prime of secp256k1, by folding: 2^260 is 2^4 c, 2^256 is c modulo p, with
/// c = 2^256 - p of 33 bits. 12 multiply-adds.
#[derive(Clone, Copy, Debug)]
pub struct Secp256k1ReductionX8;

impl Reduction for Secp256k1ReductionX8 {
    type Modulus = Secp256k1Prime;

    const R_BITS: u32 = 0;

    /// On input t is below 14.1 2^512 and every column below 2^57; on output the limbs are below
    /// 2^58, and the value below 1.01 2^256.
    ///
    /// The high columns are carried, as a multiplication reads 52 bits: t\[9\] is below 2^48 then.
    /// With 2^4 c below 2^37, the fold leaves less than 2^33 above column 4. That, and what stands
    /// above bit 48 of column 4, less than 2^10, is less than 2^38 at 2^256 and folded once more.
    #[inline(always)]
    fn reduce<W: Words>(words: W, mut t: [W::Word; 10]) -> [W::Word; 5] {
        for i in 5..9 {
            t[i + 1] = words.add(t[i + 1], words.shr::<LIMB_BITS>(t[i]));
        }
        let [t0, t1, t2, t3, t4, high @ ..] = t;
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
}
