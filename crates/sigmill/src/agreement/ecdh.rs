//! ECDH on the curves of ECDSA (SP 800-56A rev. 3 §5.7.1.2; SEC 1 §3.3.1).

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConstantTimeEq};
use zeroize::{ZeroizeOnDrop, Zeroizing};

use crate::ct;
use crate::curve::{
    AffinePoint, BaseField, Curve, Domain, Group, Operation, ScalarElement, ScalarField,
};
#[cfg(feature = "std")]
use crate::error::Error;
use crate::keys::{SecretScalar, VerifyingKey};
use crate::multiply::variable_base_mul;

mod many;

pub use many::{diffie_hellman_many, diffie_hellman_many_sec1};

/// A secret for one agreement: [`diffie_hellman`](Self::diffie_hellman) consumes it.
///
/// Wiped when dropped. `Debug` prints only the curve.
///
/// ```
/// use sigmill::p256::{EphemeralSecret, VerifyingKey};
///
/// let (ours, theirs) = (EphemeralSecret::generate()?, EphemeralSecret::generate()?);
/// // What is sent, and read on the other side.
/// let our_share = ours.public_key().to_sec1_bytes(false);
/// let their_share = VerifyingKey::from_sec1_bytes(&theirs.public_key().to_sec1_bytes(false))?;
/// let shared = ours.diffie_hellman(&their_share);
/// let same = theirs.diffie_hellman(&VerifyingKey::from_sec1_bytes(&our_share)?);
/// assert_eq!(shared.as_bytes(), same.as_bytes());
/// # Ok::<(), sigmill::Error>(())
/// ```
pub struct EphemeralSecret<C: Domain>(SecretScalar<C>);

/// Constructors for curve types that stand for one curve.
impl<C: Domain + Default> EphemeralSecret<C> {
    /// Generates a secret with the operating system's generator.
    ///
    /// # Errors
    /// [`Error::RandomnessUnavailable`].
    #[cfg(feature = "std")]
    pub fn generate() -> Result<Self, Error> {
        ct::wiping_stack(ct::Depth::Shallow, || SecretScalar::generate().map(Self))
    }

    /// Generates a secret with a generator of the caller's choice.
    ///
    /// # Errors
    /// Those of the generator.
    pub fn generate_from_rng<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        // It is moved here.
        ct::wiping_stack(ct::Depth::Shallow, || {
            SecretScalar::generate_from_rng(rng).map(Self)
        })
    }
}

impl<C: Domain> EphemeralSecret<C> {
    /// Returns the public key to send. Costs one multiplication of the generator.
    #[must_use]
    pub fn public_key(&self) -> VerifyingKey<C> {
        self.0.public_key()
    }

    /// Returns the secret shared with the holder of the private key to `peer`.
    #[must_use]
    pub fn diffie_hellman(self, peer: &VerifyingKey<C>) -> SharedSecret {
        diffie_hellman(&self.0, peer)
    }
}

impl<C: Domain> fmt::Debug for EphemeralSecret<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EphemeralSecret({})", self.0.domain().curve().label())
    }
}

/// The scalar wipes itself.
impl<C: Domain> ZeroizeOnDrop for EphemeralSecret<C> {}

/// Returns the secret shared with the holder of the private key to `peer`, for a static private
/// key, which is not consumed.
///
/// A [`VerifyingKey`] is a point on the curve that is not infinity. On a curve of prime order, that
/// is the full validation of SP 800-56A §5.6.2.3.3, so no error is possible. Constant time in the
/// secret; about 2,800 products and squares on P-256.
///
/// # Panics
/// Panics if the keys are on different curves. Types exclude that, except types for a curve that is
/// known only at run time.
///
/// ```
/// use sigmill::agreement::diffie_hellman;
/// use sigmill::p256::SecretScalar;
///
/// let (alice, bob) = (SecretScalar::generate()?, SecretScalar::generate()?);
/// let shared = diffie_hellman(&alice, &bob.public_key());
/// assert_eq!(shared.as_bytes(), diffie_hellman(&bob, &alice.public_key()).as_bytes());
/// # Ok::<(), sigmill::Error>(())
/// ```
#[must_use]
pub fn diffie_hellman<C: Domain>(secret: &SecretScalar<C>, peer: &VerifyingKey<C>) -> SharedSecret {
    agree(secret, peer, Form::X)
}

/// Returns SHA-256 of the shared point in compressed form (SEC 1 §2.3.3): 32 bytes on every curve.
/// On secp256k1 this equals the result of `secp256k1_ecdh` of libsecp256k1 with its default hash.
///
/// Use this to agree with programs that use that function. SP 800-56A and RFC 7518 use
/// [`diffie_hellman`] and a key derivation function. Constant time in the secret, and without
/// errors, as there.
///
/// # Panics
/// As [`diffie_hellman`].
///
/// ```
/// use sigmill::agreement::diffie_hellman_sha256;
/// use sigmill::secp256k1::SecretScalar;
///
/// let (alice, bob) = (SecretScalar::generate()?, SecretScalar::generate()?);
/// let shared = diffie_hellman_sha256(&alice, &bob.public_key());
/// assert_eq!(shared, diffie_hellman_sha256(&bob, &alice.public_key()));
/// # Ok::<(), sigmill::Error>(())
/// ```
#[must_use]
pub fn diffie_hellman_sha256<C: Domain>(
    secret: &SecretScalar<C>,
    peer: &VerifyingKey<C>,
) -> SharedSecret {
    agree(secret, peer, Form::Sha256OfPoint)
}

pub(super) fn agree<C: Domain>(
    secret: &SecretScalar<C>,
    peer: &VerifyingKey<C>,
    form: Form,
) -> SharedSecret {
    assert_eq!(secret.domain(), peer.domain(), "keys on one curve");
    let (curve, secret) = (secret.domain().curve(), secret.element());
    let peer = peer.as_affine();
    ct::wiping_stack(ct::Depth::of_length(size_of::<ScalarElement<C>>()), || {
        curve.dispatch(DiffieHellman { secret, peer, form })
    })
}

/// The secret that two keys share. From [`diffie_hellman`] and similar functions it is the
/// x-coordinate of the shared point, big-endian in the full length of the field: 32 bytes on P-256,
/// 66 on P-521 ([`CurveName::field_len`](crate::CurveName::field_len)). From
/// [`diffie_hellman_sha256`] it is a hash.
///
/// It is not a key yet: derive keys from it (SP 800-56C, HKDF). Wiped when dropped, and compared in
/// constant time. `Debug` prints nothing of it.
pub struct SharedSecret(pub(super) Zeroizing<Vec<u8>>);

impl SharedSecret {
    /// Returns the bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for SharedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedSecret(..)")
    }
}

impl ConstantTimeEq for SharedSecret {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }
}

/// Compares in constant time; the result is public.
impl PartialEq for SharedSecret {
    fn eq(&self, other: &Self) -> bool {
        ct::declassify(&self.ct_eq(other).unwrap_u8()) == 1
    }
}

impl Eq for SharedSecret {}

impl ZeroizeOnDrop for SharedSecret {}

struct DiffieHellman<'a, C: Curve> {
    secret: &'a C::ScalarElement,
    peer: &'a AffinePoint<C::BaseElement>,
    form: Form,
}

/// The form of the shared secret.
#[derive(Clone, Copy)]
pub(super) enum Form {
    X,
    Sha256OfPoint,
}

/// The steps of SP 800-56A rev. 3 §5.7.1.2.
impl<C: Curve> Operation<C> for DiffieHellman<'_, C> {
    type Output = SharedSecret;

    #[inline(always)]
    fn run<F: BaseField<C>, S: ScalarField<C>>(self, curve: C, base: F, order: S) -> SharedSecret {
        // Step 1: P = h d Q; the cofactor h is 1.
        let group = Group::new(curve, base);
        let d = Zeroizing::new(order.to_integer(self.secret));
        let p = variable_base_mul(&group, order, &d, self.peer);
        // Step 2: P is not infinity, as d is in 1 .. n - 1 and Q has order n, a prime.
        debug_assert!(!base.is_zero(&p.zz));
        // Step 3: z = x(P), as bytes.
        let mut shared = SharedSecret(Zeroizing::new(vec![0; base.bytes()]));
        match self.form {
            Form::X => {
                let x = Zeroizing::new(group.extended_to_x(&p));
                base.write_be_bytes(&x, &mut shared.0);
            }
            Form::Sha256OfPoint => {
                let affine = Zeroizing::new(group.extended_to_affine(&p));
                base.write_be_bytes(&affine.x, &mut shared.0);
                let y = Zeroizing::new(base.to_integer(&affine.y));
                // Not a boolean, which could become a branch.
                let tag = 2 | ((*y).as_ref()[0] & 1) as u8;
                let hash = Sha256::new_with_prefix([tag]).chain_update(&shared.0);
                let hash = Zeroizing::new(<[u8; 32]>::from(hash.finalize()));
                shared = SharedSecret(Zeroizing::new(hash.to_vec()));
            }
        }
        // Step 4: intermediate values are destroyed, by types that wipe themselves.
        // Step 5.
        shared
    }
}
