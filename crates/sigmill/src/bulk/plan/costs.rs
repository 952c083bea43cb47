//! What rows and tables cost: operations as they are counted, at the speed of the machine.

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

/// What verification costs on one thread: the operations of each strategy, as they are counted, at
/// a [`Speed`].
///
/// What a row costs depends on how many are judged together, up to 64 of keys with tables and 2,048
/// of others; one row is a single call.
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
    /// The costs at a speed.
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

    /// Those at [`Speed::FIXED`], made once.
    pub(in crate::bulk) fn fixed() -> &'static Self {
        static FIXED: OnceBox<Costs> = OnceBox::new();
        FIXED.get_or_init(|| Box::new(Self::at(Speed::FIXED)))
    }

    /// Those at [`Speed::measured`], made once.
    pub(in crate::bulk) fn measured() -> Arc<Self> {
        static MEASURED: OnceBox<Arc<Costs>> = OnceBox::new();
        let costs = MEASURED.get_or_init(|| Box::new(Arc::new(Self::at(Speed::measured()))));
        costs.clone()
    }

    /// The speed.
    pub fn speed(&self) -> &Speed {
        &self.speed
    }

    /// What a row takes, of so many that are judged together, of a key with a table of this window,
    /// 1 to 11 bits; 0 stands for no table.
    pub fn work(&self, curve: CurveName, window: u32, rows: u64) -> Work {
        let (shape, lanes) = (&self.shapes[curve], self.speed.of(curve).lanes);
        match window.min(MAX_WINDOW) {
            0 => count::fresh_in_block(shape, lanes, rows),
            window => count::prepared_in_block(shape, window, lanes, rows),
        }
    }

    /// What building a table of this window takes, 1 to 11 bits.
    pub fn work_to_build(&self, curve: CurveName, window: u32) -> Work {
        count::build(&self.shapes[curve], window.clamp(1, MAX_WINDOW))
    }

    /// The nanoseconds of a row, of so many that are judged together, of a key with a table of this
    /// window, 1 to 11 bits, in near caches; 0 stands for no table.
    pub fn row(&self, curve: CurveName, window: u32, rows: u64) -> u64 {
        let work = self.work(curve, window, rows);
        self.speed.of(curve).nanoseconds(&work) as u64
    }

    /// The nanoseconds of building a table of this window, 1 to 11 bits.
    pub fn build(&self, curve: CurveName, window: u32) -> u64 {
        let work = self.work_to_build(curve, window);
        self.speed.of(curve).nanoseconds(&work) as u64
    }

    /// The fewest rows for which a key without a table gets one, when its rows are among so many
    /// that are judged together, and tables may be as wide as `widest`, 1 to 11 bits; `None` where
    /// a table never pays.
    pub fn pays_from(&self, curve: CurveName, widest: u32, rows: u64) -> Option<u64> {
        self.weights(curve, rows).pays_from(widest)
    }

    /// What a row takes in a batch of so many rows of so many keys, with its share of a key and of
    /// what all rows take: 1 to 8,192 rows, and as many keys at most. `takes_roots` where hints say
    /// two bits of R, and not y(R).
    pub fn work_in_batch(&self, curve: CurveName, rows: u64, keys: u64, takes_roots: bool) -> Work {
        let (shape, lanes) = (&self.shapes[curve], self.speed.of(curve).lanes);
        let work = in_batch(shape, lanes, rows, keys, takes_roots);
        work.row + work.key * (keys as f64 / rows.max(1) as f64).min(1.0)
    }

    /// What rows cost in a batch of random weights, of so many rows of so many keys, where the
    /// hints leave a square root to be taken or not.
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

    /// What is weighed for the rows of a key on a curve, of which so many are judged together.
    pub(in crate::bulk) fn weights(&self, curve: CurveName, rows: u64) -> &Weights {
        let level = LEVELS.partition_point(|&level| level <= rows.max(1)) - 1;
        &self.weights[curve][level]
    }
}

/// What rows cost in a batch of random weights, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(in crate::bulk) struct BatchCosts {
    /// Each row.
    pub(in crate::bulk) row: u64,
    /// Each key, however many of the rows are of it.
    pub(in crate::bulk) key: u64,
}

/// What tables are worth to a store of keys.
#[derive(Clone, Copy, Debug)]
pub(in crate::bulk) struct Worth<'a> {
    /// By which costs.
    pub(in crate::bulk) costs: &'a Costs,
    /// The rows that are judged together.
    pub(in crate::bulk) together: u64,
}

impl Worth<'static> {
    /// For keys whose rows are of nobody.
    pub(in crate::bulk) fn fixed() -> Self {
        Self {
            costs: Costs::fixed(),
            together: 1,
        }
    }
}

impl Worth<'_> {
    /// The nanoseconds that a table of this window saves on a row; 0 stands for no table.
    pub(in crate::bulk) fn saving(&self, curve: CurveName, window: u32) -> u64 {
        self.costs.weights(curve, self.together).saving(window)
    }

    /// The nanoseconds that building a table of this window takes.
    pub(in crate::bulk) fn building(&self, curve: CurveName, window: u32) -> u64 {
        self.costs.weights(curve, self.together).building(window)
    }
}
