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

#[cfg(feature = "arrow")]
mod arrow;
mod batch;
mod block;
mod builder;
mod calibrate;
mod column;
mod control;
mod costs;
mod digests;
mod distinct;
mod engine;
mod feed;
mod inputs;
mod key_group;
mod key_store;
mod layout;
mod plan;
mod recover;
mod recover_rows;
mod recovered;
mod row;
mod row_buffer;
mod rows;
mod run;
mod section;
mod shape_error;
mod simulation;
mod stream;
mod threads;
mod verdicts;

pub use batch::{AsRecoverRows, AsRows};
pub use builder::EngineBuilder;
pub use calibrate::calibrate;
pub use column::Column;
pub use control::{Control, Progress};
pub use costs::{Costs, CurveCosts};
pub use engine::{Engine, Stats};
pub use feed::Feeder;
pub use inputs::Inputs;
pub use key_store::{KeyStore, KeyStoreStats, LoadError, Loaded};
pub use layout::{Indices, Offsets};
pub use plan::{Plan, PlanGroup, PlannedStrategy};
pub use recover_rows::RecoverRows;
pub use recovered::Recovered;
pub use row::{Input, Row};
pub use row_buffer::{RecoverBuffer, RowBuffer};
pub use rows::{Algorithms, Ids, Rows};
pub use shape_error::{Field, ShapeError};
pub use verdicts::{Id, Verdicts};
