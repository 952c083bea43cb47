//! Arithmetic modulo the prime of P-384, p = 2^384 - 2^128 - 2^96 + 2^32 - 1 (J. A. Solinas,
//! *Generalized Mersenne Numbers*, 1999). Elements have the same Montgomery form as for any other
//! prime of six limbs: R = 2^384. Reduction needs shifts, additions and subtractions, but no
//! multiplication.
//!
//! As p is 2^32 - 1 modulo 2^64, -1/p is 2^32 + 1 there. So for an integer t of six limbs, q =
//! t_0 + 2^32 t_0 mod 2^64 makes t + q p a multiple of 2^64. Let c be the carry of that sum, and
//! x = q / 2^32 rounded down, so that q 2^32 = x 2^64 + t_0 2^32 mod 2^64. Then
//!
//! ```text
//! (t + q p) / 2^64 = (t_1, ..., t_5, q) - d,
//! d = (q + x) 2^64 + (t_0 2^32 mod 2^64) - x - c
//! ```
//!
//! in limbs, lowest first. Six such steps reduce t to (t + Q p) / R for a Q below R.
//!
//! Everything here is constant time. The choice of the prime is not secret.

use crate::field::Modulus;
use crate::field::modulus::{self, SOLINAS_384};
use crate::limbs::{self, add_with_carry, subtract_with_borrow};

/// Number of limbs of p.
pub(super) const LIMBS: usize = 6;

/// An integer below 2^384.
pub(super) type Limbs = [u64; LIMBS];

static MODULUS: Modulus<LIMBS> = Modulus::new(SOLINAS_384);

/// `t / R mod p` for t = `low` + R `high`, the product of two integers below p.
///
/// Six steps reduce `low` to at most (R - 1 + (R - 1) p) / R, which is below p + 1. `high` is at
/// most p^2 / R, which is below p. So their sum is below 2p.
#[inline(always)]
pub(super) fn reduce([low, high]: &[Limbs; 2]) -> Limbs {
    let mut rest = *low;
    for _ in 0..LIMBS {
        rest = step(rest);
    }
    let (sum, carry) = limbs::add(&rest, high);
    modulus::reduce_once(&MODULUS, &sum, carry)
}

/// a modulo p, for a below 2^384, which is less than 2p.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn reduce_once(a: &Limbs) -> Limbs {
    modulus::reduce_once(&MODULUS, a, 0)
}

/// `(t + q p) / 2^64` for the q below 2^64 that makes it an integer. Like t, it is below 2^384.
#[inline(always)]
fn step([t0, t1, t2, t3, t4, t5]: Limbs) -> Limbs {
    let shifted = t0 << 32;
    let (q, carry) = add_with_carry(t0, shifted, 0);
    let x = q >> 32;
    // If x is zero nothing is borrowed: a carry needs a `shifted` of at least 2^32.
    let (d0, borrow) = subtract_with_borrow(shifted, x, carry);
    let (d1, d2) = add_with_carry(q, x - borrow, 0);
    let (t1, borrow) = subtract_with_borrow(t1, d0, 0);
    let (t2, borrow) = subtract_with_borrow(t2, d1, borrow);
    let (t3, borrow) = subtract_with_borrow(t3, d2, borrow);
    let (t4, borrow) = subtract_with_borrow(t4, 0, borrow);
    let (t5, borrow) = subtract_with_borrow(t5, 0, borrow);
    let (t6, borrow) = subtract_with_borrow(q, 0, borrow);
    debug_assert!(borrow == 0);
    [t1, t2, t3, t4, t5, t6]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::modulus::multiply;
    use crate::field::prime::montgomery;
    use crate::field::prime::{AnyKernel, Kernel};
    use crate::limbs::array_from_fn;

    const P: Limbs = SOLINAS_384;
    const ONE: Limbs = [1, 0, 0, 0, 0, 0];

    /// `t / R mod p`, bit by bit, and by the generic product with one.
    fn plain([low, high]: &[Limbs; 2]) -> Limbs {
        let limbs = [*low, *high].concat();
        let mut sum = [0; 6];
        for i in (0..64 * limbs.len()).rev() {
            sum = montgomery::add(&MODULUS, &sum, &sum);
            let bit = [limbs[i / 64] >> (i % 64) & 1, 0, 0, 0, 0, 0];
            sum = montgomery::add(&MODULUS, &sum, &bit);
        }
        multiply(&MODULUS, &sum, &ONE)
    }

    /// Reduces with portable code and with the code for this CPU, and compares the results.
    fn reduce_by_all(t: &[Limbs; 2]) -> Limbs {
        let reduced = reduce(t);
        let other = AnyKernel::<(), 6>::detect(&MODULUS).reduce_solinas_384(t);
        assert_eq!(reduced, other, "{t:x?}");
        reduced
    }

    /// 2^i, 2^i - 1, p minus each of them, and values whose half-limbs are all ones or all zeros.
    fn nasty() -> impl Iterator<Item = Limbs> {
        let powers = (0..384).flat_map(|i| {
            let mut power = [0; 6];
            power[i / 64] = 1 << (i % 64);
            let below = limbs::subtract(&power, &ONE).0;
            let left = |a| limbs::subtract(&P, a).0;
            [power, below, left(&power), left(&below)]
        });
        let halves = (0..1u32 << 12).map(|bits| {
            let half = |i: usize| u64::from(bits >> i & 1) * u64::from(u32::MAX);
            array_from_fn(|i| half(2 * i) | half(2 * i + 1) << 32)
        });
        powers.chain(halves).filter(|a| limbs::less_than(a, &P))
    }

    /// Pseudorandom values below p, by a linear congruence.
    fn random() -> impl Iterator<Item = Limbs> {
        let mut state = 5u64;
        core::iter::repeat_with(move || {
            array_from_fn(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                state ^ state >> 29
            })
        })
        .filter(|a| limbs::less_than(a, &P))
    }

    #[test]
    fn it_is_asked_for_one_prime_only() {
        assert!(MODULUS.is_solinas_384());
        for i in 0..6 {
            let mut other = P;
            other[i] ^= 2;
            assert!(!Modulus::new(other).is_solinas_384(), "{i}");
        }
        let [a, b, c, d, e, f] = P;
        assert!(!Modulus::new([a, b, c, d, e]).is_solinas_384());
        assert!(!Modulus::new([a, b, c, d, e, f, 1]).is_solinas_384());
    }

    /// The range of products: the upper half is at most (p - 1)^2 / R, the lower half is any value.
    #[test]
    fn reduces_whatever_is_below_p_squared() {
        let [_, most] =
            limbs::wide_product(&limbs::subtract(&P, &ONE).0, &limbs::subtract(&P, &ONE).0);
        assert_eq!(reduce_by_all(&[[0; 6]; 2]), [0; 6]);
        let below = limbs::subtract(&most, &ONE).0;
        let lows = nasty().chain([P, [u64::MAX; 6]]);
        for (low, other) in lows.zip(random()) {
            for high in [[0; 6], ONE, below, other] {
                if limbs::less_than(&high, &most) {
                    let t = [low, high];
                    assert_eq!(reduce_by_all(&t), plain(&t), "{t:x?}");
                }
            }
        }
        for i in 0..384 {
            let mut high = [0; 6];
            high[i / 64] = 1 << (i % 64);
            let left = limbs::subtract(&below, &high).0;
            for t in [
                [[0; 6], high],
                [[u64::MAX; 6], high],
                [P, left],
                [[u64::MAX; 6], left],
            ] {
                if limbs::less_than(&t[1], &most) {
                    assert_eq!(reduce_by_all(&t), plain(&t), "{t:x?}");
                }
            }
        }
    }

    /// Products of integers that are not below p are still reduced below 2^384.
    #[test]
    fn reduces_loosely_whatever_there_is() {
        let kernel = AnyKernel::<(), 6>::detect(&MODULUS);
        let greatest = [u64::MAX; 6];
        let mut at_least_p = 0;
        let mut check = |t: [Limbs; 2]| {
            let Some(loose) = kernel.reduce_loosely_solinas_384(&t) else {
                return;
            };
            let reduced = modulus::reduce_once(&MODULUS, &loose, 0);
            assert_eq!(reduced, plain(&t), "{t:x?}");
            at_least_p += usize::from(!limbs::less_than(&loose, &P));
        };
        for (low, other) in nasty().chain([P, greatest]).zip(random()) {
            for high in [[0; 6], ONE, P, limbs::add(&P, &ONE).0, greatest, low, other] {
                check([low, high]);
            }
        }
        // p is close to 2^384: few values lie between.
        for i in 0..128 {
            let mut power = [0; 6];
            power[i / 64] = 1 << (i % 64);
            check([[0; 6], limbs::add(&P, &power).0]);
            check([[0; 6], limbs::subtract(&greatest, &power).0]);
        }
        let is_loose = kernel.reduce_loosely_solinas_384(&[[0; 6]; 2]).is_some();
        assert_eq!(at_least_p > 200, is_loose, "{at_least_p}");
        for (a, other) in nasty().zip(random()) {
            for a in [a, other] {
                let mut expected = a;
                for times in 0..4 {
                    assert_eq!(kernel.square_often(&a, times), expected, "{a:x?} {times}");
                    expected = multiply(&MODULUS, &expected, &expected);
                }
            }
        }
    }

    #[test]
    fn products_and_squares() {
        let check = |a: &Limbs, b: &Limbs| {
            let (product, square) = (multiply(&MODULUS, a, b), multiply(&MODULUS, a, a));
            for kernel in [
                AnyKernel::portable(&MODULUS),
                AnyKernel::<(), 6>::detect(&MODULUS),
            ] {
                assert_eq!(kernel.mul(a, b), product, "{a:x?} {b:x?}");
                assert_eq!(kernel.mul(b, a), product, "{a:x?} {b:x?}");
                assert_eq!(kernel.square(a), square, "{a:x?}");
            }
        };
        let minus_one = limbs::subtract(&P, &ONE).0;
        for (a, other) in nasty().zip(random()) {
            check(&a, &minus_one);
            check(&a, &limbs::subtract(&P, &a).0);
            check(&a, &other);
            check(&other, &other);
        }
    }
}
