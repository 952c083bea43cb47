//! Straus's method: a table of odd multiples for each point, and, for each bit, the sum of the
//! multiples that the integers' non-adjacent forms select there.

use alloc::vec;
use alloc::vec::Vec;

use super::list_sums::{ListSums, Sums};
use super::lists::{Entry, lists_of};
use super::{MultiVartime, length};
use crate::curve::{AffinePoint, Curve, LanesOf};
use crate::field::lane_item;
use crate::multiply::affine_steps::DoubledPoint;
use crate::multiply::odd_multiples_affine_vartime::{BUILDING, OddMultiples, TABLE, WINDOW};
use crate::recode::for_each_digit_vartime;

/// Points whose multiples by powers of two, which their keys name, add up to the sum of the terms;
/// `None` if some multiple is infinity or two of them meet, which requires a tiny order.
///
/// Costs 10 affine additions and doublings for each table, and one addition for each nonzero digit,
/// one in six bits.
#[inline(never)]
pub(super) fn powers<C: Curve, L: LanesOf<C>>(
    terms: &MultiVartime<C, L>,
    sums: &mut ListSums<C, L>,
) -> Option<Sums<L::Lane>> {
    let tables = tables(terms)?;
    // One bit in six begins a digit, on average.
    let bits: u32 = terms.scalars.iter().map(|k| length(&k.magnitude)).sum();
    let mut keyed = Vec::with_capacity(bits as usize / 5);
    for (i, k) in terms.scalars.iter().enumerate() {
        // Odd digits below 2^WINDOW in absolute value.
        for_each_digit_vartime(k.magnitude.as_ref(), WINDOW + 1, |position, digit| {
            let multiple = usize::from(digit.unsigned_abs() / 2);
            let negative = (digit < 0) ^ (k.negative != 0);
            keyed.push((position, Entry::new(i * TABLE + multiple, negative)));
        });
    }
    let (entries, lists) = lists_of(keyed);
    Some(sums.add_up(&tables, &entries, &lists))
}

/// The odd multiples of every point, [`TABLE`] each.
#[inline(never)]
fn tables<C: Curve, L: LanesOf<C>>(
    terms: &MultiVartime<C, L>,
) -> Option<Vec<AffinePoint<L::Lane>>> {
    let field = terms.group.field();
    let mut groups = Vec::with_capacity(terms.points.len().div_ceil(L::WIDTH));
    for points in terms.points.chunks(L::WIDTH) {
        let point = terms.group.load_lanes(|lane| lane_item(points, lane));
        groups.push(DoubledPoint::from_affine(field, &point));
    }
    let first = terms.points.first()?;
    let mut tables = vec![*first; terms.points.len() * TABLE];
    let mut odd = vec![DoubledPoint::zeros(field); BUILDING.min(groups.len()) * TABLE];
    let mut building = OddMultiples::new(&terms.group);
    for (chunk, groups) in groups.chunks(BUILDING).enumerate() {
        let odd = &mut odd[..groups.len() * TABLE];
        if building.make_vartime(groups, odd) {
            return None;
        }
        let first = chunk * BUILDING * L::WIDTH * TABLE;
        for (place, multiple) in odd.iter().enumerate() {
            let (multiple_number, group) = (place / groups.len(), place % groups.len());
            let multiple = multiple.to_affine(field);
            let first = first + group * L::WIDTH * TABLE + multiple_number;
            let entries = tables.iter_mut().skip(first).step_by(TABLE);
            terms
                .group
                .take_lanes(&multiple, entries, |entry, point| *entry = point);
        }
    }
    Some(tables)
}
