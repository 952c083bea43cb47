//! Fields, points and their sums, against referees and exhaustively.

mod field_differential;
mod field_fiat;
mod field_lanes;
mod field_narrow_x4;
mod halves;
mod operation_counts;
mod tiny_curves;
mod tree_sum;
