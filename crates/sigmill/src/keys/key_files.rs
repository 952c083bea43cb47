//! Private keys in files: reading and writing.

#[cfg(feature = "pem")]
use alloc::string::String;
use alloc::vec::Vec;

use zeroize::Zeroizing;

use super::any_signing_key::SigningKeyKind;
use super::kinds::for_any;
use super::verifying_key::on_curve;
use super::{AnySigningKey, SigningKey, VerifyingKey};
use crate::ct;
use crate::curve::{NamedCurve, ScalarElement, for_curve};
#[cfg(feature = "pem")]
use crate::encoding::pem::{self, Form};
use crate::encoding::private_key::{self, PrivateKey};
use crate::error::Error;

/// A private key from a file. [`AnySigningKey`] reads and writes more formats.
impl<C: NamedCurve + Default> SigningKey<C> {
    /// Reads PKCS#8 in DER (RFC 5958, RFC 5915), with or without the public key. The curve must be
    /// `C`, the number must be in range, and every public key in the file must belong to it.
    ///
    /// # Errors
    /// One of the `PrivateKey...` variants of [`Error`], [`Error::KeyCurveMismatch`], those of
    /// [`from_be_bytes`](Self::from_be_bytes), and for the public key those of
    /// [`VerifyingKey::from_sec1_bytes`].
    pub fn from_pkcs8_der(der: &[u8]) -> Result<Self, Error> {
        ct::wiping_stack(ct::Depth::of_length(size_of::<ScalarElement<C>>()), || {
            let key = private_key::decode_pkcs8(der)?;
            on_curve(C::default(), key.curve)?;
            Self::from_decoded(C::default(), &key)
        })
    }

    /// Reads PKCS#8 in PEM (`-----BEGIN PRIVATE KEY-----`).
    ///
    /// ```
    /// use sigmill::p256::SigningKey;
    ///
    /// let key = SigningKey::generate()?;
    /// assert_eq!(SigningKey::from_pkcs8_pem(&key.to_pkcs8_pem())?, key);
    /// # Ok::<(), sigmill::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::PemMalformed`], [`Error::PrivateKeyPemLabel`], or those of
    /// [`from_pkcs8_der`](Self::from_pkcs8_der).
    #[cfg(feature = "pem")]
    pub fn from_pkcs8_pem(pem: &str) -> Result<Self, Error> {
        match read_pem(pem)? {
            (Form::Pkcs8, der) => Self::from_pkcs8_der(&der),
            (Form::Sec1, _) => Err(Error::PrivateKeyPemLabel),
        }
    }
}

#[cfg(feature = "pem")]
fn read_pem(pem: &str) -> Result<(Form, Zeroizing<Vec<u8>>), Error> {
    ct::wiping_stack(ct::Depth::Shallow, || pem::decode_private_key(pem))
}

#[cfg(feature = "pem")]
fn write_pem(form: Form, der: &[u8]) -> Zeroizing<String> {
    ct::wiping_stack(ct::Depth::Shallow, || pem::encode_private_key(form, der))
}

impl<C: NamedCurve> SigningKey<C> {
    /// Creates the key from the decoded file, for callers that wipe the stack.
    pub(super) fn from_decoded(domain: C, key: &PrivateKey<'_>) -> Result<Self, Error> {
        let result = Self::read(domain, key.secret)?;
        for public in key.public.into_iter().flatten() {
            if VerifyingKey::from_sec1_bytes_on(domain, public)? != *result.verifying_key() {
                return Err(Error::PrivateKeyPublicMismatch);
            }
        }
        Ok(result)
    }

    /// Writes PKCS#8 in DER, with the public key: 138 bytes for P-256. Wiped when dropped.
    #[must_use]
    pub fn to_pkcs8_der(&self) -> Zeroizing<Vec<u8>> {
        self.write(private_key::encode_pkcs8)
    }

    /// Writes PKCS#8 in PEM (`-----BEGIN PRIVATE KEY-----`). Wiped when dropped.
    #[cfg(feature = "pem")]
    #[must_use]
    pub fn to_pkcs8_pem(&self) -> Zeroizing<String> {
        write_pem(Form::Pkcs8, &self.to_pkcs8_der())
    }

    fn write(
        &self,
        encode: impl Fn(crate::curve::CurveName, &[u8], &[u8]) -> Zeroizing<Vec<u8>>,
    ) -> Zeroizing<Vec<u8>> {
        let public = self.verifying_key().to_sec1_bytes(false);
        ct::wiping_stack(ct::Depth::Shallow, || {
            encode(
                self.domain().name(),
                &self.secret_scalar().octets(),
                &public,
            )
        })
    }
}

/// A private key from a file, on the curve that the file names. The number must be in range, and
/// every public key in the file must belong to it.
impl AnySigningKey {
    /// Reads a key in any encoding, recognized by its content: PEM (text that begins with
    /// `-----BEGIN`, with or without white space before it), PKCS#8 in DER, or SEC 1 in DER.
    ///
    /// # Errors
    /// Those of [`from_pem`](Self::from_pem) or [`from_pkcs8_der`](Self::from_pkcs8_der).
    /// [`Error::PrivateKeyMalformed`] for input that is neither PKCS#8 nor SEC 1.
    pub fn from_encoded(bytes: &[u8]) -> Result<Self, Error> {
        // This moves the key that has been read.
        ct::wiping_stack(ct::Depth::Shallow, || {
            // In DER, this test reads no byte of the secret.
            #[cfg(feature = "pem")]
            if bytes.trim_ascii_start().starts_with(b"-----BEGIN") {
                let text = bytes.trim_ascii_start();
                let text = core::str::from_utf8(text).map_err(|_| Error::PemMalformed)?;
                return Self::from_pem(text);
            }
            Self::from_pkcs8_der(bytes).or_else(|error| match Self::from_sec1_der(bytes) {
                // It is not SEC 1 either: the PKCS#8 error says more.
                Err(Error::PrivateKeyMalformed) => Err(error),
                other => other,
            })
        })
    }

    /// Reads PKCS#8 in DER; see [`SigningKey::from_pkcs8_der`].
    ///
    /// # Errors
    /// One of the `PrivateKey...` variants of [`Error`], those of
    /// [`from_be_bytes`](Self::from_be_bytes), and for the public key those of
    /// [`VerifyingKey::from_sec1_bytes`].
    pub fn from_pkcs8_der(der: &[u8]) -> Result<Self, Error> {
        Self::from_file(|| private_key::decode_pkcs8(der))
    }

    /// Reads an ECPrivateKey of SEC 1 in DER (RFC 5915) that names its curve, with or without the
    /// public key.
    ///
    /// # Errors
    /// Those of [`from_pkcs8_der`](Self::from_pkcs8_der).
    pub fn from_sec1_der(der: &[u8]) -> Result<Self, Error> {
        Self::from_file(|| private_key::decode_sec1(der))
    }

    /// Reads PEM: PKCS#8 (`-----BEGIN PRIVATE KEY-----`) or SEC 1 (`-----BEGIN EC PRIVATE
    /// KEY-----`).
    ///
    /// # Errors
    /// [`Error::PemMalformed`], [`Error::PrivateKeyPemLabel`], or those of
    /// [`from_pkcs8_der`](Self::from_pkcs8_der).
    #[cfg(feature = "pem")]
    pub fn from_pem(pem: &str) -> Result<Self, Error> {
        match read_pem(pem)? {
            (Form::Pkcs8, der) => Self::from_pkcs8_der(&der),
            (Form::Sec1, der) => Self::from_sec1_der(&der),
        }
    }

    fn from_file<'a>(
        decode: impl FnOnce() -> Result<PrivateKey<'a>, Error>,
    ) -> Result<Self, Error> {
        ct::wiping_stack(ct::Depth::Many, || {
            let key = decode()?;
            for_curve!(key.curve, domain => SigningKey::from_decoded(domain, &key).map(Self::wrap))
        })
    }

    /// Writes PKCS#8 in DER, with the public key. Wiped when dropped.
    #[must_use]
    pub fn to_pkcs8_der(&self) -> Zeroizing<Vec<u8>> {
        for_any!(SigningKeyKind, self, key => key.to_pkcs8_der())
    }

    /// Writes an ECPrivateKey of SEC 1 in DER, with curve and public key. Wiped when dropped.
    #[must_use]
    pub fn to_sec1_der(&self) -> Zeroizing<Vec<u8>> {
        for_any!(SigningKeyKind, self, key => key.write(private_key::encode_sec1))
    }

    /// Writes PKCS#8 in PEM (`-----BEGIN PRIVATE KEY-----`). Wiped when dropped.
    #[cfg(feature = "pem")]
    #[must_use]
    pub fn to_pkcs8_pem(&self) -> Zeroizing<String> {
        write_pem(Form::Pkcs8, &self.to_pkcs8_der())
    }

    /// Writes SEC 1 in PEM (`-----BEGIN EC PRIVATE KEY-----`). Wiped when dropped.
    #[cfg(feature = "pem")]
    #[must_use]
    pub fn to_sec1_pem(&self) -> Zeroizing<String> {
        write_pem(Form::Sec1, &self.to_sec1_der())
    }
}
