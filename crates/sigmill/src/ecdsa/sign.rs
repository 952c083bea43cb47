//! Signing, step by step (SEC 1 §4.1.3, FIPS 186-5 §6.4.1).

use zeroize::Zeroizing;

use super::{RecoveryId, SignatureScalars};
use crate::ct;
use crate::curve::{Curve, Group, ScalarLanesOf, SecretLanesOf, SecretLanesOperation};
use crate::field::{Field as _, PrimeField as _, invert_two};
use crate::limbs::is_below;
use crate::multiply::base_mul_spread;
use crate::scalar;

/// One signature to create with a given nonce.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sign<'a, C: Curve> {
    /// The private key d.
    pub(crate) secret: &'a C::ScalarElement,
    /// The nonce k, fresh for this signature. Anyone who learns k learns d.
    pub(crate) nonce: &'a C::ScalarElement,
    /// The integer e that represents the message (steps 4 and 5).
    pub(crate) e: &'a C::ScalarElement,
}

/// Spreads the multiplication over the lanes. Everything else uses one lane.
impl<C: Curve> SecretLanesOperation<C> for Sign<'_, C> {
    const OF_MANY: bool = false;

    /// `None` if the nonce is unusable: r or s is zero.
    type Output = Option<(SignatureScalars<C::Integer>, RecoveryId)>;

    #[inline(always)]
    fn run<L: SecretLanesOf<C>, S: ScalarLanesOf<C>>(
        self,
        curve: C,
        lanes: L,
        order: S,
    ) -> Self::Output {
        let (base, order) = (lanes.single(), order.single());
        // Step 1: R = k G.
        let group = Group::new(curve, base);
        let k = Zeroizing::new(order.to_integer(self.nonce));
        let point = base_mul_spread(&Group::wide(curve, lanes), &group, order, &k);
        // Inverts the nonce for step 6 together with ZZZ, which the affine coordinates need.
        let (zzz_inverse, k_inverse) = invert_two((base, &point.zzz), (order, self.nonce));
        let (zzz_inverse, k_inverse) = (Zeroizing::new(zzz_inverse), Zeroizing::new(k_inverse));
        let point = group.extended_to_affine_by(&point, &zzz_inverse);
        // Step 2: x(R) as an integer. Anyone with the signature and the public key can compute R.
        let point = ct::declassify(&point);
        let x = base.to_integer(&point.x);
        let is_reduced = !is_below(x.as_ref(), order.modulus().as_ref());
        let id = RecoveryId::new(base.is_odd(&point.y), is_reduced);
        // Step 3: r = x(R) mod n, which is not zero.
        let r_integer = scalar::reduce(order, x);
        let r = scalar::element(order, &r_integer);
        if order.is_zero(&r) {
            return None;
        }
        // Step 6: s = (e + r d) / k mod n, which is not zero.
        let r_d = Zeroizing::new(order.mul(&r, self.secret));
        let sum = Zeroizing::new(order.add(self.e, &r_d));
        let s = ct::declassify(&order.mul(&k_inverse, &sum));
        if order.is_zero(&s) {
            return None;
        }
        // Step 7.
        Some((SignatureScalars::new(r_integer, order.to_integer(&s)), id))
    }
}
