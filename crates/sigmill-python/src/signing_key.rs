//! Private keys. All operations are constant-time.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyType};
use sigmill::{AnySigningKey, Input, SignOptions};
use zeroize::Zeroizing;

use crate::verifying_key::{VerifyingKey, jwk_text, text};
use crate::{choice, errors};

/// A private key on P-256, P-384, P-521, secp256k1 or brainpoolP256r1.
///
/// Immutable; wiped when collected, and never pickled or printed. Python's own copies of a secret
/// (the bytes and texts that it is read from and written to) are the program's responsibility.
/// Signatures are deterministic (RFC 6979), and all operations are constant-time.
#[pyclass(frozen, module = "sigmill", name = "SigningKey")]
pub(crate) struct SigningKey(pub(crate) AnySigningKey);

#[pymethods]
impl SigningKey {
    /// Generates a new key on a curve from the operating system's generator.
    #[classmethod]
    fn generate(cls: &Bound<'_, PyType>, curve: &str) -> PyResult<Self> {
        let py = cls.py();
        let key = AnySigningKey::generate(choice::curve(py, curve)?);
        key.map(Self).map_err(|error| errors::error(py, error))
    }

    /// Reads PEM with the label PRIVATE KEY (PKCS#8) or EC PRIVATE KEY (SEC 1), as `str` or
    /// `bytes`, not encrypted.
    ///
    /// Raises `Error` with the rule that it breaks.
    #[classmethod]
    fn from_pem(cls: &Bound<'_, PyType>, pem: &Bound<'_, PyAny>) -> PyResult<Self> {
        let pem = Zeroizing::new(text("pem", pem)?);
        let key = AnySigningKey::from_pem(&pem);
        key.map(Self)
            .map_err(|error| errors::error(cls.py(), error))
    }

    /// Reads PKCS#8 in DER (RFC 5958), not encrypted.
    ///
    /// Raises `Error` with the rule that it breaks.
    #[classmethod]
    fn from_der(cls: &Bound<'_, PyType>, der: PyBackedBytes) -> PyResult<Self> {
        let key = AnySigningKey::from_pkcs8_der(&der);
        key.map(Self)
            .map_err(|error| errors::error(cls.py(), error))
    }

    /// Reads a private JSON Web Key (RFC 7517): JSON as `str` or `bytes`, or a `dict`.
    ///
    /// Raises `Error` with the rule that it breaks.
    #[classmethod]
    fn from_jwk(cls: &Bound<'_, PyType>, jwk: &Bound<'_, PyAny>) -> PyResult<Self> {
        let jwk = Zeroizing::new(jwk_text(jwk)?);
        let key = AnySigningKey::from_jwk_str(&jwk);
        key.map(Self)
            .map_err(|error| errors::error(cls.py(), error))
    }

    /// Reads the integer d, big-endian, in the full length of the order (32, 48 or 66 bytes).
    ///
    /// Raises `Error` with the rule that it breaks.
    #[classmethod]
    fn from_scalar(cls: &Bound<'_, PyType>, curve: &str, scalar: PyBackedBytes) -> PyResult<Self> {
        let curve = choice::curve(cls.py(), curve)?;
        let key = AnySigningKey::from_be_bytes(curve, &scalar);
        key.map(Self)
            .map_err(|error| errors::error(cls.py(), error))
    }

    /// The name of the curve: "P-256".
    #[getter]
    fn curve(&self) -> &'static str {
        self.0.curve().as_str()
    }

    /// The name of the curve with its own hash: "ES256".
    #[getter]
    fn algorithm(&self) -> String {
        self.0.algorithm().to_string()
    }

    /// The public key.
    fn public_key(&self) -> VerifyingKey {
        VerifyingKey(self.0.verifying_key())
    }

    /// Returns the same key with a policy that its signatures obey: "low-s", "friendly".
    ///
    /// Raises `ColumnError` for an unknown name.
    fn with_policy(&self, py: Python<'_>, policy: &str) -> PyResult<Self> {
        let policy = choice::policy(py, policy)?;
        Ok(Self(self.0.clone().with_policy(policy)))
    }

    /// Signs data. The data is hashed by `hash` ("SHA-256"), or by the curve's own hash. `format`
    /// is "der" or "p1363" (r and s in full length, concatenated). `entropy` is additional bytes
    /// for the nonce (RFC 6979 §3.6): random bytes hinder fault attacks. The signature is safe for
    /// any value of these bytes.
    #[pyo3(signature = (data, *, hash = None, format = "der", entropy = None))]
    fn sign<'py>(
        &self,
        py: Python<'py>,
        data: PyBackedBytes,
        hash: Option<&str>,
        format: &str,
        entropy: Option<PyBackedBytes>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let input = Input::Message(&data);
        let (signature, _) = self.sign_with(py, input, hash, format, entropy)?;
        Ok(signature)
    }

    /// Signs a digest of any length but 0. Only the leftmost bits of a long digest count. `hash`
    /// derives the nonce.
    ///
    /// Otherwise like `sign`. Raises `Error` for an empty digest.
    #[pyo3(signature = (digest, *, hash = None, format = "der", entropy = None))]
    fn sign_prehash<'py>(
        &self,
        py: Python<'py>,
        digest: PyBackedBytes,
        hash: Option<&str>,
        format: &str,
        entropy: Option<PyBackedBytes>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (signature, _) = self.sign_prehash_recoverable(py, digest, hash, format, entropy)?;
        Ok(signature)
    }

    /// Like `sign_prehash`, and returns the recovery id, 0 to 3, with the signature: `(signature,
    /// v)`.
    #[pyo3(signature = (digest, *, hash = None, format = "der", entropy = None))]
    fn sign_prehash_recoverable<'py>(
        &self,
        py: Python<'py>,
        digest: PyBackedBytes,
        hash: Option<&str>,
        format: &str,
        entropy: Option<PyBackedBytes>,
    ) -> PyResult<(Bound<'py, PyBytes>, u8)> {
        self.sign_with(py, Input::Digest(&digest), hash, format, entropy)
    }

    /// ECDH (SEC 1 §3.3.1): the x-coordinate of the shared point, big-endian, as long as the
    /// field. Pass it through a key derivation function.
    ///
    /// Raises `Error` if the keys are on different curves.
    fn exchange<'py>(&self, py: Python<'py>, peer: &VerifyingKey) -> PyResult<Bound<'py, PyBytes>> {
        let shared = self.0.diffie_hellman(&peer.0);
        let shared = shared.map_err(|error| errors::error(py, error))?;
        Ok(PyBytes::new(py, shared.as_bytes()))
    }

    /// PKCS#8 as PEM with the label PRIVATE KEY, not encrypted.
    fn to_pem(&self) -> String {
        self.0.to_pkcs8_pem().to_string()
    }

    /// PKCS#8 in DER, not encrypted.
    fn to_der<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_pkcs8_der())
    }

    /// A private JSON Web Key as JSON; `None` if JOSE has no name for the curve.
    fn to_jwk(&self) -> Option<String> {
        self.0.to_jwk_str().map(|jwk| jwk.to_string())
    }

    /// The integer d, big-endian in the full length of the order.
    fn to_scalar<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_be_bytes())
    }

    fn __repr__(&self) -> String {
        format!("<SigningKey {}>", self.curve())
    }

    fn __reduce__(&self) -> PyResult<()> {
        let rule = "SigningKey cannot be pickled; use to_pem or to_der";
        Err(PyTypeError::new_err(rule))
    }
}

impl SigningKey {
    fn sign_with<'py>(
        &self,
        py: Python<'py>,
        input: Input<'_>,
        hash: Option<&str>,
        format: &str,
        entropy: Option<PyBackedBytes>,
    ) -> PyResult<(Bound<'py, PyBytes>, u8)> {
        let hash = choice::hash(py, hash, self.0.curve())?;
        let format = choice::format(py, format)?;
        let entropy = entropy.as_deref().unwrap_or_default();
        let options = SignOptions::new().hash(hash).entropy(entropy);
        let signed = py.detach(|| self.0.sign_with(input, format, &options));
        let (signature, id) = signed.map_err(|error| errors::error(py, error))?;
        Ok((PyBytes::new(py, &signature), id.to_byte()))
    }
}
