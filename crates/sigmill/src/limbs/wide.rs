//! Products of four limbs by four, in eight.

use super::{add_with_carry, multiply_accumulate};

/// `a b`: 16 word multiplications. Constant time.
#[inline(always)]
pub fn wide_product(a: &[u64; 4], b: &[u64; 4]) -> [u64; 8] {
    let mut t = [0; 8];
    for i in 0..4 {
        let mut carry = 0;
        for j in 0..4 {
            (t[i + j], carry) = multiply_accumulate(t[i + j], a[i], b[j], carry);
        }
        t[i + 4] = carry;
    }
    t
}

/// `a^2`: 10 word multiplications. Constant time.
#[inline(always)]
pub fn wide_square(a: &[u64; 4]) -> [u64; 8] {
    let mut t = [0; 8];
    // The products of distinct limbs, once.
    let mut carry = 0;
    for j in 1..4 {
        (t[j], carry) = multiply_accumulate(0, a[0], a[j], carry);
    }
    t[4] = carry;
    carry = 0;
    for j in 2..4 {
        (t[1 + j], carry) = multiply_accumulate(t[1 + j], a[1], a[j], carry);
    }
    t[5] = carry;
    (t[5], t[6]) = multiply_accumulate(t[5], a[2], a[3], 0);
    // Twice, plus the squares on the diagonal.
    t[7] = t[6] >> 63;
    for i in (2..7).rev() {
        t[i] = t[i] << 1 | t[i - 1] >> 63;
    }
    t[1] <<= 1;
    carry = 0;
    for i in 0..4 {
        let square = u128::from(a[i]) * u128::from(a[i]);
        (t[2 * i], carry) = add_with_carry(t[2 * i], square as u64, carry);
        (t[2 * i + 1], carry) = add_with_carry(t[2 * i + 1], (square >> 64) as u64, carry);
    }
    t
}
