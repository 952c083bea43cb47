//! Width-w non-adjacent form: few non-zero digits, all odd.

/// Largest number of digits: one more than the bits of the largest scalar (521), rounded up.
const MOST: usize = 528;

/// The width-w non-adjacent form of an integer of at most 521 bits.
///
/// Among any w consecutive digits at most one is not zero. Digits that are not zero are odd and
/// below 2^(w-1) in absolute value. On average one digit in w + 1 is not zero. Variable time: for
/// public values only.
#[derive(Clone, Debug)]
pub struct WnafVartime {
    digits: [i8; MOST],
    length: usize,
}

impl WnafVartime {
    /// Recodes an integer, little-endian in limbs, with `width` from 2 to 7.
    pub fn new(integer: &[u64], width: u32) -> Self {
        debug_assert!((2..=7).contains(&width));
        let (mut digits, mut length) = ([0; MOST], 0);
        for_each_digit_vartime(integer, width, |position, digit| {
            digits[position as usize] = digit;
            length = position as usize + 1;
        });
        Self { digits, length }
    }

    /// Negates every digit: the result is the form of the negative integer.
    pub fn negate(&mut self) {
        for digit in &mut self.digits[..self.length] {
            *digit = -*digit;
        }
    }

    /// The digits, lowest first; the last one is not zero.
    pub fn digits(&self) -> &[i8] {
        &self.digits[..self.length]
    }
}

/// Passes each non-zero digit of the width-w non-adjacent form to `take`, with its position, lowest
/// first; `width` is from 2 to 7. Variable time: for public values only.
#[inline(always)]
pub fn for_each_digit_vartime(integer: &[u64], width: u32, mut take: impl FnMut(u32, i8)) {
    debug_assert!((2..=7).contains(&width));
    let bits = 64 * integer.len() as u32;
    let word = |i: usize| integer.get(i).copied().unwrap_or(0);
    let (mut position, mut carry) = (0, 0);
    // The carry out of the top bit yields at most one more digit.
    while position <= bits {
        let (limb, shift) = ((position / 64) as usize, position % 64);
        // Two shifts, because no shift by 64 exists.
        let ahead = word(limb) >> shift | word(limb + 1) << 1 << (63 - shift);
        let (zeros, digit);
        (zeros, digit, carry) = next_digit_vartime(ahead, carry, width);
        position += zeros;
        if digit != 0 {
            take(position, digit);
            position += width;
        }
    }
}

/// The number of zeros before the next digit, this digit, and the carry above it. `ahead` has the
/// next 64 bits, to which `carry` is added. If they end before the digit does, the digit is 0 and
/// the carry stays. Variable time: for public values only.
#[inline(always)]
pub fn next_digit_vartime(ahead: u64, carry: u64, width: u32) -> (u32, i8, u64) {
    // If a bit equals the carry, bit + carry is even: the digit is 0 and the carry stays. So the
    // next digit is at the first bit that differs. No branch depends on its position, which no
    // predictor could guess.
    let equal = (ahead ^ u64::wrapping_neg(carry)).trailing_zeros();
    if equal > 64 - width {
        return (equal, 0, carry);
    }
    let window = (ahead >> equal & ((1 << width) - 1)) + carry;
    let carry = window >> (width - 1);
    let digit = (window as i64 - ((carry as i64) << width)) as i8;
    (equal, digit, carry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_sparse_odd_bounded_and_sum_to_the_integer() {
        for width in 2..=7 {
            for k in (0..1u64 << 14).chain([u64::MAX, u64::MAX - 1, 1 << 63, 0x5555_5555_5555_5555])
            {
                let wnaf = WnafVartime::new(&[k], width);
                let mut sum = 0i128;
                let mut last = None;
                for (i, &digit) in wnaf.digits().iter().enumerate() {
                    if digit == 0 {
                        continue;
                    }
                    assert!(digit & 1 == 1 && i32::from(digit).abs() < 1 << (width - 1));
                    assert!(last.is_none_or(|last| i - last >= width as usize));
                    last = Some(i);
                    sum += i128::from(digit) << i;
                }
                assert_eq!(sum, i128::from(k), "width {width}");
                assert_ne!(wnaf.digits().last(), Some(&0));
            }
        }
    }

    #[test]
    fn nine_full_limbs_fit() {
        let wnaf = WnafVartime::new(&[u64::MAX, u64::MAX, 0, 0, 0, 0, 0, 0, 0x1ff], 5);
        assert_eq!(wnaf.digits().len(), 522);
    }
}
