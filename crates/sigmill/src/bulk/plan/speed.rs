//! How fast a machine computes: the few numbers that all costs follow from.

use super::by_curve::ByCurve;
use super::memory::MemorySpeed;
use super::work::{Operations, Work};
use crate::field::MOST_LANES;
use crate::{CurveName, Error};

/// How fast a machine computes, in picoseconds of one thread: of this one
/// ([`measured`](Self::measured), and with more patience [`calibrate`](super::calibrate())), or
/// [`FIXED`](Self::FIXED) numbers.
///
/// Only the ratios decide what an engine does; the numbers themselves appear in
/// [`Plan`](super::Plan)s. Serializes as an object with the feature `serde`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Speed {
    fields: ByCurve<FieldSpeed>,
    /// What points take that are in no cache near the core.
    pub memory: MemorySpeed,
}

/// How fast the field of a curve is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[non_exhaustive]
pub struct FieldSpeed {
    /// On single values.
    pub single: OperationSpeed,
    /// On as many values at once as there are lanes.
    pub wide: OperationSpeed,
    /// How many lanes there are; 1 where there are none.
    pub lanes: u32,
    /// An inversion of a single value.
    pub inversion: u64,
}

/// What operations take, each with the sums and differences that come with it in formulas.
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
    /// A product of many side by side.
    pub product: u64,
    /// A square of many side by side.
    pub square: u64,
}

/// A point of a table takes as long as one in so many inversions of its curve, beside all products:
/// its digit is cut, its cache lines are asked for, and it is brought into lanes or negated. Both
/// are word by word, and grow alike with the length of the numbers. 9 to 11 ns on P-256 with and
/// without lanes, 15 to 18 on P-384 (Sapphire Rapids): what rows of windows from 4 to 11 took
/// beside their operations.
const POINTS_OF_INVERSION: f64 = 75.0;

/// What a batch does for a row beside operations takes as long as so much of an inversion of its
/// curve: it is parsed, ordered, and has a weight and scalars. This, the points of lists, powers
/// ([`FieldSpeed::powers`]) and what keys and batches count for (`count_batch.rs`) were fitted to
/// calls of 64 to 4,096 rows on three curves with four backends (docs/planner.md).
const HANDLED_ROW: f64 = 0.5;

impl Speed {
    /// The same numbers everywhere, for decisions that do not depend on the machine or the moment:
    /// those of some CPU with MULX, ADCX and ADOX, one value at a time.
    pub const FIXED: Self = Self {
        fields: ByCurve(fixed_fields()),
        memory: MemorySpeed::FIXED,
    };

    /// The speed of the field of every curve, and the memory's.
    pub(super) fn new(fields: ByCurve<FieldSpeed>, memory: MemorySpeed) -> Self {
        Self { fields, memory }
    }

    /// The speed of the field of a curve.
    pub fn of(&self, curve: CurveName) -> &FieldSpeed {
        &self.fields[curve]
    }

    /// The same, to change it.
    pub fn of_mut(&mut self, curve: CurveName) -> &mut FieldSpeed {
        &mut self.fields[curve]
    }

    /// Says whether every time is above 0, and whether there is a lane, and not too many.
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
    /// What work in this field takes, in nanoseconds.
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

    /// What powers take: less than products and squares with which sums and differences come.
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

/// Products take time as there are pairs of limbs, inversions as there are limbs. The factors are
/// between those of the primes that have reductions of their own and those of others (Sapphire
/// Rapids: products 9 and 12 ns with four limbs, 41 with six; inversions 810 and 1,300).
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
