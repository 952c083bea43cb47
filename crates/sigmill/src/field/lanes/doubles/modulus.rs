//! A prime for lanes of doubles: where its limbs stand, and the constants that follow.

use crate::field::Modulus;
use crate::field::modulus::power_of_two;
use crate::limbs;

/// How many limbs a value of 256 bits has.
pub(super) const LIMBS: usize = 6;

/// A prime of 256 bits in six limbs, each a double whose unit is a power of two.
#[derive(Clone, Copy, Debug)]
pub struct DoublesModulus {
    pub(super) prime: &'static [u64; 4],
    /// Where each limb begins, in bits, and 256.
    pub(super) positions: [u32; LIMBS + 1],
    /// The number that a limb of 1 is.
    pub(super) unit: f64,
    /// R of single values is not 1, and neither is that of lanes.
    pub(super) has_form: bool,
    /// R mod p.
    pub(super) one: [f64; LIMBS],
    /// R / 2 mod p.
    pub(super) half: [f64; LIMBS],
    /// The R of single values mod p.
    pub(super) single_one: [f64; LIMBS],
    /// The integer 1.
    pub(super) integer_one: [f64; LIMBS],
    /// 2p, with more in each limb and less in the next one, so that no limb of the sum with an
    /// element is negative.
    pub(super) double: [u64; LIMBS],
    /// The limbs of elements are at most so large.
    bounds: [f64; LIMBS],
    /// Zero, with a carry more in each digit than it gives to the next one.
    pub(super) lent: [u64; LIMBS],
    /// p, 2p and 3p.
    pub(super) multiples: [[u64; LIMBS]; 3],
}

impl DoublesModulus {
    /// The constants of a prime whose R is 2^`r_bits` in lanes, for limbs that begin there, of
    /// elements whose limbs are at most `bound` times 2 to their length.
    pub(super) const fn new(
        modulus: &'static Modulus<4>,
        r_bits: u32,
        positions: [u32; LIMBS + 1],
        unit: f64,
        bound: f64,
    ) -> Self {
        assert!(
            positions[LIMBS] == 256 && modulus.bits() == 256,
            "a prime of 256 bits"
        );
        let prime = modulus.prime();
        let one = power_of_two(prime, r_bits);
        let (multiple, mut multiples) = (to_digits(prime, &positions), [[0; LIMBS]; 3]);
        let mut i = 0;
        while i < 3 {
            multiples[i] = times(&multiple, i as u64 + 1, &positions);
            i += 1;
        }
        let (mut lent, mut double, mut bounds) = ([0u64; LIMBS], multiples[1], [0.0; LIMBS]);
        i = 0;
        while i < LIMBS - 1 {
            double[i] = double[i].wrapping_add(4 << (positions[i + 1] - positions[i]));
            double[i + 1] = double[i + 1].wrapping_sub(4);
            lent[i] = lent[i].wrapping_add(1 << (positions[i + 1] - positions[i]));
            lent[i + 1] = lent[i + 1].wrapping_sub(1);
            bounds[i] = bound * two_to(positions[i + 1] - positions[i]) * unit;
            i += 1;
        }
        bounds[i] = 1.02 * two_to(positions[i + 1] - positions[i]) * unit;
        Self {
            prime,
            positions,
            unit,
            has_form: modulus.has_montgomery_form(),
            one: to_limbs(&one, &positions, unit),
            half: to_limbs(&half_modulo(&one, prime), &positions, unit),
            single_one: to_limbs(modulus.r(), &positions, unit),
            integer_one: to_limbs(&[1, 0, 0, 0], &positions, unit),
            double,
            lent,
            bounds,
            multiples,
        }
    }

    /// Where each limb begins, in bits, and 256.
    pub fn positions(&self) -> &[u32; LIMBS + 1] {
        &self.positions
    }

    /// The number that a limb of 1 is.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// The limbs of elements are at most so large.
    pub fn bounds(&self) -> &[f64; LIMBS] {
        &self.bounds
    }

    /// The length of limb `i` in bits.
    #[inline(always)]
    pub(super) const fn width(&self, i: usize) -> u32 {
        self.positions[i + 1] - self.positions[i]
    }

    /// How many elements it may take to make limbs of this size, at least.
    pub(super) fn size<V: AsRef<[f64]>>(&self, limbs: &[V; LIMBS]) -> f64 {
        let ratios = limbs
            .iter()
            .zip(self.bounds)
            .flat_map(|(limb, bound)| limb.as_ref().iter().map(move |number| number.abs() / bound));
        ratios.fold(0.0, f64::max)
    }
}

/// a / 2 mod p.
pub(super) const fn half_modulo(a: &[u64; 4], p: &[u64; 4]) -> [u64; 4] {
    match a[0] & 1 {
        1 => {
            let (sum, carry) = limbs::add(a, p);
            limbs::shift_right_one(&sum, carry)
        }
        _ => limbs::shift_right_one(a, 0),
    }
}

/// 2a mod p.
pub(super) const fn double_modulo(a: &[u64; 4], p: &[u64; 4]) -> [u64; 4] {
    let (sum, carry) = limbs::add(a, a);
    let (reduced, borrow) = limbs::subtract(&sum, p);
    if carry == 1 || borrow == 0 {
        reduced
    } else {
        sum
    }
}

/// a + b mod p.
pub(super) const fn add_modulo(a: &[u64; 4], b: i64, p: &[u64; 4]) -> [u64; 4] {
    let size = [b.unsigned_abs(), 0, 0, 0];
    if b >= 0 {
        let (sum, carry) = limbs::add(a, &size);
        let (reduced, borrow) = limbs::subtract(&sum, p);
        if carry == 1 || borrow == 0 {
            reduced
        } else {
            sum
        }
    } else {
        let (difference, borrow) = limbs::subtract(a, &size);
        if borrow == 1 {
            limbs::add(&difference, p).0
        } else {
            difference
        }
    }
}

/// 2^exponent.
#[inline(always)]
pub(super) const fn two_to(exponent: u32) -> f64 {
    (1u64 << exponent) as f64
}

/// An integer cut into limbs from 0 on.
const fn to_digits(integer: &[u64; 4], positions: &[u32; LIMBS + 1]) -> [u64; LIMBS] {
    let mut digits = [0; LIMBS];
    let mut i = 0;
    while i < LIMBS {
        let width = positions[i + 1] - positions[i];
        let (word, shift) = ((positions[i] / 64) as usize, positions[i] % 64);
        let mut digit = integer[word] >> shift;
        if shift + width > 64 {
            digit |= integer[word + 1] << (64 - shift);
        }
        digits[i] = digit & ((1 << width) - 1);
        i += 1;
    }
    digits
}

/// A small multiple; the highest limb takes what is above 256 bits.
const fn times(digits: &[u64; LIMBS], factor: u64, positions: &[u32; LIMBS + 1]) -> [u64; LIMBS] {
    let mut product = [0; LIMBS];
    let mut carry = 0;
    let mut i = 0;
    while i < LIMBS {
        let digit = digits[i] * factor + carry;
        let width = positions[i + 1] - positions[i];
        (product[i], carry) = match i + 1 < LIMBS {
            true => (digit & ((1 << width) - 1), digit >> width),
            false => (digit, 0),
        };
        i += 1;
    }
    product
}

/// An integer in limbs of both signs, the highest one excepted: as small as they can be.
pub(super) const fn to_limbs(
    integer: &[u64; 4],
    positions: &[u32; LIMBS + 1],
    unit: f64,
) -> [f64; LIMBS] {
    let signed = to_signed_digits(integer, positions);
    let mut limbs = [0.0; LIMBS];
    let mut i = 0;
    while i < LIMBS {
        limbs[i] = signed[i] as f64 * unit;
        i += 1;
    }
    limbs
}

/// An integer in digits of both signs, the highest one excepted.
pub(super) const fn to_signed_digits(
    integer: &[u64; 4],
    positions: &[u32; LIMBS + 1],
) -> [i64; LIMBS] {
    let digits = to_digits(integer, positions);
    let mut signed = [0; LIMBS];
    let mut carry = 0;
    let mut i = 0;
    while i < LIMBS {
        let width = positions[i + 1] - positions[i];
        let mut digit = digits[i] as i64 + carry;
        carry = 0;
        if i + 1 < LIMBS && digit >= 1 << (width - 1) {
            digit -= 1 << width;
            carry = 1;
        }
        signed[i] = digit;
        i += 1;
    }
    signed
}
