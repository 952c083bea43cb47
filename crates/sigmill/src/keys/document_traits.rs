//! The traits of crate `spki`, for code that is generic over implementations.

use der::{Document, Encode as _};
use spki::{EncodePublicKey, SubjectPublicKeyInfoRef};

use super::VerifyingKey;
use crate::curve::NamedCurve;
use crate::error::Error;

impl<C: NamedCurve> EncodePublicKey for VerifyingKey<C> {
    fn to_public_key_der(&self) -> spki::Result<Document> {
        Ok(Document::try_from(VerifyingKey::to_public_key_der(self))?)
    }
}

/// The conversion that `spki::DecodePublicKey` builds on.
impl<C: NamedCurve + Default> TryFrom<SubjectPublicKeyInfoRef<'_>> for VerifyingKey<C> {
    type Error = spki::Error;

    fn try_from(info: SubjectPublicKeyInfoRef<'_>) -> spki::Result<Self> {
        let key = VerifyingKey::from_public_key_der(&info.to_der()?);
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
