//! Operation counts of a row or a table: one function for each strategy.
//!
//! They count the code in `multiply/`, `table/` and `ecdsa/`. If that code depends on digits, the
//! counts are averages over all integers. docs/verification.md and docs/tree-sum.md explain them,
//! and `tests/arithmetic/operation_counts.rs` runs that code over a field that counts.

use super::work::{Operations, Work};
use crate::curve::{AffinePoint, CoefficientA as _, Curve, Domain as _, for_curve};
use crate::field::{PrimeField as _, operations_of_root};
use crate::recode::{booth_digits, odd_digits};
use crate::table::OddMultiples;
use crate::{CurveName, multiply};

/// An addition of an affine point to one in Jacobian coordinates.
pub(super) const MIXED: Operations = Operations::new(8.0, 3.0);
/// An addition of an affine point to one in extended Jacobian coordinates.
const EXTENDED: Operations = Operations::new(8.0, 2.0);
/// An addition in extended Jacobian coordinates.
const EXTENDED_POINTS: Operations = Operations::new(12.0, 2.0);
/// An addition in Jacobian coordinates.
pub(super) const JACOBIAN: Operations = Operations::new(12.0, 4.0);
/// An addition in affine coordinates, with its share of an inversion.
pub(super) const AFFINE: Operations = Operations::new(5.0, 1.0);
/// A doubling in affine coordinates, with its share of an inversion.
const AFFINE_DOUBLING: Operations = Operations::new(5.0, 2.0);
/// From P to 2P + Q in affine coordinates, with its shares of two inversions.
const AFFINE_DOUBLE_AND_ADD: Operations = Operations::new(9.0, 2.0);
/// From Jacobian to affine coordinates, with its share of an inversion.
const TO_AFFINE: Operations = Operations::new(6.0, 1.0);
/// The operations of sharing an inversion in addition to the shares: from four chains to one and
/// back, and a conversion.
pub(super) const SHARING: Operations = Operations::products(10.0);

/// The rows that are judged at once, and the fewest rows of fresh keys that are multiplied by steps
/// that share inversions.
const MOST_TOGETHER: f64 = multiply::MOST_TOGETHER as f64;
const MANY_FRESH: u64 = multiply::MANY_FRESH as u64;
/// The groups of rows whose tables are built together, the window of their digits, in bits, and the
/// points of their tables (`multiply/odd_multiples_affine_vartime.rs`, `BUILDING`, `WINDOW`,
/// `TABLE`).
pub(super) const BUILDING: f64 = 64.0;
const MANY_WINDOW: u32 = 4;
const MANY_TABLE: f64 = 8.0;
/// The same for fewer rows (`multiply/variable_base_lanes_vartime.rs`).
const WINDOW: u32 = 5;
const TABLE: f64 = 16.0;
/// The points that a single sum adds at once, and the fewest points that are added in pairs
/// (`multiply/tree_sum_vartime.rs`, `MOST_TERMS`, `FEWEST_TERMS`).
const MOST_TERMS: f64 = 112.0;
const FEWEST_TERMS: f64 = 52.0;
/// The most points of a single sum in lanes (`multiply/prepared_lanes_vartime.rs`).
const MOST_TERMS_IN_LANES: u32 = 136;

/// The numbers of a curve that the counts are computed from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    /// The length of the order, in bits.
    pub(super) bits: u32,
    /// The most bits that the odd halves of an integer have, if the curve has an endomorphism.
    pub(super) half_bits: Option<u32>,
    /// A doubling in Jacobian coordinates.
    pub(super) doubling: Operations,
    /// A square root of a coordinate, among many.
    pub(super) root: Operations,
    /// The window of the generator's table.
    pub(super) generator_window: u32,
    /// The memory of a point in a table.
    pub(super) point_bytes: usize,
}

impl Shape {
    /// Returns the shape of the curve with this name.
    pub(super) fn of(curve: CurveName) -> Self {
        for_curve!(curve, domain => Self::of_curve(domain.curve()))
    }

    /// Returns the shape of a curve.
    fn of_curve<C: Curve>(curve: C) -> Self {
        let base = curve.base_field();
        let root = operations_of_root(base.modulus()).map(|operations| {
            let [products, squares] = operations.map(|number| number as f64);
            Operations::new(products, squares)
        });
        Self {
            bits: curve.scalar_field().bits(),
            half_bits: curve
                .endomorphism()
                .map(|endomorphism| endomorphism.split.bits()),
            doubling: Self::doubling_on(curve),
            // Primes that are not 3 modulo 4 need another method; no curve on the list has one.
            root: root.unwrap_or(Operations::new(0.0, f64::from(base.bits()))),
            generator_window: curve.generator_window(),
            point_bytes: size_of::<AffinePoint<C::BaseElement>>(),
        }
    }

    /// Returns the operations of a doubling in Jacobian coordinates on a curve.
    pub(super) fn doubling_on<C: Curve>(curve: C) -> Operations {
        let (products, squares) = curve.kind_of_a().products_and_squares();
        Operations::new(3.0, 3.0) + Operations::new(products.into(), squares.into())
    }
}

/// Returns the work of a row when `rows` rows are judged together and its key has a table of this
/// window, 0 for none. One row is a single call.
pub(super) fn row(shape: &Shape, window: u32, lanes: u32, rows: u64) -> Work {
    match (window, rows) {
        (0, ..2) => fresh(shape),
        (0, 2..) => fresh_in_block(shape, lanes, rows),
        (1.., ..2) => prepared(shape, window, lanes),
        (1.., 2..) => prepared_in_block(shape, window, lanes, rows),
    }
}

/// Returns the work of building a table of this window.
pub(super) fn build(shape: &Shape, window: u32) -> Work {
    let rows = f64::from(booth_digits(shape.bits, window));
    let row_length = f64::from(1_u32 << (window - 1));
    // All rows double their length together, by additions and one tangent per row.
    let levels = f64::from(window - 1);
    let tangents = Operations::new(0.0, 1.0) * (rows * levels);
    Work {
        in_turn: shape.doubling * ((rows - 1.0) * f64::from(window)),
        side_by_side: TO_AFFINE * rows
            + AFFINE * (rows * (row_length - 1.0))
            + tangents
            + SHARING * (levels + 1.0),
        inversions: levels + 1.0,
        ..Work::default()
    }
}

/// Returns the work of a single call with a fresh key.
fn fresh(shape: &Shape) -> Work {
    let generator_points = terms(shape, shape.generator_window).mean;
    let mut work = around_single() + tree_sum(generator_points, 1.0) + variable_base(shape);
    work.points = generator_points;
    work
}

/// Returns the work of multiplying a fresh key, one value wide.
fn variable_base(shape: &Shape) -> Work {
    let width = f64::from(OddMultiples::<()>::WIDTH);
    let (length, parts) = match shape.half_bits {
        None => (shape.bits, 1.0),
        // Halves need not be odd here, and are two bits shorter.
        Some(half) => (half - 2, 2.0),
    };
    let length = f64::from(length);
    // Q, 3Q, ... 15Q, where one product turns an inverse into the one before; and their images.
    let multiples = Operations::new(3.0, 4.0)
        + Operations::new(4.0, 2.0) * 7.0
        + Operations::new(3.0, 1.0) * 7.0
        + Operations::products(14.0)
        + Operations::products(8.0) * (parts - 1.0);
    // The highest digit is 0.6 bits below the highest bit on average, and one digit in six is not
    // zero.
    Work {
        in_turn: multiples
            + shape.doubling * (length - 1.6)
            + MIXED * (parts * (length + 2.5) / (width + 1.0)),
        inversions: 1.0,
        ..Work::default()
    }
}

/// Returns the work of a single call with a key that has a table of this window.
fn prepared(shape: &Shape, window: u32, lanes: u32) -> Work {
    let (key, generator) = (terms(shape, window), terms(shape, shape.generator_window));
    let sum = key.mean + generator.mean;
    let mut work = around_single();
    if lanes > 1 && key.most + generator.most <= MOST_TERMS_IN_LANES {
        // Each lane adds its share of the points, and then the lanes are added up.
        let slots = (sum / f64::from(lanes) + 0.5).max(1.0);
        work.lanes_side_by_side =
            EXTENDED * (slots - 1.0) + EXTENDED_POINTS * f64::from(lanes.ilog2());
    } else {
        work += tree_sum(sum, 0.0);
    }
    work.points = sum;
    work
}

/// Returns the work of a row with a fresh key when `rows` rows are judged together.
fn fresh_in_block(shape: &Shape, lanes: u32, rows: u64) -> Work {
    let (bits, parts) = match shape.half_bits {
        None => (shape.bits, 1.0),
        Some(half) => (half, 2.0),
    };
    let are_many = rows >= MANY_FRESH;
    let rows = (rows as f64).min(if are_many {
        MOST_TOGETHER
    } else {
        block_rows(lanes)
    });
    let groups = (rows / f64::from(lanes)).ceil();
    let mut product = Work::default();
    let inversions = if are_many {
        // Affine coordinates: P, 3P ... 15P, then windows of odd digits.
        let windows = f64::from(odd_digits(bits, MANY_WINDOW));
        let doublings = f64::from(MANY_WINDOW - 1);
        product.lanes_side_by_side = AFFINE_DOUBLING * MANY_TABLE.log2()
            + AFFINE * (MANY_TABLE - 1.0)
            + (AFFINE_DOUBLING * doublings + AFFINE_DOUBLE_AND_ADD) * (windows - 1.0)
            + (AFFINE + Operations::products(1.0)) * (windows * (parts - 1.0));
        2.0 * MANY_TABLE.log2() * (groups / BUILDING).ceil()
            + (windows - 1.0) * (doublings + 2.0)
            + windows * (parts - 1.0)
    } else if lanes == 1 {
        product = variable_base(shape);
        product.side_by_side += TO_AFFINE;
        1.0
    } else {
        // Jacobian coordinates: P, 2P ... 16P, then Booth windows. No doubling comes before the
        // first digit; halves need not be odd here, and are two bits shorter.
        let windows = f64::from(booth_digits(bits, WINDOW));
        let length = bits - if parts > 1.0 { 2 } else { 0 };
        let doublings = f64::from(WINDOW * (booth_digits(length, WINDOW) - 1));
        product.lanes_side_by_side =
            AFFINE * (TABLE - 1.0) + Operations::new(0.0, 1.0) * 4.0 + TO_AFFINE;
        product.lanes_in_turn = shape.doubling * doublings
            + MIXED * (windows * parts)
            + Operations::products(windows * (parts - 1.0));
        5.0
    };
    let product = (product * groups + shared(inversions, lanes)) * rows.recip();
    let mut sum = terms(shape, shape.generator_window);
    let generator_points = sum.mean;
    sum.mean += 1.0;
    let mut work =
        product + block_sum(sum, lanes, rows.min(block_rows(lanes))) + block_scalars(lanes, rows);
    work.points = generator_points;
    work
}

/// Returns the work of a row when `rows` rows are judged together and its key has a table of this
/// window.
fn prepared_in_block(shape: &Shape, window: u32, lanes: u32, rows: u64) -> Work {
    let rows = (rows as f64).min(MOST_TOGETHER);
    let (key, generator) = (terms(shape, window), terms(shape, shape.generator_window));
    let sum = Terms {
        mean: key.mean + generator.mean,
        variance: key.variance + generator.variance,
        most: key.most + generator.most,
    };
    let points = sum.mean;
    let mut work = block_sum(sum, lanes, rows.min(block_rows(lanes))) + block_scalars(lanes, rows);
    work.points = points;
    work
}

/// Returns the number of rows whose sums share inversions.
fn block_rows(lanes: u32) -> f64 {
    multiply::block_rows(lanes as usize) as f64
}

/// Returns the number of points of a row that are looked up in a table of this window.
pub(super) fn table_points(shape: &Shape, window: u32) -> f64 {
    terms(shape, window).mean
}

/// The number of points that digits select: one for each digit that is not zero.
struct Terms {
    mean: f64,
    variance: f64,
    most: u32,
}

/// Returns the terms of an integer below the order in Booth windows.
fn terms(shape: &Shape, window: u32) -> Terms {
    let digits = booth_digits(shape.bits, window);
    let others = f64::from(digits - 1);
    let zero = 0.5_f64.powf(f64::from(window));
    // The highest digit consists of the bits that are left and the one below them.
    let left = shape.bits - window * (digits - 1);
    let highest_zero = 0.5_f64.powf(f64::from(left + 1));
    Terms {
        mean: others * (1.0 - zero) + (1.0 - highest_zero),
        variance: others * zero * (1.0 - zero) + highest_zero * (1.0 - highest_zero),
        most: digits,
    }
}

/// Returns the average of the largest number of points among the rows in `lanes` lanes: the mean
/// plus the standard deviations by which the largest of `lanes` normally distributed numbers
/// exceeds it.
fn most_of_lanes(terms: &Terms, lanes: u32) -> f64 {
    let deviations = match lanes {
        ..2 => 0.0,
        2..4 => 0.56,
        4..8 => 1.03,
        8.. => 1.42,
    };
    terms.mean + deviations * terms.variance.sqrt()
}

/// Returns the work of a single call in addition to its sum: steps 2 to 4, with an inversion, and 6
/// to 8.
fn around_single() -> Work {
    Work {
        in_turn: Operations::new(7.0, 1.0),
        inversions: 1.0,
        ..Work::default()
    }
}

/// Returns the work of summing `points` points in a single call, and with the probability `before`
/// an earlier point: pairs that share an inversion, and their sums two by two.
fn tree_sum(points: f64, before: f64) -> Work {
    if points > MOST_TERMS {
        return tree_sum(MOST_TERMS, before) + tree_sum(points - MOST_TERMS, 1.0);
    }
    // In half of the cases an odd point comes first, and each of two sums begins with one point. If
    // there is an earlier point, both sums are added to it.
    let two_by_two = |points: f64, before: f64| {
        let begun = EXTENDED * (points - 2.5) + MIXED * 0.5;
        let last = 1.0 - (1.0 - before) * 0.5;
        begun + Operations::products(4.0) + JACOBIAN * (1.0 + last)
    };
    if points < FEWEST_TERMS {
        return Work {
            in_turn: two_by_two(points, before),
            ..Work::default()
        };
    }
    let pairs = (points - 0.5) / 2.0;
    Work {
        in_turn: two_by_two(pairs, 1.0 - (1.0 - before) * 0.5) + MIXED * 0.5,
        side_by_side: AFFINE * pairs + SHARING,
        inversions: 1.0,
        ..Work::default()
    }
}

/// Returns the work of a row's sum, as a tree, and of the comparison; `rows` rows share inversions.
fn block_sum(terms: Terms, lanes: u32, rows: f64) -> Work {
    let points = most_of_lanes(&terms, lanes);
    let groups = (rows / f64::from(lanes)).ceil();
    // The longest of all rows determines the number of levels.
    let levels = (points + 1.0).log2().ceil();
    // The last addition needs no y.
    let additions = AFFINE * (points - 1.0) + Operations::products(-1.0);
    let sums = Work {
        lanes_side_by_side: additions * groups,
        in_turn: Operations::products(1.0) * rows,
        ..Work::default()
    };
    (sums + shared(levels, lanes)) * rows.recip()
}

/// Returns the work of a row's steps 2 to 4: its share of an inversion, u1 and u2.
fn block_scalars(lanes: u32, rows: f64) -> Work {
    let groups = (rows / f64::from(lanes)).ceil();
    let scalars = Work {
        lanes_side_by_side: Operations::products(3.0 + 2.0 + 2.0) * groups,
        ..Work::default()
    };
    (scalars + shared(1.0, lanes)) * rows.recip()
}

/// Returns the work of inversions, each of one value for all lanes, without the shares: from all
/// lanes to one and back, each halving needs a product.
pub(super) fn shared(inversions: f64, lanes: u32) -> Work {
    let sharing = SHARING + Operations::products(2.0) * f64::from(lanes.ilog2());
    Work {
        lanes_side_by_side: sharing * inversions,
        inversions,
        ..Work::default()
    }
}
