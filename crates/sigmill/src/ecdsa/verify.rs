//! Verification, step by step (SEC 1 §4.1.4, FIPS 186-5 §6.4.2).

use super::SignatureScalars;
use crate::curve::{
    AffinePoint, BaseField, Curve, FractionX, Group, LanesOf, LanesOperation, OneLane, Operation,
    ScalarField, ScalarLanesOf,
};
use crate::error::Error;
use crate::field::Limbs;
use crate::limbs::{self, add_with_carry};
use crate::multiply::{
    double_base_mul_vartime, prepared_double_base_mul_lanes_vartime,
    prepared_double_base_mul_vartime,
};
use crate::scalar;
use crate::table::WindowRows;

/// The method that computes u1 G + u2 Q.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Strategy<'a, E> {
    /// Q is used once: doublings and additions.
    Fresh(&'a AffinePoint<E>),
    /// Q has a table: additions only.
    Prepared(WindowRows<'a, E>),
}

impl<'a, E: Copy> Strategy<'a, E> {
    /// The point Q.
    #[inline(always)]
    pub(super) fn point(&self) -> &'a AffinePoint<E> {
        match self {
            Self::Fresh(q) => q,
            Self::Prepared(rows) => rows.point(),
        }
    }

    /// The table of Q, if it has one.
    #[inline(always)]
    pub(super) fn table(&self) -> Option<WindowRows<'a, E>> {
        match self {
            Self::Fresh(_) => None,
            Self::Prepared(rows) => Some(*rows),
        }
    }

    /// The maximal number of points whose sum is u2 Q: one for the product itself, or one for each
    /// row of the table.
    #[inline(always)]
    pub(super) fn most_terms(&self) -> usize {
        self.table().map_or(1, WindowRows::len)
    }
}

/// One signature to verify. The policy is checked elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Verify<'a, C: Curve> {
    /// The key and how to multiply it.
    pub strategy: Strategy<'a, C::BaseElement>,
    /// The digest of the message, any length but 0.
    pub digest: &'a [u8],
    /// The signature; its type promises that r and s are in 1 .. n - 1 (step 1).
    pub signature: &'a SignatureScalars<C::Integer>,
}

impl<C: Curve> Operation<C> for Verify<'_, C> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn run<F: BaseField<C>, S: ScalarField<C>>(
        self,
        curve: C,
        base: F,
        order: S,
    ) -> Result<(), Error> {
        self.run_with(curve, base, order, |group, u1, u2| match self.strategy {
            Strategy::Fresh(q) => group.fraction_x(&double_base_mul_vartime(group, u1, q, u2)),
            Strategy::Prepared(q) => {
                let sum = prepared_double_base_mul_vartime(group, u1, q, u2.as_ref());
                group.fraction_x(&sum)
            }
        })
    }
}

/// Spreads the points of a prepared key over the lanes. A fresh key uses one lane.
impl<C: Curve> LanesOperation<C> for Verify<'_, C> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn run<L: LanesOf<C>, S: ScalarLanesOf<C>>(
        self,
        curve: C,
        base: L,
        order: S,
    ) -> Result<(), Error> {
        let (single, order) = (base.single(), order.single());
        match self.strategy {
            Strategy::Prepared(q) if const { L::WIDTH > 1 } => {
                self.run_with(curve, single, order, |group, u1, u2| {
                    let wide = Group::wide(curve, base);
                    prepared_double_base_mul_lanes_vartime(&wide, group, u1, q, u2.as_ref())
                })
            }
            // Dispatches separately, so that the code is compiled once for all lanes.
            _ if const { L::WIDTH > 1 } => curve.dispatch(OneLane(self)),
            _ => Operation::run(self, curve, single, order),
        }
    }
}

impl<C: Curve> Verify<'_, C> {
    /// u1 and u2.
    #[inline(always)]
    pub(super) fn scalars<S: ScalarField<C>>(self, order: S) -> Result<[C::Integer; 2], Error> {
        // Steps 2 and 3: e from the digest.
        if self.digest.is_empty() {
            return Err(Error::DigestEmpty);
        }
        let e = scalar::integer_from_digest(order, self.digest);
        // Step 4: w = s^-1, u1 = e w, u2 = r w. As integers e, r and s are e/R, r/R and s/R.
        let element = |integer| order.from_integer_over_r(integer);
        let Some(w) = order.invert_vartime(&element(self.signature.s())) else {
            return Err(Error::SZero);
        };
        let u1 = order.to_integer(&order.mul(&element(&e), &w));
        let u2 = order.to_integer(&order.mul(&element(self.signature.r()), &w));
        Ok([u1, u2])
    }

    /// Runs steps 2 to 8. `add_up` computes u1 G + u2 Q from the integers u1 and u2.
    #[inline(always)]
    fn run_with<F: BaseField<C>, S: ScalarField<C>>(
        self,
        curve: C,
        base: F,
        order: S,
        add_up: impl FnOnce(&Group<C, F>, &[u64], &C::Integer) -> FractionX<C::BaseElement>,
    ) -> Result<(), Error> {
        let [u1, u2] = self.scalars(order)?;
        // Step 5: R = u1 G + u2 Q.
        let x = add_up(&Group::new(curve, base), u1.as_ref(), &u2);
        // Steps 6 to 8: R is not infinity, and v = x(R) mod n equals r.
        let r = *self.signature.r();
        if x_is_congruent_to_vartime(base, order, &x, r) {
            Ok(())
        } else {
            Err(Error::SignatureMismatch)
        }
    }
}

/// Reports whether R is not infinity and x(R) mod n = r, without the inversion that x(R) needs.
///
/// x(R) = X / Z^2 = c if and only if X = c Z^2, because Z is not 0 (Drucker and Gueron §3.1).
/// Costs 1M for each candidate below p.
#[inline(always)]
fn x_is_congruent_to_vartime<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
    base: F,
    order: S,
    x: &FractionX<C::BaseElement>,
    r: C::Integer,
) -> bool {
    if base.is_zero(&x.zz) {
        return false;
    }
    let is_x = |c: &_| base.equal(&x.x, &base.mul(c, &x.zz));
    times_reduced_vartime(base, order, r, is_x).is_some()
}

/// Returns the k with x = r + k n if x mod n = r, for an integer x below p and r below n. Needs no
/// multiplication. p is below 2n on every named curve, so n is subtracted at most once.
#[inline(always)]
pub(super) fn times_reduced_of_integer_vartime<I: Limbs>(mut x: I, n: &I, r: &I) -> Option<u32> {
    let mut k = 0;
    while !limbs::is_below(x.as_ref(), n.as_ref()) {
        limbs::subtract_assign(x.as_mut(), n.as_ref());
        k += 1;
    }
    (x == *r).then_some(k)
}

/// Returns the k of the first x with x mod n = r for which `is_x` holds, if any.
///
/// x is in 0 .. p, so the candidates are r + k n for k >= 0, as long as they are below p. k is 0 or
/// 1 on every curve with p < 2n.
#[inline(always)]
fn times_reduced_vartime<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
    base: F,
    order: S,
    mut candidate: C::Integer,
    is_x: impl Fn(&C::BaseElement) -> bool,
) -> Option<u32> {
    let mut k = 0;
    while let Some(c) = base.from_integer(&candidate) {
        if is_x(&c) {
            return Some(k);
        }
        k += 1;
        let mut carry = 0;
        for (limb, &n) in candidate.as_mut().iter_mut().zip(order.modulus().as_ref()) {
            (*limb, carry) = add_with_carry(*limb, n, carry);
        }
        if carry == 1 {
            return None;
        }
    }
    None
}
