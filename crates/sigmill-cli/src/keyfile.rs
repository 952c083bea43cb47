//! The public key in a file, in whatever encoding: told apart by content.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sigmill::{AnyVerifyingKey, CurveName};

use crate::error::CliError;
use crate::format::STANDARD_STREAM;

/// A key in its largest encoding is some kilobytes long.
const MAX_LEN: u64 = 1 << 20;

/// Reads the key in the file at `path` (`-` is standard input): SEC 1 in hex, SPKI in PEM or DER (or its hex), a JWK,
/// or the bytes of a SEC 1 point.
pub(crate) fn read(path: &Path) -> Result<AnyVerifyingKey, CliError> {
    read_on(path, None)
}

/// As [`read`]; with `curve`, the key must be on it.
pub(crate) fn read_on(path: &Path, curve: Option<CurveName>) -> Result<AnyVerifyingKey, CliError> {
    let bytes = read_bytes(path, MAX_LEN)?;
    parse(&bytes, curve).map_err(|e| CliError::file(name(path), e.to_string()))
}

/// Reads a small file at once; a longer one is an error.
pub(crate) fn read_bytes(path: &Path, max_len: u64) -> Result<Vec<u8>, CliError> {
    let read = |mut source: Box<dyn Read>| {
        let mut bytes = Vec::new();
        source.by_ref().take(max_len + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = if path == Path::new(STANDARD_STREAM) {
        read(Box::new(io::stdin()))
    } else {
        File::open(path).and_then(|file| read(Box::new(file)))
    };
    let bytes = bytes.map_err(|e| CliError::io(name(path), e))?;
    if bytes.len() as u64 > max_len {
        return Err(CliError::file(
            name(path),
            format!("it must not be longer than {max_len} bytes"),
        ));
    }
    Ok(bytes)
}

/// What the user calls the file.
pub(crate) fn name(path: &Path) -> String {
    if path == Path::new(STANDARD_STREAM) {
        "standard input".into()
    } else {
        path.display().to_string()
    }
}

fn parse(bytes: &[u8], curve: Option<CurveName>) -> Result<AnyVerifyingKey, sigmill::Error> {
    let text = bytes.trim_ascii();
    let digits = text.strip_prefix(b"0x").unwrap_or(text);
    // No other encoding consists of hex digits alone: DER and points in binary begin with bytes that are no digits, or
    // have one soon.
    if digits.iter().all(u8::is_ascii_hexdigit) {
        let key = data_encoding::HEXLOWER_PERMISSIVE
            .decode(digits)
            .map_err(|_| sigmill::Error::KeyEncodingUnknown)?;
        return AnyVerifyingKey::from_encoded(curve, &key);
    }
    AnyVerifyingKey::from_encoded(curve, bytes)
}

#[cfg(test)]
mod tests {
    use sigmill::Error;

    use super::*;

    // The generator of P-256 (SP 800-186 §3.2.1.3).
    const X: &str = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";
    const Y: &str = "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";
    const SPKI: &str = "3059301306072a8648ce3d020106082a8648ce3d030107034200";

    fn bytes(hex: &str) -> Vec<u8> {
        data_encoding::HEXLOWER.decode(hex.as_bytes()).unwrap()
    }

    fn generator() -> AnyVerifyingKey {
        AnyVerifyingKey::from_sec1_bytes(CurveName::P256, &bytes(&format!("04{X}{Y}"))).unwrap()
    }

    #[test]
    fn tells_encodings_apart() {
        let uncompressed = format!("04{X}{Y}");
        let spki = bytes(&format!("{SPKI}{uncompressed}"));
        let base64 = data_encoding::BASE64.encode(&spki);
        let coordinate = |hex| data_encoding::BASE64URL_NOPAD.encode(&bytes(hex));
        let jwk = format!(
            "\n{{\"kty\": \"EC\", \"crv\": \"P-256\", \"x\": \"{}\", \"y\": \"{}\"}}\n",
            coordinate(X),
            coordinate(Y)
        );
        let encodings = [
            uncompressed.clone().into_bytes(),
            format!(" \r\n0x{}\r\n", uncompressed.to_uppercase()).into_bytes(),
            format!("03{X}\n").into_bytes(),
            bytes(&uncompressed),
            bytes(&format!("03{X}")),
            data_encoding::HEXLOWER.encode(&spki).into_bytes(),
            spki.clone(),
            format!("-----BEGIN PUBLIC KEY-----\n{base64}\n-----END PUBLIC KEY-----\n")
                .into_bytes(),
            jwk.into_bytes(),
        ];
        for encoding in encodings {
            for curve in [None, Some(CurveName::P256)] {
                let text = String::from_utf8_lossy(&encoding).into_owned();
                assert_eq!(parse(&encoding, curve), Ok(generator()), "{text}");
            }
        }
    }

    #[test]
    fn rejects_what_is_no_key() {
        assert_eq!(parse(b"", None), Err(Error::KeyEmpty));
        assert_eq!(parse(b" \n", None), Err(Error::KeyEmpty));
        assert_eq!(parse(b"04a", None), Err(Error::KeyEncodingUnknown));
        assert_eq!(parse(b"hello", None), Err(Error::KeyEncodingUnknown));
        assert_eq!(parse(b"\xff\xfe", None), Err(Error::KeyEncodingUnknown));
        assert_eq!(
            parse(&bytes(&format!("{SPKI}04{X}{Y}")), Some(CurveName::P384)),
            Err(Error::KeyCurveMismatch {
                expected: CurveName::P384,
                actual: CurveName::P256
            })
        );
    }
}
