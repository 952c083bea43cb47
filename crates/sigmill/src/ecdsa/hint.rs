//! Hints for R in addition to r: y(R), or which of the few candidates R is.

use super::RecoveryId;
use crate::curve::{AffinePoint, BaseField, CompressedPoint, Curve, Group, PointForm, ScalarField};
use crate::limbs::{self, add_with_carry};

/// A hint for the point R of a signature (r, s), in addition to r = x(R) mod n.
///
/// In a valid signature, u1 G + u2 Q is R. A verifier that knows R beforehand can check that with
/// half the doublings, or for many signatures at once. But (r, s) alone leaves two or four
/// candidates for R. A hint selects one. It is not part of the signature, and need not be trusted:
/// it never changes a verdict. A wrong or malformed hint costs time, because the signature is then
/// verified without it.
///
/// | hint | source | cost of R |
/// |---|---|---|
/// | [`Id`](Self::Id), two bits | [signing], [verifying], v of Ethereum | a root |
/// | [`Y`](Self::Y), as long as the field | anyone who knows R | 2M + 2S |
///
/// [signing]: crate::keys::SigningKey::sign_prehash_recoverable
/// [verifying]: crate::keys::VerifyingKey::verify_prehash_recoverable
///
/// ```
/// use sigmill::{Hint, RecoveryId};
///
/// let hint = Hint::Id(RecoveryId::from_v(27)?);
/// assert_eq!(hint, Hint::Id(RecoveryId::new(false, false)));
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hint<'a> {
    /// The parity of y(R), and whether x(R) = r + n: what signing and verifying return, and what
    /// Ethereum's signatures contain.
    Id(RecoveryId),
    /// y(R), big-endian, of any length: 32 bytes for P-256. x(R) is r, or r + n if (r, y) is not
    /// on the curve.
    Y(&'a [u8]),
}

impl Hint<'_> {
    /// Returns the point R that the hint selects: on the curve, with x(R) mod n = r. Returns `None`
    /// if no such point exists.
    ///
    /// r is in 1 .. n - 1. Costs one square root for [`Id`](Self::Id), 2M + 2S for [`Y`](Self::Y)
    /// (twice that if x(R) is not r). Variable time: for public values only.
    #[inline(always)]
    pub(crate) fn point_vartime<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
        self,
        group: &Group<C, F>,
        order: S,
        r: &C::Integer,
    ) -> Option<AffinePoint<C::BaseElement>> {
        group.decompressed_vartime(&self.form_vartime(group, order, r)?)
    }

    /// Returns R, with x(R) mod n = r, in the form of the hint: the compressed form for
    /// [`Id`](Self::Id), a point on the curve for [`Y`](Self::Y). Returns `None` if no such point
    /// exists. Does not check that the compressed form belongs to a point.
    ///
    /// r is in 1 .. n - 1. Costs 2M + 2S for [`Y`](Self::Y) (twice that if x(R) is not r). Variable
    /// time: for public values only.
    #[inline(never)]
    pub(crate) fn form_vartime<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
        self,
        group: &Group<C, F>,
        order: S,
        r: &C::Integer,
    ) -> Option<PointForm<C::BaseElement>> {
        let base = group.field();
        match self {
            Self::Id(id) => {
                let x = x_vartime(base, order, *r, id.is_x_reduced())?;
                let y_is_odd = id.is_y_odd();
                Some(PointForm::Compressed(CompressedPoint { x, y_is_odd }))
            }
            Self::Y(bytes) => {
                let y = base.from_be_bytes(bytes)?;
                [false, true].into_iter().find_map(|is_reduced| {
                    let x = x_vartime(base, order, *r, is_reduced)?;
                    let point = AffinePoint { x, y };
                    let is_on_curve = group.is_on_curve(&point);
                    is_on_curve.then_some(PointForm::Affine(point))
                })
            }
        }
    }
}

/// Returns r, or r + n, as a coordinate; `None` if it is p or more.
#[inline(always)]
pub(super) fn x_vartime<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
    base: F,
    order: S,
    r: C::Integer,
    is_reduced: bool,
) -> Option<C::BaseElement> {
    base.from_integer(&x_integer_vartime(base, order, r, is_reduced)?)
}

/// The integer of [`x_vartime`].
#[inline(always)]
pub(super) fn x_integer_vartime<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
    base: F,
    order: S,
    mut r: C::Integer,
    is_reduced: bool,
) -> Option<C::Integer> {
    let mut carry = 0;
    if is_reduced {
        for (limb, &n) in r.as_mut().iter_mut().zip(order.modulus().as_ref()) {
            (*limb, carry) = add_with_carry(*limb, n, carry);
        }
    }
    let is_below = limbs::is_below(r.as_ref(), base.modulus().as_ref());
    (carry == 0 && is_below).then_some(r)
}
