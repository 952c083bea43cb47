//! Signatures of many rows.

use std::sync::Arc;

use arrow_array::{ArrayRef, UInt8Array};
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use sigmill::{Error, RecoveryId};

use crate::export::{self, Columns};

/// The signatures of `Engine.sign`, one per row: columns `signature` (binary, or large binary from
/// 2^31 bytes on, null if there is none), `hint` (uint8, the recovery id) and `reason` (a
/// dictionary of strings, null if there is a signature).
///
/// Indexing and iteration yield the reason of a row, `None` if there is a signature.
#[pyclass(frozen, extends = Columns, module = "sigmill", name = "Signatures")]
pub(crate) struct Signatures {
    rows: Vec<Result<(), Error>>,
    signed: usize,
}

/// A signature with its recovery id, or the reason why there is none.
pub(crate) type Signed = Result<(Vec<u8>, RecoveryId), Error>;

impl Signatures {
    pub(crate) fn of(
        py: Python<'_>,
        made: &[Signed],
        index: Option<Py<PyAny>>,
    ) -> PyResult<Py<Self>> {
        let rows = made
            .iter()
            .map(|row| row.as_ref().map(|_| ()).map_err(|error| *error));
        let rows: Vec<_> = rows.collect();
        let bytes = made
            .iter()
            .map(|row| row.as_ref().ok().map(|(signature, _)| &signature[..]));
        let hints: UInt8Array = made
            .iter()
            .map(|row| row.as_ref().ok().map(|(_, id)| id.to_byte()))
            .collect();
        let columns: Vec<(_, _, ArrayRef)> = vec![
            ("signature", true, export::binary(bytes)),
            ("hint", true, Arc::new(hints)),
            ("reason", true, Arc::new(export::reasons(&rows)?)),
        ];
        let columns = Columns::new(columns, index)?;
        let signed = rows.iter().filter(|row| row.is_ok()).count();
        let signatures = Self { rows, signed };
        Py::new(
            py,
            PyClassInitializer::from(columns).add_subclass(signatures),
        )
    }
}

#[pymethods]
impl Signatures {
    /// The number of rows with a signature.
    #[getter]
    fn signed(&self) -> usize {
        self.signed
    }

    /// The number of rows without one.
    #[getter]
    fn rejected(&self) -> usize {
        self.rows.len() - self.signed
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        export::reasons_by_row(py, &self.rows)
    }

    fn __getitem__(&self, index: isize) -> PyResult<Option<&'static str>> {
        let row = export::row(self.rows.len(), index)?;
        Ok(self.rows[row].err().map(|error| error.reason()))
    }

    fn __repr__(&self) -> String {
        let (signed, rejected) = (self.signed, self.rejected());
        format!("<Signatures {signed} signed, {rejected} rejected>")
    }
}
