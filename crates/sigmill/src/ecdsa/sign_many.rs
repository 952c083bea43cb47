//! Many signatures: multiplications in lanes, inversions shared by the rows of a block.

use alloc::vec;
use alloc::vec::Vec;

use zeroize::Zeroizing;

use super::sign::Sign;
use super::{RecoveryId, SignatureScalars};
use crate::ct::{self, secrets};
use crate::curve::{Curve, Group, ScalarLanesOf, SecretLanesOf, SecretLanesOperation};
use crate::field::{Field as _, Limbs as _, PrimeField as _, invert_all, lane_item};
use crate::limbs::is_below;
use crate::multiply::base_mul_lanes;
use crate::scalar;

/// The signatures of a block; `None` if a nonce is unusable.
pub(crate) struct SignMany<'a, C: Curve>(pub(crate) &'a [Sign<'a, C>]);

/// Performs each step of a single signature for all rows.
impl<C: Curve> SecretLanesOperation<C> for SignMany<'_, C> {
    type Output = Vec<Option<(SignatureScalars<C::Integer>, RecoveryId)>>;

    #[inline(always)]
    fn run<L: SecretLanesOf<C>, S: ScalarLanesOf<C>>(
        self,
        curve: C,
        lanes: L,
        order_lanes: S,
    ) -> Self::Output {
        const { assert!(L::WIDTH == S::WIDTH, "both fields are equally wide") };
        if self.0.is_empty() {
            return vec![];
        }
        let (base, order) = (lanes.single(), order_lanes.single());
        let groups = self.0.len().div_ceil(L::WIDTH);
        let row = |group: usize, lane: usize| lane_item(self.0, group * L::WIDTH + lane);
        // Step 1: R = k G.
        let mut k = secrets(C::Integer::ZERO, groups * L::WIDTH);
        let mut inverses = secrets(order_lanes.zero(), groups);
        for group in 0..groups {
            for lane in 0..L::WIDTH {
                let nonce = row(group, lane).nonce;
                k[group * L::WIDTH + lane] = order.to_integer(nonce);
            }
            inverses[group] = order_lanes.pack(|lane| row(group, lane).nonce);
        }
        let (wide, single) = (Group::wide(curve, lanes), Group::new(curve, base));
        let points = base_mul_lanes(&wide, &single, order, &k);
        // 1 / k for step 6.
        let mut scratch = inverses.clone();
        invert_all(order_lanes, &mut **inverses, &mut scratch);
        let mut signatures = Vec::with_capacity(groups * L::WIDTH);
        let mut x = vec![C::Integer::ZERO; L::WIDTH];
        let mut y = x.clone();
        let mut ids = vec![RecoveryId::FRIENDLY; L::WIDTH];
        let mut r = vec![C::Integer::ZERO; L::WIDTH];
        let mut s = r.clone();
        let mut r_elements = vec![order.zero(); L::WIDTH];
        for (group, point) in points.iter().enumerate() {
            // Step 2: x(R) as an integer. Anyone with the signature and the public key can compute
            // it.
            lanes.to_integers(&point.x, &mut x);
            lanes.to_integers(&point.y, &mut y);
            // Step 3: r = x(R) mod n.
            for (lane, (x, y)) in x.iter().zip(&y).enumerate() {
                let (x, y) = (ct::declassify(x), ct::declassify(y));
                let is_reduced = !is_below(x.as_ref(), order.modulus().as_ref());
                ids[lane] = RecoveryId::new(y.as_ref()[0] & 1 == 1, is_reduced);
                r[lane] = scalar::reduce(order, x);
                r_elements[lane] = scalar::element(order, &r[lane]);
            }
            // Step 6: s = (e + r d) / k mod n.
            let r_lanes = order_lanes.pack(|lane| &r_elements[lane]);
            let e = order_lanes.pack(|lane| row(group, lane).e);
            let d = Zeroizing::new(order_lanes.pack(|lane| row(group, lane).secret));
            let r_d = Zeroizing::new(order_lanes.mul(&r_lanes, &d));
            let sum = Zeroizing::new(order_lanes.add(&e, &r_d));
            order_lanes.to_integers(&order_lanes.mul(&inverses[group], &sum), &mut s);
            for ((r, s), id) in r.iter().zip(&s).zip(&ids) {
                let s = ct::declassify(s);
                // Neither is zero.
                let will_do = *r != C::Integer::ZERO && s != C::Integer::ZERO;
                signatures.push(will_do.then(|| (SignatureScalars::new(*r, s), *id)));
            }
        }
        signatures.truncate(self.0.len());
        signatures
    }
}
