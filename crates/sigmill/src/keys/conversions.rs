//! Conversions between keys whose curve is part of their type and keys whose curve is known only at
//! run time.

use super::{AnyPreparedKey, AnyVerifyingKey, OfKind, PreparedKey, VerifyingKey};
#[cfg(feature = "signing")]
use super::{AnySigningKey, SigningKey};
#[cfg(feature = "signing")]
use crate::ct;
use crate::curve::{self, CurveName, Domain, NamedCurve};
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

/// The curve type in the enumerations of keys: the curve itself, if it has its own kernels.
fn itself<C: Domain>(domain: C) -> C {
    domain
}

/// Conversions in both directions for a curve. In the enumerations, a curve that is a row of
/// constants is a [`NamedPrime`](curve::NamedPrime), and its keys change their type on the way in.
macro_rules! both_ways {
    ($(#[$feature:meta] $curve:ident by $named:expr;)*) => {$(
        #[$feature]
        impl TryFrom<AnyVerifyingKey> for VerifyingKey<curve::$curve> {
            type Error = Error;

            /// Returns the key if it is on the curve, otherwise [`Error::KeyCurveMismatch`].
            fn try_from(key: AnyVerifyingKey) -> Result<Self, Error> {
                key.on($named(curve::$curve))
                    .map(|key| key.named(curve::$curve))
                    .ok_or_else(|| mismatch(curve::$curve, key.curve()))
            }
        }

        #[$feature]
        impl TryFrom<AnyPreparedKey> for PreparedKey<curve::$curve> {
            type Error = Error;

            /// Returns the key if it is on the curve, otherwise [`Error::KeyCurveMismatch`].
            fn try_from(key: AnyPreparedKey) -> Result<Self, Error> {
                key.on($named(curve::$curve))
                    .map(|key| key.clone().named(curve::$curve))
                    .ok_or_else(|| mismatch(curve::$curve, key.curve()))
            }
        }

        #[cfg(feature = "signing")]
        #[$feature]
        impl TryFrom<AnySigningKey> for SigningKey<curve::$curve> {
            type Error = Error;

            /// Returns the key if it is on the curve, otherwise [`Error::KeyCurveMismatch`].
            fn try_from(key: AnySigningKey) -> Result<Self, Error> {
                ct::wiping_stack(ct::Depth::Shallow, || {
                    key.on($named(curve::$curve))
                        .map(|key| key.named(curve::$curve))
                        .ok_or_else(|| mismatch(curve::$curve, key.curve()))
                })
            }
        }
    )*};
}

both_ways! {
    #[cfg(feature = "p256")]
    P256 by itself;
    #[cfg(feature = "secp256k1")]
    Secp256k1 by itself;
    #[cfg(feature = "brainpool-p256r1")]
    BrainpoolP256r1 by curve::NamedPrime::of;
    #[cfg(feature = "p384")]
    P384 by curve::NamedPrime::of;
    #[cfg(feature = "p521")]
    P521 by curve::NamedPrime::of;
}

fn mismatch<C: NamedCurve>(domain: C, actual: CurveName) -> Error {
    let expected = domain.name();
    Error::KeyCurveMismatch { expected, actual }
}

/// Conversions of keys on a curve that is a row of constants. Keys on other curves are wrapped
/// unchanged.
macro_rules! into_any {
    ($(#[$feature:meta] $curve:ident;)*) => {$(
        #[$feature]
        impl From<VerifyingKey<curve::$curve>> for AnyVerifyingKey {
            fn from(key: VerifyingKey<curve::$curve>) -> Self {
                Self::from(key.named(curve::NamedPrime::of(curve::$curve)))
            }
        }

        #[$feature]
        impl From<PreparedKey<curve::$curve>> for AnyPreparedKey {
            fn from(key: PreparedKey<curve::$curve>) -> Self {
                Self::from(key.named(curve::NamedPrime::of(curve::$curve)))
            }
        }

        #[cfg(feature = "signing")]
        #[$feature]
        impl From<SigningKey<curve::$curve>> for AnySigningKey {
            fn from(key: SigningKey<curve::$curve>) -> Self {
                ct::wiping_stack(ct::Depth::Shallow, || {
                    Self::from(key.named(curve::NamedPrime::of(curve::$curve)))
                })
            }
        }
    )*};
}

into_any! {
    #[cfg(feature = "brainpool-p256r1")]
    BrainpoolP256r1;
    #[cfg(feature = "p384")]
    P384;
    #[cfg(feature = "p521")]
    P521;
}
