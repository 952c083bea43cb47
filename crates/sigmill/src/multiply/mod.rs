//! Sums of multiples of points, one file per algorithm.

mod affine_steps;
mod base;
mod base_lanes;
mod base_spread;
mod block_sums_vartime;
mod digit_sums;
mod double_base_many_vartime;
mod double_base_vartime;
mod edwards_base;
mod extended_sums;
mod gathering;
mod half_size_vartime;
mod lane_terms;
mod multi_vartime;
mod odd_multiples_affine_vartime;
mod odd_multiples_lanes_vartime;
mod parts;
mod prepared_lanes_vartime;
mod prepared_vartime;
mod secret_sum;
mod slot_pairs;
mod tree_sum_vartime;
mod variable_base;
mod variable_base_affine;
mod variable_base_affine_vartime;
mod variable_base_lanes_vartime;

pub use base::base_mul;
pub use base_lanes::{FEWEST_IN_LANES, base_mul_lanes};
pub use base_spread::base_mul_spread;
pub use block_sums_vartime::BlockSumsVartime;
pub use double_base_many_vartime::{
    DoubleBaseManyVartime, MANY_FRESH, MOST_TOGETHER, RowSum, SumForm, TakeSum, block_rows,
};
pub use double_base_vartime::{decompressed_double_base_mul_vartime, double_base_mul_vartime};
pub use edwards_base::edwards_base_mul;
pub use half_size_vartime::is_double_base_sum_vartime;
pub use lane_terms::LaneMultiples;
pub use multi_vartime::{
    DIGITS_TOGETHER, MultiCounts, MultiMethod, MultiTerms, MultiVartime, POINTS_TOGETHER,
};
pub use prepared_lanes_vartime::prepared_double_base_mul_lanes_vartime;
pub use prepared_vartime::prepared_double_base_mul_vartime;
pub use secret_sum::{
    OddMultipleRows, SecretTerm, blinded_secret_sum, generator_row, secret_sum, start_doublings,
};
pub use tree_sum_vartime::tree_sum_vartime;
pub use variable_base::variable_base_mul;
pub use variable_base_affine::variable_base_mul_affine;
pub use variable_base_affine_vartime::variable_base_mul_affine_vartime;
pub use variable_base_lanes_vartime::{LanesTerm, variable_base_mul_lanes_vartime};
