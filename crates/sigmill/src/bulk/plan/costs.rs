//! The costs of rows and tables: counted operations at the speed of the machine.

use std::sync::Arc;

use once_cell::race::OnceBox;

use super::by_curve::ByCurve;
use super::count;
use super::count_batch::in_batch;
use super::shape::Shape;
use super::speed::Speed;
use super::weights::Weights;
use super::work::Work;
use crate::table::MAX_WINDOW;
use crate::{CurveName, Error};

/// The numbers of rows for which decisions are weighed; one is a single call.
const LEVELS: [u64; 6] = [1, 2, 8, 64, 256, 2048];

/// The costs of verification on one thread: the counted operations of each strategy, at a
/// [`Speed`].
///
/// The cost of a row depends on the number of rows that are judged together: up to 64 if keys have
/// tables, and up to 2,048 otherwise. One row is a single call.
///
/// ```
/// use sigmill::CurveName;
/// use sigmill::bulk::{Costs, Speed};
///
/// let costs = Costs::new(Speed::FIXED)?;
/// let single = costs.work(CurveName::P256, 7, 1);
/// let in_block = costs.work(CurveName::P256, 7, 64);
/// assert!(single.operations().products > in_block.operations().products);
/// assert!(costs.row(CurveName::P256, 7, 1) > costs.row(CurveName::P256, 7, 64));
/// // A key needs four rows for its table to be worth it.
/// assert_eq!(costs.pays_from(CurveName::P256, 10, 1), Some(4));
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Costs {
    speed: Speed,
    shapes: ByCurve<Shape>,
    weights: ByCurve<[Weights; LEVELS.len()]>,
}

impl Costs {
    /// Creates the costs at a speed.
    ///
    /// # Errors
    /// [`Error::SpeedOutOfRange`].
    pub fn new(speed: Speed) -> Result<Self, Error> {
        speed.check()?;
        Ok(Self::at(speed))
    }

    fn at(speed: Speed) -> Self {
        let shapes = ByCurve::of_every(Shape::of);
        let weights = ByCurve::of_every(|curve| {
            let (shape, field) = (&shapes[curve], speed.of(curve));
            LEVELS.map(|rows| Weights::new(shape, field, &speed.memory, rows))
        });
        Self {
            speed,
            shapes,
            weights,
        }
    }

    /// Returns the costs at [`Speed::FIXED`], computed once.
    pub(in crate::bulk) fn fixed() -> &'static Self {
        static FIXED: OnceBox<Costs> = OnceBox::new();
        FIXED.get_or_init(|| Box::new(Self::at(Speed::FIXED)))
    }

    /// Returns the costs at [`Speed::measured`], computed once.
    pub(in crate::bulk) fn measured() -> Arc<Self> {
        static MEASURED: OnceBox<Arc<Costs>> = OnceBox::new();
        let costs = MEASURED.get_or_init(|| Box::new(Arc::new(Self::at(Speed::measured()))));
        costs.clone()
    }

    /// Returns the speed.
    pub fn speed(&self) -> &Speed {
        &self.speed
    }

    /// Returns the work of a row when `rows` rows are judged together and its key has a table of
    /// this window, 1 to 11 bits; 0 means no table.
    pub fn work(&self, curve: CurveName, window: u32, rows: u64) -> Work {
        let (shape, lanes) = (&self.shapes[curve], self.speed.of(curve).lanes);
        match window.min(MAX_WINDOW) {
            0 => count::fresh_in_block(shape, lanes, rows),
            window => count::prepared_in_block(shape, window, lanes, rows),
        }
    }

    /// Returns the work of building a table of this window, 1 to 11 bits.
    pub fn work_to_build(&self, curve: CurveName, window: u32) -> Work {
        count::build(&self.shapes[curve], window.clamp(1, MAX_WINDOW))
    }

    /// Returns the nanoseconds of a row when `rows` rows are judged together and its key has a
    /// table of this window, 1 to 11 bits, in near caches; 0 means no table.
    pub fn row(&self, curve: CurveName, window: u32, rows: u64) -> u64 {
        let work = self.work(curve, window, rows);
        self.speed.of(curve).nanoseconds(&work) as u64
    }

    /// Returns the nanoseconds of building a table of this window, 1 to 11 bits.
    pub fn build(&self, curve: CurveName, window: u32) -> u64 {
        let work = self.work_to_build(curve, window);
        self.speed.of(curve).nanoseconds(&work) as u64
    }

    /// Returns the fewest rows for which a key without a table gets one, when `rows` rows are
    /// judged together and tables may be as wide as `widest`, 1 to 11 bits; `None` if a table never
    /// pays.
    pub fn pays_from(&self, curve: CurveName, widest: u32, rows: u64) -> Option<u64> {
        self.weights(curve, rows).pays_from(widest)
    }

    /// Returns the work of a row in a batch of `rows` rows of `keys` keys, with its share of a key
    /// and of the work that all rows have in common: 1 to 8,192 rows, and at most as many keys.
    /// `takes_roots` means that hints are two bits of R, and not y(R).
    pub fn work_in_batch(&self, curve: CurveName, rows: u64, keys: u64, takes_roots: bool) -> Work {
        let (shape, lanes) = (&self.shapes[curve], self.speed.of(curve).lanes);
        let work = in_batch(shape, lanes, rows, keys, takes_roots);
        work.row + work.key * (keys as f64 / rows.max(1) as f64).min(1.0)
    }

    /// Returns the costs in a batch of random weights, of `rows` rows of `keys` keys. `takes_roots`
    /// means that the hints leave a square root to compute.
    pub(in crate::bulk) fn batch(
        &self,
        curve: CurveName,
        rows: u64,
        keys: u64,
        takes_roots: bool,
    ) -> BatchCosts {
        let (shape, speed) = (&self.shapes[curve], self.speed.of(curve));
        let work = in_batch(shape, speed.lanes, rows, keys, takes_roots);
        let [row, key] = [work.row, work.key].map(|work| speed.nanoseconds(&work) as u64);
        BatchCosts { row, key }
    }

    /// Returns the weights for the rows of a key on a curve when `rows` rows are judged together.
    pub(in crate::bulk) fn weights(&self, curve: CurveName, rows: u64) -> &Weights {
        let level = LEVELS.partition_point(|&level| level <= rows.max(1)) - 1;
        &self.weights[curve][level]
    }
}

/// The costs of rows in a batch of random weights, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(in crate::bulk) struct BatchCosts {
    /// Each row.
    pub(in crate::bulk) row: u64,
    /// Each key, whatever the number of its rows.
    pub(in crate::bulk) key: u64,
}

/// The value of tables to a store of keys.
#[derive(Clone, Copy, Debug)]
pub(in crate::bulk) struct Worth<'a> {
    /// The costs that it is based on.
    pub(in crate::bulk) costs: &'a Costs,
    /// The number of rows that are judged together.
    pub(in crate::bulk) together: u64,
}

impl Worth<'static> {
    /// Returns the value for keys whose rows belong to no engine.
    pub(in crate::bulk) fn fixed() -> Self {
        Self {
            costs: Costs::fixed(),
            together: 1,
        }
    }
}

impl Worth<'_> {
    /// Returns the nanoseconds that a table of this window saves on a row; 0 means no table.
    pub(in crate::bulk) fn saving(&self, curve: CurveName, window: u32) -> u64 {
        self.costs.weights(curve, self.together).saving(window)
    }

    /// Returns the nanoseconds of building a table of this window.
    pub(in crate::bulk) fn building(&self, curve: CurveName, window: u32) -> u64 {
        self.costs.weights(curve, self.together).building(window)
    }
}
