//! The speed of a machine: the few numbers that all costs follow from.

use std::ops::Index;

use super::work::{Operations, Work};
use crate::CurveName;

/// The speed of the machine that an [`Engine`](crate::bulk::Engine) plans by. It affects which keys
/// get tables, and the times in [`Plan`](super::Plan)s, but no verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Speed {
    /// The speed of this machine with the backends that this process uses (see
    /// [`cpu::backends`](crate::cpu::backends)).
    ///
    /// The first engine of a process times a few rounds of products, squares and inversions on the
    /// caller's thread, in less than a millisecond for all kinds of fields. The caches are those
    /// that the CPU reports. With debug assertions, whose code says nothing about that of other
    /// builds, and without a clock, this is [`Fixed`](Self::Fixed).
    #[default]
    Measured,
    /// The same numbers everywhere, for decisions that do not depend on the machine or the moment.
    /// They are those of a CPU with MULX, ADCX and ADOX, one value at a time.
    Fixed,
}

/// A value for every curve, in the order of [`CurveName::ALL`].
#[derive(Clone, Copy, Debug)]
pub(in crate::bulk) struct ByCurve<T>([T; CurveName::ALL.len()]);

impl<T> ByCurve<T> {
    /// Creates the values by calling `of` for every curve.
    pub(super) fn of_every(mut of: impl FnMut(CurveName) -> T) -> Self {
        Self(std::array::from_fn(|place| of(CurveName::ALL[place])))
    }
}

fn place(curve: CurveName) -> usize {
    let place = CurveName::ALL.iter().position(|&other| other == curve);
    place.unwrap_or_else(|| unreachable!("ALL has every curve"))
}

impl<T> Index<CurveName> for ByCurve<T> {
    type Output = T;

    fn index(&self, curve: CurveName) -> &T {
        &self.0[place(curve)]
    }
}

/// The speed of a curve's field.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldSpeed {
    /// Operations on single values.
    pub(super) single: OperationSpeed,
    /// Operations on all lanes at once.
    pub(super) wide: OperationSpeed,
    /// The number of lanes; 1 if the field has none.
    pub(super) lanes: u32,
    /// An inversion of a single value, in picoseconds.
    pub(super) inversion: u64,
}

/// The times of operations, each with the sums and differences that come with it in formulas, in
/// picoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperationSpeed {
    /// A product or a square in the formulas for one point, where most wait for others.
    pub(super) in_turn: u64,
    /// A product among many side by side.
    pub(super) product: u64,
    /// A square among many side by side.
    pub(super) square: u64,
}

/// The number of looked-up points that cost as much as one inversion on their curve, in addition to
/// all products: for each point, a digit is extracted, cache lines are requested, and the point is
/// brought into lanes or negated. Points and inversions both work word by word, and their times
/// grow alike with the length of the numbers. A point costs 9 to 11 ns on P-256 with and without
/// lanes, and 15 to 18 on P-384 (Sapphire Rapids): the time that rows of windows from 4 to 11
/// needed in addition to their operations. Compare estimates with actual times by `sigmill verify
/// --explain`.
const POINTS_OF_INVERSION: f64 = 75.0;

/// The time that a batch spends on a row in addition to operations, in inversions of its curve: the
/// row is parsed and ordered, and gets a weight and scalars. This number, the points of lists,
/// powers (`FieldSpeed::powers`) and the numbers for keys and batches (`count_batch.rs`) were
/// fitted to calls of 64 to 4,096 rows on three curves with four backends (docs/planner.md).
const HANDLED_ROW: f64 = 0.5;

impl FieldSpeed {
    /// Returns [`Speed::Fixed`] for the field of a curve.
    ///
    /// Products cost time in proportion to the pairs of limbs, inversions in proportion to the
    /// limbs. The factors lie between those of primes with their own reductions and those of other
    /// primes (Sapphire Rapids: products 9 and 12 ns with four limbs, 41 with six; inversions 810
    /// and 1,300).
    pub(super) fn fixed(curve: CurveName) -> Self {
        let limbs = curve.field_len().div_ceil(8) as u64;
        let pairs = limbs * limbs;
        let speed = OperationSpeed {
            in_turn: 850 * pairs,
            product: 1000 * pairs,
            square: 900 * pairs,
        };
        Self {
            single: speed,
            wide: speed,
            lanes: 1,
            inversion: 210_000 * limbs,
        }
    }

    /// Returns the nanoseconds of work in this field.
    pub(super) fn nanoseconds(&self, work: &Work) -> f64 {
        let of_inversions =
            work.inversions + work.points / POINTS_OF_INVERSION + work.handled_rows * HANDLED_ROW;
        let picoseconds = self.single.in_turn(work.in_turn)
            + self.single.side_by_side(work.side_by_side)
            + self.wide.in_turn(work.lanes_in_turn)
            + self.wide.side_by_side(work.lanes_side_by_side)
            + self.powers(work.lanes_to_powers)
            + of_inversions * self.inversion as f64;
        picoseconds / 1000.0
    }

    /// Returns the picoseconds of powers: less than for products and squares that come with sums
    /// and differences.
    fn powers(&self, operations: Operations) -> f64 {
        let share = if self.lanes > 1 { 0.88 } else { 0.65 };
        share * self.wide.side_by_side(operations)
    }
}

impl OperationSpeed {
    fn in_turn(self, operations: Operations) -> f64 {
        (operations.products + operations.squares) * self.in_turn as f64
    }

    fn side_by_side(self, operations: Operations) -> f64 {
        operations.products * self.product as f64 + operations.squares * self.square as f64
    }
}
