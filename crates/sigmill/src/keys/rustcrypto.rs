//! Conversions to and from the keys and signatures of crates `p256` and `k256`. What is valid here
//! is valid there, so no conversion fails.

use zeroize::Zeroize as _;

use super::{SigningKey, VerifyingKey};
use crate::ct;
use crate::ecdsa::Signature;

/// The reason why conversions succeed: both crates ensure that points are on the curve and numbers
/// in range.
const VALID: &str = "both crates have the same keys and signatures";

macro_rules! both_ways {
    ($(#[$feature:meta])* $theirs:ident, $curve:ident) => {
        $(#[$feature])*
        impl From<$theirs::PublicKey> for VerifyingKey<crate::curve::$curve> {
            fn from(key: $theirs::PublicKey) -> Self {
                use $theirs::elliptic_curve::sec1::ToSec1Point as _;
                Self::from_sec1_bytes(key.to_sec1_point(false).as_bytes()).expect(VALID)
            }
        }

        $(#[$feature])*
        impl From<$theirs::ecdsa::VerifyingKey> for VerifyingKey<crate::curve::$curve> {
            fn from(key: $theirs::ecdsa::VerifyingKey) -> Self {
                Self::from($theirs::PublicKey::from(&key))
            }
        }

        $(#[$feature])*
        impl From<VerifyingKey<crate::curve::$curve>> for $theirs::PublicKey {
            fn from(key: VerifyingKey<crate::curve::$curve>) -> Self {
                Self::from_sec1_bytes(&key.to_sec1_bytes(false)).expect(VALID)
            }
        }

        $(#[$feature])*
        impl From<VerifyingKey<crate::curve::$curve>> for $theirs::ecdsa::VerifyingKey {
            fn from(key: VerifyingKey<crate::curve::$curve>) -> Self {
                Self::from($theirs::PublicKey::from(key))
            }
        }

        $(#[$feature])*
        impl From<&$theirs::SecretKey> for SigningKey<crate::curve::$curve> {
            fn from(key: &$theirs::SecretKey) -> Self {
                ct::wiping_stack(ct::Depth::Shallow, || {
                    let mut bytes = key.to_bytes();
                    let ours = Self::from_be_bytes(&bytes);
                    bytes.as_mut_slice().zeroize();
                    ours.expect(VALID)
                })
            }
        }

        $(#[$feature])*
        impl From<&$theirs::ecdsa::SigningKey> for SigningKey<crate::curve::$curve> {
            fn from(key: &$theirs::ecdsa::SigningKey) -> Self {
                let key = $theirs::SecretKey::from(key.as_nonzero_scalar());
                Self::from(&key)
            }
        }

        $(#[$feature])*
        impl From<&SigningKey<crate::curve::$curve>> for $theirs::SecretKey {
            fn from(key: &SigningKey<crate::curve::$curve>) -> Self {
                let bytes = key.to_be_bytes();
                ct::wiping_stack(ct::Depth::Many, || Self::from_slice(&bytes).expect(VALID))
            }
        }

        $(#[$feature])*
        impl From<&SigningKey<crate::curve::$curve>> for $theirs::ecdsa::SigningKey {
            fn from(key: &SigningKey<crate::curve::$curve>) -> Self {
                Self::from($theirs::SecretKey::from(key))
            }
        }

        $(#[$feature])*
        impl From<$theirs::ecdsa::Signature> for Signature<crate::curve::$curve> {
            fn from(signature: $theirs::ecdsa::Signature) -> Self {
                Self::from_p1363(&signature.to_bytes()).expect(VALID)
            }
        }

        $(#[$feature])*
        impl From<Signature<crate::curve::$curve>> for $theirs::ecdsa::Signature {
            fn from(signature: Signature<crate::curve::$curve>) -> Self {
                Self::from_slice(&signature.to_p1363()).expect(VALID)
            }
        }
    };
}

both_ways! {
    #[cfg(feature = "rustcrypto-p256")]
    rustcrypto_p256, P256
}
both_ways! {
    #[cfg(feature = "rustcrypto-k256")]
    rustcrypto_k256, Secp256k1
}
