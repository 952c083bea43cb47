//! Recovered public keys.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, FixedSizeBinaryArray, UInt8Array};
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use sigmill::bulk::Recovered as Judged;
use sigmill::ethereum::Address;
use sigmill::secp256k1::VerifyingKey;
use sigmill::{CurveName, Error};

use crate::export::{self, Columns};

/// The keys of `Engine.recover`, one per row: columns `key` (a fixed-size binary, the uncompressed
/// SEC 1 point, null if there is none), `reason` (a dictionary of strings, null if there is a key),
/// and on secp256k1 `address`, the key's Ethereum address, 20 bytes.
///
/// A recovered key does not prove the signature: compare the key with the expected one. Indexing
/// and iteration yield the reason of a row, `None` if there is a key.
#[pyclass(frozen, extends = Columns, module = "sigmill", name = "Recovered")]
pub(crate) struct Recovered {
    rows: Vec<Result<(), Error>>,
    recovered: usize,
    reasons: BTreeMap<&'static str, usize>,
}

impl Recovered {
    pub(crate) fn of(
        py: Python<'_>,
        judged: Judged,
        index: Option<Py<PyAny>>,
    ) -> PyResult<Py<Self>> {
        let verdicts = judged.verdicts();
        export::all_judged(verdicts.judged(), verdicts.len())?;
        let recovered = Self {
            rows: verdicts.as_slice().to_vec(),
            recovered: verdicts.valid(),
            reasons: verdicts.reasons(),
        };
        let reasons = export::reasons(&recovered.rows)?;
        let (curve, len) = (judged.curve(), judged.key_len());
        let addresses = (curve == CurveName::Secp256k1).then(|| py.detach(|| addresses(&judged)));
        let mut columns: Vec<(&str, bool, ArrayRef)> = vec![
            ("key", true, fixed(len, judged.into_keys(), &recovered.rows)),
            ("reason", true, Arc::new(reasons)),
        ];
        if let Some(addresses) = addresses {
            columns.push(("address", true, fixed(20, addresses, &recovered.rows)));
        }
        let columns = Columns::new(columns, index)?;
        Py::new(
            py,
            PyClassInitializer::from(columns).add_subclass(recovered),
        )
    }
}

/// Values of one length, concatenated, without a copy; null if a row has none.
fn fixed(len: usize, values: Vec<u8>, rows: &[Result<(), Error>]) -> ArrayRef {
    let are_there: Vec<bool> = rows.iter().map(Result::is_ok).collect();
    let (_, values, _) = UInt8Array::from(values).into_parts();
    let (values, are_there) = (values.into_inner(), Some(are_there.into()));
    // The length is at most 133 bytes.
    Arc::new(FixedSizeBinaryArray::new(len as i32, values, are_there))
}

/// The addresses of the keys, concatenated; zeros for rows without a key.
fn addresses(judged: &Judged) -> Vec<u8> {
    let mut addresses = Vec::with_capacity(20 * judged.verdicts().len());
    for key in judged.iter() {
        let key = key.and_then(VerifyingKey::from_sec1_bytes);
        addresses.extend(key.map_or([0; 20], |key| *Address::of(&key).as_bytes()));
    }
    addresses
}

#[pymethods]
impl Recovered {
    /// The number of rows with a key.
    #[getter]
    fn recovered(&self) -> usize {
        self.recovered
    }

    /// The number of rows without one.
    #[getter]
    fn rejected(&self) -> usize {
        self.rows.len() - self.recovered
    }

    /// The number of rejected rows per reason.
    #[getter]
    fn reasons(&self) -> BTreeMap<&'static str, usize> {
        self.reasons.clone()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        export::reasons_by_row(py, &self.rows)
    }

    fn __getitem__(&self, index: isize) -> PyResult<Option<&'static str>> {
        let row = export::row(self.rows.len(), index)?;
        Ok(self.rows[row].err().map(|error| error.reason()))
    }

    fn __repr__(&self) -> String {
        let (keys, rejected) = (self.recovered, self.rejected());
        format!("<Recovered {keys} keys, {rejected} rejected>")
    }
}
