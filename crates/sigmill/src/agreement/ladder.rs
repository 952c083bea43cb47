//! The Montgomery ladder on Curve25519 (RFC 7748 §5), one value or several lanes wide.
//!
//! The ladder keeps k P and (k + 1) P for the leading bits k of the scalar. A step doubles one of
//! them, as its bit says, and adds them. RFC 7748 swaps the two before each step and after it; here
//! the last step's double and its sum stay where they are, and what the next step doubles is
//! chosen: sums are symmetric, so only the operands of the doubling are.
//!
//! Scalars are clamped. Their bit 254 is set, so the first step is the doubling of P; their three
//! lowest bits are zero, so the last three steps are doublings and need no sum.

use crate::field::c25519::LazyField;

/// (486662 - 2) / 4: the coefficient of the curve as the formulas want it.
const A24: u64 = 121_665;

/// A point as X : Z, u = X / Z.
pub(super) type XZ<F> = [<F as LazyField>::Product; 2];

/// The sums and differences of the coordinates: what all products are made of.
#[inline(always)]
fn sum_and_difference<F: LazyField>(field: F, [x, z]: &XZ<F>) -> [F::Factor; 2] {
    [field.sum(x, z), field.difference(x, z)]
}

/// 2 P from the sum and difference of P's coordinates: 2M + 2S + 1 small product (Montgomery 1987;
/// EFD, "dbl-1987-m-3").
#[inline(always)]
fn double<F: LazyField>(field: F, [sum, difference]: &[F::Factor; 2]) -> XZ<F> {
    let (aa, bb) = (field.squared(sum), field.squared(difference));
    let e = field.difference(&aa, &bb);
    [
        field.product(&field.factor(&aa), &field.factor(&bb)),
        field.product(&e, &field.add_multiple::<A24>(&aa, &e)),
    ]
}

/// P + Q from the sums and differences of both, where u = X(P - Q) / Z(P - Q): 3M + 2S (Montgomery
/// 1987; EFD, "dadd-1987-m-3" with Z1 = 1).
#[inline(always)]
fn differential_add<F: LazyField>(
    field: F,
    u: &F::Factor,
    [a, b]: &[F::Factor; 2],
    [c, d]: &[F::Factor; 2],
) -> XZ<F> {
    let (da, cb) = (field.product(d, a), field.product(c, b));
    let difference = field.squared(&field.difference(&da, &cb));
    [
        field.squared(&field.sum(&da, &cb)),
        field.product(u, &field.factor(&difference)),
    ]
}

/// k P for the point P = (u : 1) and a clamped scalar k: 1263 M + 1012 S + 255 small products.
///
/// `bit_differs(i)` says whether bit i of k differs from bit i + 1, for i from 253 down to 0.
/// Z is zero exactly where the result is the point at infinity, and where u is zero.
#[inline(always)]
pub(super) fn multiply<F: LazyField>(
    field: F,
    u: &F::Product,
    one: &F::Product,
    bit_differs: impl Fn(u32) -> F::Choice,
) -> XZ<F> {
    let base = field.factor(u);
    let mut sum = [*u, *one];
    let mut doubled = double(field, &sum_and_difference(field, &sum));
    for i in (3..254).rev() {
        let [a, b] = sum_and_difference(field, &doubled);
        let [c, d] = sum_and_difference(field, &sum);
        let choice = bit_differs(i);
        sum = differential_add(field, &base, &[a, b], &[c, d]);
        doubled = double(
            field,
            &[field.choose(choice, &c, &a), field.choose(choice, &d, &b)],
        );
    }
    let [a, b] = sum_and_difference(field, &doubled);
    let [c, d] = sum_and_difference(field, &sum);
    let choice = bit_differs(2);
    let mut factors = [field.choose(choice, &c, &a), field.choose(choice, &d, &b)];
    for _ in 0..2 {
        factors = sum_and_difference(field, &double(field, &factors));
    }
    double(field, &factors)
}
