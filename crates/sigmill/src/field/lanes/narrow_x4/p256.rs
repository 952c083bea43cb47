//! P-256 in four lanes of 32-bit products.

use super::reduction::{Columns, Limbs};
use super::{BITS, FieldNarrowX4, LIMBS, MASK, NarrowModulus, NarrowReduction};
use crate::field::Coordinate;
use crate::field::p256::PRIME;
use crate::limbs::{NarrowQuads, nine_limbs};

/// The field of P-256 in four lanes on quads of `Q`, with single values by kernel `S`.
pub type P256FieldNarrowX4<Q, S> = FieldNarrowX4<Q, P256NarrowReduction, S>;

/// The reduction modulo the prime of P-256, by the powers of two in
/// p = 2^256 - 2^224 + 2^192 + 2^96 - 1.
#[derive(Clone, Copy, Debug)]
pub struct P256NarrowReduction;

const CONSTANTS: NarrowModulus = NarrowModulus::new(&PRIME);

impl NarrowReduction for P256NarrowReduction {
    type Tag = Coordinate;

    /// From R = 2^256 to R = 2^261.
    const SHIFT: u32 = 5;

    #[inline(always)]
    fn constants(self) -> &'static NarrowModulus {
        &CONSTANTS
    }

    /// -1 / p = 1 mod 2^29, so q is the low limb itself. As q p = q (p + 1) - q, the limb vanishes;
    /// the part above it is the carry. In q (p + 1), 2^96 is 2^9 three limbs up, 2^192 is 2^18 in
    /// the sixth limb, and 2^256 - 2^224 is 2^29 - 2^21 in the seventh and 2^24 - 1 in the eighth.
    /// No term is negative, and a column receives less than 2^58 + 2^54 of them.
    #[inline(always)]
    fn reduce<Q: NarrowQuads>(self, quads: Q, mut t: Columns<Q>) -> Limbs<Q> {
        let mask = quads.splat(MASK);
        let to_seventh = quads.opaque(quads.splat((1 << 29) - (1 << 21)));
        let to_eighth = quads.opaque(quads.splat((1 << 24) - 1));
        nine_limbs!(Q, i, {
            let q = quads.opaque(quads.and(t[i], mask));
            t[i + 1] = quads.add(t[i + 1], quads.shr::<BITS>(t[i]));
            t[i + 3] = quads.add(t[i + 3], quads.shl::<9>(q));
            t[i + 6] = quads.add(t[i + 6], quads.shl::<18>(q));
            t[i + 7] = quads.add(t[i + 7], quads.multiply(q, to_seventh));
            t[i + 8] = quads.add(t[i + 8], quads.multiply(q, to_eighth));
        });
        let mut limbs = [mask; LIMBS];
        limbs.copy_from_slice(&t[LIMBS..]);
        limbs
    }

    /// Uses the limbs of 2^256 - p = 2^224 - 2^192 - 2^96 + 1.
    #[inline(always)]
    fn add_complement<Q: NarrowQuads>(self, quads: Q, mut limbs: Limbs<Q>, q: Q::Quad) -> Limbs<Q> {
        let times = |factor: u64| quads.multiply(q, quads.opaque(quads.splat(factor)));
        let ones = quads.sub(quads.shl::<BITS>(q), q);
        limbs[0] = quads.add(limbs[0], q);
        limbs[3] = quads.add(limbs[3], times((1 << 29) - (1 << 9)));
        limbs[4] = quads.add(limbs[4], ones);
        limbs[5] = quads.add(limbs[5], ones);
        limbs[6] = quads.add(limbs[6], times((1 << 29) - 1 - (1 << 18)));
        limbs[7] = quads.add(limbs[7], times((1 << 21) - 1));
        limbs
    }
}
