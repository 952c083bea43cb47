//! Digits to points: the odd multiples of a fresh key, and the table of a point that is used
//! again and again.

mod generator;
mod odd_multiples;
mod prefetch;
mod rows;
mod window_table;

pub use generator::generator_table;
pub use odd_multiples::OddMultiples;
pub(crate) use rows::double_rows_vartime;
pub use window_table::{MAX_WINDOW, WindowRows, WindowTable};
