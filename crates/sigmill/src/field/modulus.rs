//! A modulus as a value, with the constants of Montgomery arithmetic computed from it.

use crate::limbs;

/// An odd prime of at most `64 N` bits, with the constants that arithmetic modulo it needs. Only
/// the prime is written down. The rest is computed from it, at compile time for constants.
///
/// R is 2^(64 N), or 1 for a prime whose products are reduced without a Montgomery form; the
/// kernels of such a prime compute plain products. Primality is not checked here; the tests of each
/// modulus check it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modulus<const N: usize> {
    prime: [u64; N],
    bits: u32,
    mersenne_521: bool,
    solinas_384: bool,
    negated_inverse: u64,
    r: [u64; N],
    r2: [u64; N],
    r3: [u64; N],
}

impl<const N: usize> Modulus<N> {
    /// Creates the modulus of a prime, in little-endian limbs, with R = 2^(64 N).
    ///
    /// # Panics
    /// If the prime is even or below 3. In constants, this is an error at compile time.
    pub const fn new(prime: [u64; N]) -> Self {
        let bits = limbs::bit_length_vartime(&prime);
        assert!(prime[0] & 1 == 1 && bits > 1, "an odd prime");
        let r = power_of_two(&prime, 64 * N as u32);
        let mut modulus = Self {
            prime,
            bits,
            mersenne_521: bits == 521 && is_all_ones(&prime, bits),
            solinas_384: is_solinas_384(&prime),
            negated_inverse: inverse_mod_2_64(prime[0]).wrapping_neg(),
            r,
            r2: r,
            r3: r,
        };
        // 2^N squared six times is R, all in Montgomery form. This costs the compiler a few
        // products instead of hundreds of doublings, which would add seconds to each build.
        let mut power = doubled(&prime, r, N as u32);
        let mut i = 0;
        while i < 6 {
            power = multiply(&modulus, &power, &power);
            i += 1;
        }
        modulus.r2 = power;
        modulus.r3 = multiply(&modulus, &power, &power);
        modulus
    }

    /// Creates the modulus of a prime, in little-endian limbs, with R = 1.
    ///
    /// # Panics
    /// See [`new`](Self::new).
    pub const fn without_montgomery_form(prime: [u64; N]) -> Self {
        let mut one = [0; N];
        one[0] = 1;
        let modulus = Self::new(prime);
        Self {
            r: one,
            r2: one,
            r3: one,
            ..modulus
        }
    }

    /// The prime, in little-endian limbs.
    #[inline(always)]
    pub const fn prime(&self) -> &[u64; N] {
        &self.prime
    }

    /// The length of the prime in bits.
    #[inline(always)]
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// The length of the prime in bytes: its bits rounded up to whole bytes.
    #[inline(always)]
    pub const fn bytes(&self) -> usize {
        self.bits.div_ceil(8) as usize
    }

    /// Reports whether the prime is 2^521 - 1, the prime of P-521.
    #[inline(always)]
    pub const fn is_mersenne_521(&self) -> bool {
        self.mersenne_521
    }

    /// Reports whether the prime is 2^384 - 2^128 - 2^96 + 2^32 - 1, the prime of P-384, in six
    /// limbs.
    #[inline(always)]
    pub const fn is_solinas_384(&self) -> bool {
        self.solinas_384
    }

    /// -p^-1 mod 2^64, the factor of a Montgomery reduction step.
    #[inline(always)]
    pub const fn negated_inverse(&self) -> u64 {
        self.negated_inverse
    }

    /// R mod p: one in Montgomery form.
    #[inline(always)]
    pub const fn r(&self) -> &[u64; N] {
        &self.r
    }

    /// R^2 mod p: converts an integer into Montgomery form.
    #[inline(always)]
    pub const fn r2(&self) -> &[u64; N] {
        &self.r2
    }

    /// R^3 mod p: converts the plain inverse of a Montgomery form back into Montgomery form.
    #[inline(always)]
    pub const fn r3(&self) -> &[u64; N] {
        &self.r3
    }

    /// Reports whether R is 2^(64 N).
    pub const fn has_montgomery_form(&self) -> bool {
        limbs::equal(&self.r, &power_of_two(&self.prime, 64 * N as u32))
    }
}

/// Reports whether an integer of `bits` bits is 2^bits - 1.
const fn is_all_ones<const N: usize>(integer: &[u64; N], bits: u32) -> bool {
    limbs::equal(
        &limbs::shift_right(&[u64::MAX; N], 64 * N as u32 - bits),
        integer,
    )
}

/// 2^384 - 2^128 - 2^96 + 2^32 - 1, the prime of P-384.
pub(in crate::field) const SOLINAS_384: [u64; 6] = [
    (1 << 32) - 1,
    u64::MAX << 32,
    u64::MAX - 1,
    u64::MAX,
    u64::MAX,
    u64::MAX,
];

/// Reports whether an integer is [`SOLINAS_384`], with the same number of limbs.
const fn is_solinas_384<const N: usize>(integer: &[u64; N]) -> bool {
    let mut i = 0;
    while i < N {
        if N != SOLINAS_384.len() || integer[i] != SOLINAS_384[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// 2^exponent mod p for odd p above 1. Doubles the highest power below p up to the exponent.
pub(crate) const fn power_of_two<const N: usize>(modulus: &[u64; N], exponent: u32) -> [u64; N] {
    let highest = limbs::bit_length_vartime(modulus) - 1;
    let first = if exponent < highest {
        exponent
    } else {
        highest
    };
    let mut power = [0; N];
    power[(first / 64) as usize] = 1 << (first % 64);
    doubled(modulus, power, exponent - first)
}

/// Doubles a value below p `times` times modulo p.
pub(in crate::field) const fn doubled<const N: usize>(
    modulus: &[u64; N],
    mut value: [u64; N],
    times: u32,
) -> [u64; N] {
    let mut i = 0;
    while i < times {
        let (sum, carry) = limbs::add(&value, &value);
        let (reduced, borrow) = limbs::subtract(&sum, modulus);
        // The sum is below 2 p. It needs the subtraction if it overflowed or the subtraction did
        // not borrow.
        value = if carry == 1 || borrow == 0 {
            reduced
        } else {
            sum
        };
        i += 1;
    }
    value
}

/// Reduces a value below 2p, given as `N` limbs and a carry, to its residue below p.
#[inline(always)]
pub(in crate::field) const fn reduce_once<const N: usize>(
    modulus: &Modulus<N>,
    value: &[u64; N],
    carry: u64,
) -> [u64; N] {
    let (reduced, borrow) = limbs::subtract(value, modulus.prime());
    // value < p exactly if the subtraction borrows and the carry above the limbs is zero.
    let below = (borrow & (carry ^ 1)).wrapping_neg();
    limbs::select(below, value, &reduced)
}

/// The generic product for R = 2^(64 N), by coarsely integrated operand scanning (Koc, Acar,
/// Kaliski 1996): 2 N^2 + N word multiplications.
///
/// On input a < 2^(64 N), b < p; on output the result is below p. The running value t stays below
/// 2p after each row (Walter): a_i and q are at most 2^64 - 1, so t' = (t + a_i b + q p) / 2^64 is
/// below (2p + (2^64 - 1) p + (2^64 - 1) p) / 2^64 = 2p. One final subtraction suffices.
#[inline(always)]
pub(in crate::field) const fn multiply<const N: usize>(
    modulus: &Modulus<N>,
    a: &[u64; N],
    b: &[u64; N],
) -> [u64; N] {
    let p = modulus.prime();
    let mut t = [0; N];
    let mut top = 0;
    let mut i = 0;
    while i < N {
        // t += a_i b
        let mut carry = 0;
        let mut j = 0;
        while j < N {
            (t[j], carry) = limbs::multiply_accumulate(t[j], a[i], b[j], carry);
            j += 1;
        }
        let (high, overflow) = limbs::add_with_carry(top, carry, 0);
        // t = (t + q p) / 2^64
        let q = t[0].wrapping_mul(modulus.negated_inverse());
        (_, carry) = limbs::multiply_accumulate(t[0], q, p[0], 0);
        j = 1;
        while j < N {
            (t[j - 1], carry) = limbs::multiply_accumulate(t[j], q, p[j], carry);
            j += 1;
        }
        let (high, second) = limbs::add_with_carry(high, carry, 0);
        t[N - 1] = high;
        top = overflow + second;
        i += 1;
    }
    reduce_once(modulus, &t, top)
}

/// a^-1 mod 2^64 for odd a, by Newton's iteration. The initial value a has 3 correct bits (a^2 = 1
/// mod 8), and each step doubles the number of correct bits.
pub(crate) const fn inverse_mod_2_64(a: u64) -> u64 {
    let mut inverse = a;
    let mut step = 0;
    while step < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(a.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newton_inverts_every_odd_residue_class() {
        for a in (1..10_000u64)
            .step_by(2)
            .chain([u64::MAX, u64::MAX - 2, 1 << 63 | 1])
        {
            assert_eq!(a.wrapping_mul(inverse_mod_2_64(a)), 1);
        }
    }

    #[test]
    fn powers_of_two_by_doubling() {
        for exponent in 0..128 {
            let power = [((1u128 << exponent) % 23) as u64];
            assert_eq!(power_of_two(&[23], exponent), power);
        }
        assert_eq!(power_of_two(&[u64::MAX - 58], 64), [59]);
    }

    #[test]
    fn powers_of_r_by_products_are_those_by_doubling() {
        fn check<const N: usize>(prime: [u64; N]) {
            let modulus = Modulus::new(prime);
            assert_eq!(modulus.r, power_of_two(&prime, 64 * N as u32));
            assert_eq!(modulus.r2, power_of_two(&prime, 128 * N as u32));
            assert_eq!(modulus.r3, power_of_two(&prime, 192 * N as u32));
        }
        check([3]);
        check([23]);
        check([u64::MAX - 58]);
        check([23, 0]);
        check([5, 0, 0, 1 << 63]);
        check([u64::MAX; 4]);
        check([u64::MAX, 1, 0, u64::MAX, 0, u64::MAX - 9]);
        check([u64::MAX, 0, 7, u64::MAX, 0, 1, 2, 3, 0x1ff]);
    }
}
