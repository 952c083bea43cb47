//! The table of a curve's generator, built once per process at its first use.

use alloc::boxed::Box;

use super::WindowRows;
use super::window_table::build_points_vartime;
use crate::curve::{BaseField, Curve, Group, Points};

/// The table of the generator with the curve's [`generator_window`](Curve::generator_window).
///
/// Built at the first call (some 2 ms for P-256). A race between threads builds it twice and keeps
/// one.
#[inline(always)]
pub fn generator_table<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
) -> WindowRows<'static, C::BaseElement> {
    let curve = group.curve();
    let points = curve.generator_cell().get_or_init(|| build(group));
    WindowRows::new(curve.generator_window(), points)
}

#[cold]
#[inline(never)]
fn build<C: Curve, F: BaseField<C>>(group: &Group<C, F>) -> Box<Points<C::BaseElement>> {
    match build_points_vartime(
        group,
        group.curve().generator(),
        group.curve().generator_window(),
    ) {
        Ok(points) => Box::new(points),
        Err(_) => unreachable!("the window of a generator is a constant in range"),
    }
}
