//! The traits of crate `signature` for private keys, for code that is generic over implementations.

use rand_core::TryCryptoRng;
use signature::hazmat::{PrehashSigner, RandomizedPrehashSigner};
use signature::{Keypair, Signer};
use zeroize::Zeroizing;

use super::{SigningKey, VerifyingKey};
use crate::curve::{Curve as _, Domain, NamedCurve};
use crate::ecdsa::Signature;
use crate::error::Error;
use crate::field::PrimeField as _;

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

/// Hedged: the nonce also depends on random bytes, of the length of the order.
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
