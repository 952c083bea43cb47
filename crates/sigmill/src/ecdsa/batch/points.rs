//! The points R that the hints of rows name.

use alloc::vec;
use alloc::vec::Vec;

use super::HintedVerify;
use crate::curve::{AffinePoint, BaseField, Curve, Group, LanesOf, ScalarField};
use crate::ecdsa::Hint;
use crate::ecdsa::hint::x_integer_vartime;

/// A row whose R is known.
#[derive(Clone, Copy)]
pub(super) struct Known<L> {
    pub(super) row: usize,
    pub(super) r: AffinePoint<L>,
}

/// Returns the points R that the hints name, in the order of their rows. So rows of one key stay
/// neighbours.
#[inline(never)]
pub(super) fn known_points<C: Curve, L: LanesOf<C>, S: ScalarField<C>>(
    group: &Group<C, L>,
    order: S,
    rows: &[HintedVerify<'_, C>],
) -> Vec<Known<L::Lane>> {
    let single = group.single();
    let Named { to_lift, to_check } = named_points(single.field(), order, rows);
    let mut known = Vec::with_capacity(to_lift.len() + to_check.len());
    let mut keep = |point: &AffinePoint<L::Element>, rows: &[(usize, bool)]| {
        group.take_lanes(point, rows, |&(row, is_on_curve), r| {
            if is_on_curve {
                known.push(Known { row, r });
            }
        });
    };
    let mut points = vec![];
    if !group.lift_placed_vartime(&to_lift, &mut keep) {
        points = lift_one_by_one(&single, &to_lift);
    }
    drop(to_lift);
    group.check_placed_vartime(&to_check, &mut keep);
    let mut is_known = vec![false; rows.len()];
    for known in &known {
        is_known[known.row] = true;
    }
    for (row, ..) in to_check {
        if !is_known[row] {
            points.extend(reduced_point(&single, order, &rows[row]).map(|point| (row, point)));
        }
    }
    group.each_lane(
        &points,
        |point| &point.1,
        |&(row, _), r| known.push(Known { row, r }),
    );
    by_row(known, rows.len())
}

/// The values that hints name: row numbers, and integers below p.
struct Named<I> {
    /// x(R), and whether y(R) is odd.
    to_lift: Vec<(usize, I, bool)>,
    /// x(R) and y(R), if x(R) is r.
    to_check: Vec<(usize, I, I)>,
}

#[inline(never)]
fn named_points<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
    base: F,
    order: S,
    rows: &[HintedVerify<'_, C>],
) -> Named<C::Integer> {
    let has_y = |row: &&HintedVerify<'_, C>| matches!(row.hint, Some(Hint::Y(_)));
    let whole = rows.iter().filter(has_y).count();
    let (mut to_lift, mut to_check) = (
        Vec::with_capacity(rows.len() - whole),
        Vec::with_capacity(whole),
    );
    for (row, i) in rows.iter().zip(0..) {
        let r = row.verify.signature.r();
        match row.hint {
            // The row already has its verdict.
            _ if row.verify.digest.is_empty() => {}
            Some(Hint::Id(id)) => {
                if let Some(x) = x_integer_vartime(base, order, *r, id.is_x_reduced()) {
                    to_lift.push((i, x, id.is_y_odd()));
                }
            }
            Some(Hint::Y(bytes)) => {
                let x = x_integer_vartime(base, order, *r, false);
                let point = x.zip(base.integer_from_be_bytes(bytes));
                to_check.extend(point.map(|(x, y)| (i, x, y)));
            }
            None => {}
        }
    }
    Named { to_lift, to_check }
}

/// Returns the points with these x that are on the curve.
#[inline(never)]
fn lift_one_by_one<C: Curve, F: BaseField<C>>(
    single: &Group<C, F>,
    to_lift: &[(usize, C::Integer, bool)],
) -> Vec<(usize, AffinePoint<C::BaseElement>)> {
    let mut points = vec![];
    for &(row, x, y_is_odd) in to_lift {
        let x = single.field().from_integer(&x);
        let point = x.and_then(|x| single.lift_x_vartime(&x, y_is_odd));
        points.extend(point.map(|point| (row, point)));
    }
    points
}

/// Returns the point of a row that has none at x = r: it is at x = r + n, which is hardly ever
/// below p.
#[cold]
#[inline(never)]
fn reduced_point<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
    single: &Group<C, F>,
    order: S,
    row: &HintedVerify<'_, C>,
) -> Option<AffinePoint<C::BaseElement>> {
    let r = row.verify.signature.r();
    row.hint?.point_vartime(single, order, r)
}

/// Sorts by row number. `rows` is the number of rows.
fn by_row<L: Copy>(known: Vec<Known<L>>, rows: usize) -> Vec<Known<L>> {
    if known.windows(2).all(|two| two[0].row < two[1].row) {
        return known;
    }
    let mut places = vec![None; rows];
    for (known, place) in known.iter().zip(0_usize..) {
        places[known.row] = Some(place);
    }
    let mut ordered = Vec::with_capacity(known.len());
    for place in places.into_iter().flatten() {
        ordered.push(known[place]);
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points found in several ways come in the order of their rows, and none is lost.
    #[test]
    fn known_points_come_in_the_order_of_their_rows() {
        let known = |row: usize| Known {
            row,
            r: AffinePoint { x: row, y: 2 * row },
        };
        for rows in [&[][..], &[3], &[0, 2, 5], &[1, 4, 0, 3], &[5, 4, 3, 1]] {
            let mut expected = rows.to_vec();
            expected.sort_unstable();
            let ordered = by_row(rows.iter().map(|&row| known(row)).collect(), 6);
            let found: Vec<_> = ordered.iter().map(|known| known.row).collect();
            assert_eq!(found, expected);
            let belong =
                |known: &Known<usize>| known.r.x == known.row && known.r.y == 2 * known.row;
            assert!(ordered.iter().all(belong));
        }
    }
}
