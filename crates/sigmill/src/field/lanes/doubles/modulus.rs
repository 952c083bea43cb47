//! A prime for lanes of doubles: the positions of its limbs, and the constants that follow from
//! them.

use crate::field::Modulus;
use crate::field::modulus::power_of_two;
use crate::limbs;

/// A prime of `N` words of 64 bits in `L` limbs, each a double whose unit is a power of two.
#[derive(Clone, Copy, Debug)]
pub struct DoublesModulus<const N: usize, const L: usize> {
    pub(super) prime: &'static [u64; N],
    /// Start of each limb, in bits.
    pub(super) positions: [u32; L],
    /// The number that represents a limb of 1.
    pub(super) unit: f64,
    /// True if the R of single values and that of lanes are not 1.
    pub(super) has_form: bool,
    /// R mod p.
    pub(super) one: [f64; L],
    /// R / 2 mod p.
    pub(super) half: [f64; L],
    /// The integer 1.
    pub(super) integer_one: [f64; L],
    /// 2p, with each limb increased by a borrow from the next, so that no limb of the sum with an
    /// element is negative.
    pub(super) double: [u64; L],
    /// Bounds for the size of the limbs of elements (inclusive).
    bounds: [f64; L],
    /// Zero, in digits that each borrow a carry from the next one.
    pub(super) lent: [u64; L],
    /// p, 2p and 3p.
    pub(super) multiples: [[u64; L]; 3],
}

impl<const N: usize, const L: usize> DoublesModulus<N, L> {
    /// Computes the constants of a prime. R is 2^`r_bits` in lanes, and limbs start at `positions`.
    /// Limbs of elements are at most `bound` times 2 to the power of their length, the highest at
    /// most `highest_bound` times that.
    pub(super) const fn new(
        modulus: &'static Modulus<N>,
        r_bits: u32,
        positions: [u32; L],
        unit: f64,
        [bound, highest_bound]: [f64; 2],
    ) -> Self {
        assert!(modulus.bits() == 64 * N as u32, "a prime of all bits");
        let prime = modulus.prime();
        let one = power_of_two(prime, r_bits);
        let (multiple, mut multiples) = (to_digits(prime, &positions), [[0; L]; 3]);
        let mut i = 0;
        while i < 3 {
            multiples[i] = times(&multiple, i as u64 + 1, &positions);
            i += 1;
        }
        let mut integer_one = [0; N];
        integer_one[0] = 1;
        let (mut lent, mut double, mut bounds) = ([0u64; L], multiples[1], [0.0; L]);
        i = 0;
        while i < L - 1 {
            let width = positions[i + 1] - positions[i];
            double[i] = double[i].wrapping_add(4 << width);
            double[i + 1] = double[i + 1].wrapping_sub(4);
            lent[i] = lent[i].wrapping_add(1 << width);
            lent[i + 1] = lent[i + 1].wrapping_sub(1);
            bounds[i] = bound * two_to(width) * unit;
            i += 1;
        }
        bounds[i] = highest_bound * two_to(64 * N as u32 - positions[i]) * unit;
        Self {
            prime,
            positions,
            unit,
            has_form: modulus.has_montgomery_form(),
            one: to_limbs(&one, &positions, unit),
            half: to_limbs(&halved(prime, one, 1), &positions, unit),
            integer_one: to_limbs(&integer_one, &positions, unit),
            double,
            lent,
            bounds,
            multiples,
        }
    }

    /// Start of each limb, in bits.
    pub fn positions(&self) -> &[u32; L] {
        &self.positions
    }

    /// The number that represents a limb of 1.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// Bounds for the size of the limbs of elements (inclusive).
    pub fn bounds(&self) -> &[f64; L] {
        &self.bounds
    }

    /// The length of limb `i` in bits.
    #[inline(always)]
    pub(super) const fn width(&self, i: usize) -> u32 {
        width::<N, L>(&self.positions, i)
    }

    /// Least number of elements whose sum can have limbs of this size.
    pub(super) fn size<V: AsRef<[f64]>>(&self, limbs: &[V; L]) -> f64 {
        let ratios = limbs
            .iter()
            .zip(self.bounds)
            .flat_map(|(limb, bound)| limb.as_ref().iter().map(move |number| number.abs() / bound));
        ratios.fold(0.0, f64::max)
    }
}

/// The length in bits of limb `i` of `N` words, for limbs that start at `positions`.
#[inline(always)]
const fn width<const N: usize, const L: usize>(positions: &[u32; L], i: usize) -> u32 {
    if i + 1 < L {
        positions[i + 1] - positions[i]
    } else {
        64 * N as u32 - positions[i]
    }
}

/// Halves a value below p `times` times modulo p.
pub(super) const fn halved<const N: usize>(
    p: &[u64; N],
    mut value: [u64; N],
    times: u32,
) -> [u64; N] {
    let mut i = 0;
    while i < times {
        let (sum, carry) = match value[0] & 1 {
            1 => limbs::add(&value, p),
            _ => (value, 0),
        };
        value = limbs::shift_right_one(&sum, carry);
        i += 1;
    }
    value
}

/// a + b mod p.
pub(super) const fn add_modulo<const N: usize>(a: &[u64; N], b: i64, p: &[u64; N]) -> [u64; N] {
    let mut size = [0; N];
    size[0] = b.unsigned_abs();
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

/// Splits an integer into non-negative limbs.
const fn to_digits<const N: usize, const L: usize>(
    integer: &[u64; N],
    positions: &[u32; L],
) -> [u64; L] {
    let mut digits = [0; L];
    let mut i = 0;
    while i < L {
        let width = width::<N, L>(positions, i);
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

/// A small multiple. The highest limb keeps the rest.
const fn times<const L: usize>(digits: &[u64; L], factor: u64, positions: &[u32; L]) -> [u64; L] {
    let mut product = [0; L];
    let mut carry = 0;
    let mut i = 0;
    while i < L {
        let digit = digits[i] * factor + carry;
        (product[i], carry) = if i + 1 < L {
            let width = positions[i + 1] - positions[i];
            (digit & ((1 << width) - 1), digit >> width)
        } else {
            (digit, 0)
        };
        i += 1;
    }
    product
}

/// Splits an integer into limbs of both signs, as small as possible. The highest one is not
/// negative.
pub(super) const fn to_limbs<const N: usize, const L: usize>(
    integer: &[u64; N],
    positions: &[u32; L],
    unit: f64,
) -> [f64; L] {
    let signed = to_signed_digits(integer, positions);
    let mut limbs = [0.0; L];
    let mut i = 0;
    while i < L {
        limbs[i] = signed[i] as f64 * unit;
        i += 1;
    }
    limbs
}

/// Splits an integer into digits of both signs. The highest one is not negative.
pub(super) const fn to_signed_digits<const N: usize, const L: usize>(
    integer: &[u64; N],
    positions: &[u32; L],
) -> [i64; L] {
    let digits = to_digits(integer, positions);
    let mut signed = [0; L];
    let mut carry = 0;
    let mut i = 0;
    while i < L {
        let width = width::<N, L>(positions, i);
        let mut digit = digits[i] as i64 + carry;
        carry = 0;
        if i + 1 < L && digit >= 1 << (width - 1) {
            digit -= 1 << width;
            carry = 1;
        }
        signed[i] = digit;
        i += 1;
    }
    signed
}
