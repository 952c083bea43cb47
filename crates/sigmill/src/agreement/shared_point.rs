//! The point that two parties share, where it is a sum of multiples.

use alloc::vec;
use alloc::vec::Vec;

use zeroize::Zeroizing;

use super::SharedSecret;
use super::defect::{Defect, Drawn};
use crate::ct;
use crate::curve::{
    AffinePoint, BaseField, Curve, Group, JacobianPoint, ScalarLanesOf, SecretLanesOf,
    SecretLanesOperation,
};
use crate::error::Error;
use crate::field::{Field as _, PrimeField};
use crate::multiply::{
    SecretTerm, blinded_secret_sum, secret_sum, short_base_mul, start_doublings,
};
use crate::scalar;

/// x(P) of the sum P of secret multiples of public points, and of what is wrong with a signature.
pub(super) struct SharedPoint<'a, C: Curve> {
    /// Secret integers modulo n, and points.
    pub(super) terms: &'a [SharedTerm<'a, C>],
    /// A signature that must be one, and what is drawn for that.
    pub(super) defect: Option<(Defect<'a, C>, &'a Drawn)>,
}

/// A secret integer modulo n, and the public point that it multiplies.
pub(super) type SharedTerm<'a, C> = (
    &'a <C as Curve>::ScalarElement,
    &'a AffinePoint<<C as Curve>::BaseElement>,
);

impl<C: Curve> SecretLanesOperation<C> for SharedPoint<'_, C> {
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
        let Some((defect, drawn)) = self.defect else {
            let points = self.terms.iter().map(|(_, point)| (order.bits(), **point));
            let terms = terms_of(&integers, points);
            return shared_x(&group, &secret_sum(&group, order, &terms));
        };

        let parts = defect.parts_vartime(&group, order)?;
        let weight = drawn.weight(order);
        let weight_element = Zeroizing::new(scalar::element(order, &weight.integer));
        let weighted = |u| Zeroizing::new(order.mul(&weight_element, u));
        let [of_issuer, of_point] = &mut integers[self.terms.len()..] else {
            unreachable!("two more than there are terms")
        };
        *of_issuer = order.to_integer(&weighted(&parts.u2));
        *of_point = *weight.integer;
        let points = self.terms.iter().map(|(_, point)| (order.bits(), **point));
        let of_defect = [(order.bits(), *parts.issuer), (weight.bits, parts.minus_r)];
        let terms = terms_of(&integers, points.chain(of_defect));
        let of_generator = weighted(&parts.u1);

        // 2^m v G goes into the sum, where it blinds the additions, and comes out of it with the
        // multiple of the generator.
        let start = drawn.start(order);
        let blinding = Zeroizing::new(order.mul(
            &scalar::element(order, &start.integer),
            &power_of_two(order, start_doublings(order)),
        ));
        let rest = Zeroizing::new(order.sub(&of_generator, &blinding));
        let k = Zeroizing::new(order.to_integer(&rest));
        let point = short_base_mul(&group, &start.integer, start.bits);
        let point = Zeroizing::new(group.jacobian_from_extended(&point));
        let wide = Group::wide(curve, lanes);
        let sum = blinded_secret_sum(&wide, &group, order, &point, &terms, &k);
        let sum = sum.unwrap_or_else(|| {
            // With probability 2^-114, or because the point is infinity, which the caller is told.
            let k = Zeroizing::new(order.to_integer(&of_generator));
            let of_generator = SecretTerm {
                k: &*k,
                bits: order.bits(),
                point: *curve.generator(),
            };
            secret_sum(&group, order, &[&terms[..], &[of_generator]].concat())
        });
        shared_x(&group, &sum)
    }
}

/// The terms of a sum: integers, and what is public of each, the bits that it has at most and the
/// point.
fn terms_of<'a, C: Curve>(
    integers: &'a [C::Integer],
    points: impl Iterator<Item = (u32, AffinePoint<C::BaseElement>)>,
) -> Vec<SecretTerm<'a, C>> {
    let terms = integers.iter().zip(points);
    let terms = terms.map(|(k, (bits, point))| SecretTerm { k, bits, point });
    terms.collect()
}

/// 2^exponent modulo n, by square and double.
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
    // The caller is told.
    if ct::declassify(&group.is_infinity(point)) {
        return Err(Error::SharedInfinity);
    }
    let z2 = Zeroizing::new(field.square(&point.z));
    let inverse = Zeroizing::new(field.invert(&z2));
    let x = Zeroizing::new(field.mul(&point.x, &inverse));
    let mut shared = SharedSecret(vec![0; field.bytes()]);
    field.write_be_bytes(&x, &mut shared.0);
    Ok(shared)
}
