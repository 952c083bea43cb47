//! The table for multiplying a curve's generator by secrets, built once per process at its first
//! use.

use alloc::boxed::Box;

use aligned_vec::AVec;

use super::window_table::build_rows_vartime;
use crate::curve::{AffinePoint, BaseField, Curve, Group, Points};
use crate::field::PrimeField as _;
use crate::recode::odd_digits;

/// Row i holds j 2^(w i) G for j = 1, 3, 5 ... 2^w - 1, affine, for the curve's
/// [`base_window`](Curve::base_window) w: for P-256, 37 rows of 64 points, 151,552 bytes.
///
/// Built at the first call (well under a millisecond for P-256). A race between threads builds it
/// twice and keeps one.
#[inline(always)]
pub fn base_table<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
) -> &'static [AffinePoint<C::BaseElement>] {
    group.curve().base_cell().get_or_init(|| build(group))
}

#[cold]
#[inline(never)]
fn build<C: Curve, F: BaseField<C>>(group: &Group<C, F>) -> Box<Points<C::BaseElement>> {
    let curve = group.curve();
    let window = curve.base_window();
    let rows = odd_digits(curve.scalar_field().bits(), window);
    let width = 1 << window;
    let all = build_rows_vartime(group, curve.generator(), rows as usize, width, window);
    // The odd multiples are the first, the third ... of each row.
    let odd = all.iter().step_by(2).copied();
    Box::new(AVec::from_iter(64, odd))
}
