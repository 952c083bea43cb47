//! Calls of many rows: planned section by section, judged block by block, on any number of threads.

mod block;
mod builder;
mod call;
mod control;
mod engine;
mod feed;
mod key_group;
mod recover;
mod section;
mod simulation;
mod stream;
mod threads;

pub use builder::EngineBuilder;
pub use control::{Control, Progress};
pub use engine::{Engine, Stats};
pub use feed::Feeder;
