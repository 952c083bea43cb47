//! Conversions between keys whose curve is part of their type and keys whose curve is known only at
//! run time.

use super::{AnyPreparedKey, AnyVerifyingKey, OfKind, PreparedKey, VerifyingKey};
#[cfg(feature = "signing")]
use super::{AnySigningKey, SigningKey};
#[cfg(feature = "signing")]
use crate::ct;
use crate::curve::{CurveName, Domain, NamedCurve};
use crate::error::Error;

impl AnyVerifyingKey {
    /// The key, if it is on the curve.
    pub(crate) fn on<C: Domain>(&self, domain: C) -> Option<&VerifyingKey<C>>
    where
        Self: OfKind<VerifyingKey<C>>,
    {
        self.of_kind().filter(|key| key.domain() == domain)
    }
}

impl AnyPreparedKey {
    /// The key, if it is on the curve.
    pub(crate) fn on<C: Domain>(&self, domain: C) -> Option<&PreparedKey<C>>
    where
        Self: OfKind<PreparedKey<C>>,
    {
        let is_on = |key: &&PreparedKey<C>| key.verifying_key().domain() == domain;
        self.of_kind().filter(is_on)
    }
}

#[cfg(feature = "signing")]
impl AnySigningKey {
    /// The key, if it is on the curve.
    pub(crate) fn on<C: Domain>(&self, domain: C) -> Option<&SigningKey<C>>
    where
        Self: OfKind<SigningKey<C>>,
    {
        self.of_kind().filter(|key| key.domain() == domain)
    }
}

impl<C: NamedCurve> From<VerifyingKey<C>> for AnyVerifyingKey
where
    Self: OfKind<VerifyingKey<C::Kind>>,
{
    fn from(key: VerifyingKey<C>) -> Self {
        let kind = key.domain().kind();
        Self::from_kind(key.named(kind))
    }
}

impl<C: NamedCurve + Default> TryFrom<AnyVerifyingKey> for VerifyingKey<C>
where
    AnyVerifyingKey: OfKind<VerifyingKey<C::Kind>>,
{
    type Error = Error;

    /// Returns the key if it is on the curve, otherwise [`Error::KeyCurveMismatch`].
    fn try_from(key: AnyVerifyingKey) -> Result<Self, Error> {
        let domain = C::default();
        let found = key.on(domain.kind()).map(|key| key.named(domain));
        found.ok_or_else(|| mismatch(domain, key.curve()))
    }
}

#[cfg(feature = "signing")]
impl<C: NamedCurve> From<SigningKey<C>> for AnySigningKey
where
    Self: OfKind<SigningKey<C::Kind>>,
{
    fn from(key: SigningKey<C>) -> Self {
        ct::wiping_stack(ct::Depth::Shallow, || {
            let kind = key.domain().kind();
            Self::from_kind(key.named(kind))
        })
    }
}

#[cfg(feature = "signing")]
impl<C: NamedCurve + Default> TryFrom<AnySigningKey> for SigningKey<C>
where
    AnySigningKey: OfKind<SigningKey<C::Kind>>,
{
    type Error = Error;

    /// Returns the key if it is on the curve, otherwise [`Error::KeyCurveMismatch`].
    fn try_from(key: AnySigningKey) -> Result<Self, Error> {
        ct::wiping_stack(ct::Depth::Shallow, || {
            let domain = C::default();
            let found = key.on(domain.kind()).map(|key| key.named(domain));
            found.ok_or_else(|| mismatch(domain, key.curve()))
        })
    }
}

fn mismatch<C: NamedCurve>(domain: C, actual: CurveName) -> Error {
    let expected = domain.name();
    Error::KeyCurveMismatch { expected, actual }
}
