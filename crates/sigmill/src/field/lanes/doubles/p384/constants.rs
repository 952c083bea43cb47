//! The constants of P-384's limbs, and the initial values of columns.

use crate::field::Modulus;
use crate::field::lanes::doubles::columns::First;
use crate::field::lanes::doubles::modulus::{DoublesModulus, add_modulo, halved, to_signed_digits};
use crate::field::modulus::doubled;
use crate::limbs::{self, from_hex};

/// Number of limbs.
pub(super) const LIMBS: usize = 8;

/// Number of columns of a product. Each has a high half, so there is one more digit.
pub(super) const COLUMNS: usize = 2 * LIMBS - 1;

/// Number of digits that are cleared. The rest are one more than the limbs of an element.
pub(super) const CLEARED: usize = LIMBS - 1;

/// The column with the most products. As a single chain they would leave its binade.
pub(super) const MIDDLE: usize = LIMBS - 1;

/// p = 2^384 - 2^128 - 2^96 + 2^32 - 1.
pub(super) const PRIME: Modulus<6> = Modulus::new(from_hex(
    "ffffffffffffffffffffffffffffffffffffffffffffffff\
     fffffffffffffffeffffffff0000000000000000ffffffff",
));

/// The number that represents a limb of 1. Products of two limbs are so small that the exponents of
/// both halves of a column add up to [`BOTH`], and digits below an exponent of 17 are limbs.
pub(super) const UNIT: f64 = 1.0 / (1u64 << 35) as f64;

pub(super) const POSITIONS: [u32; LIMBS] = [0, 48, 96, 144, 192, 240, 288, 336];

pub(super) const MODULUS: DoublesModulus<6, LIMBS> =
    DoublesModulus::new(&PRIME, 336, POSITIONS, UNIT, [0.502, 0.502]);

/// Half of the 52 bits of a number. Digits start with it, so that they can have either sign.
pub(super) const HALF: u64 = 1 << 51;

/// The unit of high halves: 2^48 times that of products.
pub(super) const HIGH_UNIT: f64 = UNIT * UNIT * (1u64 << 48) as f64;

/// Initial value of a low half, in units of high halves: 1.5 2^52 units of products.
pub(super) const LOW: i64 = 24;

/// Bits of the initial value of a low half.
pub(super) const LOW_BITS: u64 = (LOW as f64 * HIGH_UNIT).to_bits();

/// Bits of the initial value of a high half, without digits of its own.
pub(super) const HIGH_BITS: u64 = (-((1 << 52 | HALF) as f64) * HIGH_UNIT).to_bits();

/// Sum of the initial bits of both halves of a column: 11 2^52.
pub(super) const BOTH: u64 = LOW_BITS.wrapping_add(HIGH_BITS);

/// Initial values of the two lowest digits, which would otherwise start far higher, and as high as
/// the others.
///
/// A cleared digit is subtracted two digits above, so all cleared digits have about half of the
/// initial value of the others. A column is at most 0.82 2^52 in size, including both halves and
/// what is subtracted from it. Three digits that depend on each other, with what else is subtracted
/// from them, are within 2.7 2^52 of that half, which is 5 or 6 times 2^52.
pub(super) const LOWEST: [u64; 2] = [5 << 52 | HALF, 6 << 52];

/// Added to limbs to make them positive.
pub(super) const CENTER: u64 = 1 << 47;

/// Initial digits of the high halves, in addition to half of the digits: those that make all
/// constants sum to 0 modulo p.
pub(super) const HIGH_DIGITS: [i64; LIMBS] = high_digits();

/// Initial values of each column.
pub(super) static FIRST: [First; COLUMNS] = first_numbers();

/// Initial values of the middle column's second chain. Its low half is added to that of the first.
pub(super) static SECOND_CHAIN: First =
    First::new(-f64::from_bits(HIGH_BITS), -f64::from_bits(HIGH_BITS));

const fn high_digits() -> [i64; LIMBS] {
    // Initial values of the digits, minus what is subtracted from limbs at the end.
    let p = PRIME.prime();
    let mut sum = [0; 6];
    let mut k = COLUMNS + 1;
    while k > 0 {
        k -= 1;
        let mut digit = match k {
            0 | 1 => LOWEST[k],
            COLUMNS => HIGH_BITS,
            _ => BOTH,
        };
        if k == MIDDLE + 1 {
            digit = digit.wrapping_add(HIGH_BITS);
        }
        if k >= CLEARED && k < COLUMNS {
            digit -= CENTER;
        }
        sum = doubled(p, sum, 48);
        let half = digit / 2;
        sum = add_modulo(&sum, half as i64, p);
        sum = add_modulo(&sum, (digit - half) as i64, p);
    }
    // The negative of that, from the second column on.
    (sum, _) = limbs::subtract(p, &sum);
    sum = halved(p, sum, 48);
    to_signed_digits(&sum, &POSITIONS)
}

const fn first_numbers() -> [First; COLUMNS] {
    let mut numbers = [const { First::new(0.0, 0.0) }; COLUMNS];
    let mut k = 0;
    while k < COLUMNS {
        let digits = if k < LIMBS { HIGH_DIGITS[k] } else { 0 };
        let high = (1 << 52 | HALF) as i64 + digits;
        numbers[k] = First::new(high as f64 * HIGH_UNIT, (high + LOW) as f64 * HIGH_UNIT);
        k += 1;
    }
    numbers
}

/// The digits of a number with this exponent are a limb.
pub(super) const EXPONENT_IS: f64 = (1u64 << 17) as f64;

/// The bits of [`EXPONENT_IS`].
pub(super) const EXPONENT: u64 = EXPONENT_IS.to_bits();

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::lanes::doubles::{DoublesReduction, P384DoublesReduction};

    /// The range of a digit.
    #[derive(Clone, Copy)]
    struct Range {
        least: i128,
        most: i128,
    }

    impl Range {
        fn around(middle: u64, size: i128) -> Self {
            let middle = i128::from(middle);
            Self::new(middle - size, middle + size)
        }

        fn below(end: i128) -> Self {
            Self::new(0, end - 1)
        }

        /// Checks that the range is not negative and fits in 64 bits.
        fn new(least: i128, most: i128) -> Self {
            assert!(least >= 0 && most < 1 << 64, "{least:x} {most:x}");
            Self { least, most }
        }

        fn shr(self, bits: u32) -> Self {
            Self::new(self.least >> bits, self.most >> bits)
        }

        fn add(&mut self, other: Self) {
            *self = Self::new(self.least + other.least, self.most + other.most);
        }

        fn subtract(&mut self, other: Self) {
            *self = Self::new(self.least - other.most, self.most - other.least);
        }
    }

    /// No chain of a column leaves its binade, and no digit is negative or overflows, through all
    /// steps of `finish`, if factors and subtrahends are as large as allowed.
    #[test]
    fn digits_have_room() {
        const HALF_BINADE: i128 = 1 << 51;
        let room = <P384DoublesReduction<()> as DoublesReduction<6, LIMBS>>::ROOM;
        let bound = MODULUS.bounds()[0] / UNIT;
        assert!(MODULUS.bounds().iter().all(|&b| b / UNIT <= bound));
        let product = (room * bound * bound).ceil() as i128;
        let chain = |products: i128, digits: i64| {
            let high = products * ((product >> 48) + 1) + i128::from(digits.unsigned_abs());
            assert!(high < HALF_BINADE, "{high:x}");
            let low = products << 47;
            (high, low)
        };
        let mut sizes = [(0, 0); COLUMNS + 1];
        for (k, size) in sizes[..COLUMNS].iter_mut().enumerate() {
            let digits = HIGH_DIGITS.get(k).copied().unwrap_or(0);
            let products = 1 + k.min(COLUMNS - 1 - k) as i128;
            *size = match k {
                MIDDLE => {
                    // Two chains, with the digits in both: more than the actual value.
                    let (high, low) = chain(products / 2, digits);
                    (2 * high, 2 * low)
                }
                _ => chain(products, digits),
            };
            if k >= CLEARED {
                size.1 += (3.0 * bound).ceil() as i128;
            }
            assert!(size.1 < HALF_BINADE, "{k}");
        }
        let mut t = [Range::below(1); COLUMNS + 1];
        for (k, digit) in t.iter_mut().enumerate() {
            let begin = match k {
                0 | 1 => LOWEST[k],
                COLUMNS => HIGH_BITS,
                _ if k == MIDDLE + 1 => BOTH.wrapping_add(HIGH_BITS),
                _ => BOTH,
            };
            let below = k.checked_sub(1).map_or(0, |below| sizes[below].0);
            *digit = Range::around(begin, below + sizes[k].1);
        }
        for k in 0..CLEARED {
            let (u, low) = (t[k], Range::below(1 << 48));
            let (above_32, above_16) = (u.shr(32), u.shr(16));
            t[k + 1].add(low);
            let mut less = u;
            less.add(low);
            t[k + 8].add(less);
            less.add(low);
            less.subtract(above_32);
            t[k + 2].subtract(less);
            let mut less = low;
            less.add(above_16);
            less.add(above_16);
            t[k + 3].subtract(less);
            t[k + 4].subtract(above_32);
            t[k + 9].add(above_16);
        }
        let mut over = t[15];
        over.add(t[14].shr(48));
        let mut fold = over;
        fold.subtract(Range::below(1 << 48));
        t[7].add(fold);
        t[8].subtract(over.shr(16));
        let mut fold = over;
        fold.add(Range::below(1 << 48));
        t[9].add(fold);
        t[10].add(over.shr(16));
        // A limb is half of its length, centered, plus what it receives.
        let carried = t[7..].iter().map(|digit| digit.most >> 48).max().unwrap();
        assert!(i128::from(CENTER) + carried <= bound as i128);
    }
}
