//! Ethereum's addition to ECDSA on secp256k1: addresses of accounts.
//!
//! ```
//! use sigmill::ethereum::Address;
//! use sigmill::secp256k1::{Signature, SigningKey, VerifyingKey};
//!
//! let key = SigningKey::generate()?;
//! let digest = [7; 32];
//! let (signature, id) = key.sign_prehash_recoverable(&digest)?;
//! let bytes = signature.to_rsv(id);
//!
//! let (signature, id) = Signature::from_rsv(&bytes)?;
//! let signer = VerifyingKey::recover_from_prehash(&digest, &signature, id)?;
//! assert_eq!(Address::of(&signer), Address::of(key.verifying_key()));
//! # Ok::<(), sigmill::Error>(())
//! ```
//!
//! The policies are [`Policy::ETHEREUM_TRANSACTION`](crate::Policy::ETHEREUM_TRANSACTION) and
//! [`Policy::ETHEREUM_PRECOMPILE`](crate::Policy::ETHEREUM_PRECOMPILE).

mod address;

pub use address::Address;
