//! The parts of an integer that a point is multiplied by: the integer itself, or its two halves if
//! the curve has an endomorphism.

use crate::curve::{AffinePoint, Curve, Group, LanesOf};
use crate::field::Limbs;
use crate::recode::make_odd;
use crate::scalar::Half;

/// The most parts of an integer: two.
pub(super) const MOST: usize = 2;

/// The number of parts of every integer on `C`.
#[inline(always)]
pub(super) fn count<C: Curve>(curve: C) -> usize {
    match curve.endomorphism() {
        None => 1,
        Some(_) => 2,
    }
}

/// The bit length of the parts: all absolute values are below 2 to this power, on a curve whose
/// order has `order_bits` bits.
#[inline(always)]
pub(super) fn bits<C: Curve>(curve: C, order_bits: u32) -> u32 {
    match curve.endomorphism() {
        None => order_bits,
        Some(endomorphism) => endomorphism.split.bits(),
    }
}

/// The parts of k. Parts beyond [`count`] are zero.
#[inline(always)]
pub(super) fn parts<C: Curve>(curve: C, k: &C::Integer) -> [Half<C::Integer>; MOST] {
    match curve.endomorphism() {
        None => [whole(*k, 0), whole(C::Integer::ZERO, 0)],
        Some(endomorphism) => endomorphism.split.halves(k),
    }
}

/// Odd parts of k modulo the order n. Parts beyond [`count`] are not odd.
#[inline(always)]
pub(super) fn odd_parts<C: Curve>(
    curve: C,
    k: &C::Integer,
    n: &C::Integer,
) -> [Half<C::Integer>; MOST] {
    match curve.endomorphism() {
        None => {
            let (odd, even) = make_odd(k, n);
            [whole(*odd, even), whole(C::Integer::ZERO, 0)]
        }
        Some(endomorphism) => endomorphism.split.odd_halves(k),
    }
}

#[inline(always)]
fn whole<I>(magnitude: I, negative: u64) -> Half<I> {
    Half {
        magnitude,
        negative,
    }
}

/// The constant of the endomorphism in every lane; one if the curve has no endomorphism.
#[inline(always)]
pub(super) fn beta<C: Curve, L: LanesOf<C>>(group: &Group<C, L>) -> L::Element {
    let field = group.field();
    match group.curve().endomorphism() {
        None => field.one(),
        Some(endomorphism) => field.pack(|_| &endomorphism.beta),
    }
}

/// The point that a part multiplies: P itself, or lambda P.
#[inline(always)]
pub(super) fn image<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    beta: &L::Element,
    part: usize,
    point: AffinePoint<L::Element>,
) -> AffinePoint<L::Element> {
    if part == 0 {
        point
    } else {
        group.endomorphism(beta, &point)
    }
}
