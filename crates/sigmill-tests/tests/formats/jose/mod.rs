//! JSON Web Keys, sets of them, and tokens: the RFCs' examples, and data from other software.

mod jwk;
mod key_set;
mod private_jwk;
mod tokens;

use base64ct::{Base64UrlUnpadded, Encoding as _};
use sigmill::jose::JwkSet;
use sigmill::{AnySigningKey, CurveName, SignatureFormat};

fn base64url(bytes: &[u8]) -> String {
    Base64UrlUnpadded::encode_string(bytes)
}

/// The curves with a name in JOSE.
fn curves() -> impl Iterator<Item = CurveName> {
    let curves = CurveName::ALL.iter().copied();
    curves.filter(|curve| curve.jwk_name().is_some())
}

/// The key whose private number consists of this byte.
fn key(curve: CurveName, byte: u8) -> AnySigningKey {
    let mut bytes = vec![byte; curve.order_len()];
    bytes[0] = 0;
    AnySigningKey::from_be_bytes(curve, &bytes).unwrap()
}

/// The public key as a JWK, with additional members.
fn jwk(key: &AnySigningKey, more: &str) -> String {
    let jwk = key.verifying_key().to_jwk_str().unwrap();
    jwk.replacen('{', &format!("{{{more}"), 1)
}

fn set(keys: &[String]) -> JwkSet {
    JwkSet::from_json(&format!(r#"{{"keys":[{}]}}"#, keys.join(","))).unwrap()
}

/// A token with this header and payload, which are not checked.
fn token(key: &AnySigningKey, header: impl AsRef<[u8]>, payload: &[u8]) -> String {
    let input = format!("{}.{}", base64url(header.as_ref()), base64url(payload));
    let signature = key.sign(input.as_bytes(), SignatureFormat::P1363);
    format!("{input}.{}", base64url(&signature))
}
