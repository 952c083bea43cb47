//! ECMQV (SP 800-56A rev. 3 §5.7.2.3): each party has a static and an ephemeral key.

use core::fmt;

use rand_core::TryCryptoRng;
use zeroize::{ZeroizeOnDrop, Zeroizing};

use super::SharedSecret;
use super::defect::{Defect, Drawn};
use super::shared_point::SharedPoint;
use crate::ct;
use crate::curve::{Curve, Domain, ScalarElement};
use crate::error::Error;
use crate::field::{Field as _, PrimeField as _};
use crate::keys::{SecretScalar, SigningKey, VerifyingKey};
use crate::scalar;

/// An ephemeral secret with its public key, for one agreement by [`ecmqv`], which consumes both.
///
/// Wiped when dropped. `Debug` prints only the curve.
pub struct EphemeralKeyPair<C: Domain> {
    secret: SecretScalar<C>,
    public: VerifyingKey<C>,
}

/// Constructors for curve types that stand for one curve.
impl<C: Domain + Default> EphemeralKeyPair<C> {
    /// Generates a pair with the operating system's generator. Costs one multiplication of the
    /// generator.
    ///
    /// # Errors
    /// [`Error::RandomnessUnavailable`].
    #[cfg(feature = "std")]
    pub fn generate() -> Result<Self, Error> {
        Self::generate_from_rng(&mut getrandom::SysRng).map_err(|_| Error::RandomnessUnavailable)
    }

    /// Generates a pair with a generator of the caller's choice.
    ///
    /// # Errors
    /// Those of the generator.
    pub fn generate_from_rng<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        Self::generate_from_rng_on(C::default(), rng)
    }
}

impl<C: Domain> EphemeralKeyPair<C> {
    /// [`generate_from_rng`](Self::generate_from_rng) on a curve that is known at run time.
    ///
    /// # Errors
    /// Those of the generator.
    pub fn generate_from_rng_on<R: TryCryptoRng + ?Sized>(
        domain: C,
        rng: &mut R,
    ) -> Result<Self, R::Error> {
        // It is moved here.
        ct::wiping_stack(ct::Depth::Many, || {
            SecretScalar::generate_from_rng_on(domain, rng).map(|secret| Self {
                public: secret.public_key(),
                secret,
            })
        })
    }

    /// Returns the public key to send.
    #[must_use]
    pub fn public_key(&self) -> &VerifyingKey<C> {
        &self.public
    }
}

impl<C: Domain> fmt::Debug for EphemeralKeyPair<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "EphemeralKeyPair({})",
            self.secret.domain().curve().label()
        )
    }
}

/// The scalar wipes itself.
impl<C: Domain> ZeroizeOnDrop for EphemeralKeyPair<C> {}

/// Returns the secret shared with the holder of the private keys to `peer`, which is static, and to
/// `peer_ephemeral`: full ECMQV, C(2e, 2s). Both parties make the same call.
///
/// With `peer` as `peer_ephemeral` too, this is the computation of the initiator of one-pass ECMQV,
/// C(1e, 2s). Its peer participates with its static key alone and calls [`ecmqv_one_pass_respond`].
///
/// Types validate public keys, as for [`diffie_hellman`](super::diffie_hellman), and the secret is
/// x of the shared point, as there. Derive keys from it together with the names of both parties,
/// and confirm them. Without that, a third party can have its own static key accepted as that of a
/// peer who knows nothing of it (SP 800-56A §5.9; RFC 6278 is an example of use).
///
/// Constant time in both secrets; about 3,900 products and squares on P-256.
///
/// ```
/// use sigmill::agreement::{EphemeralKeyPair, ecmqv};
/// use sigmill::curves::P256;
/// use sigmill::p256::SecretScalar;
///
/// let (alice, bob) = (SecretScalar::generate()?, SecretScalar::generate()?);
/// let alice_ephemeral = EphemeralKeyPair::<P256>::generate()?;
/// let bob_ephemeral = EphemeralKeyPair::<P256>::generate()?;
/// let (from_alice, from_bob) = (*alice_ephemeral.public_key(), *bob_ephemeral.public_key());
/// let shared = ecmqv(&alice, alice_ephemeral, &bob.public_key(), &from_bob)?;
/// let same = ecmqv(&bob, bob_ephemeral, &alice.public_key(), &from_alice)?;
/// assert_eq!(shared.as_bytes(), same.as_bytes());
/// # Ok::<(), sigmill::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::SharedInfinity`] if the peer's two keys cancel each other, which only someone
/// who chose them so can cause, or if our own do.
///
/// # Panics
/// Panics if the keys are on several curves of one type.
pub fn ecmqv<C: Domain>(
    ours: &SecretScalar<C>,
    ephemeral: EphemeralKeyPair<C>,
    peer: &VerifyingKey<C>,
    peer_ephemeral: &VerifyingKey<C>,
) -> Result<SharedSecret, Error> {
    ct::wiping_stack(ct::Depth::Many, || {
        Keys::of_two(ours, &ephemeral, peer, peer_ephemeral).agree(None)
    })
}

/// Performs the computation of the responder of one-pass ECMQV, C(1e, 2s), who holds the static key
/// `ours` and has no ephemeral key. `peer` and `peer_ephemeral` are the keys of the initiator, who
/// calls [`ecmqv`].
///
/// The responder's part is static, so someone who learns its key later learns the secret too.
///
/// ```
/// use sigmill::agreement::{EphemeralKeyPair, ecmqv, ecmqv_one_pass_respond};
/// use sigmill::p256::{SecretScalar, SigningKey};
///
/// let (alice, bob) = (SecretScalar::generate()?, SigningKey::generate()?);
/// let ephemeral = EphemeralKeyPair::generate()?;
/// let sent = *ephemeral.public_key();
/// let shared = ecmqv(&alice, ephemeral, bob.verifying_key(), bob.verifying_key())?;
/// let same = ecmqv_one_pass_respond(&bob, &alice.public_key(), &sent)?;
/// assert_eq!(shared.as_bytes(), same.as_bytes());
/// # Ok::<(), sigmill::Error>(())
/// ```
///
/// # Errors
/// Those of [`ecmqv`].
///
/// # Panics
/// Panics in the same cases as [`ecmqv`].
pub fn ecmqv_one_pass_respond<C: Domain>(
    ours: &SigningKey<C>,
    peer: &VerifyingKey<C>,
    peer_ephemeral: &VerifyingKey<C>,
) -> Result<SharedSecret, Error> {
    ct::wiping_stack(ct::Depth::Many, || {
        Keys::of_one(ours, peer, peer_ephemeral).agree(None)
    })
}

/// The keys of both parties.
pub(super) struct Keys<'a, C: Domain> {
    ours: &'a SecretScalar<C>,
    ephemeral: &'a SecretScalar<C>,
    ephemeral_public: &'a VerifyingKey<C>,
    peer: &'a VerifyingKey<C>,
    peer_ephemeral: &'a VerifyingKey<C>,
}

impl<'a, C: Domain> Keys<'a, C> {
    /// With our own ephemeral key.
    pub(super) fn of_two(
        ours: &'a SecretScalar<C>,
        ephemeral: &'a EphemeralKeyPair<C>,
        peer: &'a VerifyingKey<C>,
        peer_ephemeral: &'a VerifyingKey<C>,
    ) -> Self {
        Self {
            ours,
            ephemeral: &ephemeral.secret,
            ephemeral_public: &ephemeral.public,
            peer,
            peer_ephemeral,
        }
    }

    /// With a static key that also replaces the ephemeral one.
    pub(super) fn of_one(
        ours: &'a SigningKey<C>,
        peer: &'a VerifyingKey<C>,
        peer_ephemeral: &'a VerifyingKey<C>,
    ) -> Self {
        Self {
            ours: ours.secret_scalar(),
            ephemeral: ours.secret_scalar(),
            ephemeral_public: ours.verifying_key(),
            peer,
            peer_ephemeral,
        }
    }

    pub(super) fn domain(&self) -> C {
        self.ours.domain()
    }

    /// Performs the steps of SP 800-56A rev. 3 §5.7.2.3. The caller must wipe the stack.
    pub(super) fn agree(
        &self,
        defect: Option<(Defect<'_, C::Curve>, &Drawn)>,
    ) -> Result<SharedSecret, Error> {
        let domain = self.domain();
        let others = [self.ephemeral_public, self.peer, self.peer_ephemeral];
        assert!(
            self.ephemeral.domain() == domain && others.iter().all(|key| key.domain() == domain),
            "keys on one curve"
        );
        let order = domain.curve().scalar_field();
        // Step 1: the implicit signature s = d_e + avf(Q_e) d_s mod n.
        let own = associate_value(self.ephemeral_public);
        let product = Zeroizing::new(order.mul(&own, self.ours.element()));
        let s = Zeroizing::new(order.add(self.ephemeral.element(), &product));
        // Step 2: P = h s (Q_e' + avf(Q_e') Q_s') with the peer's keys; the cofactor h is 1.
        // Step 3: P is not infinity.
        // If s is zero, which reveals nothing about other agreements, P is infinity.
        if ct::declassify(&order.is_zero(&s)) {
            return Err(Error::SharedInfinity);
        }
        let theirs = associate_value(self.peer_ephemeral);
        let product = Zeroizing::new(order.mul(&theirs, &s));
        let sum = SharedPoint {
            terms: &[
                (&*s, self.peer_ephemeral.as_affine()),
                (&*product, self.peer.as_affine()),
            ],
            defect,
        };
        // Step 4: z = x(P). Steps 5 and 6: intermediate values are destroyed, by types that wipe
        // themselves.
        domain.curve().dispatch_secret_lanes(sum)
    }
}

/// avf(Q) (SP 800-56A rev. 3 §5.7.2.2): with f the length of n in bits, x(Q) mod 2^ceil(f/2), and
/// 2^ceil(f/2).
fn associate_value<C: Domain>(key: &VerifyingKey<C>) -> ScalarElement<C> {
    let curve = key.domain().curve();
    let order = curve.scalar_field();
    let half = order.bits().div_ceil(2) as usize;
    let mut value = curve.base_field().to_integer(&key.as_affine().x);
    let limbs = value.as_mut();
    limbs[half / 64] = limbs[half / 64] & ((1 << (half % 64)) - 1) | 1 << (half % 64);
    limbs[half / 64 + 1..].fill(0);
    // Half of the bits of n and one more are fewer than n has.
    scalar::element(order, &value)
}
