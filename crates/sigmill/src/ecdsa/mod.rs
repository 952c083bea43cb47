//! ECDSA (SEC 1 §4.1, FIPS 186-5 §6): keys, signatures and their verification.

mod algorithm;
mod any;
mod policy;
mod prepared_key;
mod signature;
mod table_file;
mod traits;
mod verify;
mod verifying_key;

pub use algorithm::{Algorithm, HashName, MessageDigest};
pub use any::{AnyPreparedKey, AnyVerifyingKey};
pub use policy::{LowS, Policy, SignatureFormat};
pub use prepared_key::PreparedKey;
pub use signature::Signature;
pub use verifying_key::VerifyingKey;
