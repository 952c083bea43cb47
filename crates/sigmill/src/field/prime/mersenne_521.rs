//! Arithmetic modulo the Mersenne prime of P-521, p = 2^521 - 1. Elements have the same Montgomery
//! form as for any other prime of nine limbs: R = 2^576. Reduction is a rotation and needs no
//! multiplication.
//!
//! As 2^521 is 1 modulo p, multiplying by 2^-576 is the same as multiplying by 2^466. A product has
//! 1,042 bits. The 466 bits from bit 576 on are whole limbs; they are in place once the lower nine
//! limbs are dropped. The 55 lowest bits belong above these, at bit 466. The 521 bits between, from
//! bit 55 on, are a second summand:
//!
//! ```text
//! a b = h 2^576 + m 2^55 + l,   l < 2^55,  m < 2^521,  h < 2^466
//! a b / R = (h + l 2^466) + m  mod p
//! ```
//!
//! Everything here is constant time. The choice of the prime is not secret.

use crate::limbs::{self, add_with_carry, array_from_fn, subtract_with_borrow};

/// Number of limbs of 2^521 - 1.
pub(super) const LIMBS: usize = 9;

/// An integer below 2^576.
type Limbs = [u64; LIMBS];

/// Number of bits of the highest limb that are below bit 521.
const TOP_BITS: u32 = 521 - 64 * (LIMBS as u32 - 1);

/// Number of bits from bit 521 on in nine limbs: R = 2^(521 + 55).
const SPARE_BITS: u32 = 64 - TOP_BITS;

/// `t / R mod p` for t = `low` + R `high`, the product of two integers of at most p.
///
/// Both summands are below 2^521. They are not both p: t would be 2^1042 - 1, and p^2 is less. So
/// their sum is below 2p, and [`add`] reduces it.
#[inline(always)]
pub(super) fn reduce([low, high]: &[Limbs; 2]) -> Limbs {
    debug_assert!(high[LIMBS - 1] == 0 && high[LIMBS - 2] < 1 << (64 - 46));
    let mut rotated = *high;
    // Bit 466 is bit 18 of limb 7, which has room for 46 of the 55 bits.
    rotated[LIMBS - 2] |= low[0] << (64 - 46);
    rotated[LIMBS - 1] = low[0] << TOP_BITS >> SPARE_BITS;
    let middle = array_from_fn(|i| {
        let above = if i + 1 < LIMBS { low[i + 1] } else { 0 };
        low[i] >> SPARE_BITS | above << TOP_BITS
    });
    add(&rotated, &middle)
}

/// `a + b mod p` for integers of at most p that are not both p.
///
/// Bit 521 of a + b + 1 is set if and only if a + b is at least p. If so, the remaining bits of a +
/// b + 1 are a + b - p; if not, a + b + 1 is 1 too much.
#[inline(always)]
pub(super) fn add(a: &Limbs, b: &Limbs) -> Limbs {
    let mut sum = [0; LIMBS];
    let mut carry = 1;
    for (i, sum) in sum.iter_mut().enumerate() {
        (*sum, carry) = add_with_carry(a[i], b[i], carry);
    }
    let too_much = sum[LIMBS - 1] >> TOP_BITS ^ 1;
    subtract_bit(&sum, too_much)
}

/// `a - b mod p` for both below p.
///
/// A borrow yields a - b + 2^576. Subtracting one, modulo 2^521, leaves a - b + p.
#[inline(always)]
pub(super) fn subtract(a: &Limbs, b: &Limbs) -> Limbs {
    let (difference, borrow) = limbs::subtract(a, b);
    subtract_bit(&difference, borrow)
}

/// `a - bit` modulo 2^521.
#[inline(always)]
fn subtract_bit(a: &Limbs, bit: u64) -> Limbs {
    let mut difference = [0; LIMBS];
    let mut borrow = bit;
    for (difference, &limb) in difference.iter_mut().zip(a) {
        (*difference, borrow) = subtract_with_borrow(limb, 0, borrow);
    }
    difference[LIMBS - 1] &= (1 << TOP_BITS) - 1;
    difference
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Modulus;
    use crate::field::modulus::multiply;
    use crate::field::prime::{AnyKernel, Kernel, montgomery};

    const P: Limbs = [
        u64::MAX,
        u64::MAX,
        u64::MAX,
        u64::MAX,
        u64::MAX,
        u64::MAX,
        u64::MAX,
        u64::MAX,
        0x1ff,
    ];
    static MODULUS: Modulus<9> = Modulus::new(P);

    /// `t / R mod p`, bit by bit, and by the generic product with one.
    fn plain([low, high]: &[Limbs; 2]) -> Limbs {
        let bits = [*low, *high].concat();
        let mut sum = [0; 9];
        for i in (0..64 * bits.len()).rev() {
            sum = montgomery::add(&MODULUS, &sum, &sum);
            let bit = [bits[i / 64] >> (i % 64) & 1, 0, 0, 0, 0, 0, 0, 0, 0];
            sum = montgomery::add(&MODULUS, &sum, &bit);
        }
        multiply(&MODULUS, &sum, &[1, 0, 0, 0, 0, 0, 0, 0, 0])
    }

    /// 2^i, 2^i - 1, and p minus each of them, where p is 521 bits of ones. p and p - 1 are among
    /// them.
    fn nasty() -> impl Iterator<Item = Limbs> {
        (0..521).flat_map(|i| {
            let mut power = [0; 9];
            power[i / 64] = 1 << (i % 64);
            let below = limbs::subtract(&power, &[1, 0, 0, 0, 0, 0, 0, 0, 0]).0;
            let left = |a| limbs::subtract(&P, a).0;
            [power, below, left(&power), left(&below)]
        })
    }

    /// Pseudorandom values, by a linear congruence.
    fn random() -> impl Iterator<Item = Limbs> {
        let mut state = 5u64;
        core::iter::repeat_with(move || {
            let mut limbs = array_from_fn(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                state ^ state >> 29
            });
            limbs[8] &= 0x1ff;
            limbs
        })
    }

    #[test]
    fn it_is_asked_for_one_prime_only() {
        assert!(MODULUS.is_mersenne_521());
        let mut other = P;
        other[0] -= 2;
        assert!(!Modulus::new(other).is_mersenne_521());
        other = P;
        other[8] = 0xff;
        assert!(!Modulus::new(other).is_mersenne_521());
    }

    #[test]
    fn reduces_whatever_has_so_many_bits() {
        assert_eq!(reduce(&[[0; 9]; 2]), [0; 9]);
        // Each bit alone, and all bits except one; all of them are p + p / R.
        let ones = [[u64::MAX; 9], {
            let mut high = [u64::MAX; 9];
            (high[7], high[8]) = ((1 << 18) - 1, 0);
            high
        }];
        for i in 0..1042 {
            let mut power = [[0; 9]; 2];
            power[i / 576][i % 576 / 64] = 1 << (i % 64);
            let [low, high] = &power;
            let left = [
                limbs::subtract(&ones[0], low).0,
                limbs::subtract(&ones[1], high).0,
            ];
            assert_eq!(reduce(&power), plain(&power), "2^{i}");
            assert_eq!(reduce(&left), plain(&left), "2^1042 - 1 - 2^{i}");
        }
        for multiple in [[P, [0; 9]], [[0; 9], [1 << 55; 9]]] {
            let [low, mut high] = multiple;
            high[7] &= (1 << 18) - 1;
            high[8] = 0;
            let t = [low, high];
            assert_eq!(reduce(&t), plain(&t));
        }
    }

    #[test]
    fn products_and_squares_of_what_is_at_most_p() {
        let check = |a: &Limbs, b: &Limbs| {
            let (product, square) = (
                plain(&limbs::wide_product(a, b)),
                plain(&limbs::wide_product(a, a)),
            );
            for kernel in [
                AnyKernel::portable(&MODULUS),
                AnyKernel::<(), 9>::detect(&MODULUS),
            ] {
                assert_eq!(kernel.mul(a, b), product, "{a:x?} {b:x?}");
                assert_eq!(kernel.mul(b, a), product, "{a:x?} {b:x?}");
                assert_eq!(kernel.square(a), square, "{a:x?}");
            }
            if *b != P {
                assert_eq!(multiply(&MODULUS, a, b), product);
            }
        };
        let mut minus_one = P;
        minus_one[0] -= 1;
        for (a, other) in nasty().zip(random()) {
            check(&a, &P);
            check(&a, &minus_one);
            check(&a, &a);
            check(&a, &other);
        }
    }

    #[test]
    fn sums_and_differences_of_what_is_at_most_p() {
        let minus_one = limbs::subtract(&P, &[1, 0, 0, 0, 0, 0, 0, 0, 0]).0;
        for (a, other) in nasty().zip(random()) {
            for b in [[0; 9], a, limbs::subtract(&P, &a).0, minus_one, P, other] {
                if a != P || b != P {
                    assert_eq!(add(&a, &b), montgomery::add(&MODULUS, &a, &b));
                }
                if a != P && b != P {
                    assert_eq!(subtract(&a, &b), montgomery::subtract(&MODULUS, &a, &b));
                }
            }
        }
    }
}
