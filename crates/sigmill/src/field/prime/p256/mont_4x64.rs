//! P-256, Montgomery form, four limbs of 64 bits, portable code.

use super::PRIME;
use crate::field::Coordinate;
use crate::field::modulus::reduce_once;
use crate::field::{Kernel, Modulus};
use crate::limbs::{self, add_with_carry, subtract_with_borrow};

/// Products modulo the prime of P-256 in portable 64-bit code: 16 word multiplications (10 for a
/// square), none for the reduction.
#[derive(Clone, Copy, Debug)]
pub struct P256Kernel;

impl Kernel<4> for P256Kernel {
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

/// t / 2^256 mod p, below p, for t = `lower` + 2^256 `upper`. On input t < p 2^256.
///
/// The low half is reduced first, in four steps. Each step adds q p for the lowest limb q. As q p =
/// q 2^256 - q 2^224 + q 2^192 + q 2^96 - q, a step clears the limb, adds q 2^32 one limb above
/// (two limbs wide) and q (2^64 - 2^32 + 1) three limbs above. The result is (low + Q p) / 2^256 <=
/// p with Q < 2^256. The high half is below p, so the sum stays below 2p and needs one subtraction.
#[inline]
fn reduce([lower, upper]: &[[u64; 4]; 2]) -> [u64; 4] {
    let mut r = *lower;
    for _ in 0..4 {
        let q = r[0];
        let (low, high) = (q << 32, q >> 32);
        let (product_low, borrow) = subtract_with_borrow(q, low, 0);
        let (product_high, _) = subtract_with_borrow(q, high, borrow);
        let mut carry;
        (r[0], carry) = add_with_carry(r[1], low, 0);
        (r[1], carry) = add_with_carry(r[2], high, carry);
        (r[2], carry) = add_with_carry(r[3], product_low, carry);
        // No carry: the high limb of q (2^64 - 2^32 + 1) is at most 2^64 - 2^32.
        r[3] = product_high + carry;
    }
    let (sum, carry) = limbs::add(&r, upper);
    reduce_once(&PRIME, &sum, carry)
}
