//! Bulk verification: an engine that turns rows of keys, messages and signatures into verdicts, and
//! a store that remembers the keys it has seen. Any number of threads can share both.
//!
//! The verdict of each row is that of the single call.
//!
//! [`Rows`](crate::bulk::Rows) borrow columns in the layouts that programs and files use.
//! [`Engine::verify`](crate::bulk::Engine::verify) groups them by key, decides for each key whether
//! its rows are worth a table (see [`Engine::explain`](crate::bulk::Engine::explain)), judges them
//! in blocks, and returns [`Verdicts`](crate::bulk::Verdicts) in the order of the rows.
//! [`Engine::recover`](crate::bulk::Engine::recover) accepts
//! [`RecoverRows`](crate::bulk::RecoverRows) and finds the public keys of signatures.
//! [`map_in_order`](crate::bulk::map_in_order) judges a stream of batches on several threads.

mod columns;
mod forks;
mod locks;
pub(crate) mod plan;
mod run;
mod store;

pub use crate::keys::options::Input;
pub use columns::{
    Algorithms, Column, Field, Hints, Inputs, Integers, Keys, RecoverRows, Recovered, Row, Rows,
    ShapeError, Signatures, Verdicts,
};
// For the crates of this repository, without any promise between versions.
#[doc(hidden)]
pub use forks::{PerProcess, forks};
pub use plan::{Plan, PlanGroup, PlannedStrategy, Speed};
pub use run::{Control, Engine, EngineBuilder, Stats, map_in_order};
pub use store::{KeyStore, KeyStoreStats, LoadError, Loaded};
