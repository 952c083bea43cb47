//! A secret integer from 1 to n - 1: a private key, or the nonce of a signature.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;
use subtle::{Choice, ConstantTimeEq};
use zeroize::{Zeroize as _, ZeroizeOnDrop, Zeroizing};

use super::VerifyingKey;
use crate::ct;
use crate::curve::{Curve, Group, LanesOf, LanesOperation, ScalarLanesOf};
use crate::error::Error;
use crate::field::{Field as _, PrimeField};
use crate::multiply::base_mul_spread;
use crate::scalar;

/// A secret integer from 1 to n - 1, n the order of curve `C`.
///
/// It is wiped when it is dropped, compared in constant time, and its `Debug` prints nothing of
/// it. Nothing that takes it has a running time that depends on it.
///
/// ```
/// use sigmill::ecdsa::SecretScalar;
/// use sigmill::{Error, curve::P256};
///
/// let one = [[0; 31].as_slice(), &[1]].concat();
/// let secret = SecretScalar::<P256>::from_be_bytes(&one)?;
/// assert_eq!(*secret.to_be_bytes(), one);
/// assert_eq!(format!("{secret:?}"), "SecretScalar(P-256)");
/// assert_eq!(SecretScalar::<P256>::from_be_bytes(&[0; 32]), Err(Error::SecretZero));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct SecretScalar<C: Curve>(C::ScalarElement);

impl<C: Curve> SecretScalar<C> {
    /// The length in bytes: 48 for P-384, else 32.
    pub const BYTES: usize = <C::ScalarField as PrimeField>::BYTES;

    /// Reads a big-endian integer of the full length of the order.
    ///
    /// # Errors
    /// [`Error::SecretLength`], [`Error::SecretZero`], [`Error::SecretOutOfRange`].
    pub fn from_be_bytes(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() != Self::BYTES {
            return Err(Error::SecretLength {
                expected: Self::BYTES,
                actual: bytes.len(),
            });
        }
        ct::wiping_stack::<{ ct::SHALLOW }, _>(|| {
            let order = C::scalar_field();
            let scalar = order.from_be_bytes(bytes).ok_or(Error::SecretOutOfRange)?;
            Self::from_element(scalar).ok_or(Error::SecretZero)
        })
    }

    /// Writes the integer big-endian in the full length of the order. The bytes are wiped when they
    /// are dropped.
    #[must_use]
    pub fn to_be_bytes(&self) -> Zeroizing<Vec<u8>> {
        ct::wiping_stack::<{ ct::SHALLOW }, _>(|| self.octets())
    }

    /// [`to_be_bytes`](Self::to_be_bytes) for callers that wipe the stack.
    pub(super) fn octets(&self) -> Zeroizing<Vec<u8>> {
        let mut bytes = Zeroizing::new(vec![0; Self::BYTES]);
        C::scalar_field().write_be_bytes(&self.0, &mut bytes);
        bytes
    }

    /// A random one, each from 1 to n - 1 equally likely, from a generator of the caller's choice.
    ///
    /// Takes as many bits as n has and takes them anew until they are in range (FIPS 186-5 A.2.2):
    /// on P-256 and P-384 practically never more than once.
    ///
    /// # Errors
    /// Those of the generator.
    pub fn random_from<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        ct::wiping_stack::<{ ct::SHALLOW }, _>(|| Self::draw(rng))
    }

    /// [`random_from`](Self::random_from) for callers that wipe the stack.
    pub(super) fn draw<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        let mut bytes = Zeroizing::new([0; 72]);
        let bytes = &mut bytes[..Self::BYTES];
        loop {
            rng.try_fill_bytes(bytes)?;
            if let Some(secret) = Self::from_leftmost_bits(bytes) {
                return Ok(secret);
            }
        }
    }

    /// A random one, each from 1 to n - 1 equally likely, from the operating system's generator.
    ///
    /// # Errors
    /// [`Error::RandomnessUnavailable`].
    #[cfg(feature = "std")]
    pub fn random() -> Result<Self, Error> {
        ct::wiping_stack::<{ ct::SHALLOW }, _>(|| {
            Self::draw(&mut getrandom::SysRng).map_err(|_| Error::RandomnessUnavailable)
        })
    }

    /// The leftmost bits of a string, as many as n has; `None` unless they are in range.
    ///
    /// Whether they are may be seen: what is out of range is thrown away, and says nothing of what
    /// comes next.
    pub(super) fn from_leftmost_bits(bytes: &[u8]) -> Option<Self> {
        let integer = Zeroizing::new(scalar::from_leftmost_bits::<C::ScalarField>(bytes));
        Self::from_element(C::scalar_field().from_integer(&integer)?)
    }

    /// `None` for zero, which a caller may be told.
    fn from_element(scalar: C::ScalarElement) -> Option<Self> {
        (!ct::declassify(&C::scalar_field().is_zero(&scalar))).then_some(Self(scalar))
    }

    /// The integer modulo n.
    #[inline(always)]
    pub(crate) fn element(&self) -> &C::ScalarElement {
        &self.0
    }

    /// The point that this scalar times the generator is: the public key that goes with it.
    #[must_use]
    pub fn public_key(&self) -> VerifyingKey<C> {
        ct::wiping_stack::<{ ct::DEEP }, _>(|| self.multiply_generator())
    }

    /// [`public_key`](Self::public_key) for callers that wipe the stack.
    pub(super) fn multiply_generator(&self) -> VerifyingKey<C> {
        C::dispatch_lanes(PublicKey(self))
    }
}

impl<C: Curve> fmt::Debug for SecretScalar<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretScalar({})", C::LABEL)
    }
}

impl<C: Curve> ConstantTimeEq for SecretScalar<C> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }
}

/// In constant time; the answer is public.
impl<C: Curve> PartialEq for SecretScalar<C> {
    fn eq(&self, other: &Self) -> bool {
        ct::declassify(&self.ct_eq(other).unwrap_u8()) == 1
    }
}

impl<C: Curve> Eq for SecretScalar<C> {}

impl<C: Curve> Drop for SecretScalar<C> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<C: Curve> ZeroizeOnDrop for SecretScalar<C> {}

/// d G, affine.
struct PublicKey<'a, C: Curve>(&'a SecretScalar<C>);

impl<C: Curve> LanesOperation<C> for PublicKey<'_, C> {
    type Output = VerifyingKey<C>;

    #[inline(always)]
    fn run<L: LanesOf<C>, S: ScalarLanesOf<C>>(self, lanes: L, order: S) -> VerifyingKey<C> {
        let (base, order) = (lanes.single(), order.single());
        let group = Group::<C, L::Single>::new(base);
        let d = Zeroizing::new(order.to_integer(self.0.element()));
        let product = base_mul_spread(&Group::wide(lanes), &group, order, &d);
        let point = group.extended_to_affine(&product);
        VerifyingKey::from_affine(ct::declassify(&point))
    }
}
