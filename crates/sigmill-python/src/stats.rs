//! Counts of an engine's work so far, as a Python dictionary.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use sigmill::bulk::Stats;

/// The counts by name.
pub(crate) fn dictionary<'py>(py: Python<'py>, stats: &Stats) -> PyResult<Bound<'py, PyDict>> {
    let dictionary = PyDict::new(py);
    dictionary.set_item("fresh", stats.fresh)?;
    dictionary.set_item("prepared", stats.prepared)?;
    dictionary.set_item("batched", stats.batched)?;
    dictionary.set_item("tables_built", stats.tables_built)?;
    dictionary.set_item("table_bytes", stats.table_bytes)?;
    dictionary.set_item("distinct_keys", stats.distinct_keys)?;
    dictionary.set_item("distinct_keys_saturated", stats.distinct_keys_saturated)?;
    Ok(dictionary)
}
