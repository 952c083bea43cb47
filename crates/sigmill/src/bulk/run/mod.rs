//! Calls of many rows: planned section by section, judged block by block, on any number of threads.

mod batch_options;
mod block;
mod builder;
mod call;
mod control;
mod engine;
mod explain;
mod heap;
mod in_order;
mod key_group;
mod outcomes;
mod planner;
mod recover;
mod rows_by_key;
mod section;
mod threads;
mod trials;

pub use builder::EngineBuilder;
pub use control::Control;
pub use engine::{Engine, Stats};
pub use in_order::map_in_order;
