//! Public keys with a table of their multiples.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use sigmill::AnyPreparedKey;

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

    /// Verifies a signature of data: like `VerifyingKey.verify`, in a fraction of the time.
    #[pyo3(signature = (signature, data, *, hash = None, format = "der", policy = "default"))]
    fn verify(
        &self,
        py: Python<'_>,
        signature: PyBackedBytes,
        data: PyBackedBytes,
        hash: Option<&str>,
        format: &str,
        policy: &str,
    ) -> PyResult<()> {
        let hash = choice::hash(py, hash, self.0.curve())?;
        let (format, policy) = (choice::format(py, format)?, choice::policy(py, policy)?);
        let verify = || {
            let digest = hash.digest(&data);
            self.0
                .verify_prehash_with_policy(&digest, &signature, format, policy)
        };
        py.detach(verify)
            .map_err(|error| errors::verdict(py, error))
    }

    /// Verifies a signature of a digest: like `VerifyingKey.verify_digest`, in a fraction of the
    /// time.
    #[pyo3(signature = (signature, digest, *, format = "der", policy = "default"))]
    fn verify_digest(
        &self,
        py: Python<'_>,
        signature: PyBackedBytes,
        digest: PyBackedBytes,
        format: &str,
        policy: &str,
    ) -> PyResult<()> {
        let (format, policy) = (choice::format(py, format)?, choice::policy(py, policy)?);
        let verify = || {
            self.0
                .verify_prehash_with_policy(&digest, &signature, format, policy)
        };
        py.detach(verify)
            .map_err(|error| errors::verdict(py, error))
    }

    fn __repr__(&self) -> String {
        let (curve, window) = (self.curve(), self.window());
        format!("<PreparedKey {curve} window {window}>")
    }
}
