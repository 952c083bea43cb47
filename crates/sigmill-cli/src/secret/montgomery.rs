//! Keys of X25519 in files: PKCS#8 and SPKI (RFC 8410), which have one encoding each.

use std::path::Path;

use pem_rfc7468::LineEnding;
use sigmill::x25519::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

use crate::error::CliError;
use crate::keyfile;

/// PKCS#8 up to the 32 bytes of the key: version 0, id-X25519, an OCTET STRING in another.
const SECRET_PREFIX: &[u8] = b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x6e\x04\x22\x04\x20";
/// SPKI up to the 32 bytes of the key: id-X25519, a BIT STRING.
const PUBLIC_PREFIX: &[u8] = b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x6e\x03\x21\x00";

const SECRET_LABEL: &str = "PRIVATE KEY";
const PUBLIC_LABEL: &str = "PUBLIC KEY";

/// A file of a public key in its largest encoding has some hundred bytes.
const MAX_PUBLIC_LEN: u64 = 1 << 16;

/// The 32 bytes behind `prefix`, in DER or in PEM; `None` for everything else.
fn find(file: &[u8], prefix: &[u8], label: &str) -> Option<Zeroizing<[u8; 32]>> {
    let key = |der: &[u8]| {
        let key = der.strip_prefix(prefix)?.try_into().ok()?;
        Some(Zeroizing::new(key))
    };
    match pem_rfc7468::decode_vec(file.trim_ascii_start()) {
        Ok((found, der)) => key(&Zeroizing::new(der)).filter(|_| found == label),
        Err(_) => key(file),
    }
}

/// The private key in a file; `None` when there is none of X25519.
pub(super) fn secret(file: &[u8]) -> Option<StaticSecret> {
    Some(StaticSecret::from(*find(
        file,
        SECRET_PREFIX,
        SECRET_LABEL,
    )?))
}

/// Reads the public key in the file at `path`: SPKI in PEM; SPKI in DER or 32 bytes, as they are or in hex or base64.
pub(crate) fn read_public(path: &Path) -> Result<PublicKey, CliError> {
    let file = keyfile::read_bytes(path, MAX_PUBLIC_LEN)?;
    let read = |bytes: &[u8]| match find(bytes, PUBLIC_PREFIX, PUBLIC_LABEL) {
        Some(key) => Some(PublicKey::from(*key)),
        None => PublicKey::try_from(bytes).ok(),
    };
    let key = keyfile::without_text_encoding(&file).and_then(|bytes| read(&bytes));
    key.ok_or_else(|| {
        CliError::file(
            keyfile::name(path),
            "key: it must be a public key of X25519, SPKI in PEM or DER, or 32 bytes, also in hex \
             or base64",
        )
    })
}

/// PKCS#8 in DER.
pub(super) fn secret_der(key: &StaticSecret) -> Zeroizing<Vec<u8>> {
    Zeroizing::new([SECRET_PREFIX, key.as_bytes()].concat())
}

/// PKCS#8 in PEM.
pub(super) fn secret_pem(key: &StaticSecret) -> Zeroizing<String> {
    Zeroizing::new(pem(SECRET_LABEL, &secret_der(key)))
}

/// SPKI in PEM or DER.
pub(super) fn public_file(key: &PublicKey, is_pem: bool) -> Vec<u8> {
    let der = [PUBLIC_PREFIX, key.as_bytes()].concat();
    if is_pem {
        pem(PUBLIC_LABEL, &der).into_bytes()
    } else {
        der
    }
}

fn pem(label: &str, der: &[u8]) -> String {
    // Fails only for a label that is none.
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
            assert!(secret(&file) == Some(key.clone()));
            assert!(secret(&file[..file.len() - 3]).is_none());
        }
        let public = PublicKey::from(&key);
        let file = public_file(&public, true);
        assert!(secret(&file).is_none(), "a public key is no private one");
        let found = find(&file, PUBLIC_PREFIX, PUBLIC_LABEL).unwrap();
        assert_eq!(*found, public.to_bytes());
    }
}
