//! u1 G + u2 Q for a point Q that is used once.

use super::tree_sum_vartime;
use crate::curve::{AffinePoint, BaseField, Curve, Group, JacobianPoint};
use crate::recode::WnafVartime;
use crate::scalar::Half;
use crate::table::{OddMultiples, generator_table};

/// u1 G + u2 Q: Q by a width-5 non-adjacent form over as many doublings as the order has bits, G
/// from its table without any. Where the curve has an endomorphism, u2 = k1 + k2 lambda, and Q and
/// lambda Q share half as many doublings.
///
/// For P-256: 256 doublings, about 43 + 24 mixed additions, 8 points made affine by one inversion;
/// for secp256k1: 128 doublings, about 2 22 + 24 mixed additions.
/// Scalars are little-endian in limbs, below the order. Right for every Q, u1 and u2. Variable
/// time: for public values only.
#[inline(never)]
pub fn double_base_mul_vartime<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    u1: &[u64],
    q: &AffinePoint<C::BaseElement>,
    u2: &C::Integer,
) -> JacobianPoint<C::BaseElement> {
    let multiples = OddMultiples::new_vartime(group, q);
    let sum = match group.curve().endomorphism() {
        None => add_up(group, [(&multiples, WnafVartime::new(u2.as_ref(), WIDTH))]),
        Some(endomorphism) => {
            let images = multiples.map(|point| group.endomorphism(&endomorphism.beta, point));
            let [k1, k2] = endomorphism.split.halves(u2).map(|half| digits(&half));
            add_up(group, [(&multiples, k1), (&images, k2)])
        }
    };
    tree_sum_vartime(group, sum, generator_table(group).terms_vartime(u1))
}

/// The width that the multiples are made for.
const WIDTH: u32 = OddMultiples::<()>::WIDTH;

/// The digits of one part of a split integer.
#[inline(always)]
fn digits<I: AsRef<[u64]>>(half: &Half<I>) -> WnafVartime {
    let mut digits = WnafVartime::new(half.magnitude.as_ref(), WIDTH);
    if half.negative != 0 {
        digits.negate();
    }
    digits
}

/// The sum of multiples of some points over shared doublings.
#[inline(always)]
fn add_up<C: Curve, F: BaseField<C>, const COUNT: usize>(
    group: &Group<C, F>,
    terms: [(&OddMultiples<C::BaseElement>, WnafVartime); COUNT],
) -> JacobianPoint<C::BaseElement> {
    let lengths = terms.each_ref().map(|(_, wnaf)| wnaf.digits().len());
    let mut sum = group.infinity();
    for i in (0..lengths.into_iter().max().unwrap_or(0)).rev() {
        sum = group.double(&sum);
        for (multiples, wnaf) in &terms {
            let digit = wnaf.digits().get(i).copied().unwrap_or(0);
            if digit != 0 {
                let point = multiples.get_vartime(usize::from(digit.unsigned_abs()));
                let point = group.negate_affine_if(point, digit < 0);
                sum = group.add_mixed_vartime(&sum, &point);
            }
        }
    }
    sum
}
