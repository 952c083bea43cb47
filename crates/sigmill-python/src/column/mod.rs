//! Columns of bytes from Python: Arrow arrays, NumPy arrays, lists, and one value for all rows.
//!
//! Submodules: `c_data`, the structs of Arrow's interface; `arrow`, all arrays of a column, read by
//! crate sigmill-arrow; `buffer`, NumPy arrays. Only memory that others can write to is copied, and
//! everything that can be checked is checked.

mod arrow;
mod buffer;
mod c_data;

use std::slice;

use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyList, PyString, PyTuple};
use sigmill::AnyVerifyingKey;
use sigmill::bulk::{Column, Keys};
use sigmill_arrow::Accepted;

pub(crate) use arrow::Arrow;
use buffer::Buffer;

use crate::errors;
use crate::verifying_key::VerifyingKey;

/// The kind of a column's values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Encoded keys: bytes, or text in PEM or JSON.
    Keys,
    /// Messages, digests or signatures: bytes. Text is refused, as its encoding is unknown.
    Bytes,
    /// Recovery ids: bytes, or 8-bit numbers.
    Ids,
}

/// A column as a Python object, kept alive.
pub(crate) enum Owned {
    Arrow(Arrow),
    Buffer(Buffer),
    /// Values anywhere in memory.
    List(Vec<Option<Item>>),
    /// One value for all rows.
    Same(Item),
    Keys(Vec<Py<VerifyingKey>>),
    SameKey(Py<VerifyingKey>),
}

/// A value of a list.
pub(crate) enum Item {
    Bytes(PyBackedBytes),
    Text(PyBackedStr),
    Byte(u8),
}

/// A column whose structure is checked, from which the library's columns borrow.
pub(crate) enum Values<'a> {
    Arrow(arrow::Values<'a>),
    Buffer(&'a Buffer),
    List(Vec<Option<&'a [u8]>>),
    Same(&'a [u8]),
    Keys(Vec<&'a AnyVerifyingKey>),
    SameKey(&'a AnyVerifyingKey),
}

impl Kind {
    /// The wanted type, for error messages.
    fn wanted(self) -> &'static str {
        match self {
            Self::Keys => "bytes or text",
            Self::Bytes => "bytes",
            Self::Ids => "recovery ids of one byte",
        }
    }

    /// The Arrow types of this kind.
    fn accepted(self) -> Accepted {
        Accepted {
            text: self == Self::Keys,
            integers: self == Self::Ids,
            nulls: true,
            name: self.wanted(),
        }
    }
}

impl Item {
    fn of(name: &str, at: &str, object: &Bound<'_, PyAny>, kind: Kind) -> PyResult<Self> {
        if let Ok(bytes) = object.extract() {
            return Ok(Self::Bytes(bytes));
        }
        if kind == Kind::Keys && object.is_instance_of::<PyString>() {
            return Ok(Self::Text(object.extract()?));
        }
        if kind == Kind::Ids
            && let Ok(byte) = object.extract()
        {
            return Ok(Self::Byte(byte));
        }
        let found = object.get_type().name()?;
        let rule = format!("{at}must be {}, not {found}", kind.wanted());
        Err(errors::column(object.py(), name, &rule))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Text(text) => text.as_bytes(),
            Self::Byte(byte) => slice::from_ref(byte),
        }
    }
}

impl Owned {
    /// Takes a column in any of the forms listed in docs/python.md; `name` is the argument's.
    pub(crate) fn of(name: &str, object: &Bound<'_, PyAny>, kind: Kind) -> PyResult<Self> {
        if let Some(arrow) = Arrow::of(name, object)? {
            return Ok(Self::Arrow(arrow));
        }
        if let Ok(list) = object.cast::<PyList>() {
            return Self::list(name, list.iter(), kind);
        }
        if let Ok(tuple) = object.cast::<PyTuple>() {
            return Self::list(name, tuple.iter(), kind);
        }
        if kind == Kind::Keys
            && let Ok(key) = object.cast::<VerifyingKey>()
        {
            return Ok(Self::SameKey(key.clone().unbind()));
        }
        if object.is_instance_of::<PyString>() || object.extract::<PyBackedBytes>().is_ok() {
            return Item::of(name, "", object, kind).map(Self::Same);
        }
        if let Some(buffer) = Buffer::of(name, object, kind)? {
            return Ok(Self::Buffer(buffer));
        }
        let found = object.get_type().name()?;
        let rule = format!(
            "must be an Arrow column, a NumPy array, a list or one value for all rows, of {}, not \
             {found}",
            kind.wanted()
        );
        Err(errors::column(object.py(), name, &rule))
    }

    fn list<'py>(
        name: &str,
        items: impl ExactSizeIterator<Item = Bound<'py, PyAny>>,
        kind: Kind,
    ) -> PyResult<Self> {
        let mut values = Vec::with_capacity(items.len());
        let mut keys = Vec::new();
        for (row, item) in items.enumerate() {
            if kind == Kind::Keys
                && values.is_empty()
                && let Ok(key) = item.cast::<VerifyingKey>()
            {
                keys.push(key.clone().unbind());
                continue;
            }
            if !keys.is_empty() {
                let found = item.get_type().name()?;
                let rule =
                    format!("row {row} must be a VerifyingKey, as in the rows before, not {found}");
                return Err(errors::column(item.py(), name, &rule));
            }
            values.push(match item.is_none() {
                true => None,
                false => Some(Item::of(name, &format!("row {row} "), &item, kind)?),
            });
        }
        Ok(match keys.is_empty() {
            true => Self::List(values),
            false => Self::Keys(keys),
        })
    }

    /// Checks the structure of the column.
    pub(crate) fn values(&self, py: Python<'_>, name: &str, kind: Kind) -> PyResult<Values<'_>> {
        Ok(match self {
            Self::Arrow(arrow) => {
                let values = arrow.values(kind);
                Values::Arrow(values.map_err(|rule| errors::column(py, name, &rule))?)
            }
            Self::Buffer(buffer) => Values::Buffer(buffer),
            Self::List(items) => {
                let bytes = items.iter().map(|item| item.as_ref().map(Item::as_bytes));
                Values::List(bytes.collect())
            }
            Self::Same(item) => Values::Same(item.as_bytes()),
            Self::Keys(keys) => Values::Keys(keys.iter().map(|key| &key.get().0).collect()),
            Self::SameKey(key) => Values::SameKey(&key.get().0),
        })
    }
}

impl<'a> Values<'a> {
    /// The column of this name in a table.
    pub(crate) fn named(
        py: Python<'_>,
        table: &'a Arrow,
        argument: &str,
        name: &str,
        kind: Kind,
    ) -> PyResult<Self> {
        let values = table.named(name, kind);
        let values = values.map_err(|rule| errors::column(py, argument, &rule))?;
        Ok(Self::Arrow(values))
    }

    /// The same as the library's type; parsed keys have no encoded column, and no row here.
    pub(crate) fn column(&self) -> Column<'_> {
        match self {
            Self::Arrow(values) => values.column(),
            Self::Buffer(buffer) => buffer.column(),
            Self::List(values) => Column::optional_slices(values),
            Self::Same(value) => Column::same(value),
            Self::Keys(_) | Self::SameKey(_) => Column::slices(&[]),
        }
    }

    /// The value of each row; a single element if all rows share one value.
    pub(crate) fn slices(&self, py: Python<'_>, name: &str) -> PyResult<Vec<Option<&[u8]>>> {
        match self {
            Self::Arrow(values) => {
                let slices = values.slices();
                slices.map_err(|rule| errors::column(py, name, &rule))
            }
            Self::Buffer(buffer) => Ok(buffer.slices()),
            Self::List(values) => Ok(values.clone()),
            Self::Same(value) => Ok(vec![Some(value)]),
            Self::Keys(_) | Self::SameKey(_) => Ok(vec![]),
        }
    }

    /// The same as the library's key type.
    pub(crate) fn keys(&self) -> Keys<'_> {
        match self {
            Self::Keys(keys) => Keys::from(keys),
            Self::SameKey(key) => Keys::from(*key),
            _ => Keys::Encoded(self.column()),
        }
    }
}
