//! A modulus as a type, and the constants of Montgomery arithmetic that the compiler derives
//! from it.

use core::fmt::Debug;

use crate::limbs;

/// An odd prime of at most `64 N` bits. Only [`MODULUS`](Self::MODULUS) is written down; the rest
/// is computed from it at compile time.
///
/// R is 2^(64 N), or 1 for a prime that reduces products without a Montgomery form, whose kernels then
/// compute plain products. Primality is not checked by the compiler; the tests of each modulus do.
pub trait Modulus<const N: usize>: Copy + Debug + Eq + Send + Sync + 'static {
    /// The prime, little-endian.
    const MODULUS: [u64; N];

    /// Its length in bits.
    const BITS: u32 = limbs::bit_length_vartime(&Self::MODULUS);
    /// R mod p: one in Montgomery form.
    const R: [u64; N] = power_of_two(&Self::MODULUS, 64 * N as u32);
    /// R^2 mod p: takes an integer into Montgomery form.
    const R2: [u64; N] = power_of_two(&Self::MODULUS, 128 * N as u32);
    /// R^3 mod p: takes the plain inverse of a Montgomery form back into Montgomery form.
    const R3: [u64; N] = power_of_two(&Self::MODULUS, 192 * N as u32);
    /// Whether R is 2^(64 N).
    const HAS_MONTGOMERY_FORM: bool =
        limbs::equal(&Self::R, &power_of_two(&Self::MODULUS, 64 * N as u32));
    /// -p^-1 mod 2^64, the factor of a Montgomery reduction step.
    const NEGATED_INVERSE: u64 = inverse_mod_2_64(Self::MODULUS[0]).wrapping_neg();
    /// (p + 1) / 2: half of one.
    const HALF: [u64; N] = half_plus_one(&Self::MODULUS);
}

/// 2^exponent mod p by repeated doubling. On input p is odd.
pub(crate) const fn power_of_two<const N: usize>(modulus: &[u64; N], exponent: u32) -> [u64; N] {
    let mut power = [0; N];
    power[0] = 1;
    if N == 1 && modulus[0] == 1 {
        power[0] = 0;
    }
    let mut i = 0;
    while i < exponent {
        let (sum, carry) = limbs::add(&power, &power);
        let (reduced, borrow) = limbs::subtract(&sum, modulus);
        // The sum is below 2 p: it needs the subtraction when it overflowed or did not borrow.
        power = if carry == 1 || borrow == 0 {
            reduced
        } else {
            sum
        };
        i += 1;
    }
    power
}

/// a^-1 mod 2^64 for odd a, by Newton's iteration: each step doubles the number of right bits,
/// and a itself is right in 3 bits (a^2 = 1 mod 8).
pub(crate) const fn inverse_mod_2_64(a: u64) -> u64 {
    let mut inverse = a;
    let mut step = 0;
    while step < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(a.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

const fn half_plus_one<const N: usize>(modulus: &[u64; N]) -> [u64; N] {
    let mut one = [0; N];
    one[0] = 1;
    let (sum, carry) = limbs::add(modulus, &one);
    limbs::shift_right_one(&sum, carry)
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
        assert_eq!(power_of_two(&[23], 64), [((1u128 << 64) % 23) as u64]);
        assert_eq!(power_of_two(&[u64::MAX - 58], 64), [59]);
    }
}
