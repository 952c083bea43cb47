//! The generator's table for one secret multiplication that is spread over the lanes of a field.

use alloc::vec::Vec;

use super::window_table::build_rows_vartime;
use crate::curve::{AffinePoint, Curve, Group, SecretLanesOf};
use crate::field::PrimeField as _;
use crate::recode::odd_digits;

/// Number of bits of the window.
///
/// On P-256: 64 rows, that is 8 for each of 8 lanes with none left over, and 8 points of each row
/// to read. Window 5 would save one addition of eight lanes and read 75 % more. Measure with `bench
/// -- --only 'p256/sign/single'` after a change.
pub const SPREAD_WINDOW: u32 = 4;

/// Number of points in a row: the odd multiples 1 to 15.
pub const SPREAD_POINTS: usize = 1 << (SPREAD_WINDOW - 1);

/// Number of rows for each lane; `None` if the rows of curve `C` cannot be divided evenly, or if
/// there is only one lane.
pub fn spread_rows_per_lane<C: Curve, L: SecretLanesOf<C>>(group: &Group<C, L>) -> Option<usize> {
    let rows = odd_digits(group.curve().scalar_field().bits(), SPREAD_WINDOW) as usize;
    (L::WIDTH > 1 && rows.is_multiple_of(L::WIDTH)).then_some(rows / L::WIDTH)
}

/// [`SPREAD_POINTS`] points for each of [`spread_rows_per_lane`] steps. Lane l of point j of step i
/// holds the multiple 2j + 1 of 2^(4 r) G, for row r = i + `block(l)` times the rows per lane.
///
/// Built once per process, at the first call. `None` if the curve keeps it for another width.
#[inline(always)]
pub fn spread_table<C: Curve, L: SecretLanesOf<C>>(
    wide: &Group<C, L>,
    single: &Group<C, L::Single>,
    block: fn(usize) -> usize,
) -> Option<&'static [AffinePoint<L::Element>]> {
    let cell = wide.curve().spread_cell();
    cell.get_or_init(|| build(wide, single, block))
}

#[cold]
#[inline(never)]
fn build<C: Curve, L: SecretLanesOf<C>>(
    wide: &Group<C, L>,
    single: &Group<C, L::Single>,
    block: fn(usize) -> usize,
) -> Vec<AffinePoint<L::Element>> {
    let per_lane = spread_rows_per_lane(wide).unwrap_or(0);
    let width = 2 * SPREAD_POINTS;
    let rows = per_lane * L::WIDTH;
    let points = build_rows_vartime(
        single,
        single.curve().generator(),
        rows,
        width,
        SPREAD_WINDOW,
    );
    let mut table = Vec::with_capacity(per_lane * SPREAD_POINTS);
    for step in 0..per_lane {
        for j in 0..SPREAD_POINTS {
            let point = |lane: usize| &points[(block(lane) * per_lane + step) * width + 2 * j];
            table.push(wide.pack(point));
        }
    }
    table
}
