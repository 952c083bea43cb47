//! The costs of rows and tables: counted operations at the speed of the machine.

use once_cell::race::OnceBox;

use super::count::{self, Shape};
use super::count_batch::{self, BatchWork};
use super::key_costs::KeyCosts;
use super::memory::Caches;
use super::speed::{ByCurve, FieldSpeed, Speed};
use super::timing::{has_clock, time_fields};
use super::work::Work;
use crate::CurveName;
use crate::table::MAX_WINDOW;

/// The numbers of rows for which decisions are made; one is a single call.
const LEVELS: [u64; 6] = [1, 2, 8, 64, 256, 2048];

/// The costs of verification on one thread: the counted operations of each strategy, at a
/// [`Speed`].
///
/// The cost of a row depends on the number of rows that are judged together: up to 64 if keys have
/// tables, and up to 2,048 otherwise. One row is a single call.
#[derive(Debug)]
pub struct Costs {
    curves: ByCurve<(Shape, FieldSpeed)>,
    blocks: [BlockCosts; LEVELS.len()],
}

/// The costs of rows and tables on every curve, for one number of rows that are judged together.
pub(in crate::bulk) type BlockCosts = ByCurve<KeyCosts>;

/// The costs of rows in a batch of random weights, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(in crate::bulk) struct BatchCosts {
    /// Each row.
    pub(in crate::bulk) row: u64,
    /// Each key, whatever the number of its rows.
    pub(in crate::bulk) key: u64,
}

impl Costs {
    /// Returns the costs at a speed, computed once.
    pub fn at(speed: Speed) -> &'static Self {
        static FIXED: OnceBox<Costs> = OnceBox::new();
        static MEASURED: OnceBox<Costs> = OnceBox::new();
        if speed == Speed::Fixed || cfg!(debug_assertions) || !has_clock() {
            let fields = || ByCurve::of_every(FieldSpeed::fixed);
            return FIXED.get_or_init(|| Box::new(Self::new(fields(), Caches::FIXED)));
        }
        let caches = Caches::of_this_machine;
        MEASURED.get_or_init(|| Box::new(Self::new(time_fields(), caches())))
    }

    fn new(fields: ByCurve<FieldSpeed>, caches: Caches) -> Self {
        let curves = ByCurve::of_every(|curve| (Shape::of(curve), fields[curve]));
        let blocks = LEVELS.map(|rows| {
            ByCurve::of_every(|curve| {
                let (shape, field) = &curves[curve];
                KeyCosts::new(shape, field, caches, rows)
            })
        });
        Self { curves, blocks }
    }

    /// Returns the work of a row when `rows` rows are judged together and its key has a table of
    /// this window, 1 to 11 bits; 0 means no table.
    pub fn row_work(&self, curve: CurveName, window: u32, rows: u64) -> Work {
        let (shape, field) = &self.curves[curve];
        count::row(shape, window.min(MAX_WINDOW), field.lanes, rows)
    }

    /// Returns the nanoseconds of a row when `rows` rows are judged together and its key has a
    /// table of this window, 1 to 11 bits, in near caches; 0 means no table.
    pub fn row(&self, curve: CurveName, window: u32, rows: u64) -> u64 {
        let (_, field) = &self.curves[curve];
        field.nanoseconds(&self.row_work(curve, window, rows)) as u64
    }

    /// Returns the work of building a table of this window, 1 to 11 bits.
    pub fn build_work(&self, curve: CurveName, window: u32) -> Work {
        count::build(&self.curves[curve].0, window.clamp(1, MAX_WINDOW))
    }

    /// Returns the nanoseconds of building a table of this window, 1 to 11 bits.
    pub fn build(&self, curve: CurveName, window: u32) -> u64 {
        let (_, field) = &self.curves[curve];
        field.nanoseconds(&self.build_work(curve, window)) as u64
    }

    /// Returns the work in a batch of random weights, of `rows` rows of `keys` keys: 1 to 8,192
    /// rows, and at most as many keys. `takes_roots` means that hints are two bits of R, and not
    /// y(R).
    pub fn batch_work(
        &self,
        curve: CurveName,
        rows: u64,
        keys: u64,
        takes_roots: bool,
    ) -> BatchWork {
        let (shape, field) = &self.curves[curve];
        count_batch::batch(shape, field.lanes, rows, keys, takes_roots)
    }

    /// Returns the costs of [`batch_work`](Self::batch_work).
    pub(in crate::bulk) fn batch(
        &self,
        curve: CurveName,
        rows: u64,
        keys: u64,
        takes_roots: bool,
    ) -> BatchCosts {
        let (_, field) = &self.curves[curve];
        let BatchWork { row, key } = self.batch_work(curve, rows, keys, takes_roots);
        let [row, key] = [row, key].map(|work| field.nanoseconds(&work) as u64);
        BatchCosts { row, key }
    }

    /// Returns the costs when `rows` rows are judged together.
    pub(in crate::bulk) fn in_block(&self, rows: u64) -> &BlockCosts {
        &self.blocks[LEVELS.partition_point(|&level| level <= rows.max(1)) - 1]
    }
}
