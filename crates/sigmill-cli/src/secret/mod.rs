//! Private keys in memory and in files. They are wiped on drop.

pub(crate) mod write;
mod x25519;

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::str::FromStr;

use sigmill::agreement::x25519::{PublicKey, StaticSecret};
use sigmill::{AnySigningKey, CurveName, Error};
use zeroize::Zeroizing;

use crate::curves;
use crate::error::CliError;
use crate::format::STANDARD_STREAM;
use crate::keyfile;

pub(crate) use x25519::read_public;

/// The maximum length of a file. The longest encoding of a private key has a few hundred bytes.
const MAX_LEN: usize = 1 << 16;

/// The kinds of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyKind {
    /// For ECDSA and ECDH.
    Curve(CurveName),
    /// For X25519.
    X25519,
}

impl FromStr for KeyKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name.eq_ignore_ascii_case("x25519") {
            return Ok(Self::X25519);
        }
        let curve = name.parse().map(Self::Curve);
        curve.map_err(|_| format!("must be {}", curves::one_of(&["X25519"])))
    }
}

impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Curve(curve) => curve.fmt(f),
            Self::X25519 => f.write_str("X25519"),
        }
    }
}

/// The format of a private key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SecretFormat {
    /// PKCS#8 in PEM
    Pem,
    /// PKCS#8 in DER
    Der,
    /// SEC 1 in PEM, as `openssl ecparam -genkey` writes it
    Sec1Pem,
    /// SEC 1 in DER
    Sec1Der,
}

/// A private key.
pub(crate) enum Secret {
    /// For ECDSA and ECDH.
    OnCurve(Box<AnySigningKey>),
    /// For X25519.
    X25519(StaticSecret),
}

impl Secret {
    /// Generates a key with the operating system's generator.
    pub(crate) fn generate(kind: KeyKind) -> Result<Self, Error> {
        Ok(match kind {
            KeyKind::Curve(curve) => Self::OnCurve(Box::new(AnySigningKey::generate(curve)?)),
            KeyKind::X25519 => Self::X25519(StaticSecret::generate()?),
        })
    }

    /// Reads the key in the file at `path` (`-` is standard input): PKCS#8 or SEC 1, PEM or DER.
    pub(crate) fn read(path: &Path) -> Result<Self, CliError> {
        let bytes = read_bytes(path).map_err(|e| CliError::io(keyfile::name(path), e))?;
        if bytes.len() > MAX_LEN {
            return Err(CliError::file(
                keyfile::name(path),
                format!("must not be longer than {MAX_LEN} bytes"),
            ));
        }
        Self::parse(&bytes).map_err(|message| CliError::file(keyfile::name(path), message))
    }

    /// Parses the content of a file. An error is the rule that it breaks.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        if let Some(key) = x25519::secret(bytes) {
            return key.map(Self::X25519);
        }
        let key = AnySigningKey::from_encoded(bytes).map(|key| Self::OnCurve(Box::new(key)));
        key.map_err(|error| match error {
            Error::PrivateKeyAlgorithmNotEc => format!("{error} or id-X25519"),
            _ => error.to_string(),
        })
    }

    /// Encodes the key as a file; `None` if the format does not exist for this kind of key.
    pub(crate) fn to_file(&self, format: SecretFormat) -> Option<Zeroizing<Vec<u8>>> {
        Some(match (self, format) {
            (Self::OnCurve(key), SecretFormat::Pem) => text(key.to_pkcs8_pem()),
            (Self::OnCurve(key), SecretFormat::Der) => key.to_pkcs8_der(),
            (Self::OnCurve(key), SecretFormat::Sec1Pem) => text(key.to_sec1_pem()),
            (Self::OnCurve(key), SecretFormat::Sec1Der) => key.to_sec1_der(),
            (Self::X25519(key), SecretFormat::Pem) => text(x25519::secret_pem(key)),
            (Self::X25519(key), SecretFormat::Der) => x25519::secret_der(key),
            (Self::X25519(_), SecretFormat::Sec1Pem | SecretFormat::Sec1Der) => return None,
        })
    }

    /// Encodes the public key as a file in SPKI.
    pub(crate) fn public_file(&self, pem: bool) -> Vec<u8> {
        match self {
            Self::OnCurve(key) if pem => key.verifying_key().to_public_key_pem().into_bytes(),
            Self::OnCurve(key) => key.verifying_key().to_public_key_der(),
            Self::X25519(key) => x25519::public_file(&PublicKey::from(key), pem),
        }
    }
}

fn text(text: Zeroizing<String>) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(text.as_bytes().to_vec())
}

/// Reads a file of at most [`MAX_LEN`] bytes, or one byte more, into a buffer that does not move.
fn read_bytes(path: &Path) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut source: Box<dyn Read> = if path == Path::new(STANDARD_STREAM) {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path)?)
    };
    let mut bytes = Zeroizing::new(vec![0; MAX_LEN + 1]);
    let mut len = 0;
    while len < bytes.len() {
        match source.read(&mut bytes[len..]) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(len);
    Ok(bytes)
}
