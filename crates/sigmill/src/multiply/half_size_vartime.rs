//! The check that u1 G + u2 Q is a known point R, with half the doublings.

use super::double_base_vartime::add_up;
use super::tree_sum_vartime;
use crate::curve::{AffinePoint, BaseField, Curve, Group, JacobianPoint, PointForm, ScalarField};
use crate::recode::WnafVartime;
use crate::scalar::{self, Halves, halves_vartime};
use crate::table::{OddMultiples, fill_odd_multiples_vartime, generator_table};

/// Returns true if u1 G + u2 Q = R, for Q on the curve, u1 and u2 below the order, and R on the
/// curve or compressed. Returns false if R is compressed and no such point exists.
///
/// Let mu u2 = lambda modulo n, with both [half](halves_vartime) as long as n and mu not zero. The
/// equation holds if and only if (mu u1) G + lambda Q - mu R is infinity, because mu is a unit
/// modulo n, which is the order of the group. lambda and mu are used as non-adjacent forms, over
/// doublings that Q and R share. G uses its table and needs no doublings.
///
/// For P-256: 128 doublings, about 2 · 26 + 24 mixed additions, 8 points made affine by one
/// inversion; docs/half-size.md counts. Correct for every Q, R, u1 and u2. Variable time: for
/// public values only.
#[inline(never)]
pub fn is_double_base_sum_vartime<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
    group: &Group<C, F>,
    order: S,
    u1: &C::Integer,
    (q, u2): (&AffinePoint<C::BaseElement>, &C::Integer),
    r: &PointForm<C::BaseElement>,
) -> bool {
    let halves = halves_vartime(&order.modulus(), u2);
    let element = |integer| scalar::element(order, integer);
    let sum = if const { size_of::<C::Integer>() <= LONGEST_BY_FOUR } {
        difference::<C, F, 4>(group, q, &halves, r)
    } else {
        difference::<C, F, 8>(group, q, &halves, r)
    };
    let Some(sum) = sum else {
        return false;
    };
    let mu_u1 = order.mul(&element(&halves.mu.magnitude), &element(u1));
    let mu_u1 = order.to_integer(&order.negate_if(&mu_u1, halves.mu.negative != 0));
    let terms = generator_table(group).terms_vartime(mu_u1.as_ref());
    let rest = tree_sum_vartime(group, group.infinity(), terms);
    group.are_opposite(&sum, &rest)
}

/// The longest integers, in bytes, whose halves work best with four odd multiples; longer ones work
/// best with eight. Four more multiples cost 48 products, and save one addition, of 11 products, in
/// 30 bits. That saves 47 products for the halves of 256 bits, 70 for those of 384, and 95 for
/// those of 521.
const LONGEST_BY_FOUR: usize = 32;

/// lambda Q - mu R, using `COUNT` odd multiples of each; `None` if R is not a point.
#[inline(always)]
fn difference<C: Curve, F: BaseField<C>, const COUNT: usize>(
    group: &Group<C, F>,
    q: &AffinePoint<C::BaseElement>,
    halves: &Halves<C::Integer>,
    r: &PointForm<C::BaseElement>,
) -> Option<JacobianPoint<C::BaseElement>> {
    let (first_r, y_is_odd) = r.with_parity();
    let mut multiples = [[*q; COUNT], [first_r; COUNT]];
    let rows = multiples.as_flattened_mut();
    let mut scratch = [[q.x; COUNT]; 2];
    let scratch = scratch.as_flattened_mut();
    if !fill_odd_multiples_vartime(group, rows, COUNT, y_is_odd, scratch) {
        return None;
    }
    let width = OddMultiples::<(), COUNT>::WIDTH;
    let lambda = WnafVartime::new(halves.lambda.as_ref(), width);
    let mut minus_mu = WnafVartime::new(halves.mu.magnitude.as_ref(), width);
    if halves.mu.negative == 0 {
        minus_mu.negate();
    }
    let [multiples_q, multiples_r] = &multiples;
    let terms = [(&multiples_q[..], &lambda), (&multiples_r[..], &minus_mu)];
    Some(add_up(group, &terms))
}
