//! Key agreement with a peer whose key a certificate vouches for, with both in one sum (R. Struik,
//! *Fast ECDSA*, <https://datatracker.ietf.org/ipr/1363/>).

use rand_core::TryCryptoRng;

use super::defect::{Defect, Drawn};
use super::ecmqv::Keys;
use super::shared_point::SharedPoint;
use super::{EphemeralKeyPair, SharedSecret};
use crate::ct;
use crate::curve::{Curve as _, Domain};
use crate::ecdsa::{Hint, Signature};
use crate::error::Error;
use crate::keys::{SecretScalar, SigningKey, VerifyingKey};

/// The requirement that an agreement places on its peer's certificate: `signature` is a signature
/// of `digest` by `issuer`.
///
/// The digest is that of the data that the issuer signed, of any length but 0; as in verification,
/// its leftmost bits count. **The caller must check that the hashed data contains the peer's key,
/// with the right name, dates and purposes**: nothing here reads certificates.
#[derive(Clone, Copy, Debug)]
pub struct CertificateSignature<'a, C: Domain> {
    /// The public key of the certificate's issuer.
    pub issuer: &'a VerifyingKey<C>,
    /// The digest of the signed data.
    pub digest: &'a [u8],
    /// The signature.
    pub signature: &'a Signature<C>,
    /// The choice of R among the points with the signature's x-coordinate. With y(R) in full it
    /// costs nothing, with two bits a square root.
    pub hint: Hint<'a>,
}

impl<C: Domain> CertificateSignature<'_, C> {
    fn defect(&self) -> Defect<'_, C::Curve> {
        Defect {
            issuer: self.issuer.as_affine(),
            digest: self.digest,
            signature: self.signature.scalars(),
            hint: self.hint,
        }
    }

    /// Returns true if all parts are on the curve of `domain`.
    fn is_on(&self, domain: C) -> bool {
        self.issuer.domain() == domain && self.signature.domain() == domain
    }
}

/// [`diffie_hellman`](super::diffie_hellman) with a peer whose certificate is verified by the same
/// computation. Returns the shared secret if the certificate is valid, and otherwise a secret that
/// nobody shares.
///
/// In place of K = d P, for the peer's key P, this computes
///
/// > K = d P + l (s⁻¹ (e G + r Q) - R)
///
/// for the signature (r, s) of e by the issuer's key Q. The term in brackets is infinity if and
/// only if the signature is valid and its point is R. The weight l is odd, has 128 random bits from
/// the operating system's generator, is used once and never leaves this call. So agreement and
/// verification share the doublings of one sum. No verdict is returned: **the certificate is known
/// to be valid only once the peer has proved that it has the same key, by a message authenticated
/// with that key** (key confirmation, SP 800-56A §5.9). Until then, do not act on anything
/// received.
///
/// An attacker learns nothing about the secret. With a bad certificate, K is one of 2^128 points,
/// each equally likely, even for someone who chose the peer's key, the issuer's key, the signature
/// and R, and knows d P; a guess of its x is right with probability 2^-127 at most. (If the weight
/// followed from the certificate, like the half-size integer of fast verification, someone who
/// knows the private key of P could compute K.) A failed confirmation reveals that the certificate
/// or the hint was bad, but not which, as the error of a verification would.
///
/// Constant time in the secret and in the weight (except for what one call in 2^114 reveals,
/// docs/constant-time.md, "Sums"); the time may depend on the certificate and the public keys. With
/// y(R) as a hint, the cost in addition to the agreement alone is some 2.6 times less than that of
/// an ordinary verification on P-384 and P-521 with AVX-512 IFMA, and 1.6 times less on P-256.
/// Without these instructions it is 1.7 times less, and 1.2 times less on P-256 (docs/struik.md).
/// [A verification with that hint](VerifyingKey::verify_with) costs 1.2 to 1.9 times
/// as much, on P-256 without these instructions less, and one by a [prepared
/// key](crate::keys::PreparedKey) much less; and these return a verdict.
///
/// ```
/// use sigmill::agreement::{CertificateSignature, diffie_hellman_with_certificate};
/// use sigmill::p256::{SecretScalar, SigningKey};
///
/// let (ours, peer) = (SecretScalar::generate()?, SecretScalar::generate()?);
/// let issuer = SigningKey::generate()?;
/// let digest = sigmill::HashName::Sha256.digest(&peer.public_key().to_sec1_bytes(false));
/// let (signature, id) = issuer.sign_prehash_recoverable(&digest)?;
/// let certificate = CertificateSignature {
///     issuer: issuer.verifying_key(),
///     digest: &digest,
///     signature: &signature,
///     hint: sigmill::Hint::Id(id),
/// };
/// let shared = diffie_hellman_with_certificate(&ours, &peer.public_key(), &certificate)?;
/// let theirs = sigmill::agreement::diffie_hellman(&peer, &ours.public_key());
/// assert_eq!(shared, theirs);
/// # Ok::<(), sigmill::Error>(())
/// ```
///
/// # Errors
/// [`Error::RandomnessUnavailable`]; for a certificate that cannot be valid or has a wrong hint:
/// [`Error::DigestEmpty`], [`Error::HintNotOnCurve`]; [`Error::SharedInfinity`], which a bad
/// certificate causes with probability 2^-128.
///
/// # Panics
/// Panics if the keys are on several curves of one type.
#[cfg(feature = "std")]
pub fn diffie_hellman_with_certificate<C: Domain>(
    secret: &SecretScalar<C>,
    peer: &VerifyingKey<C>,
    certificate: &CertificateSignature<'_, C>,
) -> Result<SharedSecret, Error> {
    let rng = &mut getrandom::SysRng;
    diffie_hellman_with_certificate_from_rng(secret, peer, certificate, rng)
}

/// [`diffie_hellman_with_certificate`] with a weight from a generator of the caller's choice. The
/// generator must be suitable for secrets: knowing a part of its output must not allow anyone to
/// compute the rest. Its error becomes [`Error::RandomnessUnavailable`].
pub fn diffie_hellman_with_certificate_from_rng<C: Domain, R: TryCryptoRng + ?Sized>(
    secret: &SecretScalar<C>,
    peer: &VerifyingKey<C>,
    certificate: &CertificateSignature<'_, C>,
    rng: &mut R,
) -> Result<SharedSecret, Error> {
    let domain = secret.domain();
    let on_one_curve = peer.domain() == domain && certificate.is_on(domain);
    assert!(on_one_curve, "keys on one curve");
    ct::wiping_stack(ct::Depth::Many, || {
        let drawn = Drawn::new(rng)?;
        domain.curve().dispatch_secret_lanes(SharedPoint {
            terms: &[(secret.element(), peer.as_affine())],
            defect: Some((certificate.defect(), &drawn)),
        })
    })
}

/// [`ecmqv`](super::ecmqv()) with a peer whose certificate, for its static key, is verified by the
/// same computation. Returns the shared secret if the certificate is valid, and otherwise a secret
/// that nobody shares.
///
/// Everything that [`diffie_hellman_with_certificate`] documents applies here: confirm the key. The
/// initiator of one-pass ECMQV passes `peer` as `peer_ephemeral` too, as for
/// [`ecmqv`](super::ecmqv()).
///
/// # Errors
/// Those of [`diffie_hellman_with_certificate`] and of [`ecmqv`](super::ecmqv()).
///
/// # Panics
/// Panics if the keys are on several curves of one type.
#[cfg(feature = "std")]
pub fn ecmqv_with_certificate<C: Domain>(
    ours: &SecretScalar<C>,
    ephemeral: EphemeralKeyPair<C>,
    peer: &VerifyingKey<C>,
    peer_ephemeral: &VerifyingKey<C>,
    certificate: &CertificateSignature<'_, C>,
) -> Result<SharedSecret, Error> {
    let rng = &mut getrandom::SysRng;
    ecmqv_with_certificate_from_rng(ours, ephemeral, peer, peer_ephemeral, certificate, rng)
}

/// [`ecmqv_with_certificate`] with a weight from a generator of the caller's choice, which must be
/// suitable for secrets, as for [`diffie_hellman_with_certificate_from_rng`].
pub fn ecmqv_with_certificate_from_rng<C: Domain, R: TryCryptoRng + ?Sized>(
    ours: &SecretScalar<C>,
    ephemeral: EphemeralKeyPair<C>,
    peer: &VerifyingKey<C>,
    peer_ephemeral: &VerifyingKey<C>,
    certificate: &CertificateSignature<'_, C>,
    rng: &mut R,
) -> Result<SharedSecret, Error> {
    ct::wiping_stack(ct::Depth::Many, || {
        let keys = Keys::of_two(ours, &ephemeral, peer, peer_ephemeral);
        agree(&keys, certificate, rng)
    })
}

/// [`ecmqv_one_pass_respond`](super::ecmqv_one_pass_respond) with a peer whose certificate, for its
/// static key, is verified by the same computation; see [`ecmqv_with_certificate`].
///
/// # Errors
/// Those of [`ecmqv_with_certificate`].
///
/// # Panics
/// Panics in the same cases as [`ecmqv_with_certificate`].
#[cfg(feature = "std")]
pub fn ecmqv_one_pass_respond_with_certificate<C: Domain>(
    ours: &SigningKey<C>,
    peer: &VerifyingKey<C>,
    peer_ephemeral: &VerifyingKey<C>,
    certificate: &CertificateSignature<'_, C>,
) -> Result<SharedSecret, Error> {
    ct::wiping_stack(ct::Depth::Many, || {
        let keys = Keys::of_one(ours, peer, peer_ephemeral);
        agree(&keys, certificate, &mut getrandom::SysRng)
    })
}

/// Performs the agreement. The caller must wipe the stack.
fn agree<C: Domain, R: TryCryptoRng + ?Sized>(
    keys: &Keys<'_, C>,
    certificate: &CertificateSignature<'_, C>,
    rng: &mut R,
) -> Result<SharedSecret, Error> {
    assert!(certificate.is_on(keys.domain()), "keys on one curve");
    let drawn = Drawn::new(rng)?;
    keys.agree(Some((certificate.defect(), &drawn)))
}
