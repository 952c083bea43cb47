//! The Python package of sigmill: `sigmill._sigmill`, which the modules in `python/sigmill` give to
//! users with types and names (docs/python.md).
//!
//! One module a noun. Values are frozen classes, so that threads may share them. Whatever takes
//! longer than a few signatures runs without the GIL, and looks for signals meanwhile (`watch`).
//! Columns come as Arrow arrays, buffers or lists (`column`), and are read where they lie, unless
//! others may write there.

mod blocks;
mod choice;
mod column;
mod engine;
mod errors;
mod export;
mod index;
mod options;
mod plan;
mod prepared_key;
mod recovered;
mod rows;
mod sample;
mod sign_rows;
mod signatures;
mod signing_key;
mod stats;
mod verdicts;
mod verifying_key;
mod watch;

use pyo3::prelude::*;

/// Builds the tables of a curve's generator, which else the first call on that curve does.
#[pyfunction]
fn warm_up(py: Python<'_>, curve: &str) -> PyResult<()> {
    let curve = choice::curve(py, curve)?;
    py.detach(|| sigmill::warm_up(curve));
    Ok(())
}

/// The compiled half of `sigmill`. It needs no GIL: classes are frozen, and what changes is behind
/// locks of the library's.
#[pymodule(gil_used = false)]
fn _sigmill(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<engine::Engine>()?;
    module.add_class::<export::Columns>()?;
    module.add_class::<plan::Plan>()?;
    module.add_class::<prepared_key::PreparedKey>()?;
    module.add_class::<recovered::Recovered>()?;
    module.add_class::<sample::Sample>()?;
    module.add_class::<signatures::Signatures>()?;
    module.add_class::<signing_key::SigningKey>()?;
    module.add_class::<verdicts::Verdicts>()?;
    module.add_class::<verifying_key::VerifyingKey>()?;
    module.add_function(wrap_pyfunction!(warm_up, module)?)
}
