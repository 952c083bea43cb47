//! Public keys.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyString, PyTuple, PyType};
use sigmill::{AnyPreparedKey, AnyVerifyingKey, Input, RecoveryId};

use crate::prepared_key::PreparedKey;
use crate::{choice, errors};

/// A public key on P-256, P-384, P-521, secp256k1 or brainpoolP256r1.
///
/// Immutable, hashable, comparable by value, and pickled as its SubjectPublicKeyInfo. The point is
/// checked to be on the curve when the key is read.
#[pyclass(frozen, module = "sigmill", name = "VerifyingKey")]
pub(crate) struct VerifyingKey(pub(crate) AnyVerifyingKey);

/// Text of a `str`, or of `bytes` in UTF-8.
pub(crate) fn text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_str()?.to_owned());
    }
    let py = value.py();
    let Ok(bytes) = value.extract::<PyBackedBytes>() else {
        let found = value.get_type().name()?;
        let rule = format!("must be str or bytes, not {found}");
        return Err(errors::column(py, name, &rule));
    };
    let text = str::from_utf8(&bytes);
    text.map(str::to_owned)
        .map_err(|_| errors::column(py, name, "the text must be UTF-8"))
}

/// A JWK as text; a `dict` is serialized to JSON.
pub(crate) fn jwk_text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if value.is_instance_of::<pyo3::types::PyDict>() {
        let json = value.py().import("json")?;
        return json.call_method1("dumps", (value,))?.extract();
    }
    text("jwk", value)
}

#[pymethods]
impl VerifyingKey {
    /// Reads PEM with the label PUBLIC KEY, as `str` or `bytes`.
    ///
    /// Raises `Error` with the rule that it breaks.
    #[classmethod]
    fn from_pem(cls: &Bound<'_, PyType>, pem: &Bound<'_, PyAny>) -> PyResult<Self> {
        let pem = text("pem", pem)?;
        let key = AnyVerifyingKey::from_public_key_pem(&pem);
        key.map(Self)
            .map_err(|error| errors::error(cls.py(), error))
    }

    /// Reads SubjectPublicKeyInfo in DER (RFC 5280, RFC 5480), with a named curve.
    ///
    /// Raises `Error` with the rule that it breaks.
    #[classmethod]
    fn from_der(cls: &Bound<'_, PyType>, der: PyBackedBytes) -> PyResult<Self> {
        let key = AnyVerifyingKey::from_public_key_der(&der);
        key.map(Self)
            .map_err(|error| errors::error(cls.py(), error))
    }

    /// Reads a JSON Web Key (RFC 7517) that permits verification: JSON as `str` or `bytes`, or a
    /// `dict`.
    ///
    /// Raises `Error` with the rule that it breaks.
    #[classmethod]
    fn from_jwk(cls: &Bound<'_, PyType>, jwk: &Bound<'_, PyAny>) -> PyResult<Self> {
        let key = AnyVerifyingKey::from_jwk_str(&jwk_text(jwk)?);
        key.map(Self)
            .map_err(|error| errors::error(cls.py(), error))
    }

    /// Reads a SEC 1 point on a curve: 04 x y, or compressed 02 or 03 x; big-endian, x and y as
    /// long as the field.
    ///
    /// Raises `Error` with the rule that it breaks.
    #[classmethod]
    fn from_sec1(cls: &Bound<'_, PyType>, curve: &str, point: PyBackedBytes) -> PyResult<Self> {
        let curve = choice::curve(cls.py(), curve)?;
        let key = AnyVerifyingKey::from_sec1_bytes(curve, &point);
        key.map(Self)
            .map_err(|error| errors::error(cls.py(), error))
    }

    /// Recovers the public key from a signature of a digest. `v` is the recovery id, 0 to 3, or 27
    /// or 28 for 0 or 1.
    ///
    /// Almost every signature yields some key: the caller must check that it is the right one.
    /// Raises `Error` if there is no key.
    #[classmethod]
    #[pyo3(signature = (curve, digest, signature, v, *, format = "der"))]
    fn recover(
        cls: &Bound<'_, PyType>,
        curve: &str,
        digest: PyBackedBytes,
        signature: PyBackedBytes,
        v: u8,
        format: &str,
    ) -> PyResult<Self> {
        let py = cls.py();
        let (curve, format) = (choice::curve(py, curve)?, choice::format(py, format)?);
        let recover = || {
            let id = RecoveryId::from_v(v)?;
            AnyVerifyingKey::recover_from_prehash(curve, &digest, &signature, format, id)
        };
        recover()
            .map(Self)
            .map_err(|error| errors::error(py, error))
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

    /// Verifies a signature of data. The data is hashed by `hash` ("SHA-256"), or by the curve's
    /// own hash. `format` is "der", "p1363" (r and s in full length) or "auto". `hint` is the
    /// recovery id of the signature, 0 to 3. It saves time if it is right, except on secp256k1, and
    /// never changes the result.
    ///
    /// Raises `InvalidSignature` if the signature is invalid or malformed, and `Error` for an
    /// unknown hash, format or hint.
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

    /// Verifies a signature of a digest of any length but 0. Only the leftmost bits of a long
    /// digest count.
    ///
    /// Otherwise like `verify`. Raises `Error` for an empty digest.
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

    /// Returns the key with a table of its multiples, which makes verification several times as
    /// fast. The table needs 148 KiB on P-256. `window` is the width of the table, 1 to 11 bits.
    ///
    /// Raises `Error` for another window.
    #[pyo3(signature = (window = None))]
    fn prepare(&self, py: Python<'_>, window: Option<u32>) -> PyResult<PreparedKey> {
        let window = window.unwrap_or(AnyPreparedKey::DEFAULT_WINDOW);
        let prepared = py.detach(|| self.0.prepare_with_window(window));
        prepared
            .map(PreparedKey)
            .map_err(|error| errors::error(py, error))
    }

    /// PEM with the label PUBLIC KEY.
    fn to_pem(&self) -> String {
        self.0.to_public_key_pem()
    }

    /// SubjectPublicKeyInfo in DER.
    fn to_der<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_public_key_der())
    }

    /// A JSON Web Key as JSON; `None` if JOSE has no name for the curve.
    fn to_jwk(&self) -> Option<String> {
        self.0.to_jwk_str()
    }

    /// A SEC 1 point: 04 x y, or 02 or 03 x.
    #[pyo3(signature = (*, compressed = false))]
    fn to_sec1<'py>(&self, py: Python<'py>, compressed: bool) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_sec1_bytes(compressed))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Self>();
        other.is_ok_and(|other| other.get().0 == self.0)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let point = self.0.to_sec1_bytes(true);
        let digits: String = point.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("<VerifyingKey {} {digits}>", self.curve())
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let read = py.get_type::<Self>().getattr("from_der")?;
        Ok((read, PyTuple::new(py, [self.to_der(py)])?))
    }
}
