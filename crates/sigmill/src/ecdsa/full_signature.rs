//! Signatures that hold the whole point R in place of r.

use alloc::vec::Vec;
use core::fmt;

use super::verify_one::leads_to;
use super::{Policy, RecoveryId, Signature, Strategy};
use crate::curve::{
    AffinePoint, BaseElement, BaseField, Curve, Domain, Group, Operation, ScalarField,
};
use crate::encoding::sec1;
use crate::error::Error;
use crate::field::PrimeField as _;
use crate::limbs::{self, Hexadecimal, is_below};
use crate::scalar;

/// A signature (R, s): an ECDSA signature with the point R in place of r = x(R) mod n.
///
/// The length is 65 bytes on P-256, or 97 with y(R), which saves a square root. Verification checks
/// that u1 G + u2 Q is R, with the r of R. This needs half the doublings. (R, s) carries a little
/// more than (r, s): (-R, s) is not a signature, although it stands for the same (r, s).
///
/// ```
/// use sigmill::ecdsa::FullSignature;
/// use sigmill::p256::SigningKey;
///
/// let key = SigningKey::generate()?;
/// let (signature, id) = key.sign_prehash_recoverable(&[7; 32])?;
/// let bytes = FullSignature::new(&signature, id)?.to_bytes(false);
/// assert_eq!(bytes.len(), 97);
///
/// let full = FullSignature::from_bytes(&bytes)?;
/// key.verifying_key().verify_prehash_full(&[7; 32], &full)?;
/// assert_eq!(full.signature(), &signature);
/// # Ok::<(), sigmill::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FullSignature<C: Domain> {
    signature: Signature<C>,
    point: AffinePoint<BaseElement<C>>,
    id: RecoveryId,
}

/// Constructors for curve types that name one curve.
impl<C: Domain + Default> FullSignature<C> {
    /// Reads R followed by s. R is a SEC 1 point (`02 | x`, `03 | x` or `04 | x | y`, coordinates
    /// big-endian in the full length of the field). s is big-endian in the full length of the
    /// order. The first byte determines the total length: 65 or 97 bytes on P-256, 97 or 145 on
    /// P-384.
    ///
    /// Costs a square root if R is compressed.
    ///
    /// # Errors
    /// [`Error::FullSignatureTag`], [`Error::FullSignatureLength`],
    /// [`Error::FullSignatureCoordinate`], [`Error::FullSignatureNotOnCurve`]; the range errors of
    /// [`Signature::from_scalars`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes_on(C::default(), bytes)
    }
}

impl<C: Domain> FullSignature<C> {
    /// Creates (R, s) from a signature and its recovery id, which together determine R. Costs one
    /// square root.
    ///
    /// # Errors
    /// [`Error::RecoveryXOutOfRange`], [`Error::RecoveryNotOnCurve`].
    pub fn new(signature: &Signature<C>, id: RecoveryId) -> Result<Self, Error> {
        let (signature, domain) = (*signature, signature.domain());
        let r = signature.r();
        let point = domain.curve().dispatch(Lift { r, id })?;
        Ok(Self {
            signature,
            point,
            id,
        })
    }

    /// [`from_bytes`](Self::from_bytes) on a curve known at run time.
    ///
    /// # Errors
    /// Those of [`from_bytes`](Self::from_bytes).
    pub fn from_bytes_on(domain: C, bytes: &[u8]) -> Result<Self, Error> {
        let curve = domain.curve();
        let length = curve.base_field().bytes();
        let coordinates = match bytes.first() {
            Some(2 | 3) => 1,
            Some(4) => 2,
            Some(&tag) => return Err(Error::FullSignatureTag { tag }),
            None => 1,
        };
        let point_length = 1 + coordinates * length;
        let expected = point_length + curve.scalar_field().bytes();
        if bytes.len() != expected {
            let actual = bytes.len();
            return Err(Error::FullSignatureLength { expected, actual });
        }
        let (point, s) = bytes.split_at(point_length);
        let (point, r, id) = curve.dispatch(Read { bytes: point })?;
        let mut r_bytes = [0; 8 * MOST_LIMBS];
        let r_bytes = &mut r_bytes[..curve.scalar_field().bytes()];
        limbs::write_be_bytes(r.as_ref(), r_bytes);
        let signature = Signature::from_scalars_on(domain, r_bytes, s)?;
        Ok(Self {
            signature,
            point,
            id,
        })
    }

    /// Writes R, compressed or not, followed by s. [`from_bytes`](Self::from_bytes) reads it.
    #[must_use]
    pub fn to_bytes(&self, compressed: bool) -> Vec<u8> {
        let mut bytes =
            sec1::encode_point(self.signature.domain().curve(), &self.point, compressed);
        bytes.extend(self.signature.to_scalars().1);
        bytes
    }

    /// The signature (r, s).
    pub fn signature(&self) -> &Signature<C> {
        &self.signature
    }

    /// The recovery id: the part of (R, s) that (r, s) lacks.
    pub fn recovery_id(&self) -> RecoveryId {
        self.id
    }
}

/// Writes the curve, R and s in hexadecimal.
impl<C: Domain> fmt::Debug for FullSignature<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = self.signature.domain().curve().label();
        let bytes = self.to_bytes(true);
        write!(f, "FullSignature({label}, {})", Hexadecimal(&bytes))
    }
}

/// Verifies (R, s): checks the policy, then that u1 G + u2 Q is R.
pub(crate) fn verify_full<C: Domain>(
    domain: C,
    strategy: Strategy<'_, BaseElement<C>>,
    digest: &[u8],
    full: &FullSignature<C>,
    policy: Policy,
) -> Result<(), Error> {
    policy.check_form(&full.signature, full.id)?;
    if digest.is_empty() {
        return Err(Error::DigestEmpty);
    }
    if full.signature.domain() == domain
        && leads_to(
            domain,
            strategy,
            digest,
            full.signature.scalars(),
            &full.point,
        )
    {
        Ok(())
    } else {
        Err(Error::SignatureMismatch)
    }
}

/// The maximal number of limbs of an order.
const MOST_LIMBS: usize = 9;

/// Computes the point that r and a recovery id determine.
struct Lift<'a, I> {
    r: &'a I,
    id: RecoveryId,
}

impl<C: Curve> Operation<C> for Lift<'_, C::Integer> {
    type Output = Result<AffinePoint<C::BaseElement>, Error>;

    #[inline(always)]
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, order: S) -> Self::Output {
        let x = super::hint::x_vartime(base, order, *self.r, self.id.is_x_reduced());
        let x = x.ok_or(Error::RecoveryXOutOfRange)?;
        let point = Group::new(curve, base).lift_x_vartime(&x, self.id.is_y_odd());
        point.ok_or(Error::RecoveryNotOnCurve)
    }
}

/// Reads R, and computes r = x(R) mod n and the recovery id.
struct Read<'a> {
    bytes: &'a [u8],
}

impl<C: Curve> Operation<C> for Read<'_> {
    type Output = Result<(AffinePoint<C::BaseElement>, C::Integer, RecoveryId), Error>;

    #[inline(always)]
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, order: S) -> Self::Output {
        let point = sec1::decode_point(&Group::new(curve, base), self.bytes);
        let point = point.map_err(|error| match error {
            Error::KeyNotOnCurve => Error::FullSignatureNotOnCurve,
            // The tag and the length have been checked before.
            _ => Error::FullSignatureCoordinate,
        })?;
        let x = base.to_integer(&point.x);
        let is_reduced = !is_below(x.as_ref(), order.modulus().as_ref());
        let id = RecoveryId::new(base.is_odd(&point.y), is_reduced);
        Ok((point, scalar::reduce(order, x), id))
    }
}
