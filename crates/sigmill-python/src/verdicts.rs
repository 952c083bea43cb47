//! Verdicts of an engine on rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, UInt8Array};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use sigmill::RecoveryId;
use sigmill::bulk::Verdicts as Judged;

use crate::export::{self, Columns};
use crate::plan::Plan;

/// The verdicts of `Engine.verify`, one per row: columns `valid` (bool), `reason` (a dictionary of
/// strings, null if the row is valid) and `hint` (uint8, null unless requested by `want_hints`).
///
/// `len()` is the number of rows. Indexing and iteration yield the reason of a row, `None` if it is
/// valid.
#[pyclass(frozen, extends = Columns, module = "sigmill", name = "Verdicts")]
pub(crate) struct Verdicts(Judged);

impl Verdicts {
    pub(crate) fn of(
        py: Python<'_>,
        judged: Judged,
        index: Option<Py<PyAny>>,
    ) -> PyResult<Py<Self>> {
        export::all_judged(judged.judged(), judged.len())?;
        let rows = judged.as_slice();
        let valid: BooleanArray = rows.iter().map(|row| Some(row.is_ok())).collect();
        let hints: UInt8Array = match judged.hints() {
            Some(hints) => hints.iter().map(|id| id.map(RecoveryId::to_byte)).collect(),
            None => UInt8Array::new_null(rows.len()),
        };
        let columns: Vec<(_, _, ArrayRef)> = vec![
            ("valid", false, Arc::new(valid)),
            ("reason", true, Arc::new(export::reasons(rows)?)),
            ("hint", true, Arc::new(hints)),
        ];
        let columns = Columns::new(columns, index)?;
        Py::new(
            py,
            PyClassInitializer::from(columns).add_subclass(Self(judged)),
        )
    }
}

#[pymethods]
impl Verdicts {
    /// The number of valid rows. A number and not a verdict: `if verdicts.valid:` raises
    /// `ValueError`.
    #[getter]
    fn valid<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let class = py.import("sigmill._count")?.getattr("Count")?;
        class.call1((self.0.valid(),))
    }

    /// The number of rejected rows.
    #[getter]
    fn rejected(&self) -> usize {
        self.0.len() - self.0.valid()
    }

    /// True if every row is valid; also for zero rows.
    #[getter]
    fn all_valid(&self) -> bool {
        self.rejected() == 0
    }

    /// Raises `ValueError`, as arrays do.
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyValueError::new_err(
            "the truth value of Verdicts is ambiguous: use .all_valid for all rows, or the column \
             `valid` for each row",
        ))
    }

    /// The number of rejected rows per reason.
    #[getter]
    fn reasons(&self) -> BTreeMap<&'static str, usize> {
        self.0.reasons()
    }

    /// The work done and its cost, if requested by `explain`.
    #[getter]
    fn plan(&self) -> Option<Plan> {
        self.0.plan().cloned().map(Plan)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        export::reasons_by_row(py, self.0.as_slice())
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: isize,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let row = export::row(self.0.len(), index)?;
        let error = self.0.get(row).err();
        error.map(|error| export::reason(py, error)).transpose()
    }

    /// Returns the defect of a row in words, the field and the rule; `None` if the row is valid.
    fn message(&self, index: isize) -> PyResult<Option<String>> {
        let row = export::row(self.0.len(), index)?;
        Ok(self.0.get(row).err().map(|error| error.to_string()))
    }

    fn __repr__(&self) -> String {
        let (valid, rejected) = (self.0.valid(), self.rejected());
        let reasons = self.0.reasons();
        let reasons = reasons.iter();
        let reasons: String = reasons
            .map(|(reason, rows)| format!("; {reason}: {rows}"))
            .collect();
        format!("<Verdicts {valid} valid, {rejected} rejected{reasons}>")
    }

    fn _repr_html_(&self) -> String {
        let reasons = self.0.reasons();
        let rows = reasons.iter();
        // Reasons are our own words, without characters that are special in HTML.
        let rows: String = rows
            .map(|(reason, rows)| format!("<tr><td>{reason}</td><td>{rows}</td></tr>"))
            .collect();
        let valid = self.0.valid();
        format!(
            "<table><thead><tr><th>verdict</th><th>rows</th></tr></thead><tbody>\
             <tr><td>valid</td><td>{valid}</td></tr>{rows}</tbody></table>"
        )
    }
}
