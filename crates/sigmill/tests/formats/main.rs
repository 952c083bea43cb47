//! Keys, signatures and tables as bytes.

#[path = "../common/mod.rs"]
mod common;

mod keys;
mod signature_der;
mod table_file;
