//! 2^255 - 19, four limbs of 64 bits, portable code.

use super::FoldKernel;
use crate::ct;
use crate::limbs::{self, multiply_accumulate};

/// Products modulo 2^255 - 19 in portable 64-bit code: 16 word multiplications (10 for a square),
/// and 5 for the reduction.
#[derive(Clone, Copy, Debug)]
pub struct C25519Portable;

impl FoldKernel for C25519Portable {
    #[inline]
    fn mul(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        reduce(&limbs::wide_product(a, b))
    }

    #[inline]
    fn square(self, a: &[u64; 4]) -> [u64; 4] {
        reduce(&limbs::wide_square(a))
    }

    #[inline]
    fn add_multiple(self, a: &[u64; 4], b: &[u64; 4], small: u64) -> [u64; 4] {
        let mut sum = *a;
        let mut carry = 0;
        for (limb, &b) in sum.iter_mut().zip(b) {
            (*limb, carry) = multiply_accumulate(*limb, b, small, carry);
        }
        fold_above_255(sum, carry)
    }

    #[inline]
    fn sum(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        let (sum, carry) = limbs::add(a, b);
        let (sum, carry) = limbs::add(&sum, &[38 * ct::barrier(carry), 0, 0, 0]);
        debug_assert_eq!(carry, 0);
        sum
    }

    #[inline]
    fn difference(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        let (difference, borrow) = limbs::subtract(a, b);
        let (difference, borrow) =
            limbs::subtract(&difference, &[38 * ct::barrier(borrow), 0, 0, 0]);
        debug_assert_eq!(borrow, 0);
        difference
    }
}

/// Reduces by lower + 2^256 upper = lower + 38 upper, which is below 39 2^256.
#[inline(always)]
fn reduce([lower, upper]: &[[u64; 4]; 2]) -> [u64; 4] {
    let mut r = *lower;
    let mut carry = 0;
    for i in 0..4 {
        (r[i], carry) = multiply_accumulate(r[i], upper[i], 38, carry);
    }
    fold_above_255(r, carry)
}

/// Reduces five limbs, the highest below 2^18. The part above bit 255 is less than 2^19 and is
/// added back times 19. The result is below 2^255 + 19 2^19.
#[inline(always)]
fn fold_above_255(r: [u64; 4], above: u64) -> [u64; 4] {
    debug_assert!(above < 1 << 18);
    let above = above << 1 | r[3] >> 63;
    let rest = [r[0], r[1], r[2], r[3] & u64::MAX >> 1];
    limbs::add(&rest, &[19 * above, 0, 0, 0]).0
}
