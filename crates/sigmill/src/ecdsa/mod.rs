//! ECDSA (SEC 1 §4.1, FIPS 186-5 §6): keys, signatures, signing and verification.

pub(crate) mod algorithm;
pub(crate) mod any;
#[cfg(feature = "signing")]
pub(crate) mod any_signing_key;
mod any_verify;
pub(crate) mod batch;
mod conversions;
mod document_traits;
mod friendly;
mod full_signature;
#[cfg(feature = "signing")]
mod generate_many;
pub(crate) mod hint;
#[cfg(feature = "signing")]
mod hmac_drbg;
#[cfg(feature = "jwk")]
mod jwk;
#[cfg(feature = "signing")]
mod key_files;
mod kinds;
#[cfg(feature = "signing")]
mod nonce;
pub(crate) mod policy;
mod prepared_key;
#[cfg(feature = "signing")]
mod private_document_traits;
#[cfg(all(feature = "jwk", feature = "signing"))]
mod private_jwk;
mod quotients;
pub(crate) mod recover;
pub(crate) mod recover_many;
pub(crate) mod recovery_id;
#[cfg(any(feature = "rustcrypto-k256", feature = "rustcrypto-p256"))]
mod rustcrypto;
#[cfg(feature = "signing")]
mod secret_scalar;
#[cfg(feature = "signing")]
mod sign;
#[cfg(feature = "signing")]
mod sign_many;
pub(crate) mod signature;
#[cfg(feature = "signature-2")]
mod signature_2;
#[cfg(feature = "signing")]
mod signing_key;
#[cfg(feature = "signing")]
mod signing_traits;
mod table_file;
mod traits;
pub(crate) mod verify;
pub(crate) mod verify_many;
pub(crate) mod verify_point;
mod verify_with_hint;
mod verifying_key;
pub(crate) mod warm_up;

pub(crate) use algorithm::Algorithm;
pub(crate) use any::{AnyPreparedKey, AnyVerifyingKey};
#[cfg(feature = "signing")]
pub(crate) use any_signing_key::AnySigningKey;
#[cfg(feature = "signing")]
pub(crate) use any_signing_key::SigningKeyKind;
#[cfg(feature = "bulk")]
pub(crate) use batch::{FEWEST_IN_BATCH, HintedVerify, MOST_IN_BATCH, verify_batch_or_vartime};
pub use full_signature::FullSignature;
#[cfg(feature = "signing")]
pub use generate_many::public_keys;
pub(crate) use hint::Hint;
pub(crate) use kinds::{OfKind, for_any};
pub(crate) use policy::{LowS, Policy, SignatureFormat};
pub use prepared_key::{PreparedKey, TableCoordinate};
pub(crate) use recover::Recover;
pub(crate) use recover_many::recover_many_vartime;
pub(crate) use recovery_id::RecoveryId;
#[cfg(feature = "signing")]
pub use secret_scalar::SecretScalar;
#[cfg(feature = "signing")]
pub use sign_many::{
    sign_prehash_many, sign_prehash_many_recoverable, sign_prehash_many_recoverable_with_hash,
    sign_prehash_many_with_hash,
};
pub use signature::Signature;
pub(crate) use signature::SignatureScalars;
#[cfg(feature = "signing")]
pub use signing_key::SigningKey;
pub(crate) use verify::{Strategy, Verify};
#[cfg(feature = "std")]
pub(crate) use verify_many::{verify_many_recoverable_vartime, verify_many_vartime};
pub(crate) use verify_point::{KnownPoint, LeadsTo, VerifyRecoverable};
#[cfg(feature = "bulk")]
pub(crate) use verify_with_hint::verify_friendly;
pub use verifying_key::VerifyingKey;
#[cfg(feature = "jwk")]
pub(crate) use verifying_key::on_curve;

pub(crate) use crate::hash::HashName;
pub use crate::hash::MessageDigest;
