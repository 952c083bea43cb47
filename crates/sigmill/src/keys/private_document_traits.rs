//! The traits of crate `pkcs8`, for code that is generic over implementations.

use der::{Encode as _, SecretDocument};
use pkcs8::{EncodePrivateKey, KeyError, PrivateKeyInfoRef};
use zeroize::Zeroizing;

use super::SigningKey;
use crate::ct;
use crate::curve::NamedCurve;

impl<C: NamedCurve> EncodePrivateKey for SigningKey<C> {
    fn to_pkcs8_der(&self) -> pkcs8::Result<SecretDocument> {
        let mut der = SigningKey::to_pkcs8_der(self);
        // Moved without a copy. The document wipes it when dropped.
        Ok(SecretDocument::try_from(core::mem::take(&mut *der))?)
    }
}

/// The conversion that `pkcs8::DecodePrivateKey` builds on.
impl<C: NamedCurve + Default> TryFrom<PrivateKeyInfoRef<'_>> for SigningKey<C> {
    type Error = pkcs8::Error;

    fn try_from(info: PrivateKeyInfoRef<'_>) -> pkcs8::Result<Self> {
        let der = ct::wiping_stack(ct::Depth::Shallow, || info.to_der().map(Zeroizing::new))?;
        SigningKey::from_pkcs8_der(&der).map_err(|_| pkcs8::Error::KeyMalformed(KeyError::Invalid))
    }
}
