//! ECDSA (SEC 1 §4.1, FIPS 186-5 §6): keys, signatures and their verification.

mod algorithm;
mod any;
mod policy;
mod prepared_key;
mod signature;
mod table_file;
mod traits;
mod verify;
mod verify_many;
mod verifying_key;

pub use algorithm::{Algorithm, HashName, MessageDigest};
pub use any::{AnyPreparedKey, AnyVerifyingKey};
pub use policy::{LowS, Policy, SignatureFormat};
pub use prepared_key::PreparedKey;
pub use signature::Signature;
pub use verify::{Strategy, Verify};
pub use verify_many::{VerifyMany, verify_many_vartime};
pub use verifying_key::VerifyingKey;
