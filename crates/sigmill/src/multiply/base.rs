//! k G for a secret k, by additions only, of points looked up under masks.

use zeroize::Zeroizing;

use crate::ct;
use crate::curve::{AffinePoint, BaseField, Curve, ExtendedPoint, Group, ScalarField};
use crate::recode::{make_odd, odd_digit, odd_digits};
use crate::table::{base_table, masked_odd_multiple};

/// k G for k in 1 .. n - 1, little-endian in limbs. Constant time. Wiped when dropped, because its
/// coordinates reveal more of k than the point does.
///
/// k, or n - k if k is even, is the sum of odd digits d_i 2^(w i), and d_i 2^(w i) G is in the
/// generator's [table](base_table). Two halves of the rows from 1 on are summed side by side, so
/// that products need not wait for each other; row 0 comes last. For P-256 and its window of 7
/// bits, this reads 37 rows of 64 points and performs 37 additions, which cost 372 products and
/// squares.
///
/// No addition meets an exceptional case, except that on some curves the last may meet one for one
/// scalar. Its result is correct even then (docs/constant-time.md, "No exceptions").
#[inline(never)]
pub fn base_mul<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
    group: &Group<C, F>,
    order: S,
    k: &C::Integer,
) -> Zeroizing<ExtendedPoint<C::BaseElement>> {
    let field = group.field();
    let n = order.modulus();
    let window = group.curve().base_window();
    let count = odd_digits(order.bits(), window);
    debug_assert!(window >= 2 && count >= 3);
    let table = base_table(group);
    let (odd, even) = make_odd(k, &n);
    let term = |row: u32| {
        let width = 1 << (window - 1);
        let start = row as usize * width;
        let digit = odd_digit((*odd).as_ref(), window, row, count);
        masked_odd_multiple(field, &table[start..start + width], digit)
    };

    // Rows 1 .. middle and middle .. count. The latter may have one more row.
    let half = (count - 1) / 2;
    let middle = 1 + half;
    let pair = group.pair();
    let terms = |i: u32| {
        let (low, high) = (term(1 + i), term(middle + i));
        AffinePoint {
            x: [low.x, high.x],
            y: [low.y, high.y],
        }
    };
    let mut sums = pair.extended_from_affine(&terms(0));
    for i in 1..half {
        let (sum, exceptional) = pair.add_extended_incomplete(&sums, &terms(i));
        debug_assert!(exceptional == [false; 2]);
        sums = sum;
    }
    let [low, mut high] = sums.split_lanes();
    if middle + half < count {
        let exceptional;
        (high, exceptional) = group.add_extended_incomplete(&high, &term(count - 1));
        debug_assert!(!exceptional);
    }
    let (sum, exceptional) = group.add_extended_points_incomplete(&low, &high);
    debug_assert!(!exceptional);
    let mut sum = Zeroizing::new(add_last(group, &n, window, &sum, &term(0)));
    sum.y = field.negate_if(&sum.y, even & 1 == 1);
    sum
}

/// Adds Q, the term of the lowest odd digit, to P, the sum of all other terms.
///
/// P = -Q would make k zero. P = Q needs k = n + 2d for the digit d, which then is 2^w - (n mod
/// 2^(w+1)) and negative. Such a k exists if and only if bit w of n is set.
#[inline(always)]
pub(super) fn add_last<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    n: &C::Integer,
    window: u32,
    p: &ExtendedPoint<C::BaseElement>,
    q: &AffinePoint<C::BaseElement>,
) -> ExtendedPoint<C::BaseElement> {
    let (sum, exceptional) = group.add_extended_incomplete(p, q);
    if crate::limbs::bits(n.as_ref(), window, 1) == 0 {
        debug_assert!(!exceptional);
        return sum;
    }
    let exceptional = ct::mask(exceptional) & 1 == 1;
    group.select_extended(exceptional, &group.double_affine(q), &sum)
}
