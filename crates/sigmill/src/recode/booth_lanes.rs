//! Integers side by side, and their Booth digits for all lanes at once.

use alloc::vec;
use alloc::vec::Vec;

use super::LaneDigits;
use crate::field::Limbs;
use crate::limbs::X8;

/// One integer per lane, to be split into the digits of [`booth_digit`](super::booth_digit).
#[derive(Clone, Debug)]
pub struct BoothLanes {
    /// Twice the integers: the lowest words of all lanes, then the second words, and so on. Because
    /// of the doubling, the lowest digit also has a bit below it.
    doubled: Vec<X8>,
}

impl BoothLanes {
    /// Zeros, with room for integers of `limbs` limbs.
    pub fn new(limbs: usize) -> Self {
        Self {
            doubled: vec![X8([0; 8]); limbs + 1],
        }
    }

    /// Stores integers, one for each of the first lanes.
    ///
    /// # Panics
    /// If there are more than eight.
    #[inline(always)]
    pub fn set<I: Limbs>(&mut self, integers: &[I]) {
        for (lane, integer) in integers.iter().enumerate() {
            let mut below = 0;
            for (words, &limb) in self.doubled.iter_mut().zip(integer.as_ref()) {
                words.0[lane] = limb << 1 | below;
                below = limb >> 63;
            }
            if let Some(words) = self.doubled.get_mut(integer.as_ref().len()) {
                words.0[lane] = below;
            }
        }
    }

    /// Digit `index` of the integers of the first `width` lanes: its absolute value and its sign,
    /// which is arbitrary if the digit is zero. `window` is 1 to 31. Constant time.
    #[inline(always)]
    pub fn digits(&self, width: usize, window: u32, index: u32) -> LaneDigits {
        let start = window * index;
        let (word, shift) = ((start / 64) as usize, start % 64);
        let of = |word: usize| self.doubled.get(word).copied().unwrap_or_default();
        let (low, high) = (of(word), of(word + 1));
        let ones = (1 << (window + 1)) - 1;
        let (mut numbers, mut negative) = (X8([0; 8]), X8([0; 8]));
        for lane in 0..width {
            // Two shifts, because no shift by 64 exists.
            let bits = (low.0[lane] >> shift | high.0[lane] << 1 << (63 - shift)) & ones;
            // The digit is ceil(bits / 2), minus 2^window if the highest bit is set. In that case
            // its absolute value is ceil(bits / 2) of the complement.
            let sign = bits >> window;
            let complemented = bits ^ (sign.wrapping_neg() & ones);
            numbers.0[lane] = (complemented + 1) >> 1;
            negative.0[lane] = sign;
        }
        LaneDigits { numbers, negative }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{booth_digit, booth_digits};
    use super::*;

    #[test]
    fn digits_are_those_of_each_integer() {
        let mut k = [0x9e37_79b9_7f4a_7c15u64, u64::MAX, 1];
        let mut integers = vec![[0; 3], [u64::MAX; 3], [1, 0, 0], [0, 0, 1 << 63]];
        while integers.len() < 8 {
            k = k.map(|limb| limb.wrapping_mul(0xd134_2543_de82_ef95).rotate_left(23) + 1);
            integers.push(k);
        }
        for width in [1, 2, 8] {
            let mut lanes = BoothLanes::new(3);
            // Earlier integers leave no trace.
            lanes.set(&[[u64::MAX; 3]; 8]);
            lanes.set(&integers[..width]);
            for window in 1..=13 {
                for index in 0..booth_digits(192, window) {
                    let digits = lanes.digits(width, window, index);
                    for (lane, k) in integers[..width].iter().enumerate() {
                        let digit = booth_digit(k, window, index);
                        assert_eq!(digits.numbers.0[lane], u64::from(digit.unsigned_abs()));
                        if digit != 0 {
                            assert_eq!(digits.negative.0[lane], u64::from(digit < 0));
                        }
                    }
                }
            }
        }
    }
}
