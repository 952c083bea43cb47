//! k P for a secret k and a public point P.

use zeroize::Zeroizing;

use super::base::add_last;
use crate::curve::{
    AffinePoint, BaseField, Curve, ExtendedPoint, Group, JacobianPoint, ScalarField,
};
use crate::recode::{make_odd, odd_digit, odd_digits};
use crate::table::{masked_odd_multiple, odd_multiples_vartime};

/// k P for k in 1 .. n - 1, little-endian in limbs, and a point P of order n. Constant time in k;
/// the time may depend on P. Wiped when dropped.
///
/// k, or n - k if k is even, has odd digits of 5 bits, the highest of which is positive. For 256
/// bits: 255 doublings, 51 mixed additions and a table of 16 points made affine by one inversion,
/// about 2,800 products and squares. (Window 6 would save 9 additions but need 16 more points, each
/// of which costs more than an addition.)
///
/// No addition meets an exceptional case, except that on some curves the last may meet one for one
/// scalar. Its result is correct even then (docs/constant-time.md, "No exceptions").
#[inline(never)]
pub fn variable_base_mul<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
    group: &Group<C, F>,
    order: S,
    k: &C::Integer,
    point: &AffinePoint<C::BaseElement>,
) -> Zeroizing<ExtendedPoint<C::BaseElement>> {
    let n = order.modulus();
    if size_of::<C::Integer>() == 8 && order.bits() < 16 {
        // Only tests have orders that are too small for the multiples of window 5. They have one
        // limb.
        multiply::<C, F, 2, 2>(group, order.bits(), &n, k, point)
    } else {
        multiply::<C, F, 5, 16>(group, order.bits(), &n, k, point)
    }
}

/// [`variable_base_mul`] with a window of `WINDOW` bits and `COUNT` = 2^(WINDOW - 1) points.
#[inline(always)]
fn multiply<C: Curve, F: BaseField<C>, const WINDOW: u32, const COUNT: usize>(
    group: &Group<C, F>,
    bits: u32,
    n: &C::Integer,
    k: &C::Integer,
    point: &AffinePoint<C::BaseElement>,
) -> Zeroizing<ExtendedPoint<C::BaseElement>> {
    const { assert!(COUNT == 1 << (WINDOW - 1)) };
    let field = group.field();
    let table = odd_multiples_vartime::<C, F, COUNT>(group, point);
    let (odd, even) = make_odd(k, n);
    let count = odd_digits(bits, WINDOW);
    let term = |index: u32| {
        let digit = odd_digit((*odd).as_ref(), WINDOW, index, count);
        masked_odd_multiple(field, &table, digit)
    };
    let mut sum = group.from_affine(&term(count - 1));
    for index in (1..count - 1).rev() {
        double_often(group, WINDOW, &mut sum);
        let is_exceptional = add_incomplete(group, &mut sum, &term(index));
        debug_assert!(!is_exceptional);
    }
    double_often(group, WINDOW, &mut sum);
    let sum = group.extended_from_jacobian(&sum);
    let mut sum = Zeroizing::new(add_last(group, n, WINDOW, &sum, &term(0)));
    sum.y = field.negate_if(&sum.y, even & 1 == 1);
    sum
}

/// Doubles a point the given number of times.
///
/// This and [`add_incomplete`] are separate functions that all sums over shared doublings call.
/// They are compiled together with the products, whatever the caller, and no result of a product is
/// copied.
#[inline(never)]
pub(super) fn double_often<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    times: u32,
    sum: &mut JacobianPoint<C::BaseElement>,
) {
    for _ in 0..times {
        let JacobianPoint { x, y, z } = group.double(sum);
        // Coordinate by coordinate, so that the products write to their places.
        sum.x = x;
        sum.y = y;
        sum.z = z;
    }
}

/// Adds a point, and returns true if that was exceptional. Z is then zero.
#[inline(never)]
pub(super) fn add_incomplete<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    sum: &mut JacobianPoint<C::BaseElement>,
    point: &AffinePoint<C::BaseElement>,
) -> bool {
    let exceptional;
    (*sum, exceptional) = group.add_mixed_incomplete(sum, point);
    exceptional
}
