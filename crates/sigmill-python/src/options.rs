//! Options of an engine.

use std::fmt;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use sigmill::bulk::Engine;

use crate::{choice, errors};

/// The arguments of `Engine`, from which a pickled engine is recreated.
pub(crate) struct Options {
    pub(crate) threads: usize,
    pub(crate) key_memory: usize,
    pub(crate) window: u32,
    pub(crate) policy: String,
    pub(crate) batch: bool,
}

impl Options {
    /// Builds an engine with these options.
    pub(crate) fn engine(&self, py: Python<'_>) -> PyResult<Engine> {
        if self.threads > 1024 {
            return Err(errors::column(py, "threads", "must be at most 1024"));
        }
        let engine = Engine::builder()
            .threads(self.threads)
            .key_memory(self.key_memory)
            .window(self.window)
            .policy(choice::policy(py, &self.policy)?.with_batch(self.batch));
        let engine = py.detach(|| engine.build());
        engine.map_err(|error| errors::error(py, error))
    }

    /// The arguments by name.
    pub(crate) fn by_name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let options = PyDict::new(py);
        options.set_item("threads", self.threads)?;
        options.set_item("key_memory", self.key_memory)?;
        options.set_item("window", self.window)?;
        options.set_item("policy", &self.policy)?;
        options.set_item("batch", self.batch)?;
        Ok(options)
    }
}

/// The call that creates the engine.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (threads, memory) = (self.threads, self.key_memory);
        let (window, policy) = (self.window, &self.policy);
        let batch = if self.batch { "True" } else { "False" };
        write!(
            f,
            "Engine(threads={threads}, key_memory={memory}, window={window}, policy={policy:?}, \
             batch={batch})"
        )
    }
}
