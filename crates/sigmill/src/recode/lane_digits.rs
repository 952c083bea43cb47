//! The odd digits of several integers side by side, as look-ups in lanes want them.

use super::odd_digit;
use crate::limbs::X8;

/// A digit for each lane.
#[derive(Clone, Copy, Debug)]
pub struct LaneDigits {
    /// The numbers |digit| / 2 of the points in rows of odd multiples.
    pub numbers: X8,
    /// 1 where the digit is negative, else 0.
    pub negative: X8,
}

/// Digit `index` of each of at most eight odd integers, of `count` digits of `window` bits, as
/// [`odd_digit`] has it. Constant time.
#[inline(always)]
pub fn lane_digits<I: AsRef<[u64]>>(
    integers: &[I],
    window: u32,
    index: u32,
    count: u32,
) -> LaneDigits {
    let (mut numbers, mut negative) = (X8([0; 8]), X8([0; 8]));
    for (lane, k) in integers.iter().enumerate() {
        let digit = odd_digit(k.as_ref(), window, index, count);
        // |d| / 2 rounded down is that of d, or of its complement, as d is odd.
        let sign = digit >> 31;
        numbers.0[lane] = u64::from((digit ^ sign) as u32 >> 1);
        negative.0[lane] = u64::from(sign as u32 & 1);
    }
    LaneDigits { numbers, negative }
}
