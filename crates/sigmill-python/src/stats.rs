//! Counts of an engine's work so far, as a Python dictionary.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use sigmill::bulk::Engine;

/// The counts by name.
pub(crate) fn dictionary<'py>(py: Python<'py>, engine: &Engine) -> PyResult<Bound<'py, PyDict>> {
    let (stats, store) = (engine.stats(), engine.key_store().stats());
    let dictionary = PyDict::new(py);
    dictionary.set_item("fresh", stats.fresh)?;
    dictionary.set_item("prepared", stats.prepared)?;
    dictionary.set_item("batched", stats.batched)?;
    dictionary.set_item("tables_built", stats.tables_built)?;
    dictionary.set_item("table_bytes", store.table_bytes)?;
    dictionary.set_item("distinct_keys", store.distinct_keys)?;
    dictionary.set_item("distinct_keys_saturated", store.distinct_keys_saturated)?;
    Ok(dictionary)
}
