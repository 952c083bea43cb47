//! How many operations a row takes in a batch of random weights.

use super::count::{AFFINE, JACOBIAN, MIXED, SHARING};
use super::shape::Shape;
use super::work::{Operations, Work};
use crate::multiply::MultiMethod;

/// The length of the weights, in bits (`ecdsa/batch.rs`).
const WEIGHT_BITS: u32 = 128;

/// What one more row takes, and what one more key.
#[derive(Clone, Copy, Debug)]
pub(super) struct InBatch {
    /// A row whose R is known, with its share of what all rows take.
    pub(super) row: Work,
    /// A key, however many of the rows are of it.
    pub(super) key: Work,
}

/// A batch of so many rows of so many keys.
pub(super) fn in_batch(shape: &Shape, lanes: u32, rows: u64, keys: u64) -> InBatch {
    let rows = rows.max(1);
    let (parts, bits) = match shape.half_bits {
        None => (1, shape.bits),
        Some(half) => (2, half),
    };
    let method = MultiMethod::best(&[(rows, WEIGHT_BITS), (parts * keys + 1, bits)]);
    // All additions but those of the digits of a row or a key are shared by the rows.
    let of_term = |points: u64, bits: u32| match method {
        MultiMethod::Straus => points as f64 * (10.0 + f64::from(bits) / 6.0),
        MultiMethod::Pippenger(window) => points as f64 * f64::from(bits + 1) / f64::from(window),
    };
    let (of_row, of_key) = (of_term(1, WEIGHT_BITS), of_term(parts, bits));
    let additions = method.additions(&[(rows, WEIGHT_BITS), (parts * keys + 1, bits)]);
    let of_terms = of_row * rows as f64 + of_key * keys as f64;
    let shared = (additions as f64 - of_terms).max(0.0) / rows as f64;
    // A point goes into lanes, and each sum of points out of them: about a product each.
    let affine = |additions: f64| Work {
        lanes_side_by_side: (AFFINE + Operations::products(1.0)) * (additions / f64::from(lanes)),
        ..Work::default()
    };
    // What each bit is worth, in lanes that have a part of the bits each; doublings of the parts,
    // and some thirty inversions.
    let (bits, width) = (f64::from(bits), f64::from(lanes));
    let tail = Work {
        in_turn: shape.doubling * (bits - bits / width) + JACOBIAN * width,
        lanes_in_turn: (shape.doubling + MIXED) * (bits / width),
        lanes_side_by_side: (SHARING + Operations::products(2.0) * f64::from(lanes.ilog2())) * 30.0,
        inversions: 30.0,
        ..Work::default()
    };
    // 1/s, z/s, z e/s and z r/s, and the ways in and out.
    let scalars = Work {
        lanes_side_by_side: Operations::products(3.0 + 4.0 + 5.0) * f64::from(lanes).recip(),
        ..Work::default()
    };
    InBatch {
        row: affine(of_row + shared) + tail * (rows as f64).recip() + scalars,
        key: affine(of_key),
    }
}

/// The square root that a point R takes of which a hint says two bits only.
pub(super) fn root(shape: &Shape, lanes: u32) -> Work {
    let squares = f64::from(shape.bits);
    Work {
        lanes_side_by_side: Operations::new(squares / 5.0 + 20.0, squares)
            * f64::from(lanes).recip(),
        ..Work::default()
    }
}
