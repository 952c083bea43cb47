//! Constants for arithmetic modulo a prime in eight lanes, computed from the prime.

use crate::field::Modulus;
use crate::field::modulus::power_of_two;
use crate::limbs::{LIMB_BITS, LIMB_MASK, X8, to_radix};

/// Least number of bits in the highest limb of m. It makes the limbs below it a small part of m
/// (see [`Reduction::quotient`](super::Reduction::quotient)).
const HIGHEST_LIMB_BITS: u32 = 16;

/// An odd prime p of `N` limbs of 64 bits, for eight lanes of `L` limbs of 52 bits. R is 2^(52 L),
/// or 1 if the prime has no Montgomery form.
///
/// Values are weakly reduced modulo m = 2^c p, where c gives the highest limb of m at least 16
/// bits. c is 0 except for primes such as that of P-521, which has one bit there.
#[derive(Clone, Copy, Debug)]
pub struct LaneModulus<const N: usize, const L: usize> {
    pub(super) modulus: &'static Modulus<N>,
    has_form: bool,
    /// R mod p.
    pub(super) one: [u64; L],
    /// The R of single values mod p.
    pub(super) single_one: [u64; L],
    /// -1 / p mod 2^52.
    pub(super) negated_inverse: u64,
    pub(super) prime: [u64; L],
    /// 2p.
    pub(super) double: [u64; L],
    /// 2^(52 L) - p.
    pub(super) complement: [u64; L],
    /// c.
    pub(super) scale: u32,
    /// 3m, limb by limb, no carries.
    pub(super) triple: [u64; L],
    /// Highest limb of 8m, the offset that is added before a quotient by m.
    pub(super) offset: u64,
    /// floor(2^(51 + the bits of m) / m), or less by one part in 2^51.
    pub(super) reciprocal: u64,
    /// Number of bits of m in the highest limb, minus one.
    pub(super) shift: u32,
    /// Multiples of m that reduce a sum to near zero. The quotient of a small sum can be -1.
    pub(super) for_sums: [X8; L],
    /// The same for a - b, plus one m.
    pub(super) for_differences: [X8; L],
    /// The same for a - b - c.
    pub(super) for_both: [X8; L],
    /// Bounds (exclusive) for the highest limbs of weakly reduced values and of factors.
    pub(super) weak_bound: u64,
    pub(super) factor_bound: u64,
}

impl<const N: usize, const L: usize> LaneModulus<N, L> {
    /// Computes the constants of a prime.
    ///
    /// # Panics
    /// If the lanes have no room for it. In constants, this is an error at compile time.
    pub const fn new(modulus: &'static Modulus<N>) -> Self {
        let prime = to_radix(modulus.prime(), LIMB_BITS);
        let below = LIMB_BITS * (L as u32 - 1);
        let least = below + HIGHEST_LIMB_BITS;
        let mut scale = least.saturating_sub(modulus.bits());
        // Single values are shifted by this number of bits when they are converted to lanes.
        let by = (LIMB_BITS * L as u32).saturating_sub(64 * N as u32);
        if scale > 0 && scale < by {
            scale = by;
        }
        let bits = modulus.bits() + scale;
        // 16m is below 2^(52 L): factors are below 6.25m, and a quotient adds 8m. The highest limb
        // of a factor is then below 2^51, so squares may double it.
        assert!(bits + 4 <= LIMB_BITS * L as u32, "lanes have room for 16m");
        let m = shift_left(&prime, scale);
        let has_form = modulus.has_montgomery_form();
        let r_bits = if has_form { LIMB_BITS * L as u32 } else { 0 };
        // The highest 64 bits of m: m is at least this times 2^(bits - 64).
        let mut high: u64 = 0;
        let mut i = 0;
        while i < 64 {
            let place = bits - 1 - i;
            let limb = m[(place / LIMB_BITS) as usize];
            high = high << 1 | (limb >> (place % LIMB_BITS) & 1);
            i += 1;
        }
        let top = m[L - 1];
        Self {
            modulus,
            has_form,
            one: to_radix(&power_of_two(modulus.prime(), r_bits), LIMB_BITS),
            single_one: to_radix(modulus.r(), LIMB_BITS),
            negated_inverse: modulus.negated_inverse() & LIMB_MASK,
            prime,
            double: shift_left(&prime, 1),
            complement: complement(&prime),
            scale,
            triple: times(&m, 3),
            offset: 8 * top,
            reciprocal: ((1 << 115) / (high as u128 + 1)) as u64,
            shift: bits - 1 - below,
            for_sums: multiples(&m, -1, 1, 0),
            for_differences: multiples(&m, -3, 1, 1),
            for_both: multiples(&m, -5, 1, 1),
            weak_bound: (top + 1) / 4 * 9 + 9,
            factor_bound: (top + 1) / 4 * 25 + 25,
        }
    }
}

impl<const N: usize, const L: usize> LaneModulus<N, L> {
    /// The prime in limbs of 52 bits.
    #[inline(always)]
    pub(in crate::field::lanes) const fn prime(&self) -> &[u64; L] {
        &self.prime
    }

    /// Bound (exclusive) for the highest limb of a weakly reduced value.
    pub const fn weak_bound(&self) -> u64 {
        self.weak_bound
    }

    /// Bound (exclusive) for the highest limb of a factor.
    pub const fn factor_bound(&self) -> u64 {
        self.factor_bound
    }

    /// Reports whether R is 2^(52 L), and not 1.
    #[inline(always)]
    pub const fn has_montgomery_form(&self) -> bool {
        self.has_form
    }
}

/// Multiplies each limb by `factor`, without carries.
const fn times<const L: usize>(a: &[u64; L], factor: u64) -> [u64; L] {
    let mut product = [0; L];
    let mut i = 0;
    while i < L {
        product[i] = a[i] * factor;
        i += 1;
    }
    product
}

/// 2^(52 L) - a for a that is not zero.
const fn complement<const L: usize>(a: &[u64; L]) -> [u64; L] {
    let mut result = [0; L];
    let mut carry = 1;
    let mut i = 0;
    while i < L {
        let limb = (LIMB_MASK - a[i]) + carry;
        result[i] = limb & LIMB_MASK;
        carry = limb >> LIMB_BITS;
        i += 1;
    }
    result
}

/// a 2^bits, below 2^(52 L).
const fn shift_left<const L: usize>(a: &[u64; L], bits: u32) -> [u64; L] {
    let mut result = *a;
    let mut i = 0;
    while i < bits {
        let mut carry = 0;
        let mut j = 0;
        while j < L {
            let limb = result[j] << 1 | carry;
            result[j] = limb & LIMB_MASK;
            carry = limb >> LIMB_BITS;
            j += 1;
        }
        assert!(carry == 0, "there is room");
        i += 1;
    }
    result
}

/// Multiples of m that reduce a value to near zero, indexed by its quotient k: (`plus` - k `step`)
/// m for each k in `least` .. `least` + 8. Each is stored at the low three bits of k, limb by limb
/// (two's complement, no carries).
pub(in crate::field::lanes) const fn multiples<const L: usize>(
    m: &[u64; L],
    least: i64,
    step: i64,
    plus: i64,
) -> [X8; L] {
    let mut tables = [X8([0; 8]); L];
    let mut k = least;
    while k < least + 8 {
        let factor = (plus - k * step) as u64;
        let mut i = 0;
        while i < L {
            tables[i].0[(k & 7) as usize] = m[i].wrapping_mul(factor);
            i += 1;
        }
        k += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{AnyKernel, AnyReduction, Field as _, FieldX8, Lanes as _};
    use crate::limbs::PortableWords;

    /// The quotient of zero by m is -1, because it is computed from less than 8m.
    #[test]
    fn zero_and_zero_is_zero() {
        static MODULUS: Modulus<4> = Modulus::new([u64::MAX - 188, u64::MAX, u64::MAX, u64::MAX]);
        static IN_LANES: LaneModulus<4, 5> = LaneModulus::new(&MODULUS);
        let field = FieldX8::new(
            PortableWords,
            AnyReduction::<(), 4, 5>::new(&IN_LANES),
            AnyKernel::portable(&MODULUS),
        );
        let sum = field.add(&field.zero(), &field.zero());
        let mut integers = [[1; 4]; 8];
        field.to_integers(&sum, &mut integers);
        assert_eq!(integers, [[0; 4]; 8]);
    }
}
