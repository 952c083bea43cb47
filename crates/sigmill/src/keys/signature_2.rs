//! The traits of crate `signature` 2, which much of the ecosystem still uses, in addition to those
//! of version 3.

use signature_2::hazmat::{PrehashSigner, PrehashVerifier, RandomizedPrehashSigner};
use signature_2::rand_core::CryptoRngCore;
use signature_2::{Error, Keypair, SignatureEncoding, Signer, Verifier};
use zeroize::Zeroizing;

use super::{PreparedKey, SigningKey, VerifyingKey};
use crate::curve::{Curve as _, Domain, NamedCurve};
use crate::ecdsa::Signature;
use crate::field::PrimeField as _;

/// Converts to that crate's error, which carries no detail.
fn opaque(_: crate::Error) -> Error {
    Error::new()
}

impl<C: NamedCurve> Verifier<Signature<C>> for VerifyingKey<C> {
    fn verify(&self, message: &[u8], signature: &Signature<C>) -> Result<(), Error> {
        VerifyingKey::verify(self, message, signature).map_err(opaque)
    }
}

impl<C: NamedCurve> Verifier<Signature<C>> for PreparedKey<C> {
    fn verify(&self, message: &[u8], signature: &Signature<C>) -> Result<(), Error> {
        PreparedKey::verify(self, message, signature).map_err(opaque)
    }
}

impl<C: Domain> PrehashVerifier<Signature<C>> for VerifyingKey<C> {
    fn verify_prehash(&self, digest: &[u8], signature: &Signature<C>) -> Result<(), Error> {
        VerifyingKey::verify_prehash(self, digest, signature).map_err(opaque)
    }
}

impl<C: Domain> PrehashVerifier<Signature<C>> for PreparedKey<C> {
    fn verify_prehash(&self, digest: &[u8], signature: &Signature<C>) -> Result<(), Error> {
        PreparedKey::verify_prehash(self, digest, signature).map_err(opaque)
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
    fn try_sign(&self, message: &[u8]) -> Result<Signature<C>, Error> {
        Ok(SigningKey::sign(self, message))
    }
}

impl<C: NamedCurve> PrehashSigner<Signature<C>> for SigningKey<C> {
    fn sign_prehash(&self, digest: &[u8]) -> Result<Signature<C>, Error> {
        SigningKey::sign_prehash(self, digest).map_err(opaque)
    }
}

/// Hedged: the nonce also depends on random bytes, of the length of the order.
impl<C: NamedCurve> RandomizedPrehashSigner<Signature<C>> for SigningKey<C> {
    fn sign_prehash_with_rng(
        &self,
        rng: &mut impl CryptoRngCore,
        digest: &[u8],
    ) -> Result<Signature<C>, Error> {
        let mut entropy = Zeroizing::new([0; 72]);
        let entropy = &mut entropy[..self.domain().curve().scalar_field().bytes()];
        rng.try_fill_bytes(entropy).map_err(|_| Error::new())?;
        self.sign_prehash_with_entropy(self.hash(), digest, entropy)
            .map_err(opaque)
    }
}
