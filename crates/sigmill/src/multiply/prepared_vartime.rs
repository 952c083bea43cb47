//! Multiples of points that have tables, by additions only.

use super::tree_sum_vartime;
use crate::curve::{BaseField, Curve, Group, JacobianPoint};
use crate::table::{WindowRows, generator_table};

/// u1 G + u2 Q for a point Q with a table, without doublings.
///
/// For P-256 and window 7, about 61 table points, summed as in [`tree_sum_vartime`]. Scalars are
/// little-endian in limbs, below the order. Correct for every input. Variable time: for public
/// values only.
#[inline(never)]
pub fn prepared_double_base_mul_vartime<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    u1: &[u64],
    q: WindowRows<'_, C::BaseElement>,
    u2: &[u64],
) -> JacobianPoint<C::BaseElement> {
    let terms = q
        .terms_vartime(u2)
        .chain(generator_table(group).terms_vartime(u1));
    tree_sum_vartime(group, group.infinity(), terms)
}
