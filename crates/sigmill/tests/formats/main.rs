//! Keys, signatures and tables as bytes.

#[path = "../common/mod.rs"]
mod common;

#[cfg(feature = "std")]
#[cfg(feature = "ethereum")]
mod ethereum;
mod key_store_file;
mod keys;
mod many_keys;
mod signature_der;
mod table_file;
