//! The columns of rows, as the methods of an engine accept them.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use sigmill::bulk::{Hints, Input, Inputs, RecoverRows, Rows, Signatures};
use sigmill::{Algorithm, SignatureFormat};

use crate::column::{Arrow, Kind, Owned, Values};
use crate::{errors, index};

/// The signed column: messages or digests.
pub(crate) struct Signed<T> {
    pub(crate) values: T,
    pub(crate) are_messages: bool,
}

impl<T> Signed<T> {
    /// Exactly one of two arguments.
    pub(crate) fn one_of<U>(
        messages: Option<U>,
        digests: Option<U>,
        take: impl FnOnce(&'static str, U) -> PyResult<T>,
    ) -> PyResult<Self> {
        let (name, value) = match (messages, digests) {
            (Some(messages), None) => ("messages", messages),
            (None, Some(digests)) => ("digests", digests),
            _ => {
                let rule = "exactly one of messages and digests must be given";
                return Err(PyTypeError::new_err(rule));
            }
        };
        Ok(Self {
            values: take(name, value)?,
            are_messages: name == "messages",
        })
    }

    /// The caller's name for it.
    pub(crate) fn name(&self) -> &'static str {
        match self.are_messages {
            true => "messages",
            false => "digests",
        }
    }
}

impl Signed<Owned> {
    pub(crate) fn of(
        messages: Option<&Bound<'_, PyAny>>,
        digests: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Self::one_of(messages, digests, |name, value| {
            Owned::of(name, value, Kind::Bytes)
        })
    }

    pub(crate) fn values<'a>(&'a self, py: Python<'_>) -> PyResult<Signed<Values<'a>>> {
        Ok(Signed {
            values: self.values.values(py, self.name(), Kind::Bytes)?,
            are_messages: self.are_messages,
        })
    }
}

impl Signed<Values<'_>> {
    /// The same as the library's type.
    pub(crate) fn inputs(&self) -> Inputs<'_> {
        match self.are_messages {
            true => Inputs::Messages(self.values.column()),
            false => Inputs::Digests(self.values.column()),
        }
    }
}

/// Columns as Python objects.
pub(crate) struct OwnedColumns {
    pub(crate) keys: Owned,
    pub(crate) signed: Signed<Owned>,
    pub(crate) signatures: Owned,
    pub(crate) hints: Option<Owned>,
    /// The labels of the rows in pandas.
    index: Option<Py<PyAny>>,
}

/// Columns whose structure is checked.
pub(crate) struct Columns<'a> {
    keys: Values<'a>,
    signed: Signed<Values<'a>>,
    signatures: Values<'a>,
    hints: Option<Values<'a>>,
}

impl OwnedColumns {
    /// Reads the columns of a call.
    pub(crate) fn of(
        keys: &Bound<'_, PyAny>,
        messages: Option<&Bound<'_, PyAny>>,
        digests: Option<&Bound<'_, PyAny>>,
        signatures: &Bound<'_, PyAny>,
        hints: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let arguments = [
            ("keys", Some(keys)),
            ("messages", messages),
            ("digests", digests),
            ("signatures", Some(signatures)),
            ("hints", hints),
        ];
        let hints = hints.map(|hints| Owned::of("hints", hints, Kind::Ids));
        Ok(Self {
            signed: Signed::of(messages, digests)?,
            keys: Owned::of("keys", keys, Kind::Keys)?,
            signatures: Owned::of("signatures", signatures, Kind::Bytes)?,
            hints: hints.transpose()?,
            index: index::common(keys.py(), &arguments)?,
        })
    }

    /// The labels of the rows in pandas, if columns are from pandas.
    pub(crate) fn index(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.index.as_ref().map(|index| index.clone_ref(py))
    }

    pub(crate) fn columns(&self, py: Python<'_>) -> PyResult<Columns<'_>> {
        let hints = self.hints.as_ref();
        let hints = hints.map(|hints| hints.values(py, "hints", Kind::Ids));
        Ok(Columns {
            keys: self.keys.values(py, "keys", Kind::Keys)?,
            signed: self.signed.values(py)?,
            signatures: self.signatures.values(py, "signatures", Kind::Bytes)?,
            hints: hints.transpose()?,
        })
    }
}

impl<'a> Columns<'a> {
    /// Columns of a table, by name.
    pub(crate) fn of_table(
        py: Python<'_>,
        table: &'a Arrow,
        keys: &str,
        (messages, digests): (Option<&str>, Option<&str>),
        signatures: &str,
        hints: Option<&str>,
    ) -> PyResult<Self> {
        let bytes = |argument, name| Values::named(py, table, argument, name, Kind::Bytes);
        let hints = hints.map(|name| Values::named(py, table, "hints", name, Kind::Ids));
        Ok(Self {
            keys: Values::named(py, table, "keys", keys, Kind::Keys)?,
            signed: Signed::one_of(messages, digests, bytes)?,
            signatures: bytes("signatures", signatures)?,
            hints: hints.transpose()?,
        })
    }

    /// The rows of these columns.
    pub(crate) fn rows(
        &self,
        py: Python<'_>,
        algorithm: Algorithm,
        format: SignatureFormat,
    ) -> PyResult<Rows<'_>> {
        let wrong = |error| errors::shape(py, &error, self.signed.name());
        let signatures = Signatures::new(format, self.signatures.column());
        let rows = Rows::new(
            algorithm,
            self.keys.keys(),
            self.signed.inputs(),
            signatures,
        );
        let rows = rows.map_err(wrong)?;
        // The verdict needs half of it, the work the rest.
        check_memory::<[u8; 48]>(py, rows.len())?;
        match &self.hints {
            None => Ok(rows),
            Some(hints) => rows.hints(Hints::Ids(hints.column())).map_err(wrong),
        }
    }
}

/// Rows for recovering keys.
pub(crate) fn recover_rows<'a>(
    py: Python<'_>,
    algorithm: Algorithm,
    signed: &'a Signed<Values<'_>>,
    signatures: &'a Values<'_>,
) -> PyResult<RecoverRows<'a>> {
    let rows = RecoverRows::new(algorithm, signed.inputs(), signatures.column());
    let rows = rows.map_err(|error| errors::shape(py, &error, signed.name()))?;
    // Points of at most 133 bytes, and a result for each.
    check_memory::<[u8; 160]>(py, rows.len())?;
    Ok(rows)
}

/// Refuses rows whose results would not fit in memory: arrays of Arrow's null type can claim any
/// number of rows without holding any.
fn check_memory<T>(py: Python<'_>, rows: usize) -> PyResult<()> {
    let room = sigmill_arrow::room::<T>(rows);
    room.map(drop)
        .map_err(|error| errors::column(py, "rows", &error.rule))
}

/// The signed input of one row.
pub(crate) fn input<'a>(
    message: Option<&'a [u8]>,
    digest: Option<&'a [u8]>,
) -> PyResult<Input<'a>> {
    match (message, digest) {
        (Some(message), None) => Ok(Input::Message(message)),
        (None, Some(digest)) => Ok(Input::Digest(digest)),
        _ => {
            let rule = "exactly one of message and digest must be given";
            Err(PyTypeError::new_err(rule))
        }
    }
}
