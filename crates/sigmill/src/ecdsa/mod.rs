//! ECDSA (SEC 1 §4.1, FIPS 186-5 §6): signatures, and the steps of signing, verification and
//! recovery.

pub(crate) mod algorithm;
pub(crate) mod batch;
mod full_signature;
pub(crate) mod hint;
#[cfg(feature = "signing")]
mod hmac_drbg;
#[cfg(feature = "signing")]
mod nonce;
pub(crate) mod policy;
mod quotients;
pub(crate) mod recover;
mod recover_many;
pub(crate) mod recovery_id;
#[cfg(feature = "signing")]
mod sign;
#[cfg(feature = "signing")]
mod sign_many;
pub(crate) mod signature;
pub(crate) mod signature_format;
pub(crate) mod verify;
pub(crate) mod verify_many;
mod verify_one;
pub(crate) mod verify_point;

pub(crate) use algorithm::Algorithm;
#[cfg(feature = "bulk")]
pub(crate) use batch::{FEWEST_IN_BATCH, HintedVerify, MOST_IN_BATCH, verify_batch_or_vartime};
pub use full_signature::FullSignature;
pub(crate) use full_signature::verify_full;
pub(crate) use hint::Hint;
#[cfg(feature = "signing")]
pub(crate) use nonce::{first_nonces, try_nonces};
pub(crate) use policy::{LowS, Policy};
pub(crate) use recover::Recover;
pub(crate) use recover_many::RecoverMany;
pub(crate) use recovery_id::RecoveryId;
#[cfg(feature = "signing")]
pub(crate) use sign::Sign;
#[cfg(feature = "signing")]
pub(crate) use sign_many::SignMany;
pub use signature::Signature;
pub(crate) use signature::SignatureScalars;
pub(crate) use signature_format::SignatureFormat;
pub(crate) use verify::{Strategy, Verify};
#[cfg(feature = "std")]
pub(crate) use verify_many::{verify_many_recoverable_vartime, verify_many_vartime};
#[cfg(feature = "bulk")]
pub(crate) use verify_one::verify_friendly;
pub(crate) use verify_one::{verify, verify_recoverable};
pub(crate) use verify_point::{KnownPoint, LeadsTo, VerifyRecoverable};
