//! What is valid and what is not: every strategy, window and backend beside each other, beside
//! OpenSSL and RustCrypto, and against vectors.
#![cfg(feature = "std")]

#[path = "../common/mod.rs"]
mod common;

mod adversarial;
mod bulk;
mod key_store;
mod many;
mod properties;
mod recover;
mod reduced_x;
mod wycheproof;
