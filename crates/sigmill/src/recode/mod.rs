//! Scalars to digits: how a multiplication is cut into additions.

mod booth;
mod lane_digits;
mod odd_windows;
mod wnaf_vartime;

pub use booth::{booth_digit, booth_digits};
pub use lane_digits::{LaneDigits, lane_digits};
pub use odd_windows::{make_odd, odd_digit, odd_digits};
pub use wnaf_vartime::WnafVartime;
