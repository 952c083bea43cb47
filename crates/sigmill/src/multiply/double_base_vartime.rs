//! u1 G + u2 Q for a point Q that is used once.

use super::tree_sum_vartime;
use super::variable_base::double_often;
use crate::curve::{AffinePoint, BaseField, CompressedPoint, Curve, Group, JacobianPoint};
use crate::recode::WnafVartime;
use crate::scalar::Half;
use crate::table::{OddMultiples, generator_table};

/// u1 G + u2 Q. Q uses a width-5 non-adjacent form, over one doubling for each bit of the order. G
/// uses its table, without doublings. If the curve has an endomorphism, u2 = k1 + k2 lambda, and Q
/// and lambda Q share half as many doublings.
///
/// For P-256: 256 doublings, about 43 + 24 mixed additions, 8 points made affine by one inversion.
/// For secp256k1: 128 doublings, about 2 · 22 + 24 mixed additions. Scalars are little-endian in
/// limbs, below the order. Correct for every Q, u1 and u2. Variable time: for public values only.
#[inline(never)]
pub fn double_base_mul_vartime<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    u1: &[u64],
    q: &AffinePoint<C::BaseElement>,
    u2: &C::Integer,
) -> JacobianPoint<C::BaseElement> {
    let sum = variable_base_mul_vartime(group, q, u2);
    tree_sum_vartime(group, sum, generator_table(group).terms_vartime(u1))
}

/// [`double_base_mul_vartime`] for a compressed Q; `None` if that is not a point. A square root
/// replaces the inversion.
#[inline(never)]
pub fn decompressed_double_base_mul_vartime<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    u1: &[u64],
    q: &CompressedPoint<C::BaseElement>,
    u2: &C::Integer,
) -> Option<JacobianPoint<C::BaseElement>> {
    let multiples = OddMultiples::<_>::decompressed_vartime(group, q)?;
    let sum = sum_of_multiples(group, &multiples, u2);
    let terms = generator_table(group).terms_vartime(u1);
    Some(tree_sum_vartime(group, sum, terms))
}

/// k Q for a point Q that is used once, as above. Correct for every Q and k.
#[inline(never)]
pub(super) fn variable_base_mul_vartime<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    q: &AffinePoint<C::BaseElement>,
    k: &C::Integer,
) -> JacobianPoint<C::BaseElement> {
    sum_of_multiples(group, &OddMultiples::new_vartime(group, q), k)
}

/// k Q from the odd multiples of Q.
#[inline(never)]
fn sum_of_multiples<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    multiples: &OddMultiples<C::BaseElement>,
    k: &C::Integer,
) -> JacobianPoint<C::BaseElement> {
    match group.curve().endomorphism() {
        None => {
            let digits = WnafVartime::new(k.as_ref(), WIDTH);
            add_up(group, &[(multiples.as_slice(), &digits)])
        }
        Some(endomorphism) => {
            let images = multiples.map(|point| group.endomorphism(&endomorphism.beta, point));
            let [k1, k2] = endomorphism.split.halves(k).map(|half| digits(&half));
            add_up(
                group,
                &[(multiples.as_slice(), &k1), (images.as_slice(), &k2)],
            )
        }
    }
}

/// The width of the digits, for which the multiples are made.
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

/// The odd multiples of a point, and the digits of its multiple.
pub(super) type Term<'m, E> = (&'m [AffinePoint<E>], &'m WnafVartime);

/// The sum of multiples of several points over shared doublings.
#[inline(never)]
pub(super) fn add_up<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    terms: &[Term<'_, C::BaseElement>],
) -> JacobianPoint<C::BaseElement> {
    let lengths = terms.iter().map(|(_, wnaf)| wnaf.digits().len());
    let (mut sum, mut doublings) = (group.infinity(), 0);
    for i in (0..lengths.max().unwrap_or(0)).rev() {
        doublings += 1;
        for (multiples, wnaf) in terms {
            let digit = wnaf.digits().get(i).copied().unwrap_or(0);
            if digit != 0 {
                double_often(group, doublings, &mut sum);
                doublings = 0;
                let point = &multiples[usize::from(digit.unsigned_abs()) / 2];
                let point = group.negate_affine_if(point, digit < 0);
                sum = group.add_mixed_vartime(&sum, &point);
            }
        }
    }
    double_often(group, doublings, &mut sum);
    sum
}
