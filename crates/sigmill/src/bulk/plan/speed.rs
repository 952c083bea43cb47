//! The speed of a machine: the few numbers that all costs follow from.

use super::by_curve::ByCurve;
use super::memory::MemorySpeed;
use super::work::{Operations, Work};
use crate::field::MOST_LANES;
use crate::{CurveName, Error};

/// The speed of a machine, in picoseconds on one thread. It is that of this machine
/// ([`measured`](Self::measured), or with more patience [`calibrate`](super::calibrate())), or
/// consists of [`FIXED`](Self::FIXED) numbers.
///
/// Only the ratios affect the decisions of an engine; the numbers themselves appear in
/// [`Plan`](super::Plan)s. With the feature `serde`, it serializes as an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Speed {
    fields: ByCurve<FieldSpeed>,
    /// The extra time of points that are in no near cache.
    pub memory: MemorySpeed,
}

/// The speed of a curve's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[non_exhaustive]
pub struct FieldSpeed {
    /// Operations on single values.
    pub single: OperationSpeed,
    /// Operations on all lanes at once.
    pub wide: OperationSpeed,
    /// The number of lanes; 1 if the field has none.
    pub lanes: u32,
    /// An inversion of a single value.
    pub inversion: u64,
}

/// The times of operations, each with the sums and differences that come with it in formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[non_exhaustive]
pub struct OperationSpeed {
    /// A product or a square in the formulas for one point, where most wait for others.
    pub in_turn: u64,
    /// A product among many side by side.
    pub product: u64,
    /// A square among many side by side.
    pub square: u64,
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
/// powers ([`FieldSpeed::powers`]) and the numbers for keys and batches (`count_batch.rs`) were
/// fitted to calls of 64 to 4,096 rows on three curves with four backends (docs/planner.md).
const HANDLED_ROW: f64 = 0.5;

impl Speed {
    /// The same numbers everywhere, for decisions that do not depend on the machine or the moment.
    /// They are those of a CPU with MULX, ADCX and ADOX, one value at a time. `sigmill calibrate`
    /// measures those of a machine.
    pub const FIXED: Self = Self {
        fields: ByCurve(fixed_fields()),
        memory: MemorySpeed::FIXED,
    };

    /// Creates a speed from those of the fields and of memory.
    pub(super) fn new(fields: ByCurve<FieldSpeed>, memory: MemorySpeed) -> Self {
        Self { fields, memory }
    }

    /// Returns the speed of the field of a curve.
    pub fn of(&self, curve: CurveName) -> &FieldSpeed {
        &self.fields[curve]
    }

    /// Returns the speed of the field of a curve, to change it.
    pub fn of_mut(&mut self, curve: CurveName) -> &mut FieldSpeed {
        &mut self.fields[curve]
    }

    /// Checks that every time of a field is above 0, and that the number of lanes is in range.
    pub(in crate::bulk) fn check(&self) -> Result<(), Error> {
        let fields = self.fields.values();
        if self.memory.is_sound() && fields.copied().all(FieldSpeed::is_sound) {
            Ok(())
        } else {
            Err(Error::SpeedOutOfRange)
        }
    }
}

impl FieldSpeed {
    /// Returns the nanoseconds of work in this field.
    pub(super) fn nanoseconds(&self, work: &Work) -> f64 {
        let points = work.key_points + work.generator_points + work.list_points;
        let of_inversions =
            work.inversions + points / POINTS_OF_INVERSION + work.handled_rows * HANDLED_ROW;
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

    fn is_sound(self) -> bool {
        let Self { single, wide, .. } = self;
        let times = [single, wide].map(|speed| [speed.in_turn, speed.product, speed.square]);
        let mut times = times.as_flattened().iter();
        (1..=MOST_LANES as u32).contains(&self.lanes)
            && self.inversion > 0
            && times.all(|&time| time > 0)
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

const fn fixed_fields() -> [FieldSpeed; CurveName::ALL.len()] {
    let mut fields = [fixed_field(1); CurveName::ALL.len()];
    let mut place = 0;
    while place < fields.len() {
        fields[place] = fixed_field(CurveName::ALL[place].field_len().div_ceil(8) as u64);
        place += 1;
    }
    fields
}

/// Products cost time in proportion to the pairs of limbs, inversions in proportion to the limbs.
/// The factors lie between those of primes with their own reductions and those of other primes
/// (Sapphire Rapids: products 9 and 12 ns with four limbs, 41 with six; inversions 810 and 1,300).
const fn fixed_field(limbs: u64) -> FieldSpeed {
    let pairs = limbs * limbs;
    let speed = OperationSpeed {
        in_turn: 850 * pairs,
        product: 1000 * pairs,
        square: 900 * pairs,
    };
    FieldSpeed {
        single: speed,
        wide: speed,
        lanes: 1,
        inversion: 210_000 * limbs,
    }
}
