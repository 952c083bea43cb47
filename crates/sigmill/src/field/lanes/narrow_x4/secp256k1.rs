//! secp256k1 in four lanes of 32-bit products.

use super::reduction::{Columns, Limbs, carry_upper, fits};
use super::{BITS, FieldNarrowX4, LIMBS, MASK, NarrowModulus, NarrowReduction};
use crate::field::Coordinate;
use crate::field::secp256k1::{FOLD, PRIME};
use crate::limbs::{NarrowQuads, nine_limbs};

/// The field of secp256k1 in four lanes on quads of `Q`, with single values by kernel `S`.
pub type Secp256k1FieldNarrowX4<Q, S> = FieldNarrowX4<Q, Secp256k1NarrowReduction, S>;

/// The reduction modulo the prime of secp256k1, by folding: 2^256 is c = 2^32 + 977 modulo p, and
/// 2^261 is 2^5 c = 2^37 + 2^5 977.
#[derive(Clone, Copy, Debug)]
pub struct Secp256k1NarrowReduction;

const CONSTANTS: NarrowModulus = NarrowModulus::new(&PRIME);

/// The part of c below 2^32.
const LOW: u64 = FOLD & 0xffff_ffff;

impl NarrowReduction for Secp256k1NarrowReduction {
    type Tag = Coordinate;

    /// R is 1 in both.
    const SHIFT: u32 = 0;

    #[inline(always)]
    fn constants(self) -> &'static NarrowModulus {
        &CONSTANTS
    }

    /// The upper columns are carried, starting from column 8, which becomes a limb. The last one is
    /// below 2^24, for t below 2^517. Each is added back, times 2^5 977 to the limb 261 bits below,
    /// and times 2^8 to the next limb. The part that the last one leaves above limb 8, less than
    /// 2^32, is added back the same way. Limb 8 is then below 2^24 2^5 977 + 2^29 2^8 + 2^29, and
    /// receives a carry below 2^35 from limb 7: less than 2^24 41536 in total. So the value is
    /// below 2^272. The part above 2^256, less than 2^16, is folded once more.
    #[inline(always)]
    fn reduce<Q: NarrowQuads>(self, quads: Q, mut t: Columns<Q>) -> Limbs<Q> {
        let (mask, low) = (quads.splat(MASK), quads.opaque(quads.splat(LOW << 5)));
        carry_upper(quads, &mut t);
        let above = quads.opaque(quads.shl::<8>(t[17]));
        let mut limbs = [mask; LIMBS];
        nine_limbs!(Q, i, {
            let high = quads.opaque(t[i + LIMBS]);
            limbs[i] = quads.add(t[i], quads.multiply(high, low));
            if i > 0 {
                limbs[i] = quads.add(limbs[i], quads.shl::<8>(t[i + LIMBS - 1]));
            }
        });
        limbs[0] = quads.add(limbs[0], quads.multiply(above, low));
        limbs[1] = quads.add(limbs[1], quads.shl::<8>(above));
        let highest = quads.add(limbs[8], quads.shr::<BITS>(limbs[7]));
        let q = quads.opaque(quads.shr::<24>(highest));
        debug_assert!(fits(quads, q, 16));
        limbs[8] = quads.sub(limbs[8], quads.shl::<24>(q));
        self.add_complement(quads, limbs, q)
    }

    /// c = 2^29 2^3 + 977. Valid for q below 2^16, as `reduce` needs it.
    #[inline(always)]
    fn add_complement<Q: NarrowQuads>(self, quads: Q, mut limbs: Limbs<Q>, q: Q::Quad) -> Limbs<Q> {
        let low = quads.opaque(quads.splat(LOW));
        limbs[0] = quads.add(limbs[0], quads.multiply(q, low));
        limbs[1] = quads.add(limbs[1], quads.shl::<3>(q));
        limbs
    }
}
