//! Scalars to digits: the decomposition of a multiplication into additions.

mod booth;
mod booth_lanes;
mod lane_scalars;
mod odd_windows;
mod wnaf_vartime;

pub use booth::{booth_digit, booth_digits};
pub use booth_lanes::BoothLanes;
pub use lane_scalars::{LaneDigits, LaneScalars};
pub use odd_windows::{make_odd, odd_digit, odd_digits};
pub use wnaf_vartime::{WnafVartime, for_each_digit_vartime, next_digit_vartime};
