//! Exceptions. Their classes are written in Python (`sigmill/errors.py`), so that type checkers and
//! readers see their attributes.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use sigmill::Error;
use sigmill::bulk::ShapeError;

/// An instance of a class of `sigmill.errors`, to raise.
fn made<'py, A>(py: Python<'py>, class: &str, arguments: A) -> PyErr
where
    A: pyo3::call::PyCallArgs<'py>,
{
    let make = || {
        let class = py.import("sigmill.errors")?.getattr(class)?;
        class.call1(arguments)
    };
    match make() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// A rule that an argument breaks: `sigmill.Error`.
pub(crate) fn error(py: Python<'_>, error: Error) -> PyErr {
    made(py, "Error", (error.to_string(), error.reason()))
}

/// The exception for a rejected signature: `sigmill.InvalidSignature`, unless the call itself is
/// wrong.
pub(crate) fn verdict(py: Python<'_>, error: Error) -> PyErr {
    match error {
        Error::DigestEmpty => self::error(py, error),
        _ => made(py, "InvalidSignature", (error.to_string(), error.reason())),
    }
}

/// A rule that a column breaks: `sigmill.ColumnError`.
pub(crate) fn column(py: Python<'_>, column: &str, rule: &str) -> PyErr {
    made(py, "ColumnError", (column, rule))
}

/// Columns that do not form rows; `inputs` is the caller's name for the signed column.
pub(crate) fn shape(py: Python<'_>, error: &ShapeError, inputs: &str) -> PyErr {
    let text = error.to_string();
    let (field, rule) = text.split_once(": ").unwrap_or(("rows", &text));
    let name = match field {
        "key" => "keys",
        "input" => inputs,
        "signature" => "signatures",
        "hint" => "hints",
        other => other,
    };
    column(py, name, rule)
}

/// A defect of sigmill itself.
pub(crate) fn defect() -> PyErr {
    PyRuntimeError::new_err("sigmill: internal error, please report it")
}
