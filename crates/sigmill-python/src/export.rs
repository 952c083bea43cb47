//! Results as Arrow columns, which Python reads by the PyCapsule interface.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, to_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Int16Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, Int16Array, LargeBinaryArray, RecordBatch,
    RecordBatchIterator, StringArray, StructArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator, PyList};
use sigmill::Error;

use crate::errors;

/// Columns of a result. Each row of the call has one row, in order.
///
/// Consumers of Arrow's PyCapsule interface read it without a copy: `pyarrow.table(result)`,
/// `polars.DataFrame(result)`, DuckDB by the name of a variable.
#[pyclass(frozen, subclass, module = "sigmill", name = "Result")]
pub(crate) struct Columns {
    batch: RecordBatch,
    /// The labels of the rows in pandas.
    index: Option<Py<PyAny>>,
}

fn failed(error: &ArrowError) -> PyErr {
    pyo3::exceptions::PyRuntimeError::new_err(error.to_string())
}

impl Columns {
    /// Columns of one length, with their names, and the index of the call's columns.
    pub(crate) fn new(
        columns: Vec<(&str, bool, ArrayRef)>,
        index: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let field = |(name, nullable, array): &(&str, bool, ArrayRef)| {
            Field::new(*name, array.data_type().clone(), *nullable)
        };
        let fields: Vec<Field> = columns.iter().map(field).collect();
        let arrays = columns.into_iter().map(|(_, _, array)| array).collect();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
        Ok(Self {
            batch: batch.map_err(|error| failed(&error))?,
            index,
        })
    }
}

#[pymethods]
impl Columns {
    /// For consumers of the Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let reader = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// For consumers of the Arrow PyCapsule interface: a struct.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        let array: (FFI_ArrowArray, FFI_ArrowSchema) =
            to_ffi(&StructArray::from(self.batch.clone()).into_data())
                .map_err(|error| failed(&error))?;
        Ok((
            PyCapsule::new_with_value(py, array.1, c"arrow_schema")?,
            PyCapsule::new_with_value(py, array.0, c"arrow_array")?,
        ))
    }

    /// For consumers of the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let fields = self.batch.schema().fields().clone();
        let schema = FFI_ArrowSchema::try_from(DataType::Struct(fields));
        let schema = schema.map_err(|error| failed(&error))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// Raises `ValueError`, as arrays do: many rows have no single truth value.
    fn __bool__(slf: &Bound<'_, Self>) -> PyResult<bool> {
        Err(PyValueError::new_err(format!(
            "the truth value of {} is ambiguous: use len(), a count or a column",
            slf.get_type().name()?
        )))
    }

    /// A `pyarrow.Table` of these columns, without a copy.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// A `polars.DataFrame` of these columns.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    /// A `pandas.DataFrame` of these columns; needs pyarrow. It has the index of the call's columns
    /// or table if they were from pandas.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let frame = Self::to_pyarrow(slf)?.call_method0("to_pandas")?;
        if let Some(index) = &slf.get().index {
            frame.setattr("index", index)?;
        }
        Ok(frame)
    }
}

/// Bytes, null where missing; with offsets of 64 bits if 32 bits do not suffice.
pub(crate) fn binary<'a>(values: impl Iterator<Item = Option<&'a [u8]>> + Clone) -> ArrayRef {
    let len = values.clone().flatten().map(<[u8]>::len).sum::<usize>();
    match i32::try_from(len) {
        Ok(_) => Arc::new(values.collect::<BinaryArray>()),
        Err(_) => Arc::new(values.collect::<LargeBinaryArray>()),
    }
}

/// The reasons of rejected rows, as a dictionary of strings; null for other rows.
pub(crate) fn reasons(results: &[Result<(), Error>]) -> PyResult<DictionaryArray<Int16Type>> {
    let mut names: Vec<&'static str> = vec![];
    let mut places: HashMap<&'static str, i16> = HashMap::new();
    let place = |result: &Result<(), Error>| {
        let reason = result.err()?.reason();
        let next = || {
            names.push(reason);
            // About a hundred reasons exist.
            names.len() as i16 - 1
        };
        Some(*places.entry(reason).or_insert_with(next))
    };
    let indices: Int16Array = results.iter().map(place).collect();
    let values = Arc::new(StringArray::from(names));
    DictionaryArray::try_new(indices, values).map_err(|error| failed(&error))
}

/// A reason as a Python object: text that has no truth value.
pub(crate) fn reason<'py>(py: Python<'py>, error: Error) -> PyResult<Bound<'py, PyAny>> {
    let class = py.import("sigmill._count")?.getattr("Reason")?;
    class.call1((error.reason(),))
}

/// The reason of each row, `None` if it has none.
pub(crate) fn reasons_by_row<'py>(
    py: Python<'py>,
    results: &[Result<(), Error>],
) -> PyResult<Bound<'py, PyIterator>> {
    let mut names: HashMap<&'static str, Bound<'py, PyAny>> = HashMap::new();
    let mut reasons = Vec::with_capacity(results.len());
    for result in results {
        let name = match result.err() {
            None => None,
            Some(error) => Some(match names.entry(error.reason()) {
                Entry::Occupied(name) => name.get().clone(),
                Entry::Vacant(place) => place.insert(reason(py, error)?).clone(),
            }),
        };
        reasons.push(name);
    }
    PyList::new(py, reasons)?.try_iter()
}

/// A row number as Python counts it, from the end if negative.
pub(crate) fn row(rows: usize, index: isize) -> PyResult<usize> {
    let row = match index {
        0.. => Some(index.unsigned_abs()),
        _ => rows.checked_sub(index.unsigned_abs()),
    };
    let row = row.filter(|&row| row < rows);
    row.ok_or_else(|| pyo3::exceptions::PyIndexError::new_err(format!("row {index} of {rows}")))
}

/// Refuses a call that was stopped, so that nobody sees its result.
pub(crate) fn all_judged(judged: usize, rows: usize) -> PyResult<()> {
    match judged == rows {
        true => Ok(()),
        false => Err(errors::defect()),
    }
}
