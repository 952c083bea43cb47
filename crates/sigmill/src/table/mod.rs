//! Digits to points: the odd multiples of a fresh key, and the table of a point that is used again
//! and again.

mod base;
mod edwards_base;
mod generator;
mod masked;
#[cfg(target_arch = "x86_64")]
mod masked_quads;
mod odd_multiples;
mod prefetch;
mod rows;
mod rows_in_lanes;
mod spread;
mod window_table;

pub use base::base_table;
pub use edwards_base::{
    EDWARDS_DIGITS, EDWARDS_POINTS, EDWARDS_ROWS, EDWARDS_WINDOW, edwards_base_table,
    masked_edwards_multiple,
};
pub use generator::generator_table;
pub use masked::masked_odd_multiple;
pub use odd_multiples::OddMultiples;
pub(crate) use odd_multiples::{fill_odd_multiples_vartime, odd_multiples_vartime};
pub(crate) use prefetch::prefetch;
pub(crate) use rows::double_rows_vartime;
pub use spread::{SPREAD_POINTS, SPREAD_WINDOW, spread_rows_per_lane, spread_table};
pub use window_table::{MAX_WINDOW, WindowRows, WindowTable};
