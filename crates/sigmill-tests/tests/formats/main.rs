//! Keys, signatures, tables and saved stores of keys.

mod curve_list;
mod document_traits;
mod documents;
mod ethereum;
mod jose;
mod key_store_file;
mod keys;
mod many_keys;
mod signature_der;
mod window_tables;
