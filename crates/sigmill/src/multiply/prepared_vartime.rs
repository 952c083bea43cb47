//! A multiple of a point that has a table: additions only.

use crate::curve::{BaseField, Curve, Group, JacobianPoint};
use crate::table::{WindowRows, generator_table};

/// `sum` + k P for a point P with a table.
///
/// One mixed addition (8M + 3S) for each digit of k that is not zero: about 37 for 256 bits and
/// window 7. k is little-endian in limbs. Right for every input, equal and opposite points and
/// infinity included. Variable time: for public values only.
#[inline(always)]
pub fn add_prepared_mul_vartime<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    mut sum: JacobianPoint<C::BaseElement>,
    table: WindowRows<'_, C::BaseElement>,
    k: &[u64],
) -> JacobianPoint<C::BaseElement> {
    for (point, negative) in table.terms_vartime(k) {
        sum = if negative {
            group.add_mixed_vartime(&sum, &group.negate_affine(point))
        } else {
            group.add_mixed_vartime(&sum, point)
        };
    }
    sum
}

/// u1 G + u2 Q for a point Q with a table: about 70 mixed additions, no doubling.
///
/// Scalars are little-endian in limbs, below the order. Variable time: for public values only.
#[inline(always)]
pub fn prepared_double_base_mul_vartime<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    u1: &[u64],
    q: WindowRows<'_, C::BaseElement>,
    u2: &[u64],
) -> JacobianPoint<C::BaseElement> {
    let sum = add_prepared_mul_vartime(group, group.infinity(), q, u2);
    add_prepared_mul_vartime(group, sum, generator_table(group), u1)
}
