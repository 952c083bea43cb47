//! The traits of crate `pkcs8`, for code that is generic over implementations.

use alloc::vec::Vec;

use der::{Encode as _, SecretDocument};
use pkcs8::{EncodePrivateKey, KeyError, PrivateKeyInfoRef};
use zeroize::Zeroizing;

use super::{AnySigningKey, SigningKey};
use crate::ct;
use crate::curve::NamedCurve;
use crate::error::Error;

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

/// Creates a document from the bytes without a copy. The document wipes them when dropped.
fn document(mut der: Zeroizing<Vec<u8>>) -> pkcs8::Result<SecretDocument> {
    Ok(SecretDocument::try_from(core::mem::take(&mut *der))?)
}

/// The conversion that `pkcs8::DecodePrivateKey` builds on.
impl<C: NamedCurve + Default> TryFrom<PrivateKeyInfoRef<'_>> for SigningKey<C> {
    type Error = pkcs8::Error;

    fn try_from(info: PrivateKeyInfoRef<'_>) -> pkcs8::Result<Self> {
        SigningKey::from_pkcs8_der(&bytes(&info)?).map_err(private_error)
    }
}

/// The conversion that `pkcs8::DecodePrivateKey` builds on.
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
