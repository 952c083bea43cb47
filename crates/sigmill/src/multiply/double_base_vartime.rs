//! u1 G + u2 Q for a point Q that is used once.

use super::tree_sum_vartime;
use crate::curve::{AffinePoint, BaseField, Curve, Group, JacobianPoint};
use crate::recode::WnafVartime;
use crate::table::{OddMultiples, generator_table};

/// u1 G + u2 Q: Q by a width-5 non-adjacent form over as many doublings as the order has bits, G
/// from its table without any.
///
/// For P-256: 256 doublings, about 43 + 32 mixed additions, 8 points made affine by one inversion.
/// Scalars are little-endian in limbs, below the order. Right for every Q, u1 and u2. Variable
/// time: for public values only.
#[inline(always)]
pub fn double_base_mul_vartime<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    u1: &[u64],
    q: &AffinePoint<C::BaseElement>,
    u2: &[u64],
) -> JacobianPoint<C::BaseElement> {
    let multiples = OddMultiples::new_vartime(group, q);
    let wnaf = WnafVartime::new(u2, OddMultiples::<C::BaseElement>::WIDTH);
    let mut sum = group.infinity();
    for &digit in wnaf.digits().iter().rev() {
        sum = group.double(&sum);
        if digit != 0 {
            let point = multiples.get_vartime(usize::from(digit.unsigned_abs()));
            let point = group.negate_affine_if(point, digit < 0);
            sum = group.add_mixed_vartime(&sum, &point);
        }
    }
    tree_sum_vartime(group, sum, generator_table(group).terms_vartime(u1))
}
