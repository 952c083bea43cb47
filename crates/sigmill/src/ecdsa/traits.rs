//! The traits of crate `signature`, for code that is generic over implementations.

use rand_core::TryCryptoRng;
use signature::hazmat::{PrehashSigner, PrehashVerifier, RandomizedPrehashSigner};
use signature::{Keypair, SignatureEncoding, Signer, Verifier};
use zeroize::Zeroizing;

use super::{PreparedKey, Signature, SigningKey, VerifyingKey};
use crate::curve::{Curve as _, Domain, NamedCurve};
use crate::error::Error;
use crate::field::PrimeField as _;

impl<C: NamedCurve> Verifier<Signature<C>> for VerifyingKey<C> {
    fn verify(&self, message: &[u8], signature: &Signature<C>) -> Result<(), signature::Error> {
        Ok(VerifyingKey::verify(self, message, signature)?)
    }
}

impl<C: NamedCurve> Verifier<Signature<C>> for PreparedKey<C> {
    fn verify(&self, message: &[u8], signature: &Signature<C>) -> Result<(), signature::Error> {
        Ok(PreparedKey::verify(self, message, signature)?)
    }
}

impl<C: Domain> PrehashVerifier<Signature<C>> for VerifyingKey<C> {
    fn verify_prehash(
        &self,
        digest: &[u8],
        signature: &Signature<C>,
    ) -> Result<(), signature::Error> {
        Ok(VerifyingKey::verify_prehash(self, digest, signature)?)
    }
}

impl<C: Domain> PrehashVerifier<Signature<C>> for PreparedKey<C> {
    fn verify_prehash(
        &self,
        digest: &[u8],
        signature: &Signature<C>,
    ) -> Result<(), signature::Error> {
        Ok(PreparedKey::verify_prehash(self, digest, signature)?)
    }
}

/// The P1363 form, as in crate `ecdsa`.
impl<C: Domain + Default> TryFrom<&[u8]> for Signature<C> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_p1363(bytes)
    }
}

/// The P1363 form, as in crate `ecdsa`.
impl<C: Domain> From<Signature<C>> for alloc::boxed::Box<[u8]> {
    fn from(signature: Signature<C>) -> Self {
        signature.to_p1363().into_boxed_slice()
    }
}

impl<C: Domain + Default> SignatureEncoding for Signature<C> {
    type Repr = alloc::boxed::Box<[u8]>;
}

impl<C: Domain> Keypair for SigningKey<C> {
    type VerifyingKey = VerifyingKey<C>;

    fn verifying_key(&self) -> VerifyingKey<C> {
        *SigningKey::verifying_key(self)
    }
}

impl<C: NamedCurve> Signer<Signature<C>> for SigningKey<C> {
    fn try_sign(&self, message: &[u8]) -> Result<Signature<C>, signature::Error> {
        Ok(SigningKey::sign(self, message))
    }
}

impl<C: NamedCurve> PrehashSigner<Signature<C>> for SigningKey<C> {
    fn sign_prehash(&self, digest: &[u8]) -> Result<Signature<C>, signature::Error> {
        Ok(SigningKey::sign_prehash(self, digest)?)
    }
}

/// Hedged: the nonce depends on as many random bytes as the order has, beside key and digest.
impl<C: NamedCurve> RandomizedPrehashSigner<Signature<C>> for SigningKey<C> {
    fn sign_prehash_with_rng<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        digest: &[u8],
    ) -> Result<Signature<C>, signature::Error> {
        let mut entropy = Zeroizing::new([0; 72]);
        let entropy = &mut entropy[..self.domain().curve().scalar_field().bytes()];
        rng.try_fill_bytes(entropy)
            .map_err(|_| Error::RandomnessUnavailable)?;
        Ok(self.sign_prehash_with_entropy(self.hash(), digest, entropy)?)
    }
}
