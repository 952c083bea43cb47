//! Public keys with a table of their multiples.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use sigmill::{AnyPreparedKey, Input};

use crate::verifying_key::VerifyingKey;
use crate::{choice, errors};

/// A public key with a table of its multiples: `VerifyingKey.prepare()`.
///
/// Immutable. An `Engine` prepares keys by itself.
#[pyclass(frozen, module = "sigmill", name = "PreparedKey")]
pub(crate) struct PreparedKey(pub(crate) AnyPreparedKey);

#[pymethods]
impl PreparedKey {
    /// The name of the curve: "P-256".
    #[getter]
    fn curve(&self) -> &'static str {
        self.0.curve().as_str()
    }

    /// The width of the table, in bits.
    #[getter]
    fn window(&self) -> u32 {
        self.0.window()
    }

    /// The memory of key and table, in bytes.
    #[getter]
    fn memory(&self) -> usize {
        self.0.memory_bytes()
    }

    /// The key without its table.
    fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey(self.0.verifying_key())
    }

    /// Verifies a signature of data: like `VerifyingKey.verify`, in a fraction of the time. A
    /// hint saves none.
    #[pyo3(signature = (
        signature, data, *, hash = None, format = "der", policy = "default", hint = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "options, by name")]
    fn verify(
        &self,
        py: Python<'_>,
        signature: PyBackedBytes,
        data: PyBackedBytes,
        hash: Option<&str>,
        format: &str,
        policy: &str,
        hint: Option<u8>,
    ) -> PyResult<()> {
        let hash = choice::hash(py, hash, self.0.curve())?;
        let format = choice::format(py, format)?;
        let options = choice::verify_options(py, policy, hint)?.hash(hash);
        let input = Input::Message(&data);
        py.detach(|| self.0.verify_with(input, &signature, format, &options))
            .map_err(|error| errors::verdict(py, error))
    }

    /// Verifies a signature of a digest: like `VerifyingKey.verify_prehash`, in a fraction of the
    /// time.
    #[pyo3(signature = (signature, digest, *, format = "der", policy = "default", hint = None))]
    fn verify_prehash(
        &self,
        py: Python<'_>,
        signature: PyBackedBytes,
        digest: PyBackedBytes,
        format: &str,
        policy: &str,
        hint: Option<u8>,
    ) -> PyResult<()> {
        let format = choice::format(py, format)?;
        let options = choice::verify_options(py, policy, hint)?;
        let input = Input::Digest(&digest);
        py.detach(|| self.0.verify_with(input, &signature, format, &options))
            .map_err(|error| errors::verdict(py, error))
    }

    fn __repr__(&self) -> String {
        let (curve, window) = (self.curve(), self.window());
        format!("<PreparedKey {curve} window {window}>")
    }
}
