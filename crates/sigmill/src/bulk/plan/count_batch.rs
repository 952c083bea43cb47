//! Operation counts of a row in a batch of random weights.

use super::count::{AFFINE, BUILDING, JACOBIAN, MIXED, Shape, shared};
use super::work::{Operations, Work};
use crate::ecdsa::MOST_IN_BATCH;
use crate::multiply::{DIGITS_TOGETHER, MultiMethod, MultiTerms, POINTS_TOGETHER};

/// The length of the weights, in bits (`ecdsa/batch.rs`).
const WEIGHT_BITS: u32 = 128;

/// The time of a key and of a batch in addition to their operations, in rows. The time to decode,
/// look up and count a key beforehand is left out: it is the same whatever happens to the key's
/// rows.
const ROWS_OF_KEY: f64 = 1.2;
const ROWS_OF_BATCH: f64 = 120.0;

fn handled(rows: f64) -> Work {
    Work {
        handled_rows: rows,
        ..Work::default()
    }
}

/// The work of a batch for one more row, and for one more key.
#[derive(Clone, Copy, Debug)]
pub struct BatchWork {
    /// A row whose R is known, with its share of the work that all rows have in common.
    pub row: Work,
    /// A key, whatever the number of its rows.
    pub key: Work,
}

/// Returns the work in a batch of `rows` rows whose R is known, of `keys` keys: at most
/// [`MOST_IN_BATCH`] of either. `takes_roots` means that only the parity of y(R) is known.
pub(super) fn batch(
    shape: &Shape,
    lanes: u32,
    rows: u64,
    keys: u64,
    takes_roots: bool,
) -> BatchWork {
    let rows = rows.clamp(1, MOST_IN_BATCH as u64);
    let keys = keys.min(rows);
    let (parts, bits) = match shape.half_bits {
        None => (1, shape.bits),
        Some(half) => (2, half),
    };
    let terms = [(rows, WEIGHT_BITS), (parts * (keys + 1), bits)];
    let method = MultiMethod::best(&terms);
    // The rows share all additions except those of the digits of a row or a key.
    let of_term = |points: u64, bits: u32| match method {
        MultiMethod::Straus => points as f64 * (10.0 + f64::from(bits) / 6.0),
        MultiMethod::Pippenger(window) => {
            // The share of digits that are zero.
            let zero = 0.5_f64.powi(window as i32);
            points as f64 * (1.0 - zero) * f64::from(bits + 1) / f64::from(window)
        }
    };
    let (of_row, of_key) = (of_term(1, WEIGHT_BITS), of_term(parts, bits));
    let counts = method.counts(&terms);
    let additions = counts.additions as f64;
    let of_all = (additions - of_row * rows as f64 - of_key * keys as f64).max(0.0) / rows as f64;
    let affine = |additions: f64, points: f64| Work {
        lanes_side_by_side: AFFINE * (additions / f64::from(lanes)),
        points,
        ..Work::default()
    };
    let points = of_row * rows as f64 + of_key * keys as f64;
    let inversions = shared(inversions(method, lanes, &terms, points), lanes);
    // The weighted sum over the bits, in lanes that have a part of the bits each; then doublings of
    // the parts.
    let (bits, width) = (f64::from(bits), f64::from(lanes));
    let tail = Work {
        in_turn: shape.doubling * (bits - bits / width) + JACOBIAN * width,
        lanes_in_turn: (shape.doubling + MIXED) * (bits / width),
        ..Work::default()
    };
    // x^3 + a x + b and its comparison with y^2; conversions of x, y and the scalars into lanes;
    // 1/s, z/s, z e/s and z r/s.
    let each = f64::from(lanes).recip();
    let roots = if takes_roots { each } else { 0.0 };
    let around = Work {
        lanes_side_by_side: Operations::new(2.0 + 7.0, 2.0) * each,
        lanes_to_powers: shape.root * roots,
        ..Work::default()
    };
    let row = affine(of_row + of_all, of_row) + around + handled(1.0);
    let of_batch = tail + inversions + handled(ROWS_OF_BATCH);
    BatchWork {
        row: row + of_batch * (rows as f64).recip(),
        key: affine(of_key, of_key) + handled(ROWS_OF_KEY),
    }
}

/// Returns about the number of inversions that lists of `points` points need for these terms: a
/// level needs one for all points that are added up together.
fn inversions(method: MultiMethod, lanes: u32, terms: &[MultiTerms], points: f64) -> f64 {
    let rounds = |points: f64| (points / POINTS_TOGETHER as f64).ceil();
    let lists = method.counts(terms).lists as f64;
    let levels = (points / lists).log2().clamp(1.0, 5.0) + 1.0;
    let first = rounds(points) * levels;
    match method {
        // Tables need three doublings and four additions, each for many terms together.
        MultiMethod::Straus => {
            let terms: u64 = terms.iter().map(|&(points, _)| points).sum();
            7.0 * (terms as f64 / (BUILDING * f64::from(lanes))).ceil() + first
        }
        // The sums of buckets are the points of a next stage, two for each, and its sums are those
        // of a last stage. Several windows go through these stages together.
        MultiMethod::Pippenger(_) => {
            let together = (points / DIGITS_TOGETHER as f64).ceil();
            first + 4.0 * rounds(2.0 * lists) + 4.0 * together
        }
    }
}
