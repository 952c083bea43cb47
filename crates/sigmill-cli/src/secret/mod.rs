//! Private keys: in memory, and in files. They are wiped when they are dropped.

mod montgomery;
pub(crate) mod write;

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::str::FromStr;

use sigmill::ecdsa::{Signature, sign_prehash_many_with_hash};
use sigmill::x25519::{PublicKey, StaticSecret};
use sigmill::{CurveName, Error, HashName, Policy, p256, p384, secp256k1};
use zeroize::Zeroizing;

use crate::error::CliError;
use crate::format::STANDARD_STREAM;
use crate::keyfile;
use crate::signed::SignatureShape;

pub(crate) use montgomery::read_public;

/// A private key in its largest encoding has some hundred bytes.
const MAX_LEN: usize = 1 << 16;

/// What keys there are.
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
        curve.map_err(|_| "it must be P-256, P-384, secp256k1 or X25519".into())
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

/// How a private key is encoded.
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
    P256(p256::SigningKey),
    P384(p384::SigningKey),
    Secp256k1(secp256k1::SigningKey),
    X25519(StaticSecret),
}

impl Secret {
    /// A new key from the operating system's generator.
    pub(crate) fn generate(kind: KeyKind) -> Result<Self, Error> {
        Ok(match kind {
            KeyKind::Curve(CurveName::P384) => Self::P384(p384::SigningKey::generate()?),
            KeyKind::Curve(CurveName::Secp256k1) => {
                Self::Secp256k1(secp256k1::SigningKey::generate()?)
            }
            KeyKind::Curve(_) => Self::P256(p256::SigningKey::generate()?),
            KeyKind::X25519 => Self::X25519(StaticSecret::random()?),
        })
    }

    /// Reads the key in the file at `path` (`-` is standard input): PKCS#8 or SEC 1, PEM or DER.
    pub(crate) fn read(path: &Path) -> Result<Self, CliError> {
        let bytes = read_bytes(path).map_err(|e| CliError::io(keyfile::name(path), e))?;
        if bytes.len() > MAX_LEN {
            return Err(CliError::file(
                keyfile::name(path),
                format!("it must not be longer than {MAX_LEN} bytes"),
            ));
        }
        Self::parse(&bytes).map_err(|message| CliError::file(keyfile::name(path), message))
    }

    /// Reads the content of a file. The error is the rule that it breaks.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        match montgomery::secret(bytes) {
            Some(key) => key.map(Self::X25519),
            None => Self::parse_on_curve(bytes).map_err(|error| match error {
                Error::PrivateKeyAlgorithmNotEc => format!("{error} or id-X25519"),
                _ => error.to_string(),
            }),
        }
    }

    fn parse_on_curve(bytes: &[u8]) -> Result<Self, Error> {
        macro_rules! on_curve {
            ($curve:ident) => {
                match std::str::from_utf8(bytes) {
                    Ok(text) if text.trim_ascii_start().starts_with("-----BEGIN") => {
                        $curve::SigningKey::from_pem(text.trim_ascii_start())
                    }
                    _ => $curve::SigningKey::from_pkcs8_der(bytes).or_else(|error| {
                        // The version is 1 in SEC 1 and 0 in PKCS#8 or 1 before a SEQUENCE.
                        $curve::SigningKey::from_sec1_der(bytes).map_err(|other| match other {
                            Error::PrivateKeyMalformed => error,
                            other => other,
                        })
                    }),
                }
            };
        }
        match on_curve!(p256) {
            Err(Error::KeyCurveMismatch {
                actual: CurveName::P384,
                ..
            }) => on_curve!(p384).map(Self::P384),
            Err(Error::KeyCurveMismatch {
                actual: CurveName::Secp256k1,
                ..
            }) => on_curve!(secp256k1).map(Self::Secp256k1),
            other => other.map(Self::P256),
        }
    }

    /// The same key, whose signatures obey `policy`.
    pub(crate) fn with_policy(self, policy: Policy) -> Self {
        match self {
            Self::P256(key) => Self::P256(key.with_policy(policy)),
            Self::P384(key) => Self::P384(key.with_policy(policy)),
            Self::Secp256k1(key) => Self::Secp256k1(key.with_policy(policy)),
            Self::X25519(key) => Self::X25519(key),
        }
    }

    /// Signs each of `digests`, the nonces from HMAC under `hash` (RFC 6979).
    pub(crate) fn sign_many(
        &self,
        hash: HashName,
        digests: &[&[u8]],
        shape: SignatureShape,
    ) -> Vec<Result<Vec<u8>, Error>> {
        macro_rules! on_curve {
            ($key:ident) => {{
                let rows: Vec<_> = digests.iter().map(|&digest| ($key, digest)).collect();
                let signatures = sign_prehash_many_with_hash(hash, &rows).into_iter();
                let encode = |signature: Result<Signature<_>, Error>| {
                    signature.map(|signature| match shape {
                        SignatureShape::Der => signature.to_der(),
                        SignatureShape::P1363 => signature.to_p1363(),
                    })
                };
                signatures.map(encode).collect()
            }};
        }
        match self {
            Self::P256(key) => on_curve!(key),
            Self::P384(key) => on_curve!(key),
            Self::Secp256k1(key) => on_curve!(key),
            Self::X25519(_) => vec![Err(Error::PrivateKeyAlgorithmNotEc); digests.len()],
        }
    }

    /// The SEC 1 point of the public key, or the coordinate of a key of X25519.
    pub(crate) fn public_point(&self, compressed: bool) -> Vec<u8> {
        match self {
            Self::P256(key) => key.verifying_key().to_sec1_bytes(compressed),
            Self::P384(key) => key.verifying_key().to_sec1_bytes(compressed),
            Self::Secp256k1(key) => key.verifying_key().to_sec1_bytes(compressed),
            Self::X25519(key) => PublicKey::from(key).to_bytes().to_vec(),
        }
    }

    /// What key it is.
    pub(crate) fn kind(&self) -> KeyKind {
        match self {
            Self::P256(_) => KeyKind::Curve(CurveName::P256),
            Self::P384(_) => KeyKind::Curve(CurveName::P384),
            Self::Secp256k1(_) => KeyKind::Curve(CurveName::Secp256k1),
            Self::X25519(_) => KeyKind::X25519,
        }
    }

    /// The file that holds the key; `None` where there is no such form of it.
    pub(crate) fn to_file(&self, format: SecretFormat) -> Option<Zeroizing<Vec<u8>>> {
        macro_rules! on_curve {
            ($key:ident) => {
                match format {
                    SecretFormat::Pem => text($key.to_pkcs8_pem()),
                    SecretFormat::Der => $key.to_pkcs8_der(),
                    SecretFormat::Sec1Pem => text($key.to_sec1_pem()),
                    SecretFormat::Sec1Der => $key.to_sec1_der(),
                }
            };
        }
        Some(match self {
            Self::P256(key) => on_curve!(key),
            Self::P384(key) => on_curve!(key),
            Self::Secp256k1(key) => on_curve!(key),
            Self::X25519(key) => match format {
                SecretFormat::Pem => text(montgomery::secret_pem(key)),
                SecretFormat::Der => montgomery::secret_der(key),
                SecretFormat::Sec1Pem | SecretFormat::Sec1Der => return None,
            },
        })
    }

    /// The file that holds the public key: SPKI.
    pub(crate) fn public_file(&self, pem: bool) -> Vec<u8> {
        macro_rules! on_curve {
            ($key:ident) => {
                if pem {
                    $key.verifying_key().to_public_key_pem().into_bytes()
                } else {
                    $key.verifying_key().to_public_key_der()
                }
            };
        }
        match self {
            Self::P256(key) => on_curve!(key),
            Self::P384(key) => on_curve!(key),
            Self::Secp256k1(key) => on_curve!(key),
            Self::X25519(key) => montgomery::public_file(&PublicKey::from(key), pem),
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
