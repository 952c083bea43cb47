//! Conversion out of lanes of doubles: from limbs to integers, and from these to words.

use super::modulus::{DoublesModulus, two_to};
use super::reduction::Limbs;
use crate::limbs::Doubles;

/// Limbs as integers. Digits start where limbs do; they may be longer where documented.
pub(super) type Digits<D, const L: usize, const WIDTH: usize> = [<D as Doubles<WIDTH>>::Word; L];

/// An element plus a multiple of p whose digits are so large that no digit of the sum is negative.
#[inline(always)]
pub(super) fn digits_plus<D: Doubles<WIDTH>, const N: usize, const L: usize, const WIDTH: usize>(
    d: D,
    constants: &DoublesModulus<N, L>,
    a: &Limbs<D, L, WIDTH>,
    multiple: &[u64; L],
) -> Digits<D, L, WIDTH> {
    // With a summand this large, the digits of a number are the limb.
    let large = 1.5 * two_to(52) * constants.unit;
    let mut digits = [d.splat_word(0); L];
    for i in 0..L {
        let bits = d.bits(d.add(a[i], d.splat(large)));
        let offset = multiple[i].wrapping_sub(large.to_bits());
        digits[i] = d.add_words(bits, d.splat_word(offset));
    }
    digits
}

/// Carries non-negative digits so that they are as long as limbs. The highest one keeps the rest.
#[inline(always)]
pub(super) fn carried<D: Doubles<WIDTH>, const N: usize, const L: usize, const WIDTH: usize>(
    d: D,
    constants: &DoublesModulus<N, L>,
    mut digits: Digits<D, L, WIDTH>,
) -> Digits<D, L, WIDTH> {
    for i in 0..L - 1 {
        carry_digit(d, constants, &mut digits, i);
    }
    digits
}

/// Carries the part of one digit above its length to the next one.
#[inline(always)]
pub(super) fn carry_digit<D: Doubles<WIDTH>, const N: usize, const L: usize, const WIDTH: usize>(
    d: D,
    constants: &DoublesModulus<N, L>,
    digits: &mut Digits<D, L, WIDTH>,
    i: usize,
) {
    let width = constants.width(i);
    let carry = d.shr_by(digits[i], width);
    digits[i] = d.and(digits[i], d.splat_word((1 << width) - 1));
    digits[i + 1] = d.add_words(digits[i + 1], carry);
}

/// Subtracts p, unless the result would be negative. Digits on output are as long as limbs.
#[inline(always)]
pub(super) fn less_prime<D: Doubles<WIDTH>, const N: usize, const L: usize, const WIDTH: usize>(
    d: D,
    constants: &DoublesModulus<N, L>,
    digits: Digits<D, L, WIDTH>,
) -> Digits<D, L, WIDTH> {
    let mut less = digits;
    for i in 0..L {
        // Each digit borrows a carry from the next one, so that none is negative.
        let offset = constants.lent[i].wrapping_sub(constants.multiples[0][i]);
        less[i] = d.add_words(digits[i], d.splat_word(offset));
    }
    let less = carried(d, constants, less);
    let mut chosen = carried(d, constants, digits);
    let is_negative = d.signs(less[L - 1]);
    for i in 0..L {
        let (as_it_was, less) = (d.from_bits(chosen[i]), d.from_bits(less[i]));
        chosen[i] = d.bits(d.select(is_negative, as_it_was, less));
    }
    chosen
}

/// Converts digits as long as limbs to words of 64 bits.
#[inline(always)]
pub(super) fn to_words<D: Doubles<WIDTH>, const N: usize, const L: usize, const WIDTH: usize>(
    d: D,
    constants: &DoublesModulus<N, L>,
    digits: &Digits<D, L, WIDTH>,
) -> [D::Word; N] {
    let mut words = [d.splat_word(0); N];
    for (i, &digit) in digits.iter().enumerate() {
        let (word, shift) = (constants.positions[i] / 64, constants.positions[i] % 64);
        let word = word as usize;
        words[word] = d.or(words[word], d.shl_by(digit, shift));
        if shift + constants.width(i) > 64 {
            words[word + 1] = d.or(words[word + 1], d.shr_by(digit, 64 - shift));
        }
    }
    words
}
