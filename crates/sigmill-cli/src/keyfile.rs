//! Reads a public key from a file in any encoding, which is detected by content.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sigmill::{AnyVerifyingKey, CurveName, Error, KeyPurpose};

use crate::encoding::{TextEncoding, decode};
use crate::error::CliError;
use crate::format::STANDARD_STREAM;

/// The maximum length of a file. The longest encoding of a key has a few kilobytes.
const MAX_LEN: u64 = 1 << 20;

/// The curve that a key must be on. A SEC 1 point does not name its curve.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KeyCurve {
    /// This curve.
    Is(CurveName),
    /// The curve that the key names; if it names none, the user must name it with this option.
    NamedBy(&'static str),
}

/// Reads the key in the file at `path` (`-` is standard input), which must be for `purpose`.
/// Accepts SPKI in PEM (with or without text around it) and JWK. Accepts SPKI in DER and SEC 1
/// points as bytes or in hex, base64 or base64url.
pub(crate) fn read(
    path: &Path,
    purpose: KeyPurpose,
    curve: KeyCurve,
) -> Result<AnyVerifyingKey, CliError> {
    let bytes = read_bytes(path, MAX_LEN)?;
    let (curve, option) = match curve {
        KeyCurve::Is(curve) => (Some(curve), ""),
        KeyCurve::NamedBy(option) => (None, option),
    };
    parse(&bytes, purpose, curve).map_err(|error| {
        let message = match error {
            Error::KeyCurveAmbiguous => format!("{error} by {option}"),
            _ => error.to_string(),
        };
        CliError::file(name(path), message)
    })
}

/// Reads a small file as a whole. A longer file is an error.
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
            format!("must not be longer than {max_len} bytes"),
        ));
    }
    Ok(bytes)
}

/// Returns the user's name for the file.
pub(crate) fn name(path: &Path) -> String {
    if path == Path::new(STANDARD_STREAM) {
        "standard input".into()
    } else {
        path.display().to_string()
    }
}

/// Parses the content of a file.
pub(crate) fn parse(
    bytes: &[u8],
    purpose: KeyPurpose,
    curve: Option<CurveName>,
) -> Result<AnyVerifyingKey, Error> {
    let key = without_text_encoding(bytes).ok_or(Error::KeyEncodingUnknown)?;
    AnyVerifyingKey::from_encoded_for(purpose, curve, &key)
}

/// Decodes a file that consists of digits in hex, base64 or base64url, like a cell of a text
/// column. Line breaks are allowed (`xxd -p` and `base64` insert them). A file with any other
/// character is returned as it is. Returns `None` if the digits are not a valid encoding.
///
/// No binary encoding of a key consists of digits alone: DER and points contain another byte at the
/// start or soon after it. PEM and JWK contain other characters, too.
pub(crate) fn without_text_encoding(file: &[u8]) -> Option<Cow<'_, [u8]>> {
    let lines = file.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let digits = lines.collect::<Vec<_>>().concat();
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(byte);
    if !digits.iter().all(is_digit) {
        return Some(Cow::Borrowed(file));
    }
    let mut bytes = Vec::new();
    decode(&digits, TextEncoding::Auto, &mut bytes).ok()?;
    Some(Cow::Owned(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    // The generator of P-256 (SP 800-186 §3.2.1.3).
    const X: &str = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";
    const Y: &str = "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";
    const SPKI: &str = "3059301306072a8648ce3d020106082a8648ce3d030107034200";

    fn bytes(hex: &str) -> Vec<u8> {
        data_encoding::HEXLOWER.decode(hex.as_bytes()).unwrap()
    }

    fn parse(bytes: &[u8], curve: Option<CurveName>) -> Result<AnyVerifyingKey, Error> {
        super::parse(bytes, KeyPurpose::Verify, curve)
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
        let pem = format!("-----BEGIN PUBLIC KEY-----\n{base64}\n-----END PUBLIC KEY-----\n");
        let wrapped = |text: &str, width: usize, end: &str| {
            let lines = text.as_bytes().chunks(width);
            lines.collect::<Vec<_>>().join(end.as_bytes())
        };
        let points = [
            uncompressed.clone().into_bytes(),
            format!(" \r\n0x{}\r\n", uncompressed.to_uppercase()).into_bytes(),
            format!("03{X}\n").into_bytes(),
            wrapped(&uncompressed, 60, "\n"),
            bytes(&uncompressed),
            bytes(&format!("03{X}")),
            data_encoding::BASE64
                .encode(&bytes(&uncompressed))
                .into_bytes(),
            data_encoding::BASE64URL_NOPAD
                .encode(&bytes(&uncompressed))
                .into_bytes(),
            data_encoding::BASE64_NOPAD
                .encode(&bytes(&format!("03{X}")))
                .into_bytes(),
        ];
        let named = [
            data_encoding::HEXLOWER.encode(&spki).into_bytes(),
            base64.clone().into_bytes(),
            wrapped(&base64, 76, "\r\n"),
            data_encoding::BASE64URL.encode(&spki).into_bytes(),
            spki.clone(),
            pem.clone().into_bytes(),
            format!("\n\n  # my key\r\n{pem}\nmore\n").into_bytes(),
            jwk.into_bytes(),
        ];
        for encoding in &named {
            let text = String::from_utf8_lossy(encoding).into_owned();
            assert_eq!(parse(encoding, None), Ok(generator()), "{text}");
        }
        for encoding in &points {
            let text = String::from_utf8_lossy(encoding).into_owned();
            let ambiguous = Err(Error::KeyCurveAmbiguous);
            assert_eq!(parse(encoding, None), ambiguous, "{text}");
        }
        for encoding in named.iter().chain(&points) {
            let text = String::from_utf8_lossy(encoding).into_owned();
            let found = parse(encoding, Some(CurveName::P256));
            assert_eq!(found, Ok(generator()), "{text}");
        }
    }

    #[test]
    fn rejects_what_is_no_key() {
        assert_eq!(parse(b"", None), Err(Error::KeyEmpty));
        assert_eq!(parse(b" \n", None), Err(Error::KeyEmpty));
        assert_eq!(parse(b"04a", None), Err(Error::KeyEncodingUnknown));
        assert_eq!(parse(b"hello", None), Err(Error::KeyEncodingUnknown));
        assert_eq!(parse(b"\xff\xfe", None), Err(Error::KeyEncodingUnknown));
        // Digits with white space within a line, which no column accepts either.
        let spaced = format!("04{X} {Y}");
        assert_eq!(
            parse(spaced.as_bytes(), Some(CurveName::P256)),
            Err(Error::SpkiMalformed)
        );
        for tag in ["06", "07"] {
            let hybrid = format!("{tag}{X}{Y}");
            let error = Error::KeyTag { tag: bytes(tag)[0] };
            for curve in [None, Some(CurveName::P256)] {
                assert_eq!(parse(hybrid.as_bytes(), curve), Err(error));
                assert_eq!(parse(&bytes(&hybrid), curve), Err(error));
            }
        }
        assert_eq!(
            parse(&bytes(&format!("{SPKI}04{X}{Y}")), Some(CurveName::P384)),
            Err(Error::KeyCurveMismatch {
                expected: CurveName::P384,
                actual: CurveName::P256
            })
        );
    }
}
