//! The point that two parties share, computed as a sum of multiples.

use alloc::vec;
use alloc::vec::Vec;
use core::iter;

use zeroize::Zeroizing;

use super::SharedSecret;
use super::defect::{Defect, Drawn};
use crate::ct;
use crate::curve::{
    AffinePoint, BaseField, Curve, Group, JacobianPoint, PointForm, ScalarLanesOf, SecretLanesOf,
    SecretLanesOperation,
};
use crate::error::Error;
use crate::field::{Field as _, PrimeField};
use crate::multiply::{
    OddMultipleRows, SecretTerm, blinded_secret_sum, generator_row, secret_sum, start_doublings,
    tree_sum_vartime,
};
use crate::scalar;
use crate::table::generator_table;

/// x(P) of the sum P of secret multiples of public points and of the defect of a signature.
pub(super) struct SharedPoint<'a, C: Curve> {
    /// Secret integers modulo n, and the points they multiply.
    pub(super) terms: &'a [SharedTerm<'a, C>],
    /// A signature that must be valid, and the random values for it.
    pub(super) defect: Option<(Defect<'a, C>, &'a Drawn)>,
}

/// A secret integer modulo n, and the public point that it multiplies.
pub(super) type SharedTerm<'a, C> = (
    &'a <C as Curve>::ScalarElement,
    &'a AffinePoint<<C as Curve>::BaseElement>,
);

impl<C: Curve> SecretLanesOperation<C> for SharedPoint<'_, C> {
    const OF_MANY: bool = false;

    type Output = Result<SharedSecret, Error>;

    #[inline(always)]
    fn run<L: SecretLanesOf<C>, S: ScalarLanesOf<C>>(
        self,
        curve: C,
        lanes: L,
        order: S,
    ) -> Self::Output {
        let (base, order) = (lanes.single(), order.single());
        let group = Group::new(curve, base);
        let mut integers = ct::secrets(order.modulus(), self.terms.len() + 2);
        for (integer, (scalar, _)) in integers.iter_mut().zip(self.terms) {
            *integer = order.to_integer(scalar);
        }
        let mut points = Vec::with_capacity(integers.len());
        let of_terms = self
            .terms
            .iter()
            .map(|(_, point)| PointForm::Affine(**point));
        points.extend(of_terms);
        let bits = order.bits();
        let Some((defect, drawn)) = self.defect else {
            // No point is compressed, so all of them exist.
            let rows = OddMultipleRows::new_vartime(&group, order, &points);
            let rows = rows.ok_or(Error::HintNotOnCurve)?;
            let terms = terms_of(&integers, &rows, iter::repeat(bits));
            return shared_x(&group, &secret_sum(&group, order, &terms));
        };

        let parts = defect.parts_vartime(&group, order)?;
        points.extend([PointForm::Affine(*parts.issuer), parts.minus_r]);
        let wide = Group::wide(curve, lanes);
        let rows =
            OddMultipleRows::new_vartime(&wide, order, &points).ok_or(Error::HintNotOnCurve)?;
        let weight = drawn.weight(order);
        let weight_element = Zeroizing::new(scalar::element(order, &weight.integer));
        let weighted = |u| Zeroizing::new(order.mul(&weight_element, u));
        let [of_issuer, of_point] = &mut integers[self.terms.len()..] else {
            unreachable!("two more than there are terms")
        };
        *of_issuer = order.to_integer(&weighted(&parts.u2));
        *of_point = *weight.integer;
        let all_bits = iter::repeat_n(bits, points.len() - 1).chain([weight.bits]);
        let terms = terms_of(&integers, &rows, all_bits);
        let of_generator = weighted(&parts.u1);

        // 2^m v G is added to the sum, where it blinds the additions, and is subtracted again with
        // the multiple of the generator.
        let start = drawn.start(order);
        let blinding = Zeroizing::new(order.mul(
            &scalar::element(order, &start.integer),
            &power_of_two(order, start_doublings(order)),
        ));
        let rest = Zeroizing::new(order.sub(&of_generator, &blinding));
        let k = Zeroizing::new(order.to_integer(&rest));
        // v may be public: the points, the certificate and the secrets were fixed before it was
        // drawn, it is used for this sum only, and k stays as secret as l u1.
        let v = ct::declassify(&*start.integer);
        let multiples = generator_table(&group).terms_vartime(v.as_ref());
        let point = tree_sum_vartime(&group, group.infinity(), multiples);
        let sum = blinded_secret_sum(&wide, &group, order, &point, &terms, &k);
        let sum = sum.unwrap_or_else(|| {
            // This happens with probability 2^-114, or because the point is infinity, which is
            // reported to the caller.
            let k = Zeroizing::new(order.to_integer(&of_generator));
            let of_generator = SecretTerm {
                k: &*k,
                bits,
                multiples: generator_row(&group, order),
            };
            secret_sum(&group, order, &[&terms[..], &[of_generator]].concat())
        });
        shared_x(&group, &sum)
    }
}

/// The terms of a sum: integers, the rows of the points, and upper bounds on the integers' bit
/// lengths.
fn terms_of<'a, C: Curve>(
    integers: &'a [C::Integer],
    rows: &'a OddMultipleRows<C::BaseElement>,
    bits: impl Iterator<Item = u32>,
) -> Vec<SecretTerm<'a, C>> {
    let terms = integers.iter().zip(rows.iter()).zip(bits);
    let terms = terms.map(|((k, multiples), bits)| SecretTerm { k, bits, multiples });
    terms.collect()
}

/// 2^exponent modulo n, by squaring and doubling.
fn power_of_two<S: PrimeField>(order: S, exponent: u32) -> S::Element {
    let mut power = order.one();
    for bit in (0..u32::BITS - exponent.leading_zeros()).rev() {
        power = order.square(&power);
        if exponent >> bit & 1 == 1 {
            power = order.double(&power);
        }
    }
    power
}

/// The x-coordinate as bytes, big-endian in the full length of the field.
#[inline(never)]
fn shared_x<C: Curve, F: BaseField<C>>(
    group: &Group<C, F>,
    point: &JacobianPoint<C::BaseElement>,
) -> Result<SharedSecret, Error> {
    let field = group.field();
    // Infinity is reported to the caller.
    if ct::declassify(&group.is_infinity(point)) {
        return Err(Error::SharedInfinity);
    }
    let z2 = Zeroizing::new(field.square(&point.z));
    let inverse = Zeroizing::new(field.invert(&z2));
    let x = Zeroizing::new(field.mul(&point.x, &inverse));
    let mut shared = SharedSecret(Zeroizing::new(vec![0; field.bytes()]));
    field.write_be_bytes(&x, &mut shared.0);
    Ok(shared)
}
