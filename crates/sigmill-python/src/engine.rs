//! Engines, which judge, sign and recover many rows at once.

use std::process;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyDict, PyTuple};
use sigmill::bulk::{Engine as Rust, Row, Rows};

use crate::column::{Arrow, Kind, Owned};
use crate::options::Options;
use crate::plan::Plan;
use crate::recovered::Recovered;
use crate::rows::{Columns, OwnedColumns, Signed, recover_rows};
use crate::sample::{self, Sample, SampleOptions};
use crate::sign_rows::Job;
use crate::signatures::Signatures;
use crate::signing_key::SigningKey;
use crate::verdicts::Verdicts;
use crate::verifying_key::VerifyingKey;
use crate::watch::watched;
use crate::{choice, errors, index, rows, stats};

/// Verifies rows of keys, messages and signatures. Remembers keys between calls, and builds tables
/// for keys that return.
///
/// `threads` is the number of threads that work on a call: 0 for all that the machine can run in
/// parallel, 1 for the caller's thread alone. `key_memory` limits the memory for keys and their
/// tables between calls, in bytes. `window` is the width of the widest tables, 1 to 11 bits.
/// `policy` sets the rules beyond the equation: "default", "low-s", "friendly",
/// "ethereum-precompile", "ethereum-transaction". `batch` allows randomized equations over many
/// rows that have hints; they err with a probability of at most 2^-120.
///
/// Any number of Python threads may share an engine. Pickling keeps its options. After a fork, the
/// child must create its own engine. The first engine of a process measures the machine for half a
/// millisecond.
///
/// Raises `Error` for a window out of range, and `ColumnError` for a policy or a number of threads
/// out of range.
#[pyclass(frozen, module = "sigmill", name = "Engine")]
pub(crate) struct Engine {
    engine: Rust,
    options: Options,
    process: u32,
}

impl Engine {
    /// Returns the engine if this process owns its threads.
    fn here(&self) -> PyResult<&Rust> {
        match self.process == process::id() {
            true => Ok(&self.engine),
            false => Err(PyRuntimeError::new_err(
                "Engine: created before this process was forked; create a new one in this process",
            )),
        }
    }
}

/// Verifies rows.
fn judge(
    py: Python<'_>,
    engine: &Rust,
    rows: &Rows<'_>,
    index: Option<Py<PyAny>>,
    progress: Option<&Py<PyAny>>,
    explain: bool,
    want_hints: bool,
) -> PyResult<Py<Verdicts>> {
    let judged = watched(py, rows.len(), progress, |watch| {
        watch.controlling(|control| {
            engine.verify_with(rows, &control.explain(explain).hints(want_hints))
        })
    })?;
    Verdicts::of(py, judged, index)
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (
        *, threads = 0, key_memory = 268_435_456, window = 10, policy = "default", batch = false
    ))]
    fn new(
        py: Python<'_>,
        threads: usize,
        key_memory: usize,
        window: u32,
        policy: &str,
        batch: bool,
    ) -> PyResult<Self> {
        let options = Options {
            threads,
            key_memory,
            window,
            policy: policy.to_owned(),
            batch,
        };
        Ok(Self {
            engine: options.engine(py)?,
            options,
            process: process::id(),
        })
    }

    /// Verifies all rows. Each row gets the verdict of a single call, in the order of the rows.
    ///
    /// `alg` names curve and hash: "ES256", "ES384", "ES512", "ES256K", or "P-256-SHA512". Columns
    /// are Arrow columns (any object with `__arrow_c_stream__` or `__arrow_c_array__`, with one
    /// column), NumPy arrays of dtype S or V, two-dimensional NumPy arrays of uint8, lists, or one
    /// value for all rows. Only writable arrays are copied, so that the call sees them as they were
    /// when it began. Memory marked read-only must not change during the call.
    ///
    /// `keys`: SEC 1 points, SPKI in DER, text in PEM or JWK, or `VerifyingKey`s. `messages`, which
    /// are hashed, or `digests`, of any length but 0. `signatures`: encoded as `format` says,
    /// "der", "p1363" or "auto" (P1363 if the length matches, otherwise DER). `hints`: recovery
    /// ids, as returned in earlier verdicts; they change no verdict. Rows with a null are rejected
    /// ("key-null").
    ///
    /// `want_hints` fills the column `hint`; `explain` adds the plan. `progress(done, total)` is
    /// called several times a second. The GIL is released. A signal whose handler raises
    /// (`KeyboardInterrupt`) or an exception in `progress` ends the call within a moment.
    ///
    /// Raises `ColumnError` with the column and the rule that it breaks, and `Error` for an unknown
    /// algorithm or format.
    #[pyo3(signature = (
        alg, keys, *, signatures, messages = None, digests = None, hints = None, format = "auto",
        want_hints = false, explain = false, progress = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "columns, by name")]
    fn verify(
        &self,
        py: Python<'_>,
        alg: &str,
        keys: &Bound<'_, PyAny>,
        signatures: &Bound<'_, PyAny>,
        messages: Option<&Bound<'_, PyAny>>,
        digests: Option<&Bound<'_, PyAny>>,
        hints: Option<&Bound<'_, PyAny>>,
        format: &str,
        want_hints: bool,
        explain: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Py<Verdicts>> {
        let (algorithm, format) = (choice::algorithm(py, alg)?, choice::format(py, format)?);
        let engine = self.here()?;
        let owned = OwnedColumns::of(keys, messages, digests, signatures, hints)?;
        let columns = owned.columns(py)?;
        let rows = columns.rows(py, algorithm, format)?;
        let (index, progress) = (owned.index(py), progress.as_ref());
        judge(py, engine, &rows, index, progress, explain, want_hints)
    }

    /// Like `verify`, for the columns of a table, by name. Accepts any object with
    /// `__arrow_c_stream__` or `__arrow_c_array__`, such as tables of pyarrow, frames of polars and
    /// pandas, and relations of DuckDB.
    ///
    /// Raises `ColumnError` for a missing column, and otherwise like `verify`.
    #[pyo3(signature = (
        alg, table, *, keys = "key", messages = None, digests = None, signatures = "signature",
        hints = None, format = "auto", want_hints = false, explain = false, progress = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "columns, by name")]
    fn verify_table(
        &self,
        py: Python<'_>,
        alg: &str,
        table: &Bound<'_, PyAny>,
        keys: &str,
        messages: Option<&str>,
        digests: Option<&str>,
        signatures: &str,
        hints: Option<&str>,
        format: &str,
        want_hints: bool,
        explain: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Py<Verdicts>> {
        let (algorithm, format) = (choice::algorithm(py, alg)?, choice::format(py, format)?);
        let engine = self.here()?;
        let index = index::common(py, &[("table", Some(table))])?;
        let Some(table) = Arrow::of("table", table)? else {
            let found = table.get_type().name()?;
            let rule = format!("must have __arrow_c_stream__ or __arrow_c_array__, not {found}");
            return Err(errors::column(py, "table", &rule));
        };
        let inputs = (messages, digests);
        let columns = Columns::of_table(py, &table, keys, inputs, signatures, hints)?;
        let rows = columns.rows(py, algorithm, format)?;
        let progress = progress.as_ref();
        judge(py, engine, &rows, index, progress, explain, want_hints)
    }

    /// Verifies one signature like `verify`, with the table that the engine holds for the key.
    ///
    /// `key` is an encoded key, bytes or text. Raises `InvalidSignature` with the rule that the row
    /// or its key breaks, and `Error` for an empty digest.
    #[pyo3(signature = (alg, key, *, signature, message = None, digest = None, format = "auto"))]
    #[allow(clippy::too_many_arguments, reason = "a row, by name")]
    fn verify_row(
        &self,
        py: Python<'_>,
        alg: &str,
        key: &Bound<'_, PyAny>,
        signature: PyBackedBytes,
        message: Option<PyBackedBytes>,
        digest: Option<PyBackedBytes>,
        format: &str,
    ) -> PyResult<()> {
        let (algorithm, format) = (choice::algorithm(py, alg)?, choice::format(py, format)?);
        let engine = self.here()?;
        let key = Owned::of("key", key, Kind::Keys)?;
        let Owned::Same(key) = &key else {
            return Err(errors::column(
                py,
                "key",
                "must be bytes or text of one key",
            ));
        };
        let input = rows::input(message.as_deref(), digest.as_deref())?;
        let row = Row::new(algorithm, key.as_bytes(), input, &signature, format);
        py.detach(|| engine.verify_row(&row))
            .map_err(|error| errors::verdict(py, error))
    }

    /// Returns what `verify` would do with these rows now, and the estimated cost. Reads the keys;
    /// builds nothing.
    ///
    /// Arguments and exceptions are those of `verify`.
    #[pyo3(signature = (
        alg, keys, *, signatures, messages = None, digests = None, hints = None, format = "auto"
    ))]
    #[allow(clippy::too_many_arguments, reason = "columns, by name")]
    fn explain(
        &self,
        py: Python<'_>,
        alg: &str,
        keys: &Bound<'_, PyAny>,
        signatures: &Bound<'_, PyAny>,
        messages: Option<&Bound<'_, PyAny>>,
        digests: Option<&Bound<'_, PyAny>>,
        hints: Option<&Bound<'_, PyAny>>,
        format: &str,
    ) -> PyResult<Plan> {
        let (algorithm, format) = (choice::algorithm(py, alg)?, choice::format(py, format)?);
        let engine = self.here()?;
        let owned = OwnedColumns::of(keys, messages, digests, signatures, hints)?;
        let columns = owned.columns(py)?;
        let rows = columns.rows(py, algorithm, format)?;
        Ok(Plan(py.detach(|| engine.explain(&rows))))
    }

    /// Recovers the public keys of all rows, in order. A row without a key has a reason.
    ///
    /// `signatures` are r, s and v, concatenated: 65 bytes for 256-bit curves. The last byte is the
    /// recovery id 0 to 3, or 27 or 28 for 0 or 1. Other arguments and exceptions are those of
    /// `verify`.
    #[pyo3(signature = (alg, *, signatures, messages = None, digests = None, progress = None))]
    fn recover(
        &self,
        py: Python<'_>,
        alg: &str,
        signatures: &Bound<'_, PyAny>,
        messages: Option<&Bound<'_, PyAny>>,
        digests: Option<&Bound<'_, PyAny>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Py<Recovered>> {
        let algorithm = choice::algorithm(py, alg)?;
        let engine = self.here()?;
        let index = index::common(
            py,
            &[
                ("messages", messages),
                ("digests", digests),
                ("signatures", Some(signatures)),
            ],
        )?;
        let signed = Signed::of(messages, digests)?;
        let signatures = Owned::of("signatures", signatures, Kind::Bytes)?;
        let signed = signed.values(py)?;
        let signatures = signatures.values(py, "signatures", Kind::Bytes)?;
        let rows = recover_rows(py, algorithm, &signed, &signatures)?;
        let recovered = watched(py, rows.len(), progress.as_ref(), |watch| {
            watch.controlling(|control| engine.recover_with(&rows, control))
        })?;
        Recovered::of(py, recovered, index)
    }

    /// Signs all rows with one key, in constant time and deterministically. Returns the signatures
    /// of `SigningKey.sign` or `sign_digest`.
    ///
    /// `hash` hashes messages and derives nonces; the default is the hash of the curve. `format` is
    /// "der" or "p1363". Rows with a null or an empty digest have a reason and no signature. Other
    /// arguments and exceptions are those of `verify`.
    #[pyo3(signature = (
        key, *, messages = None, digests = None, hash = None, format = "der", progress = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "columns, by name")]
    fn sign(
        &self,
        py: Python<'_>,
        key: &SigningKey,
        messages: Option<&Bound<'_, PyAny>>,
        digests: Option<&Bound<'_, PyAny>>,
        hash: Option<&str>,
        format: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Py<Signatures>> {
        let index = index::common(py, &[("messages", messages), ("digests", digests)])?;
        let signed = Signed::of(messages, digests)?;
        let job = Job {
            key: &key.0,
            hash: choice::hash(py, hash, key.0.curve())?,
            are_messages: signed.are_messages,
            format: choice::format(py, format)?,
        };
        let values = signed.values(py)?;
        let rows = values.values.slices(py, values.name())?;
        let made = watched(py, rows.len(), progress.as_ref(), |watch| {
            job.sign(&rows, self.options.threads, watch)
        })?;
        Signatures::of(py, &made, index)
    }

    /// Creates rows for experiments and benchmarks: those that the command `sigmill sample` writes
    /// with the same choices. The same choices always yield the same rows.
    ///
    /// `keys` is the number of keys that sign: each equally often ("uniform"), or the k-th 1/k
    /// times as often as the first ("zipf"). `invalid` and `malformed` are shares, from 0 to 1.
    /// Invalid rows are well formed but were changed after signing. Malformed rows have a broken or
    /// missing signature, key or algorithm. The column `id` names the kind and number of each row:
    /// "valid-1", "invalid-2", "malformed-3". One malformed row in seven has only a wrong name in
    /// the column `alg`, which `verify` does not read. `input` is "message" or "digest";
    /// `key_format` is "sec1", "sec1-compressed", "spki" or "pem"; `format` is "der" or "p1363".
    /// Private keys are derived from `seed`, so they are public knowledge.
    ///
    /// Raises `ColumnError` with the choice and the rule that it breaks. `progress`, signals and
    /// threads work as in `verify`.
    #[pyo3(signature = (
        rows, *, curve = "P-256", keys = 16, distribution = "uniform", invalid = 0.0,
        malformed = 0.0, seed = 0, input = "message", key_format = "sec1", format = "der",
        progress = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "choices, by name")]
    fn sample(
        &self,
        py: Python<'_>,
        rows: usize,
        curve: &str,
        keys: u32,
        distribution: &str,
        invalid: f64,
        malformed: f64,
        seed: u64,
        input: &str,
        key_format: &str,
        format: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Py<Sample>> {
        let options = SampleOptions {
            curve: choice::curve(py, curve)?,
            keys,
            distribution,
            invalid,
            malformed,
            seed,
            input,
            key_format,
            format: choice::format(py, format)?,
        };
        let choices = options.choices(py, rows)?;
        let made = watched(py, rows, progress.as_ref(), |watch| {
            sample::make(&choices, rows, self.options.threads, watch)
        })?;
        Sample::of(py, &choices, &made)
    }

    /// Builds the table of a key, and keeps it no matter which other keys arrive.
    ///
    /// Raises `Error` for a window out of range.
    #[pyo3(signature = (key, window = None))]
    fn pin(&self, py: Python<'_>, key: &VerifyingKey, window: Option<u32>) -> PyResult<()> {
        let engine = self.here()?;
        let window = window.unwrap_or(self.options.window);
        let pinned = py.detach(|| engine.key_store().pin(&key.0, window));
        pinned.map_err(|error| errors::error(py, error))
    }

    /// Returns counts: rows `fresh` (without a table), `prepared`, `batched`; `tables_built`,
    /// `table_bytes`, `distinct_keys`, and whether the last is only a lower bound.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        stats::dictionary(py, self.here()?)
    }

    fn __repr__(&self) -> String {
        self.options.to_string()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        // `functools.partial` accepts the options by name.
        let partial = py.import("functools")?.getattr("partial")?;
        let options = self.options.by_name(py)?;
        let make = partial.call((py.get_type::<Self>(),), Some(&options))?;
        Ok((make, PyTuple::empty(py)))
    }
}
