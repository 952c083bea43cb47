//! What Ethereum adds to ECDSA on secp256k1: accounts' addresses, and signatures of 65 bytes.
//!
//! ```
//! use sigmill::ethereum::{self, Address};
//! use sigmill::secp256k1::{SigningKey, VerifyingKey};
//!
//! let key = SigningKey::generate()?;
//! let digest = [7; 32];
//! let (signature, id) = key.sign_prehash_recoverable(&digest)?;
//! let bytes = ethereum::signature_to_bytes(&signature, id);
//!
//! let (signature, id) = ethereum::signature_from_bytes(&bytes)?;
//! let signer = VerifyingKey::recover_from_prehash(&digest, &signature, id)?;
//! assert_eq!(Address::of(&signer), Address::of(key.verifying_key()));
//! # Ok::<(), sigmill::Error>(())
//! ```
//!
//! The policies are [`Policy::ETHEREUM_TRANSACTION`](crate::Policy::ETHEREUM_TRANSACTION) and
//! [`Policy::ETHEREUM_PRECOMPILE`](crate::Policy::ETHEREUM_PRECOMPILE).

mod address;
mod signature;

pub use address::Address;
pub use signature::{signature_from_bytes, signature_to_bytes};
