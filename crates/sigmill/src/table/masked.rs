//! Look-ups that a secret may decide: every point of a row is read, and masks keep one.

use crate::ct;
use crate::curve::AffinePoint;
use crate::field::{Limbs as _, PrimeField};

/// The point of a row for an odd digit: number |digit| / 2, negated for a negative digit.
///
/// `row` holds P, 3P, 5P ... Reads the whole row in order, whatever the digit. Constant time.
#[inline(always)]
pub fn masked_odd_multiple<F: PrimeField>(
    field: F,
    row: &[AffinePoint<F::Element>],
    digit: i32,
) -> AffinePoint<F::Element> {
    // 0 for a positive digit, all ones for a negative one.
    let sign = ct::barrier((i64::from(digit) >> 63) as u64);
    let magnitude = (i64::from(digit) as u64 ^ sign).wrapping_sub(sign);
    debug_assert!(magnitude & 1 == 1 && magnitude / 2 < row.len() as u64);
    let point = masked_entry::<F>(row, magnitude >> 1);
    AffinePoint {
        x: point.x,
        y: field.negate_if(&point.y, sign & 1 == 1),
    }
}

/// Entry `index` of a row; zeros where there is none.
#[inline(always)]
fn masked_entry<F: PrimeField>(
    row: &[AffinePoint<F::Element>],
    index: u64,
) -> AffinePoint<F::Element> {
    let (mut x, mut y) = (F::Integer::ZERO, F::Integer::ZERO);
    for (i, entry) in row.iter().enumerate() {
        let mask = ct::mask_equal(i as u64, index);
        for (sum, coordinate) in [(&mut x, &entry.x), (&mut y, &entry.y)] {
            let words = F::to_words(coordinate);
            for (sum, word) in sum.as_mut().iter_mut().zip(words.as_ref()) {
                *sum |= word & mask;
            }
        }
    }
    AffinePoint {
        x: F::from_words(x),
        y: F::from_words(y),
    }
}
