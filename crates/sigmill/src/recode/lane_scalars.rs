//! Secret integers side by side, and their odd digits in the form that look-ups in lanes need.

use alloc::vec::Vec;

use zeroize::Zeroize as _;

use super::make_odd;
use crate::field::{Limbs, Mask};
use crate::limbs::X8;

/// Integers made odd, in groups of one for each lane. Wiped on drop.
pub struct LaneScalars {
    width: usize,
    limbs: usize,
    /// For each group: the first limbs of all lanes, then the second limbs, and so on.
    odd: Vec<X8>,
    /// For each group: the masks of the lanes, all ones if the integer was even.
    even: Vec<X8>,
}

/// A digit for each lane.
#[derive(Clone, Copy, Debug)]
pub struct LaneDigits {
    /// Numbers of the points in rows: |digit| / 2 for rows of odd multiples, |digit| for rows of
    /// all.
    pub numbers: X8,
    /// 1 if the digit is negative, otherwise 0.
    pub negative: X8,
}

impl LaneScalars {
    /// Accepts integers, each in 1 .. n - 1, in whole groups of `width`, which is at most eight; n
    /// is odd. Constant time.
    ///
    /// # Panics
    /// If the last group is not full.
    pub fn new<I: Limbs>(integers: &[I], n: &I, width: usize) -> Self {
        assert!(integers.len().is_multiple_of(width), "whole groups");
        let (limbs, groups) = (n.as_ref().len(), integers.len() / width);
        let mut scalars = Self {
            width,
            limbs,
            odd: Vec::with_capacity(groups * limbs),
            even: Vec::with_capacity(groups),
        };
        for group in integers.chunks_exact(width) {
            let start = scalars.odd.len();
            scalars.odd.resize(start + limbs, X8([0; 8]));
            let mut evens = X8([0; 8]);
            for (lane, k) in group.iter().enumerate() {
                let (k, even) = make_odd(k, n);
                evens.0[lane] = even;
                for (words, limb) in scalars.odd[start..].iter_mut().zip((*k).as_ref()) {
                    words.0[lane] = *limb;
                }
            }
            scalars.even.push(evens);
        }
        scalars
    }

    /// The lanes of a group whose integers were even, and were subtracted from n.
    pub fn were_even<M: Mask>(&self, group: usize) -> M {
        M::from_lanes(|lane| self.even[group].0[lane] & 1 == 1)
    }

    /// Digit `index` of each integer of a group, of `count` digits of `window` bits, as defined by
    /// [`odd_digit`](super::odd_digit). `width` is that of the groups. Constant time.
    #[inline(always)]
    pub fn digits(
        &self,
        group: usize,
        width: usize,
        window: u32,
        index: u32,
        count: u32,
    ) -> LaneDigits {
        debug_assert!(width == self.width && index < count);
        let words = &self.odd[group * self.limbs..][..self.limbs];
        let is_last = index + 1 == count;
        let (bits, offset) = if is_last {
            (window, 0)
        } else {
            (window + 1, 1 << window)
        };
        let (limb, shift) = ((window * index / 64) as usize, window * index % 64);
        let low = words[limb];
        let high = match words.get(limb + 1) {
            Some(high) => *high,
            None => X8([0; 8]),
        };
        let (mut numbers, mut negative) = (X8([0; 8]), X8([0; 8]));
        for lane in 0..width {
            // Two shifts, because no shift by 64 exists.
            let all = low.0[lane] >> shift | high.0[lane] << 1 << (63 - shift);
            let digit = (all & ((1 << bits) - 1) | 1).wrapping_sub(offset) as i64;
            // As d is odd, |d| / 2 rounded down is that of d, or of its complement.
            let sign = digit >> 63;
            numbers.0[lane] = (digit ^ sign) as u64 >> 1;
            negative.0[lane] = sign as u64 & 1;
        }
        LaneDigits { numbers, negative }
    }
}

impl Drop for LaneScalars {
    fn drop(&mut self) {
        for words in self.odd.iter_mut().chain(&mut self.even) {
            words.zeroize();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{odd_digit, odd_digits};
    use super::*;

    #[test]
    fn digits_are_those_of_each_integer() {
        let n = [u64::MAX, 0x8000_0000_0000_0001];
        let mut k = [1u64, 0];
        let mut integers = alloc::vec![[1, 0], [2, 0], [u64::MAX - 1, n[1]]];
        while integers.len() < 16 {
            k = [k[0].wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 5, k[0] >> 1];
            integers.push(k);
        }
        for width in [1, 2, 8] {
            let scalars = LaneScalars::new(&integers, &n, width);
            for (window, i) in [4, 5, 7].into_iter().zip(0..) {
                let count = odd_digits(128, window);
                for (place, k) in integers.iter().enumerate() {
                    let (group, lane) = (place / width, place % width);
                    let (odd, even) = make_odd(k, &n);
                    assert_eq!(scalars.even[group].0[lane], even, "{i}");
                    for index in 0..count {
                        let digits = scalars.digits(group, width, window, index, count);
                        let digit = odd_digit(&*odd, window, index, count);
                        assert_eq!(digits.numbers.0[lane], u64::from(digit.unsigned_abs() / 2));
                        assert_eq!(digits.negative.0[lane], u64::from(digit < 0));
                    }
                }
            }
        }
    }
}
