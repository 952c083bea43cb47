//! A secret integer from 1 to n - 1: a private key, or the nonce of a signature.

use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;
use subtle::{Choice, ConstantTimeEq};
use zeroize::{Zeroize as _, ZeroizeOnDrop, Zeroizing};

use super::VerifyingKey;
use crate::ct;
use crate::curve::{
    AffinePoint, Curve, Domain, Group, ScalarElement, ScalarLanesOf, SecretLanesOf,
    SecretLanesOperation,
};
use crate::error::Error;
use crate::field::{Field as _, PrimeField as _};
use crate::multiply::base_mul_spread;
use crate::scalar;

/// A secret integer from 1 to n - 1, where n is the order of curve `C`.
///
/// It is wiped when dropped and compared in constant time. `Debug` prints nothing of it. No
/// function that accepts it has a running time that depends on it.
///
/// ```
/// use sigmill::keys::SecretScalar;
/// use sigmill::{Error, curves::P256};
///
/// let one = [[0; 31].as_slice(), &[1]].concat();
/// let secret = SecretScalar::<P256>::from_be_bytes(&one)?;
/// assert_eq!(*secret.to_be_bytes(), one);
/// assert_eq!(format!("{secret:?}"), "SecretScalar(P-256)");
/// assert_eq!(SecretScalar::<P256>::from_be_bytes(&[0; 32]), Err(Error::SecretZero));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct SecretScalar<C: Domain> {
    domain: C,
    scalar: ScalarElement<C>,
}

/// Constructors for curve types that name one curve.
impl<C: Domain + Default> SecretScalar<C> {
    /// Reads a big-endian integer of the full length of the order.
    ///
    /// # Errors
    /// [`Error::SecretLength`], [`Error::SecretZero`], [`Error::SecretOutOfRange`].
    pub fn from_be_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_be_bytes_on(C::default(), bytes)
    }

    /// Generates a uniform scalar from 1 to n - 1 with a generator that the caller chooses.
    ///
    /// Draws a string of the bit length of n, and draws again until the value is in range (FIPS
    /// 186-5 A.2.2). A second draw practically never occurs, except on brainpoolP256r1, which
    /// rejects one in three.
    ///
    /// # Errors
    /// Those of the generator.
    pub fn generate_from_rng<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        Self::generate_from_rng_on(C::default(), rng)
    }

    /// Generates a uniform scalar from 1 to n - 1 with the operating system's generator.
    ///
    /// # Errors
    /// [`Error::RandomnessUnavailable`].
    #[cfg(feature = "std")]
    pub fn generate() -> Result<Self, Error> {
        Self::generate_from_rng(&mut getrandom::SysRng).map_err(|_| Error::RandomnessUnavailable)
    }
}

impl<C: Domain> SecretScalar<C> {
    /// [`from_be_bytes`](Self::from_be_bytes) on a curve known at run time.
    #[doc(hidden)]
    pub fn from_be_bytes_on(domain: C, bytes: &[u8]) -> Result<Self, Error> {
        let order = domain.curve().scalar_field();
        if bytes.len() != order.bytes() {
            return Err(Error::SecretLength {
                expected: order.bytes(),
                actual: bytes.len(),
            });
        }
        ct::wiping_stack(ct::Depth::Shallow, || {
            let scalar = order.from_be_bytes(bytes).ok_or(Error::SecretOutOfRange)?;
            Self::from_element(domain, scalar).ok_or(Error::SecretZero)
        })
    }

    /// [`generate_from_rng`](Self::generate_from_rng) on a curve known at run time.
    pub(crate) fn generate_from_rng_on<R: TryCryptoRng + ?Sized>(
        domain: C,
        rng: &mut R,
    ) -> Result<Self, R::Error> {
        ct::wiping_stack(ct::Depth::Shallow, || Self::draw(domain, rng))
    }

    /// [`generate_from_rng_on`](Self::generate_from_rng_on) for callers that wipe the stack.
    pub(super) fn draw<R: TryCryptoRng + ?Sized>(domain: C, rng: &mut R) -> Result<Self, R::Error> {
        let mut bytes = Zeroizing::new([0; 72]);
        let bytes = &mut bytes[..domain.curve().scalar_field().bytes()];
        loop {
            rng.try_fill_bytes(bytes)?;
            if let Some(secret) = Self::from_leftmost_bits(domain, bytes) {
                return Ok(secret);
            }
        }
    }

    /// Creates a scalar from the leftmost bits of a string, up to the bit length of n. Returns
    /// `None` if the value is out of range.
    ///
    /// The range check may leak its result: a value out of range is discarded, and reveals nothing
    /// about the next one.
    pub(super) fn from_leftmost_bits(domain: C, bytes: &[u8]) -> Option<Self> {
        let scalar = scalar::nonzero_from_leftmost_bits(domain.curve().scalar_field(), bytes)?;
        Some(Self {
            domain,
            scalar: *scalar,
        })
    }

    /// Returns `None` for zero. A caller may learn that.
    fn from_element(domain: C, scalar: ScalarElement<C>) -> Option<Self> {
        let is_zero = domain.curve().scalar_field().is_zero(&scalar);
        (!ct::declassify(&is_zero)).then_some(Self { domain, scalar })
    }

    /// Writes the integer big-endian in the full length of the order. The bytes are wiped when
    /// dropped.
    #[must_use]
    pub fn to_be_bytes(&self) -> Zeroizing<Vec<u8>> {
        ct::wiping_stack(ct::Depth::Shallow, || self.octets())
    }

    /// [`to_be_bytes`](Self::to_be_bytes) for callers that wipe the stack.
    pub(super) fn octets(&self) -> Zeroizing<Vec<u8>> {
        scalar::octets(self.domain.curve().scalar_field(), &self.scalar)
    }

    /// A copy with another type for its domain parameters.
    pub(crate) fn named<D: Domain<Curve = C::Curve>>(&self, domain: D) -> SecretScalar<D> {
        SecretScalar {
            domain,
            scalar: self.scalar,
        }
    }

    /// The domain parameters.
    pub(crate) fn domain(&self) -> C {
        self.domain
    }

    /// The integer modulo n.
    #[inline(always)]
    pub(crate) fn element(&self) -> &ScalarElement<C> {
        &self.scalar
    }

    /// Returns the matching public key: this scalar times the generator.
    #[must_use]
    pub fn public_key(&self) -> VerifyingKey<C> {
        ct::wiping_stack(ct::Depth::of_length(size_of::<ScalarElement<C>>()), || {
            self.multiply_generator()
        })
    }

    /// [`public_key`](Self::public_key) for callers that wipe the stack.
    pub(super) fn multiply_generator(&self) -> VerifyingKey<C> {
        let curve = self.domain.curve();
        let point = curve.dispatch_secret_lanes(PublicKey(&self.scalar));
        VerifyingKey::from_affine(self.domain, point)
    }
}

impl<C: Domain> fmt::Debug for SecretScalar<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretScalar({})", self.domain.curve().label())
    }
}

impl<C: Domain> ConstantTimeEq for SecretScalar<C> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.scalar.ct_eq(&other.scalar)
    }
}

/// Compares in constant time. The result is public.
impl<C: Domain> PartialEq for SecretScalar<C> {
    fn eq(&self, other: &Self) -> bool {
        self.domain == other.domain && ct::declassify(&self.ct_eq(other).unwrap_u8()) == 1
    }
}

impl<C: Domain> Eq for SecretScalar<C> {}

impl<C: Domain> Drop for SecretScalar<C> {
    fn drop(&mut self) {
        self.scalar.zeroize();
    }
}

impl<C: Domain> ZeroizeOnDrop for SecretScalar<C> {}

/// d G, affine.
struct PublicKey<'a, D>(&'a D);

impl<C: Curve> SecretLanesOperation<C> for PublicKey<'_, C::ScalarElement> {
    const OF_MANY: bool = false;

    type Output = AffinePoint<C::BaseElement>;

    #[inline(always)]
    fn run<L: SecretLanesOf<C>, S: ScalarLanesOf<C>>(
        self,
        curve: C,
        lanes: L,
        order: S,
    ) -> AffinePoint<C::BaseElement> {
        let (base, order) = (lanes.single(), order.single());
        let group = Group::new(curve, base);
        let d = Zeroizing::new(order.to_integer(self.0));
        let product = base_mul_spread(&Group::wide(curve, lanes), &group, order, &d);
        ct::declassify(&group.extended_to_affine(&product))
    }
}
