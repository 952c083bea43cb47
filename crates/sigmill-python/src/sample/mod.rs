//! Rows for trying out: those that the command's `sigmill sample` writes with the same choices, so
//! that a program and the command can be told of each other's tables.
//!
//! `plan` says which rows are bad, `keys` who signs, `rows` what a row is.

mod keys;
mod plan;
mod rows;

use std::sync::Arc;

use arrow_array::StringArray;
use pyo3::prelude::*;
use sigmill::{CurveName, SignatureFormat};

use crate::export::{self, Columns};
use crate::watch::Watch;
use crate::{blocks, errors};
use keys::KeyRing;
use plan::{Expected, Plan};
use rows::Row;

/// How keys are encoded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyFormat {
    Sec1,
    Sec1Compressed,
    Spki,
    Pem,
}

/// What is made.
pub(crate) struct Choices {
    curve: CurveName,
    keys: u32,
    is_zipf: bool,
    plan: Plan,
    seed: u64,
    are_digests: bool,
    key_format: KeyFormat,
    format: SignatureFormat,
}

/// The same, as Python has them.
pub(crate) struct Asked<'a> {
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

/// Makes rows.
struct Maker<'a> {
    choices: &'a Choices,
    keys: &'a KeyRing,
}

/// One of some names.
fn one_of<T: Copy>(py: Python<'_>, what: &str, name: &str, names: &[(&str, T)]) -> PyResult<T> {
    if let Some((_, value)) = names.iter().find(|(known, _)| *known == name) {
        return Ok(*value);
    }
    let names: Vec<_> = names.iter().map(|(known, _)| *known).collect();
    let rule = format!("must be one of {}, not {name:?}", names.join(", "));
    Err(errors::column(py, what, &rule))
}

impl Choices {
    pub(crate) fn new(py: Python<'_>, rows: usize, asked: &Asked<'_>) -> PyResult<Self> {
        // The column of names has offsets of 32 bits.
        if rows > 1 << 26 {
            return Err(errors::column(py, "rows", "must be at most 67108864"));
        }
        let shares = [("invalid", asked.invalid), ("malformed", asked.malformed)];
        for (name, share) in shares {
            if !(0.0..=1.0).contains(&share) {
                return Err(errors::column(py, name, "must be from 0 to 1"));
            }
        }
        if asked.invalid + asked.malformed > 1.0 {
            let rule = "must not be more than 1 together with invalid";
            return Err(errors::column(py, "malformed", rule));
        }
        if !(1..=1 << 20).contains(&asked.keys) {
            return Err(errors::column(py, "keys", "must be from 1 to 1048576"));
        }
        if asked.format == SignatureFormat::Auto {
            let rule = "must be der or p1363 where signatures are made";
            return Err(errors::column(py, "format", rule));
        }
        let distributions = [("uniform", false), ("zipf", true)];
        let inputs = [("message", false), ("digest", true)];
        let key_formats = [
            ("sec1", KeyFormat::Sec1),
            ("sec1-compressed", KeyFormat::Sec1Compressed),
            ("spki", KeyFormat::Spki),
            ("pem", KeyFormat::Pem),
        ];
        Ok(Self {
            curve: asked.curve,
            keys: asked.keys,
            is_zipf: one_of(py, "distribution", asked.distribution, &distributions)?,
            plan: Plan::new(asked.invalid, asked.malformed),
            seed: asked.seed,
            are_digests: one_of(py, "input", asked.input, &inputs)?,
            key_format: one_of(py, "key_format", asked.key_format, &key_formats)?,
            format: asked.format,
        })
    }

    /// So many rows; fewer if the watch is told to end.
    pub(crate) fn make(&self, rows: usize, threads: usize, watch: &Watch) -> Vec<Row> {
        let (curve, seed) = (self.curve, self.seed);
        let keys = KeyRing::new(curve, self.keys, self.is_zipf, seed, threads, watch);
        let mut made = vec![];
        let Some(keys) = &keys else {
            return made;
        };
        let maker = Maker {
            choices: self,
            keys,
        };
        // Memory is taken for rows that are made, and not for all that were asked for.
        while made.len() < rows && !watch.is_cancelled() {
            let first = made.len();
            made.resize(rows.min(first + (1 << 16)), Row::default());
            blocks::fill(&mut made[first..], threads, watch, |at, block| {
                maker.fill((first + at) as u64, block);
                watch.advance(block.len());
            });
        }
        made
    }
}

/// The rows of `Engine.sample`: columns `id` and `alg` (string), `key`, `message` or `digest`, and
/// `signature` (binary; null in some malformed rows).
#[pyclass(frozen, extends = Columns, module = "sigmill", name = "Sample")]
pub(crate) struct Sample {
    /// Of rows that are meant to be valid, invalid and malformed.
    counts: [usize; 3],
}

impl Sample {
    pub(crate) fn of(py: Python<'_>, choices: &Choices, rows: &[Row]) -> PyResult<Py<Self>> {
        let alg = choices.curve.default_algorithm().to_string();
        let alg = |row: &Row| {
            if row.is_algorithm_known {
                alg.clone()
            } else {
                "RS256".into()
            }
        };
        let ids = rows.iter().map(|row| Some(&row.id[..]));
        let input = if choices.are_digests {
            "digest"
        } else {
            "message"
        };
        let columns = Columns::new(vec![
            ("id", false, Arc::new(ids.collect::<StringArray>())),
            (
                "alg",
                false,
                Arc::new(
                    rows.iter()
                        .map(|row| Some(alg(row)))
                        .collect::<StringArray>(),
                ),
            ),
            (
                "key",
                true,
                export::binary(rows.iter().map(|row| row.key.as_deref())),
            ),
            (
                input,
                false,
                export::binary(rows.iter().map(|row| Some(&row.input[..]))),
            ),
            (
                "signature",
                true,
                export::binary(rows.iter().map(|row| row.signature.as_deref())),
            ),
        ])?;
        let mut counts = [0; 3];
        for index in 0..rows.len() as u64 {
            counts[match choices.plan.expected(index) {
                Expected::Valid => 0,
                Expected::Invalid(_) => 1,
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
    /// How many rows are meant to be valid.
    #[getter]
    fn valid(&self) -> usize {
        self.counts[0]
    }

    /// How many rows are well formed, and meant to be rejected.
    #[getter]
    fn invalid(&self) -> usize {
        self.counts[1]
    }

    /// How many rows have a broken signature, key or algorithm, or none.
    #[getter]
    fn malformed(&self) -> usize {
        self.counts[2]
    }

    fn __repr__(&self) -> String {
        let [valid, invalid, malformed] = self.counts;
        format!("<Sample {valid} valid, {invalid} invalid, {malformed} malformed>")
    }
}
