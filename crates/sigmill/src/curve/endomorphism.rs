//! Endomorphisms of curves, from a cube root of one.

use crate::scalar::Split;

/// The map (x, y) -> (beta x, y) of a curve with a = 0, where beta is a cube root of one other than
/// one. It maps P to lambda P, for a root lambda of lambda^2 + lambda + 1 modulo the order.
///
/// So k P = k1 P + k2 (lambda P), where k1 and k2 have half the length and need half the doublings
/// (docs/endomorphism.md).
#[derive(Clone, Copy, Debug)]
pub struct Endomorphism<E, I> {
    /// The cube root of one.
    pub beta: E,
    /// The split of integers into k1 + k2 lambda.
    pub split: Split<I>,
}
