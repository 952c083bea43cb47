//! Rows of keys, messages and signatures to verdicts: an engine that any number of threads share,
//! and the store that remembers the keys it has seen.
//!
//! Its promise: the verdict of a row is what the single call says of it.
//!
//! [`Rows`](crate::bulk::Rows) borrow columns in the layouts that programs and files have;
//! [`Engine::verify`](crate::bulk::Engine::verify) groups them by key, decides for each key whether
//! its rows are worth a table ([`Engine::explain`](crate::bulk::Engine::explain) tells), judges
//! them in blocks, and returns [`Verdicts`](crate::bulk::Verdicts) in the order of the rows.
//! [`Engine::recover`](crate::bulk::Engine::recover) takes
//! [`RecoverRows`](crate::bulk::RecoverRows), and finds the public keys of signatures. Many threads
//! that each have batches feed them by [`Feeder`](crate::bulk::Feeder)s.

mod columns;
mod forks;
mod locks;
mod plan;
mod run;
mod store;

pub use columns::{
    Algorithms, AsRecoverRows, AsRows, Column, Field, Hints, Id, Ids, Indices, Input, Inputs, Keys,
    Offsets, RecoverBuffer, RecoverRows, Recovered, Row, RowBuffer, Rows, ShapeError, Signatures,
    Verdicts,
};
// For the crates of this repository, without any promise between versions.
#[doc(hidden)]
pub use forks::{PerProcess, forks};
pub use plan::{
    Costs, FieldSpeed, MemorySpeed, OperationSpeed, Operations, Plan, PlanGroup, PlannedStrategy,
    Speed, Work, calibrate,
};
pub use run::{Control, Engine, EngineBuilder, Feeder, Progress, Stats};
pub use store::{KeyStore, KeyStoreStats, LoadError, Loaded};
