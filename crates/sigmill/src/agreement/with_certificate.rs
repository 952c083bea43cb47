//! Agreement with a peer whose key a certificate vouches for: both in one sum (R. Struik, *Fast
//! ECDSA*, <https://datatracker.ietf.org/ipr/1363/>).

use rand_core::TryCryptoRng;

use super::defect::{Defect, Drawn};
use super::ecmqv::Keys;
use super::shared_point::SharedPoint;
use super::{EphemeralKeyPair, EphemeralSecret, SharedSecret};
use crate::ct;
use crate::curve::{Curve as _, Domain};
use crate::ecdsa::{Hint, SecretScalar, Signature, SigningKey, VerifyingKey};
use crate::error::Error;

/// What an agreement asks of the certificate of its peer: that `signature` is one of `digest` by
/// `issuer`.
///
/// The digest is that of what the issuer has signed, of any length but 0; as in verification its
/// leftmost bits count. **That the peer's key stands in what is hashed, with the right name, dates
/// and purposes, is the caller's to check**: nothing here reads certificates.
#[derive(Clone, Copy, Debug)]
pub struct CertificateSignature<'a, C: Domain> {
    /// The public key of who issued the certificate.
    pub issuer: &'a VerifyingKey<C>,
    /// The digest of what is signed.
    pub digest: &'a [u8],
    /// The signature.
    pub signature: &'a Signature<C>,
    /// Which point R is that the signature has the x-coordinate of: with y(R) in full it costs
    /// nothing, with two bits a square root.
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

    /// Whether all is on the curve of `domain`.
    fn is_on(&self, domain: C) -> bool {
        self.issuer.domain() == domain && self.signature.domain() == domain
    }
}

/// [`diffie_hellman`](super::diffie_hellman) with a peer whose certificate is verified by the very
/// computation: the shared secret if it is valid, and otherwise one that nobody shares.
///
/// In place of K = d P, for the peer's key P, this computes
///
/// > K = d P + l (s⁻¹ (e G + r Q) - R)
///
/// for the signature (r, s) of e by the issuer's key Q. What is in brackets is infinity if and only
/// if the signature is valid and its point is R. The weight l is odd, of 128 random bits from the
/// operating system's generator, is used once and never leaves this call. So the sum shares its
/// doublings between agreement and verification. There is no verdict: **that the peer proves to
/// have the same key, by a message that is authenticated with it, is what says that the certificate
/// was valid** (key confirmation, SP 800-56A §5.9). Until then nothing that was received may be
/// acted upon.
///
/// What an attacker learns: with a bad certificate K is one of 2^128 points, each equally likely,
/// even for who chose the peer's key, the issuer's key, the signature and R, and knows d P; a guess
/// of its x is right with probability 2^-127 at most. (A weight that follows from the certificate,
/// such as the half-size integer of fast verification, would let who knows the private key of P
/// compute K.) So nobody learns anything of the secret by it; that the confirmation fails tells
/// that certificate or hint were bad, not which, as the error of a verification would.
///
/// Constant time in the secret and in the weight (but for what one call in 2^114 tells,
/// docs/constant-time.md, "Sums"); the time may depend on the certificate and the public keys. What
/// it takes more than the agreement alone is, with y(R) as a hint, some 2.6 times less than an
/// ordinary verification on P-384 and P-521 with AVX-512 IFMA and 1.6 times on P-256; without these
/// instructions 1.7 times, and 1.2 on P-256 (docs/struik.md).
/// [A verification with that hint](VerifyingKey::verify_prehash_with_hint) takes 1.2 to 1.9 times
/// as long, on P-256 without these instructions less, and one by a
/// [prepared key](crate::ecdsa::PreparedKey) much less; and they tell.
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
///     hint: id.into(),
/// };
/// let shared = diffie_hellman_with_certificate(&ours, &peer.public_key(), &certificate)?;
/// let theirs = sigmill::agreement::diffie_hellman(&peer, &ours.public_key());
/// assert_eq!(shared, theirs);
/// # Ok::<(), sigmill::Error>(())
/// ```
///
/// # Errors
/// [`Error::RandomnessUnavailable`]; of a certificate that cannot be valid or is hinted wrongly:
/// [`Error::DigestEmpty`], [`Error::HintNotOnCurve`]. [`Error::SharedInfinity`], which a bad
/// certificate leads to with probability 2^-128.
///
/// # Panics
/// When the keys are on several curves of one type.
#[cfg(feature = "std")]
pub fn diffie_hellman_with_certificate<C: Domain>(
    secret: &SecretScalar<C>,
    peer: &VerifyingKey<C>,
    certificate: &CertificateSignature<'_, C>,
) -> Result<SharedSecret, Error> {
    let rng = &mut getrandom::SysRng;
    diffie_hellman_with_certificate_from_rng(secret, peer, certificate, rng)
}

/// [`diffie_hellman_with_certificate`] with a weight from a generator of the caller's choice, which
/// must be one for secrets: whoever knows a part of its output cannot compute the rest.
///
/// # Errors
/// Those of [`diffie_hellman_with_certificate`]; an error of the generator is
/// [`Error::RandomnessUnavailable`].
///
/// # Panics
/// As [`diffie_hellman_with_certificate`].
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

impl<C: Domain> EphemeralSecret<C> {
    /// [`diffie_hellman_with_certificate`], by a secret that is used up.
    ///
    /// # Errors
    /// Those of [`diffie_hellman_with_certificate`].
    ///
    /// # Panics
    /// As [`diffie_hellman_with_certificate`].
    #[cfg(feature = "std")]
    pub fn diffie_hellman_with_certificate(
        self,
        peer: &VerifyingKey<C>,
        certificate: &CertificateSignature<'_, C>,
    ) -> Result<SharedSecret, Error> {
        diffie_hellman_with_certificate(self.secret_scalar(), peer, certificate)
    }
}

/// [`ecmqv`](super::ecmqv()) with a peer whose certificate, that of its static key, is verified by
/// the very computation: the shared secret if it is valid, and otherwise one that nobody shares.
///
/// All that [`diffie_hellman_with_certificate`] says holds here: confirm the key. As there, the
/// initiator of one-pass ECMQV gives `peer` as `peer_ephemeral` too.
///
/// # Errors
/// Those of [`diffie_hellman_with_certificate`] and of [`ecmqv`](super::ecmqv()).
///
/// # Panics
/// When the keys are on several curves of one type.
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
/// one for secrets, as for [`diffie_hellman_with_certificate_from_rng`].
///
/// # Errors
/// Those of [`ecmqv_with_certificate`]; an error of the generator is
/// [`Error::RandomnessUnavailable`].
///
/// # Panics
/// As [`ecmqv_with_certificate`].
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

/// [`ecmqv_one_pass_respond`](super::ecmqv_one_pass_respond) with a peer whose certificate, that of
/// its static key, is verified by the very computation; see [`ecmqv_with_certificate`].
///
/// # Errors
/// Those of [`ecmqv_with_certificate`].
///
/// # Panics
/// As [`ecmqv_with_certificate`].
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

/// For callers that wipe the stack.
fn agree<C: Domain, R: TryCryptoRng + ?Sized>(
    keys: &Keys<'_, C>,
    certificate: &CertificateSignature<'_, C>,
    rng: &mut R,
) -> Result<SharedSecret, Error> {
    assert!(certificate.is_on(keys.domain()), "keys on one curve");
    let drawn = Drawn::new(rng)?;
    keys.agree(Some((certificate.defect(), &drawn)))
}
