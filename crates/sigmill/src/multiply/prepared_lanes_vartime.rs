//! Multiples of points that have tables, one sum spread over several lanes.

use super::tree_sum_vartime;
use crate::curve::{AffinePoint, Curve, Group, JacobianPoint, LanesOf};
use crate::field::{Field as _, Mask};
use crate::table::{WindowRows, generator_table};

/// The most points that are spread; sums of more go the way of one lane.
const MOST: usize = 112;

/// u1 G + u2 Q for a point Q with a table: no doubling, as many additions at once as there are
/// lanes.
///
/// For P-256, window 7 and eight lanes: about 61 table points, seven mixed additions in extended
/// coordinates (8M + 2S) of eight lanes, then three of each lane and another (12M + 4S). Where an
/// addition is exceptional in some lane, the sum is computed again by [`tree_sum_vartime`]. Scalars are
/// little-endian in limbs, below the order. Right for every input. Variable time: for public values
/// only.
#[inline(always)]
pub fn prepared_double_base_mul_lanes_vartime<C: Curve, L: LanesOf<C>>(
    wide: &Group<C, L>,
    single: &Group<C, L::Single>,
    u1: &[u64],
    q: WindowRows<'_, C::BaseElement>,
    u2: &[u64],
) -> JacobianPoint<C::BaseElement> {
    let generator = generator_table(single);
    let filler = q.point();
    let mut terms = [(filler, false); MOST];
    if q.len() + generator.len() <= MOST {
        let mut length = 0;
        let all = q.terms_vartime(u2).chain(generator.terms_vartime(u1));
        all.for_each(|term| {
            terms[length] = term;
            length += 1;
        });
        if let Some(sum) = add_across(wide, single, &terms[..length]) {
            return sum;
        }
    }
    let terms = q.terms_vartime(u2).chain(generator.terms_vartime(u1));
    tree_sum_vartime(single, single.infinity(), terms)
}

/// The sum of all terms; `None` where some lane meets an exceptional addition, or where there are
/// fewer terms than lanes.
#[inline(always)]
fn add_across<C: Curve, L: LanesOf<C>>(
    wide: &Group<C, L>,
    single: &Group<C, L::Single>,
    terms: &[(&AffinePoint<C::BaseElement>, bool)],
) -> Option<JacobianPoint<C::BaseElement>> {
    const WIDEST: usize = 8;
    const { assert!(L::WIDTH <= WIDEST) };
    let field = wide.field();
    let gather = |slot: usize| {
        let term = |lane: usize| terms[(slot * L::WIDTH + lane).min(terms.len() - 1)];
        let point = AffinePoint {
            x: field.pack(|lane| &term(lane).0.x),
            y: field.pack(|lane| &term(lane).0.y),
        };
        wide.negate_affine_if(&point, L::Mask::from_lanes(|lane| term(lane).1))
    };
    if terms.len() < L::WIDTH {
        return None;
    }
    let mut sum = wide.extended_from_affine(&gather(0));
    for slot in 1..terms.len().div_ceil(L::WIDTH) {
        let (next, wrong) = wide.add_extended_incomplete(&sum, &gather(slot));
        let absent = L::Mask::from_lanes(|lane| slot * L::WIDTH + lane >= terms.len());
        if (0..L::WIDTH).any(|lane| wrong.lane(lane) && !absent.lane(lane)) {
            return None;
        }
        sum = if absent.any() {
            wide.select_extended(absent, &sum, &next)
        } else {
            next
        };
    }
    let mut sum = wide.jacobian_from_extended(&sum);
    // Every lane ends with the sum of all: first of two lanes, then of four.
    let mut by = L::WIDTH / 2;
    while by > 0 {
        let other = JacobianPoint {
            x: field.rotate(&sum.x, by),
            y: field.rotate(&sum.y, by),
            z: field.rotate(&sum.z, by),
        };
        let (next, wrong) = wide.add_incomplete(&sum, &other);
        if wrong.any() {
            return None;
        }
        sum = next;
        by /= 2;
    }
    let first = |a: &L::Element| {
        let mut lanes = [single.field().zero(); WIDEST];
        field.unpack(a, &mut lanes[..L::WIDTH]);
        lanes[0]
    };
    Some(JacobianPoint {
        x: first(&sum.x),
        y: first(&sum.y),
        z: first(&sum.z),
    })
}
