//! The table of a curve's generator, built once a process at its first use.

use alloc::boxed::Box;

use super::WindowRows;
use super::window_table::build_points_vartime;
use crate::curve::{BaseField, Curve, Group, Points};

/// The table of the generator with the curve's [`GENERATOR_WINDOW`](Curve::GENERATOR_WINDOW).
///
/// Built at the first call (some 2 ms for P-256); a race between threads builds it
/// twice and keeps one.
#[inline(always)]
pub fn generator_table<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
) -> WindowRows<'static, C::BaseElement> {
    let points = C::generator_cell().get_or_init(|| build(group));
    WindowRows::new(C::GENERATOR_WINDOW, points)
}

#[cold]
#[inline(never)]
fn build<C: Curve, F: BaseField<C>>(group: &Group<C, F>) -> Box<Points<C::BaseElement>> {
    match build_points_vartime(group, &C::GENERATOR, C::GENERATOR_WINDOW) {
        Ok(points) => Box::new(points),
        Err(_) => unreachable!("the window of a generator is a constant in range"),
    }
}
