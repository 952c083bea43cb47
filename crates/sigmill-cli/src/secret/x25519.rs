//! X25519 keys in files: PKCS#8 and SPKI (RFC 8410).

use std::path::Path;

use der::asn1::{ObjectIdentifier, OctetStringRef};
use der::{Decode as _, Reader as _, SliceReader};
use pem_rfc7468::LineEnding;
use pkcs8::PrivateKeyInfoRef;
use sigmill::Error;
use sigmill::agreement::x25519::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

use crate::error::CliError;
use crate::keyfile;

/// id-X25519 (RFC 8410 §3).
const ID_X25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.110");
/// The start of the PKCS#8 that is written, up to the 32 bytes of the key: version 1, id-X25519, an
/// OCTET STRING inside another.
const SECRET_PREFIX: &[u8] = b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x6e\x04\x22\x04\x20";
/// SPKI up to the 32 bytes of the key: id-X25519, a BIT STRING. This is its only encoding.
const PUBLIC_PREFIX: &[u8] = b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x6e\x03\x21\x00";

const SECRET_LABEL: &str = "PRIVATE KEY";
const PUBLIC_LABEL: &str = "PUBLIC KEY";

/// The maximum length of a file. The longest encoding of a public key has a few hundred bytes.
const MAX_PUBLIC_LEN: u64 = 1 << 16;

/// Reads the private key in a file: PKCS#8 in PEM or DER, of version 1, or of version 2 with its
/// public key (RFC 5958 §2, RFC 8410 §7). Returns `None` if the file holds no well-formed X25519
/// key. A well-formed one that breaks a rule is an error that names the rule.
pub(super) fn secret(file: &[u8]) -> Option<Result<StaticSecret, String>> {
    match pem_rfc7468::decode_vec(file.trim_ascii_start()) {
        Ok((label, der)) => {
            let der = Zeroizing::new(der);
            (label == SECRET_LABEL).then(|| decode_secret(&der))?
        }
        Err(_) => decode_secret(file),
    }
}

fn decode_secret(der: &[u8]) -> Option<Result<StaticSecret, String>> {
    let mut reader = SliceReader::new(der).ok()?;
    let info: PrivateKeyInfoRef<'_> = reader.decode().ok()?;
    if info.algorithm.oid != ID_X25519 {
        return None;
    }
    if info.algorithm.parameters.is_some() {
        return Some(Err("secret key: id-X25519 must have no parameters".into()));
    }
    let is_at_end = reader.finish().is_ok();
    let key = match is_at_end {
        true => secret_of(&info),
        false => Err(Error::PrivateKeyTrailingData),
    };
    Some(key.map_err(|e| e.to_string()))
}

fn secret_of(info: &PrivateKeyInfoRef<'_>) -> Result<StaticSecret, Error> {
    // The key is an OCTET STRING inside that of PKCS#8 (RFC 8410 §7).
    let inner = <&OctetStringRef>::from_der(info.private_key.as_bytes())
        .map_err(|_| Error::PrivateKeyMalformed)?
        .as_bytes();
    let secret: Zeroizing<[u8; 32]> =
        Zeroizing::new(inner.try_into().map_err(|_| Error::SecretLength {
            expected: 32,
            actual: inner.len(),
        })?);
    let secret = StaticSecret::from(*secret);
    match info.public_key {
        Some(public) if public.as_bytes() != Some(PublicKey::from(&secret).as_bytes()) => {
            Err(Error::PrivateKeyPublicMismatch)
        }
        _ => Ok(secret),
    }
}

/// Returns the public key in a file: SPKI in PEM or DER.
fn find_public(file: &[u8]) -> Option<PublicKey> {
    let key = |der: &[u8]| <[u8; 32]>::try_from(der.strip_prefix(PUBLIC_PREFIX)?).ok();
    let found = match pem_rfc7468::decode_vec(file.trim_ascii_start()) {
        Ok((label, der)) => key(&der).filter(|_| label == PUBLIC_LABEL),
        Err(_) => key(file),
    };
    found.map(PublicKey::from)
}

/// Reads the public key in the file at `path`: SPKI in PEM or DER, or 32 bytes. DER and the 32
/// bytes may also be in hex or base64.
pub(crate) fn read_public(path: &Path) -> Result<PublicKey, CliError> {
    let file = keyfile::read_bytes(path, MAX_PUBLIC_LEN)?;
    let read = |bytes: &[u8]| find_public(bytes).or_else(|| PublicKey::try_from(bytes).ok());
    let key = keyfile::without_text_encoding(&file).and_then(|bytes| read(&bytes));
    key.ok_or_else(|| {
        CliError::file(
            keyfile::name(path),
            "key: must be a public key of X25519, SPKI in PEM or DER, or 32 bytes, also in hex \
             or base64",
        )
    })
}

/// Encodes a private key as PKCS#8 in DER.
pub(super) fn secret_der(key: &StaticSecret) -> Zeroizing<Vec<u8>> {
    Zeroizing::new([SECRET_PREFIX, key.as_bytes()].concat())
}

/// Encodes a private key as PKCS#8 in PEM.
pub(super) fn secret_pem(key: &StaticSecret) -> Zeroizing<String> {
    Zeroizing::new(pem(SECRET_LABEL, &secret_der(key)))
}

/// Encodes a public key as SPKI in PEM or DER.
pub(super) fn public_file(key: &PublicKey, is_pem: bool) -> Vec<u8> {
    let der = [PUBLIC_PREFIX, key.as_bytes()].concat();
    if is_pem {
        pem(PUBLIC_LABEL, &der).into_bytes()
    } else {
        der
    }
}

fn pem(label: &str, der: &[u8]) -> String {
    // This fails only for an invalid label.
    pem_rfc7468::encode_string(label, LineEnding::LF, der).expect("the labels are well formed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let key = StaticSecret::from([7; 32]);
        for file in [
            secret_der(&key).to_vec(),
            secret_pem(&key).as_bytes().to_vec(),
        ] {
            assert!(secret(&file) == Some(Ok(key.clone())));
            assert!(secret(&file[..file.len() - 3]).is_none());
        }
        let public = PublicKey::from(&key);
        let file = public_file(&public, true);
        assert!(secret(&file).is_none(), "a public key is no private one");
        assert_eq!(find_public(&file), Some(public));
    }

    /// PKCS#8 with this version, algorithm and private key, followed by `more`.
    fn pkcs8(version: u8, algorithm: &[u8], key: &[u8], more: &[u8]) -> Vec<u8> {
        let tlv = |tag, content: &[u8]| [&[tag, content.len() as u8], content].concat();
        let key = tlv(4, &tlv(4, key));
        let body = [&[2, 1, version], &tlv(0x30, algorithm)[..], &key, more].concat();
        tlv(0x30, &body)
    }

    #[test]
    fn version_2_holds_the_public_key() {
        let key = StaticSecret::from([7; 32]);
        let oid = b"\x06\x03\x2b\x65\x6e";
        let public = |bytes: &[u8]| [&[0x81, bytes.len() as u8 + 1, 0], bytes].concat();
        let right = public(PublicKey::from(&key).as_bytes());
        let attributes = b"\xa0\x0b\x30\x09\x06\x03\x2b\x06\x01\x31\x02\x05\x00";
        for (version, more) in [
            (0, vec![]),
            (0, attributes.to_vec()),
            (1, right.clone()),
            (1, [attributes, &right[..]].concat()),
        ] {
            let file = pkcs8(version, oid, &[7; 32], &more);
            assert!(secret(&file) == Some(Ok(key.clone())), "{file:02x?}");
        }
        let ending = [pkcs8(1, oid, &[7; 32], &right), vec![0]].concat();
        let parameters = b"\x06\x03\x2b\x65\x6e\x05\x00";
        for (file, rule) in [
            (
                pkcs8(1, oid, &[7; 32], &public(&[9; 32])),
                "public key in the file must belong",
            ),
            (
                pkcs8(1, oid, &[7; 32], &public(&[9; 31])),
                "public key in the file must belong",
            ),
            (pkcs8(0, oid, &[7; 31], &[]), "must have 32 bytes, not 31"),
            (
                pkcs8(0, parameters, &[7; 32], &[]),
                "id-X25519 must have no parameters",
            ),
            (ending, "must not have trailing data"),
        ] {
            let error = secret(&file).unwrap().err().unwrap();
            assert!(error.contains(rule), "{error}");
        }
        // Version 2 requires a public key, and version 1 forbids it.
        assert!(secret(&pkcs8(1, oid, &[7; 32], &[])).is_none());
        assert!(secret(&pkcs8(0, oid, &[7; 32], &right)).is_none());
        assert!(secret(&pkcs8(2, oid, &[7; 32], &right)).is_none());
        assert!(secret(&pkcs8(0, b"\x06\x03\x2b\x65\x70", &[7; 32], &[])).is_none());
    }
}
