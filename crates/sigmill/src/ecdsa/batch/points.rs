//! The points R that the hints of rows name.

use alloc::vec;
use alloc::vec::Vec;

use super::HintedVerify;
use crate::curve::{AffinePoint, BaseField, Curve, Group, LanesOf, ScalarField};
use crate::ecdsa::hint::x_integer_vartime;
use crate::ecdsa::{Hint, RecoveryId};
use crate::field::{Lanes, Mask as _, SingleElement};

/// So many roots are taken together: what they need then stays in a first-level cache.
const IN_FIRST_CACHE: usize = 256;

/// A row whose R is known.
#[derive(Clone, Copy)]
pub(super) struct Known<L> {
    pub(super) row: usize,
    pub(super) r: AffinePoint<L>,
}

/// The points R that the hints name, in the order of their rows: so that rows of one key are
/// neighbours as they were.
#[inline(never)]
pub(super) fn known_points<C: Curve, L: LanesOf<C>, S: ScalarField<C>>(
    group: &Group<C, L>,
    order: S,
    rows: &[HintedVerify<'_, C>],
) -> Vec<Known<L::Lane>> {
    let field = group.field();
    let single = Group::new(group.curve(), field.single());
    let Named { to_lift, to_check } = named_points(field.single(), order, rows);
    let mut known = Vec::with_capacity(to_lift.len() + to_check.len());
    let r = field.r();
    let mut points = vec![];
    if !lift_all(group, &r, &to_lift, &mut known) {
        points = lift_one_by_one(&single, &to_lift);
    }
    drop(to_lift);
    check_all(group, &r, &to_check, &mut known);
    let mut is_known = vec![false; rows.len()];
    for known in &known {
        is_known[known.row] = true;
    }
    for (row, ..) in to_check {
        if !is_known[row] {
            points.extend(reduced_point(&single, order, &rows[row]).map(|point| (row, point)));
        }
    }
    in_lanes(
        field,
        &points,
        |point| &point.1,
        |&(row, _), r| known.push(Known { row, r }),
    );
    by_row(known, rows.len())
}

/// What hints name: the numbers of the rows, and integers below p.
struct Named<I> {
    /// x(R), and the hint with the parity of y(R).
    to_lift: Vec<(usize, I, RecoveryId)>,
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
            // The row has its verdict already.
            _ if row.verify.digest.is_empty() => {}
            Some(Hint::Id(id)) => {
                if let Some(x) = x_integer_vartime(base, order, *r, id.is_x_reduced()) {
                    to_lift.push((i, x, id));
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

/// Keeps the points of these x that are on the curve; `r` is [`Lanes::r`]. Says whether this prime
/// has roots in lanes: nothing is kept where it has none.
#[inline(never)]
fn lift_all<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    r: &L::Element,
    to_lift: &[(usize, C::Integer, RecoveryId)],
    known: &mut Vec<Known<L::Lane>>,
) -> bool {
    let field = group.field();
    let (mut x, mut y_is_odd) = (vec![], vec![]);
    for to_lift in to_lift.chunks(IN_FIRST_CACHE) {
        x.clear();
        y_is_odd.clear();
        for rows in to_lift.chunks(L::WIDTH) {
            // Where lanes are left over, the last row again.
            let of = |lane: usize| &rows[lane.min(rows.len() - 1)];
            x.push(field.mul(&field.pack_over_r(|lane| of(lane).1), r));
            y_is_odd.push(L::Mask::from_lanes(|lane| of(lane).2.is_y_odd()));
        }
        let Some(lifted) = group.lift_all_x_vartime(&x, &y_is_odd) else {
            return false;
        };
        for ((rows, x), (y, is_on_curve)) in to_lift.chunks(L::WIDTH).zip(&x).zip(&lifted) {
            let (x, y) = (field.lanes(x), field.lanes(y));
            let lanes = x.as_ref().iter().zip(y.as_ref()).zip(rows).enumerate();
            for (lane, ((&x, &y), &(row, ..))) in lanes {
                if is_on_curve.lane(lane) {
                    let r = AffinePoint { x, y };
                    known.push(Known { row, r });
                }
            }
        }
    }
    true
}

/// The points of these x that are on the curve.
#[inline(never)]
fn lift_one_by_one<C: Curve, F: BaseField<C>>(
    single: &Group<C, F>,
    to_lift: &[(usize, C::Integer, RecoveryId)],
) -> Vec<(usize, AffinePoint<C::BaseElement>)> {
    let mut points = vec![];
    for (row, x, id) in to_lift {
        let x = single.field().from_integer(x);
        let point = x.and_then(|x| single.lift_x_vartime(&x, id.is_y_odd()));
        points.extend(point.map(|point| (*row, point)));
    }
    points
}

/// The point of a row that is not at x = r: at x = r + n, which hardly ever is below p.
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

/// In the order of their rows, of which there are so many.
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

/// Keeps the points that are on the curve, as lanes hold them; x and y are integers below p, and
/// `r` is [`Lanes::r`]. 4M + 2S each.
#[inline(never)]
fn check_all<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    r: &L::Element,
    points: &[(usize, C::Integer, C::Integer)],
    known: &mut Vec<Known<L::Lane>>,
) {
    let field = group.field();
    for points in points.chunks(L::WIDTH) {
        // Where lanes are left over, the last point again.
        let of = |lane: usize| &points[lane.min(points.len() - 1)];
        let (point, is_on_curve) = group.from_integers(r, |lane| of(lane).1, |lane| of(lane).2);
        let (x, y) = (field.lanes(&point.x), field.lanes(&point.y));
        let coordinates = x.as_ref().iter().zip(y.as_ref());
        for (lane, ((&x, &y), &(row, ..))) in coordinates.zip(points).enumerate() {
            if is_on_curve.lane(lane) {
                let r = AffinePoint { x, y };
                known.push(Known { row, r });
            }
        }
    }
}

/// Hands over for each item its point as a lane holds it.
pub(super) fn in_lanes<L: Lanes, T>(
    field: L,
    items: &[T],
    point: impl Fn(&T) -> &AffinePoint<SingleElement<L>>,
    mut take: impl FnMut(&T, AffinePoint<L::Lane>),
) {
    for items in items.chunks(L::WIDTH) {
        // Where lanes are left over, the last point again.
        let of = |lane: usize| point(&items[lane.min(items.len() - 1)]);
        let x = field.pack(|lane| &of(lane).x);
        let y = field.pack(|lane| &of(lane).y);
        let (x, y) = (field.lanes(&x), field.lanes(&y));
        for (item, (&x, &y)) in items.iter().zip(x.as_ref().iter().zip(y.as_ref())) {
            take(item, AffinePoint { x, y });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points that are found by several ways come in the order of their rows, and none is lost.
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
