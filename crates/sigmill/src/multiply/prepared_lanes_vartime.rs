//! Multiples of points that have tables, with one sum spread over several lanes.

use super::extended_sums::{add_all, add_other, rotated};
use super::gathering::{Gathering, Term};
use super::tree_sum_vartime;
use crate::curve::{AffinePoint, Curve, FractionX, Group, LanesOf};
use crate::field::{Field as _, MOST_LANES, Mask};
use crate::table::{WindowRows, generator_table};

/// The most points of a sum in lanes. Sums of more points are computed in one lane. Measure with
/// `bench -- --only 'p384/verify/prepared/*'` after a change.
const MOST_TERMS: usize = 136;

/// u1 G + u2 Q for a point Q with a table. Needs no doubling, and performs one addition in each
/// lane at once.
///
/// For P-256, window 7 and eight lanes: about 61 table points, seven mixed additions in extended
/// coordinates (8M + 2S) of eight lanes, then three additions of each lane and another (12M + 2S).
/// For four lanes: 15, and then two. If an addition is exceptional in some lane,
/// [`tree_sum_vartime`] computes the sum again. Scalars are little-endian in limbs, below the
/// order. Correct for every input. Variable time: for public values only.
#[inline(never)]
pub fn prepared_double_base_mul_lanes_vartime<C: Curve, L: LanesOf<C>>(
    wide: &Group<C, L>,
    single: &Group<C, L::Single>,
    u1: &[u64],
    q: WindowRows<'_, C::BaseElement>,
    u2: &[u64],
) -> FractionX<C::BaseElement> {
    let generator = generator_table(single);
    const { assert!(L::WIDTH <= MOST_LANES) };
    let mut terms = [(q.point(), false); MOST_TERMS];
    if q.len() + generator.len() <= MOST_TERMS {
        let mut length = 0;
        let all = q.terms_vartime(u2).chain(generator.terms_vartime(u1));
        all.for_each(|term| {
            terms[length] = term;
            length += 1;
        });
        const { assert!(L::WIDTH >= 4 || L::WIDTH == 1, "places for all points") };
        let sum = if const { L::WIDTH == MOST_LANES } {
            add_across::<C, L, { MOST_TERMS / MOST_LANES }>(wide, single, &terms, length)
        } else {
            add_across::<C, L, { MOST_TERMS / 4 }>(wide, single, &terms, length)
        };
        if let Some(sum) = sum {
            return sum;
        }
    }
    let terms = q.terms_vartime(u2).chain(generator.terms_vartime(u1));
    single.fraction_x(&tree_sum_vartime(single, single.infinity(), terms))
}

/// The sum of the first `length` terms; `None` if some lane meets an exceptional addition, or if
/// there are fewer terms than lanes. Each lane has at most `SLOTS` terms.
#[inline(always)]
fn add_across<C: Curve, L: LanesOf<C>, const SLOTS: usize>(
    wide: &Group<C, L>,
    single: &Group<C, L::Single>,
    terms: &[Term<'_, C>],
    length: usize,
) -> Option<FractionX<C::BaseElement>> {
    if length < L::WIDTH {
        return None;
    }
    let field = wide.field();
    let mut slots = [AffinePoint::filled(field.zero()); SLOTS];
    let slots = &mut slots[..length.div_ceil(L::WIDTH)];
    let gathering = Gathering {
        group: *wide,
        terms,
        slots: &mut *slots,
    };
    field.each(gathering.slots.len(), gathering);
    let (last, others) = slots.split_last()?;
    let mut sum = match others {
        [first, others @ ..] => {
            let mut sum = wide.extended_from_affine(first);
            add_all(wide, others, &mut sum);
            sum
        }
        [] => return None,
    };
    // Some lanes may have no point in the last slot.
    let before = sum;
    add_all(wide, core::slice::from_ref(last), &mut sum);
    let absent = L::Mask::from_lanes(|lane| slots.len() * L::WIDTH - L::WIDTH + lane >= length);
    if absent.any() {
        sum = wide.select_extended(absent, &before, &sum);
    }
    // Every lane ends with the sum of all lanes: first of two lanes, then of four, and so on.
    let mut by = L::WIDTH / 2;
    while by > 0 {
        let other = rotated(field, &sum, by);
        add_other(wide, &other, &mut sum);
        by /= 2;
    }
    if field.is_zero(&sum.zz).any() {
        return None;
    }
    let first = |a: &L::Element| {
        let mut lanes = [single.field().zero(); MOST_LANES];
        field.unpack(a, &mut lanes[..L::WIDTH]);
        lanes[0]
    };
    Some(FractionX {
        x: first(&sum.x),
        zz: first(&sum.zz),
    })
}
