//! Rows of keys, messages and signatures to verdicts: an engine that any number of threads share,
//! and the store that remembers the keys it has seen.
//!
//! Its promise: the verdict of a row is what the single call says of it.

mod engine;
mod key_store;
mod row;

pub use engine::{Engine, EngineBuilder, Stats};
pub use key_store::{KeyStore, KeyStoreStats};
pub use row::{Input, Row};
