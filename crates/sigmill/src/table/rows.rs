//! Rows of multiples: 1, 2, 3 ... times the first point of each row.

use crate::field::invert_all_vartime;
use alloc::vec::Vec;

use crate::curve::{AffinePoint, Curve, Group, LanesOf};

/// Extends each row from its first `known` points to twice that number: point known + j is the sum
/// of points known and j, or the double of point known.
///
/// All rows, `width` points each, grow together by affine additions that share one inversion: about
/// 6 products per point. Reports whether an addition had no slope; in that case points are wrong.
/// This cannot happen if the order is above 2 `known`, because then no sum is infinity and no two
/// points of a sum share x. Variable time: for public values only.
#[inline(never)]
pub(crate) fn double_rows_vartime<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    points: &mut [AffinePoint<L::Element>],
    width: usize,
    known: usize,
) -> bool {
    let f = group.field();
    let mut denominators = Vec::with_capacity(points.len() / width * known);
    for row in points.chunks_exact(width) {
        let last = &row[known - 1];
        for point in &row[..known - 1] {
            denominators.push(f.sub(&point.x, &last.x));
        }
        denominators.push(f.double(&last.y));
    }
    let mut scratch = denominators.clone();
    let zeros = invert_all_vartime(f, &mut denominators[..], &mut scratch);
    let mut slopes = denominators;
    for (row, slopes) in points
        .chunks_exact_mut(width)
        .zip(slopes.chunks_exact_mut(known))
    {
        let (old, new) = row[..2 * known].split_at_mut(known);
        let last = &old[known - 1];
        for (slope, point) in slopes.iter_mut().zip(&old[..known - 1]) {
            *slope = f.mul(slope, &f.sub(&point.y, &last.y));
        }
        slopes[known - 1] = f.mul(&slopes[known - 1], &group.affine_tangent(&last.x));
        group.add_affine_by_slope(|j| (&old[j], last), slopes, new);
    }
    zeros
}
