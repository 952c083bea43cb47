//! The traits of crates `spki` and `pkcs8`, for code that is generic over implementations.

use alloc::vec::Vec;

use der::{Document, Encode as _, SecretDocument};
use pkcs8::{EncodePrivateKey, KeyError, PrivateKeyInfoRef};
use spki::{EncodePublicKey, SubjectPublicKeyInfoRef};
use zeroize::Zeroizing;

use super::{AnySigningKey, AnyVerifyingKey, SigningKey, VerifyingKey};
use crate::ct;
use crate::curve::NamedCurve;
use crate::error::Error;

impl<C: NamedCurve> EncodePublicKey for VerifyingKey<C> {
    fn to_public_key_der(&self) -> spki::Result<Document> {
        Ok(Document::try_from(VerifyingKey::to_public_key_der(self))?)
    }
}

impl EncodePublicKey for AnyVerifyingKey {
    fn to_public_key_der(&self) -> spki::Result<Document> {
        Ok(Document::try_from(AnyVerifyingKey::to_public_key_der(
            self,
        ))?)
    }
}

/// What `spki::DecodePublicKey` is made of.
impl<C: NamedCurve + Default> TryFrom<SubjectPublicKeyInfoRef<'_>> for VerifyingKey<C> {
    type Error = spki::Error;

    fn try_from(info: SubjectPublicKeyInfoRef<'_>) -> spki::Result<Self> {
        let key = VerifyingKey::from_public_key_der(&info.to_der()?);
        key.map_err(|error| public_error(&info, error))
    }
}

/// What `spki::DecodePublicKey` is made of.
impl TryFrom<SubjectPublicKeyInfoRef<'_>> for AnyVerifyingKey {
    type Error = spki::Error;

    fn try_from(info: SubjectPublicKeyInfoRef<'_>) -> spki::Result<Self> {
        let key = AnyVerifyingKey::from_public_key_der(&info.to_der()?);
        key.map_err(|error| public_error(&info, error))
    }
}

fn public_error(info: &SubjectPublicKeyInfoRef<'_>, error: Error) -> spki::Error {
    match (error, info.algorithm.parameters_oid()) {
        (Error::SpkiAlgorithmNotEc, _) => spki::Error::OidUnknown {
            oid: info.algorithm.oid,
        },
        (Error::SpkiParametersMissing, _) => spki::Error::AlgorithmParametersMissing,
        (Error::SpkiCurveUnknown | Error::KeyCurveMismatch { .. }, Ok(oid)) => {
            spki::Error::OidUnknown { oid }
        }
        _ => spki::Error::KeyMalformed,
    }
}

impl<C: NamedCurve> EncodePrivateKey for SigningKey<C> {
    fn to_pkcs8_der(&self) -> pkcs8::Result<SecretDocument> {
        document(SigningKey::to_pkcs8_der(self))
    }
}

impl EncodePrivateKey for AnySigningKey {
    fn to_pkcs8_der(&self) -> pkcs8::Result<SecretDocument> {
        document(AnySigningKey::to_pkcs8_der(self))
    }
}

/// The bytes, which the document wipes when it is dropped; without a copy.
fn document(mut der: Zeroizing<Vec<u8>>) -> pkcs8::Result<SecretDocument> {
    Ok(SecretDocument::try_from(core::mem::take(&mut *der))?)
}

/// What `pkcs8::DecodePrivateKey` is made of.
impl<C: NamedCurve + Default> TryFrom<PrivateKeyInfoRef<'_>> for SigningKey<C> {
    type Error = pkcs8::Error;

    fn try_from(info: PrivateKeyInfoRef<'_>) -> pkcs8::Result<Self> {
        SigningKey::from_pkcs8_der(&bytes(&info)?).map_err(private_error)
    }
}

/// What `pkcs8::DecodePrivateKey` is made of.
impl TryFrom<PrivateKeyInfoRef<'_>> for AnySigningKey {
    type Error = pkcs8::Error;

    fn try_from(info: PrivateKeyInfoRef<'_>) -> pkcs8::Result<Self> {
        AnySigningKey::from_pkcs8_der(&bytes(&info)?).map_err(private_error)
    }
}

fn bytes(info: &PrivateKeyInfoRef<'_>) -> pkcs8::Result<Zeroizing<Vec<u8>>> {
    ct::wiping_stack(ct::Depth::Shallow, || Ok(Zeroizing::new(info.to_der()?)))
}

fn private_error(_: Error) -> pkcs8::Error {
    pkcs8::Error::KeyMalformed(KeyError::Invalid)
}
