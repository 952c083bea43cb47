//! ECDSA (SEC 1 §4.1, FIPS 186-5 §6): keys, signatures, how they are made and verified.

mod algorithm;
mod any;
mod any_signing_key;
mod any_verify;
mod document_traits;
mod generate_many;
#[cfg(feature = "jwk")]
mod jwk;
mod key_files;
mod kinds;
mod nonce;
mod policy;
mod prepared_key;
mod recover;
mod recover_many;
mod recovery_id;
mod secret_scalar;
mod sign;
mod sign_many;
mod signature;
mod signing_key;
mod table_file;
mod traits;
mod verify;
mod verify_many;
mod verifying_key;

pub use algorithm::Algorithm;
pub use any::{AnyPreparedKey, AnyVerifyingKey};
pub use any_signing_key::AnySigningKey;
pub use generate_many::public_keys;
pub(crate) use kinds::{OfKind, for_any};
pub use policy::{LowS, Policy, RecoveryIds, SignatureFormat};
pub use prepared_key::{PreparedKey, TableCoordinate};
pub use recover::Recover;
pub use recover_many::recover_many_vartime;
pub use recovery_id::RecoveryId;
pub use secret_scalar::SecretScalar;
pub use sign_many::{sign_prehash_many, sign_prehash_many_with_hash};
pub use signature::{Signature, SignatureScalars};
pub use signing_key::SigningKey;
pub use verify::{Strategy, Verify};
pub use verify_many::{VerifyMany, verify_many_vartime};
pub use verifying_key::VerifyingKey;
#[cfg(feature = "jwk")]
pub(crate) use verifying_key::on_curve;

pub use crate::hash::{HashName, MessageDigest};
