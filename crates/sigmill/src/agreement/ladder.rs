//! The Montgomery ladder on Curve25519 (RFC 7748 §5), one value or several lanes wide.
//!
//! The ladder keeps k P and (k + 1) P for the leading bits k of the scalar. A step adds the two and
//! doubles one of them, selected by its bit. RFC 7748 swaps the two before each step and after it.
//! Here the double and the sum of the last step stay in place, and only the operands of the next
//! doubling are selected, because sums are symmetric.
//!
//! Scalars are clamped. Their bit 254 is set, so the first step is the doubling of P. Their three
//! lowest bits are zero, so the last three steps are doublings and need no sum.

use crate::field::c25519::LazyField;

/// (486662 - 2) / 4: the coefficient of the curve in the form that the formulas need.
pub const A24: u64 = 121_665;

/// A point as X : Z, u = X / Z.
pub(super) type XZ<F> = [<F as LazyField>::Product; 2];

/// 2 P from the sum and difference of P's coordinates: 2M + 2S + 1 small product (Montgomery 1987;
/// EFD, "dbl-1987-m-3").
#[inline(always)]
fn double<F: LazyField>(field: F, [sum, difference]: [&F::Factor; 2]) -> XZ<F> {
    let [aa, bb] = field.squares([sum, difference]);
    let e = field.difference(&aa, &bb);
    let f = field.add_multiple::<A24>(&aa, &e);
    let [aa, bb] = field.factors([&aa, &bb]);
    field.products([[&aa, &bb], [&e, &f]])
}

/// P + Q from the sums and differences of the coordinates of both, where u = X(P - Q) / Z(P - Q):
/// 3M + 2S (Montgomery 1987; EFD, "dadd-1987-m-3" with Z1 = 1).
#[inline(always)]
fn differential_add<F: LazyField>(
    field: F,
    u: &F::Factor,
    [a, b]: &[F::Factor; 2],
    [c, d]: &[F::Factor; 2],
) -> XZ<F> {
    let [sum_and_difference] = field.sums_and_differences([&field.products([[d, a], [c, b]])]);
    let [sum, difference] = &sum_and_difference;
    let [x, z] = field.squares([sum, difference]);
    let [z] = field.factors([&z]);
    [x, field.product(u, &z)]
}

/// 2 R for one of P and Q, and P + Q, from the sums and differences of R, P and Q. [`double`] and
/// [`differential_add`] alternate, level by level, so that neighbouring products do not wait for
/// each other.
#[inline(always)]
fn double_and_add<F: LazyField>(
    field: F,
    u: &F::Factor,
    [r, s]: [&F::Factor; 2],
    [a, b]: &[F::Factor; 2],
    [c, d]: &[F::Factor; 2],
) -> [XZ<F>; 2] {
    let products = field.products([[d, a], [c, b]]);
    let [rr, ss] = field.squares([r, s]);
    let [[sum, difference]] = &field.sums_and_differences([&products]);
    let e = field.difference(&rr, &ss);
    let [z, x] = field.squares([difference, sum]);
    let f = field.add_multiple::<A24>(&rr, &e);
    let [rr, ss, z] = field.factors([&rr, &ss, &z]);
    // The product that waits for z is between two that do not.
    let double_x = field.product(&rr, &ss);
    let z = field.product(u, &z);
    let double_z = field.product(&e, &f);
    [[double_x, double_z], [x, z]]
}

/// k P for a clamped scalar k and the point P = (u : 1), where u is a minuend.
///
/// 1263M + 1012S and 255 small products.
///
/// `bit_differs(i)` returns whether bit i of k differs from bit i + 1, for i from 253 down to 0. Z
/// is zero if and only if the result is the point at infinity or u is zero.
#[inline(always)]
pub fn multiply<F: LazyField>(
    field: F,
    base: &XZ<F>,
    bit_differs: impl Fn(u32) -> F::Choice,
) -> XZ<F> {
    let [u, one] = base;
    let mut sum = [*u, *one];
    let [u] = field.factors([u]);
    let [[a, b]] = field.sums_and_differences([&sum]);
    let mut doubled = double(field, [&a, &b]);
    for i in (3..254).rev() {
        let [ab, cd] = field.sums_and_differences([&doubled, &sum]);
        let choice = bit_differs(i);
        if const { F::IN_TURN } {
            let doubling = choose(field, choice, &cd, &ab);
            [doubled, sum] = double_and_add(field, &u, doubling.each_ref(), &ab, &cd);
        } else {
            sum = differential_add(field, &u, &ab, &cd);
            doubled = double(field, choose(field, choice, &cd, &ab).each_ref());
        }
    }
    let [ab, cd] = field.sums_and_differences([&doubled, &sum]);
    let mut factors = choose(field, bit_differs(2), &cd, &ab);
    for _ in 0..2 {
        [factors] = field.sums_and_differences([&double(field, factors.each_ref())]);
    }
    double(field, factors.each_ref())
}

#[inline(always)]
fn choose<F: LazyField>(
    field: F,
    choice: F::Choice,
    [a, b]: &[F::Factor; 2],
    [c, d]: &[F::Factor; 2],
) -> [F::Factor; 2] {
    [field.choose(choice, a, c), field.choose(choice, b, d)]
}
