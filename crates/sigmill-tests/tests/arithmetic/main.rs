//! Fields, points and their sums, against referees and exhaustively.

mod field_differential;
mod field_fiat;
mod field_lanes;
mod half_size;
mod halves;
mod multi;
mod operation_counts;
mod tiny_batches;
mod tiny_curves;
mod tree_sum;
