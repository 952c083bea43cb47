//! Keys, tokens, and runs of the command.

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use data_encoding::BASE64URL_NOPAD;
use p256::ecdsa::signature::Signer;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A key pair of the test.
pub(crate) enum Key {
    P256(p256::ecdsa::SigningKey),
    P384(p384::ecdsa::SigningKey),
}

impl Key {
    /// Returns the key whose private number consists of this byte, repeated.
    pub(crate) fn p256(byte: u8) -> Self {
        Self::P256(p256::ecdsa::SigningKey::from_slice(&[byte; 32]).unwrap())
    }

    pub(crate) fn p384(byte: u8) -> Self {
        Self::P384(p384::ecdsa::SigningKey::from_slice(&[byte; 48]).unwrap())
    }

    pub(crate) fn alg(&self) -> &'static str {
        match self {
            Self::P256(_) => "ES256",
            Self::P384(_) => "ES384",
        }
    }

    /// Returns the public key as a JWK without a kid.
    pub(crate) fn jwk(&self) -> Value {
        let (crv, point) = match self {
            Self::P256(key) => (
                "P-256",
                key.verifying_key().to_sec1_point(false).as_bytes().to_vec(),
            ),
            Self::P384(key) => (
                "P-384",
                key.verifying_key().to_sec1_point(false).as_bytes().to_vec(),
            ),
        };
        let (x, y) = point[1..].split_at(point.len() / 2);
        let [x, y] = [x, y].map(|coordinate| BASE64URL_NOPAD.encode(coordinate));
        json!({"kty": "EC", "crv": crv, "x": x, "y": y})
    }

    pub(crate) fn jwk_with(&self, more: Value) -> Value {
        let mut jwk = self.jwk();
        jwk.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        jwk
    }

    /// Returns a token with this header, signed whatever the header says.
    pub(crate) fn token(&self, header: &Value) -> String {
        self.sign(header.to_string(), br#"{"sub":"alice","exp":1}"#)
    }

    pub(crate) fn sign(&self, header: impl AsRef<[u8]>, payload: &[u8]) -> String {
        let encode = |bytes: &[u8]| BASE64URL_NOPAD.encode(bytes);
        let input = format!("{}.{}", encode(header.as_ref()), encode(payload));
        let signature = match self {
            Self::P256(key) => {
                let signature: p256::ecdsa::Signature = key.sign(input.as_bytes());
                encode(&signature.to_bytes())
            }
            Self::P384(key) => {
                let signature: p384::ecdsa::Signature = key.sign(input.as_bytes());
                encode(&signature.to_bytes())
            }
        };
        format!("{input}.{signature}")
    }

    pub(crate) fn token_for(&self, kid: &str) -> String {
        self.token(&json!({"alg": self.alg(), "kid": kid}))
    }
}

/// A run of the command on a JWK set, with tokens from standard input.
pub(crate) struct Run {
    _folder: TempDir,
    pub(crate) jwks: PathBuf,
}

impl Run {
    pub(crate) fn new(jwks: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let jwks_path = folder.path().join("jwks.json");
        fs::write(&jwks_path, jwks).unwrap();
        Self {
            _folder: folder,
            jwks: jwks_path,
        }
    }

    pub(crate) fn with(keys: &[Value]) -> Self {
        Self::new(&json!({ "keys": keys }).to_string())
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = cargo_bin_cmd!("sigmill");
        command.args(["jws", "-", "--jwks"]).arg(&self.jwks);
        command
    }

    /// Returns the rejected lines of `--json`, the summary, and the exit code.
    pub(crate) fn json(&self, tokens: &str) -> (Vec<Value>, Value, i32) {
        let output = self
            .command()
            .arg("--json")
            .write_stdin(tokens)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let summary = lines.pop().unwrap();
        assert_eq!(summary["type"], "summary");
        assert_eq!(summary["rejected"], lines.len());
        (lines, summary, output.status.code().unwrap())
    }

    /// Returns "valid" or the reason for one token.
    pub(crate) fn outcome(&self, token: &str) -> String {
        let (lines, summary, code) = self.json(&format!("{token}\n"));
        assert_eq!(summary["tokens"], 1);
        match lines.first() {
            None => {
                assert_eq!((summary["valid"].as_u64(), code), (Some(1), 0));
                "valid".into()
            }
            Some(line) => {
                assert_eq!((summary["valid"].as_u64(), code), (Some(0), 1));
                line["reason"].as_str().unwrap().into()
            }
        }
    }

    /// Returns the message about a set that cannot be used.
    pub(crate) fn refused(&self) -> String {
        let output = self
            .command()
            .write_stdin("")
            .assert()
            .code(2)
            .stdout("")
            .get_output()
            .clone();
        String::from_utf8(output.stderr).unwrap()
    }
}

pub(crate) fn two_keys() -> Run {
    Run::with(&[
        Key::p256(1).jwk_with(json!({"kid": "one"})),
        Key::p384(2).jwk_with(json!({"kid": "two"})),
    ])
}
