//! Scalars to digits: how a multiplication is cut into additions.

mod booth;
mod wnaf_vartime;

pub use booth::{booth_digit, booth_digits};
pub use wnaf_vartime::WnafVartime;
