//! Double-length products of N limbs by N, in a lower and an upper half.

use super::{add_with_carry, multiply_accumulate};

/// The halves of `a b`, lower half first: N^2 word multiplications. Constant time.
#[inline(always)]
pub fn wide_product<const N: usize>(a: &[u64; N], b: &[u64; N]) -> [[u64; N]; 2] {
    let (mut low, mut high) = ([0; N], [0; N]);
    for (low, &limb) in low.iter_mut().zip(a) {
        let mut carry;
        (*low, carry) = multiply_accumulate(high[0], limb, b[0], 0);
        for j in 1..N {
            (high[j - 1], carry) = multiply_accumulate(high[j], limb, b[j], carry);
        }
        high[N - 1] = carry;
    }
    [low, high]
}

/// The halves of `a^2`, lower half first: N (N + 1) / 2 word multiplications. Constant time.
#[inline(always)]
pub fn wide_square<const N: usize>(a: &[u64; N]) -> [[u64; N]; 2] {
    // Sum the products of distinct limbs, once each.
    let (mut low, mut high) = ([0; N], [0; N]);
    for (i, &limb) in a.iter().enumerate() {
        let mut carry = 0;
        for j in i + 1..N {
            let place = if i + j < N {
                &mut low[i + j]
            } else {
                &mut high[i + j - N]
            };
            (*place, carry) = multiply_accumulate(*place, limb, a[j], carry);
        }
        high[i] = carry;
    }
    // Double them and add the squares on the diagonal.
    let mut above = 0;
    let mut carry = 0;
    for (i, &limb) in a.iter().enumerate() {
        let (square_low, square_high) = multiply_accumulate(0, limb, limb, 0);
        for (k, square) in [(2 * i, square_low), (2 * i + 1, square_high)] {
            let place = if k < N { &mut low[k] } else { &mut high[k - N] };
            let twice = *place << 1 | above;
            above = *place >> 63;
            (*place, carry) = add_with_carry(twice, square, carry);
        }
    }
    [low, high]
}
