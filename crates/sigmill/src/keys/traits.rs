//! The traits of crate `signature` for public keys and signatures, for code that is generic over
//! implementations.

use signature::hazmat::PrehashVerifier;
use signature::{SignatureEncoding, Verifier};

use super::{PreparedKey, VerifyingKey};
use crate::curve::{Domain, NamedCurve};
use crate::ecdsa::Signature;
use crate::error::Error;

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
