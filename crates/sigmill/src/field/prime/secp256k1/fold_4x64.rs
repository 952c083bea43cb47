//! secp256k1, four limbs of 64 bits, portable code.

use super::{FOLD, PRIME};
use crate::ct;
use crate::field::Coordinate;
use crate::field::{Kernel, Modulus};
use crate::limbs::{self, multiply_accumulate};

/// Products modulo the prime of secp256k1 in portable 64-bit code: 16 word multiplications (10 for
/// a square), and 5 for the reduction.
#[derive(Clone, Copy, Debug)]
pub struct Secp256k1Kernel;

impl Kernel<4> for Secp256k1Kernel {
    type Tag = Coordinate;

    #[inline(always)]
    fn modulus(self) -> &'static Modulus<4> {
        &PRIME
    }

    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline)]
    fn mul(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        reduce(&limbs::wide_product(a, b))
    }

    #[cfg_attr(target_arch = "x86_64", inline(never))]
    #[cfg_attr(not(target_arch = "x86_64"), inline)]
    fn square(self, a: &[u64; 4]) -> [u64; 4] {
        reduce(&limbs::wide_square(a))
    }
}

/// t mod p, below p, for any t = `lower` + 2^256 `upper` below 2^512.
///
/// With c = 2^256 - p, the sum lower + c upper is `top` 2^256 + `r`, where `top` is at most c.
/// Modulo p this is r + top c, which is below 2^256 + c^2 and therefore below 2p. It is at least p
/// if and only if r + (top + 1) c reaches 2^256; the part below 2^256 is then the result.
#[inline(always)]
fn reduce([lower, upper]: &[[u64; 4]; 2]) -> [u64; 4] {
    let mut r = *lower;
    let mut top = 0;
    for i in 0..4 {
        (r[i], top) = multiply_accumulate(r[i], upper[i], FOLD, top);
    }
    debug_assert!(top <= FOLD);
    let (low, high) = multiply_accumulate(0, top + 1, FOLD, 0);
    let (sum, carry) = limbs::add(&r, &[low, high, 0, 0]);
    let too_much = FOLD & ct::barrier(carry).wrapping_sub(1);
    limbs::subtract(&sum, &[too_much, 0, 0, 0]).0
}
