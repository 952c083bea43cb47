//! Rows for experiments: those that the command `sigmill sample` writes with the same choices, so
//! that a program and the command can refer to the same tables.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray};
use pyo3::prelude::*;
use sigmill::{CurveName, SignatureFormat};
use sigmill_sample::{Choices, Distribution, Expected, KeyEncoding, Malformed, Row, RowMaker};

use crate::export::{self, Columns};
use crate::watch::Watch;
use crate::{blocks, errors};

/// The choices as Python passes them.
pub(crate) struct SampleOptions<'a> {
    pub(crate) curve: CurveName,
    pub(crate) keys: u32,
    pub(crate) distribution: &'a str,
    pub(crate) invalid: f64,
    pub(crate) malformed: f64,
    pub(crate) seed: u64,
    pub(crate) input: &'a str,
    pub(crate) key_format: &'a str,
    pub(crate) format: SignatureFormat,
}

/// Looks a name up among the allowed names.
fn one_of<T: Copy>(py: Python<'_>, what: &str, name: &str, names: &[(&str, T)]) -> PyResult<T> {
    if let Some((_, value)) = names.iter().find(|(known, _)| *known == name) {
        return Ok(*value);
    }
    let names: Vec<_> = names.iter().map(|(known, _)| *known).collect();
    let rule = format!("must be one of {}, not {name:?}", names.join(", "));
    Err(errors::column(py, what, &rule))
}

impl SampleOptions<'_> {
    /// Checks the choices for the given number of rows.
    pub(crate) fn choices(&self, py: Python<'_>, rows: usize) -> PyResult<Choices> {
        // The column of names has offsets of 32 bits.
        if rows > 1 << 26 {
            return Err(errors::column(py, "rows", "must be at most 67108864"));
        }
        let shares = [("invalid", self.invalid), ("malformed", self.malformed)];
        for (name, share) in shares {
            if !(0.0..=1.0).contains(&share) {
                return Err(errors::column(py, name, "must be from 0 to 1"));
            }
        }
        if self.invalid + self.malformed > 1.0 {
            let rule = "sum with invalid must be at most 1";
            return Err(errors::column(py, "malformed", rule));
        }
        if !(1..=1 << 20).contains(&self.keys) {
            return Err(errors::column(py, "keys", "must be from 1 to 1048576"));
        }
        if self.format == SignatureFormat::Auto {
            let rule = "must be der or p1363";
            return Err(errors::column(py, "format", rule));
        }
        let distributions = [
            ("uniform", Distribution::Uniform),
            ("zipf", Distribution::Zipf),
        ];
        let inputs = [("message", false), ("digest", true)];
        let key_encodings = [
            ("sec1", KeyEncoding::Sec1),
            ("sec1-compressed", KeyEncoding::Sec1Compressed),
            ("spki", KeyEncoding::Spki),
            ("pem", KeyEncoding::Pem),
        ];
        Ok(Choices {
            curves: vec![self.curve],
            keys: self.keys,
            distribution: one_of(py, "distribution", self.distribution, &distributions)?,
            invalid: self.invalid,
            malformed: self.malformed,
            defects: Malformed::VALUES.to_vec(),
            seed: self.seed,
            are_digests: one_of(py, "input", self.input, &inputs)?,
            key_encoding: one_of(py, "key_format", self.key_format, &key_encodings)?,
            format: self.format,
        })
    }
}

/// Creates the given number of rows; fewer if the watch is cancelled.
pub(crate) fn make(choices: &Choices, rows: usize, threads: usize, watch: &Watch) -> Vec<Row> {
    let mut made = vec![];
    let mut keys = vec![];
    keys.resize_with(choices.key_count() as usize, || None);
    blocks::fill(&mut keys, threads, watch, |first, block| {
        for (number, key) in (first as u64..).zip(block) {
            if !watch.is_cancelled() {
                *key = Some(choices.key(number));
            }
        }
    });
    let Some(keys) = keys.into_iter().collect() else {
        return made;
    };
    let maker = RowMaker::new(choices, keys);
    // Memory is allocated for rows as they are created, and not for all requested rows.
    while made.len() < rows && !watch.is_cancelled() {
        let first = made.len();
        made.resize(rows.min(first + (1 << 16)), Row::default());
        blocks::fill(&mut made[first..], threads, watch, |at, block| {
            let first = (first + at) as u64;
            let rows = maker.rows(first..first + block.len() as u64);
            for (row, made) in block.iter_mut().zip(rows) {
                *row = made;
            }
            watch.advance(block.len());
        });
    }
    made
}

/// The rows of `Engine.sample`: columns `id` and `alg` (string), `key`, `message` or `digest`, and
/// `signature` (binary; null in some malformed rows).
#[pyclass(frozen, extends = Columns, module = "sigmill", name = "Sample")]
pub(crate) struct Sample {
    /// Rows meant to be valid, invalid and malformed.
    counts: [usize; 3],
}

impl Sample {
    pub(crate) fn of(py: Python<'_>, choices: &Choices, rows: &[Row]) -> PyResult<Py<Self>> {
        let text = |of: fn(&Row) -> &str| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(rows.iter().map(of)))
        };
        let input = match choices.are_digests {
            true => "digest",
            false => "message",
        };
        let keys = export::binary(rows.iter().map(|row| row.key.as_deref()));
        let inputs = export::binary(rows.iter().map(|row| Some(&row.input[..])));
        let signatures = export::binary(rows.iter().map(|row| row.signature.as_deref()));
        let columns = vec![
            ("id", false, text(|row| &row.id)),
            ("alg", false, text(|row| &row.alg)),
            ("key", true, keys),
            (input, false, inputs),
            ("signature", true, signatures),
        ];
        let columns = Columns::new(columns, None)?;
        let mut counts = [0; 3];
        for row in rows {
            counts[match row.expected {
                Expected::Valid => 0,
                Expected::Invalid => 1,
                Expected::Malformed(_) => 2,
            }] += 1;
        }
        Py::new(
            py,
            PyClassInitializer::from(columns).add_subclass(Self { counts }),
        )
    }
}

#[pymethods]
impl Sample {
    /// The number of rows meant to be valid.
    #[getter]
    fn valid(&self) -> usize {
        self.counts[0]
    }

    /// The number of rows that are well formed, and meant to be rejected.
    #[getter]
    fn invalid(&self) -> usize {
        self.counts[1]
    }

    /// The number of rows with a broken or missing signature, key or algorithm.
    #[getter]
    fn malformed(&self) -> usize {
        self.counts[2]
    }

    fn __repr__(&self) -> String {
        let [valid, invalid, malformed] = self.counts;
        format!("<Sample {valid} valid, {invalid} invalid, {malformed} malformed>")
    }
}
