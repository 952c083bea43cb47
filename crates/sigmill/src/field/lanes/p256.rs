//! The reduction of P-256 in eight lanes.

use super::{ClearLowest, FieldX8};
use crate::field::p256::P256Prime;
use crate::limbs::{LIMB_BITS, Words};

/// The field of P-256 in eight lanes on words of `W`, with single values by kernel `S`.
pub type P256FieldX8<W, S> = FieldX8<W, P256ReductionX8, S>;

/// The reduction modulo the prime of P-256, which takes no product by its limbs but by three
/// powers of two and their difference: p + 1 = 2^256 - 2^224 + 2^192 + 2^96.
#[derive(Clone, Copy, Debug)]
pub struct P256ReductionX8;

impl ClearLowest for P256ReductionX8 {
    type Modulus = P256Prime;

    /// -1 / p = 1 mod 2^52, so q is t\[0\] itself, and q p = q (p + 1) - q: the low limb vanishes,
    /// and q (p + 1) / 2^52 is q times 2^44 (limb 0), 2^36 (limb 2), 2^48 - 2^16 (limb 3).
    #[inline(always)]
    fn clear_lowest<W: Words>(words: W, t: &mut [W::Word]) {
        let q = t[0];
        for (column, factor) in [(1, 1 << 44), (3, 1 << 36), (4, (1 << 48) - (1 << 16))] {
            let factor = words.splat(factor);
            t[column] = words.madd_low(t[column], q, factor);
            t[column + 1] = words.madd_high(t[column + 1], q, factor);
        }
        t[1] = words.add(t[1], words.shr::<LIMB_BITS>(q));
    }
}
