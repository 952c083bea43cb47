//! The Python package of sigmill: the extension module `sigmill._sigmill`. The modules in
//! `python/sigmill` re-export it with types and names (docs/python.md).
//!
//! Each module holds one noun. Values are frozen classes, so threads may share them. Calls that
//! need longer than a few signatures run without the GIL and check for signals meanwhile (`watch`).
//! Columns arrive as Arrow arrays, buffers or lists (`column`). They are read in place, unless
//! others may write to them.
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

/// Builds the tables of a curve's generator. Otherwise the first call on that curve builds them.
#[pyfunction]
fn warm_up(py: Python<'_>, curve: &str) -> PyResult<()> {
    let curve = choice::curve(py, curve)?;
    py.detach(|| sigmill::warm_up(curve));
    Ok(())
}

/// The compiled half of `sigmill`. It needs no GIL: classes are frozen, and mutable state is behind
/// the library's locks.
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
