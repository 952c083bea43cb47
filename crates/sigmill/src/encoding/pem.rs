//! Keys in PEM: public keys as SPKI (RFC 7468 §13), private keys as PKCS#8 (RFC 7468 §10) and SEC
//! 1 (RFC 5915 §4).

use alloc::string::String;
use alloc::vec::Vec;

use der::pem::{Decoder, LineEnding, encode_string};
use zeroize::Zeroizing;

use crate::error::Error;

/// The PEM label of SPKI (RFC 7468 §13).
const SPKI_LABEL: &str = "PUBLIC KEY";
/// The PEM label of PKCS#8 (RFC 7468 §10).
const PKCS8_LABEL: &str = "PRIVATE KEY";
/// The PEM label of SEC 1 (RFC 5915 §4).
const SEC1_LABEL: &str = "EC PRIVATE KEY";

/// The structure that a PEM text holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// PKCS#8.
    Pkcs8,
    /// SEC 1.
    Sec1,
}

/// Writes SPKI in PEM, with lines of 64 characters that end with LF.
pub(crate) fn encode_spki(der: &[u8]) -> String {
    match encode_string(SPKI_LABEL, LineEnding::LF, der) {
        Ok(text) => text,
        Err(_) => unreachable!("some hundred bytes are a PEM text"),
    }
}

/// The start of a PEM block.
const BEGIN: &str = "-----BEGIN ";
/// The start of its last line.
const END: &str = "-----END ";

/// Returns true if these bytes may be a PEM text. No other textual encoding contains a space.
pub(crate) fn is_pem(bytes: &[u8]) -> bool {
    bytes
        .windows(BEGIN.len())
        .any(|part| part == BEGIN.as_bytes())
}

/// Returns the one block of a PEM text, without the text around it (RFC 7468 §2, §5.2).
///
/// Readers differ in which of several blocks they use, and in whether a boundary may be within a
/// line. So each mark must occur exactly once, and only white space may precede the first mark in
/// its line.
fn only_block(text: &str) -> Result<&str, Error> {
    let mut begins = text.match_indices(BEGIN);
    let (start, _) = begins.next().ok_or(Error::PemMalformed)?;
    if begins.next().is_some() {
        return Err(Error::PemSeveralBlocks);
    }
    let before = text[..start].rsplit('\n').next().unwrap_or_default();
    let mut ends = text.match_indices(END);
    match (ends.next(), ends.next()) {
        (Some((end, _)), None) if start < end && before.trim().is_empty() => {
            let last_line = text[end..].split('\n').next().unwrap_or_default();
            Ok(text[start..end + last_line.len()].trim_end())
        }
        _ => Err(Error::PemMalformed),
    }
}

/// Reads SPKI in PEM and returns its DER.
///
/// Text may precede the BEGIN line and follow the END line. Lines may have any width, but all the
/// same.
///
/// # Errors
/// [`Error::PemMalformed`], [`Error::PemLabel`], [`Error::PemSeveralBlocks`].
pub(crate) fn decode_spki(text: &str) -> Result<Vec<u8>, Error> {
    let malformed = |_| Error::PemMalformed;
    let block = only_block(text)?;
    let mut decoder = Decoder::new_detect_wrap(block.as_bytes()).map_err(malformed)?;
    if decoder.type_label() != SPKI_LABEL {
        return Err(Error::PemLabel);
    }
    let mut der = Vec::new();
    decoder
        .decode_to_end(&mut der)
        .map_err(|_| Error::PemMalformed)?;
    Ok(der)
}

/// Reads a private key in PEM. Returns its DER and the structure that its label names.
///
/// # Errors
/// [`Error::PemMalformed`], [`Error::PrivateKeyPemLabel`].
pub(crate) fn decode_private_key(text: &str) -> Result<(Form, Zeroizing<Vec<u8>>), Error> {
    let malformed = |_| Error::PemMalformed;
    let mut decoder = Decoder::new_detect_wrap(text.trim().as_bytes()).map_err(malformed)?;
    let form = match decoder.type_label() {
        PKCS8_LABEL => Form::Pkcs8,
        SEC1_LABEL => Form::Sec1,
        _ => return Err(Error::PrivateKeyPemLabel),
    };
    // Decoded in one piece, so that no part stays behind when a vector grows.
    let mut der = Zeroizing::new(alloc::vec![0; decoder.remaining_len()]);
    decoder.decode(&mut der).map_err(|_| Error::PemMalformed)?;
    Ok((form, der))
}

/// Writes a private key in PEM, with lines of 64 characters that end with LF.
pub(crate) fn encode_private_key(form: Form, der: &[u8]) -> Zeroizing<String> {
    let label = match form {
        Form::Pkcs8 => PKCS8_LABEL,
        Form::Sec1 => SEC1_LABEL,
    };
    match encode_string(label, LineEnding::LF, der) {
        Ok(text) => Zeroizing::new(text),
        Err(_) => unreachable!("some hundred bytes are a PEM text"),
    }
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned as _;
    use alloc::format;

    use base64ct::{Base64, Encoding as _};

    use super::*;

    fn pem(label: &str, der: &[u8]) -> String {
        pem_of_width(label, der, 64)
    }

    fn pem_of_width(label: &str, der: &[u8], width: usize) -> String {
        let base64 = Base64::encode_string(der);
        let mut text = format!("-----BEGIN {label}-----\n");
        for line in base64.as_bytes().chunks(width) {
            text += core::str::from_utf8(line).unwrap();
            text.push('\n');
        }
        text + &format!("-----END {label}-----\n")
    }

    #[test]
    fn pem_returns_its_der() {
        let spki = [0x30, 65, 4]
            .into_iter()
            .chain([0x5a; 64])
            .collect::<Vec<u8>>();
        let text = pem(SPKI_LABEL, &spki);
        assert_eq!(decode_spki(&text), Ok(spki.clone()));
        assert_eq!(decode_spki(&text.replace('\n', "\r\n")), Ok(spki.clone()));
        for width in [4, 63, 65, 76, 1000] {
            let text = pem_of_width(SPKI_LABEL, &spki, width);
            assert_eq!(decode_spki(&text), Ok(spki.clone()), "{text}");
        }
        assert_eq!(decode_spki(text.trim_end()), Ok(spki.clone()));
        assert_eq!(decode_spki(&format!("{text}\n\n")), Ok(spki.clone()));
        for around in ["a key\n", "\n \n", "# é: -----\r\n", " \t"] {
            let before = format!("{around}{text}");
            assert_eq!(decode_spki(&before), Ok(spki.clone()), "{before}");
            let both = format!("{before}\n{around}");
            assert_eq!(decode_spki(&both), Ok(spki.clone()), "{both}");
        }
    }

    #[test]
    fn pem_of_several_blocks_or_with_marks_in_its_lines_is_refused() {
        let (good, other) = (
            pem(SPKI_LABEL, &[0x30; 60]),
            pem("CERTIFICATE", &[0x30; 60]),
        );
        for several in [
            good.clone() + &good,
            good.clone() + &other,
            other + &good,
            format!("a -----BEGIN PUBLIC KEY----- line\n{good}"),
            format!("{good}-----BEGIN "),
        ] {
            let error = Err(Error::PemSeveralBlocks);
            assert_eq!(decode_spki(&several), error, "{several}");
        }
        for marked in [
            format!("{good}-----END PUBLIC KEY-----\n"),
            format!("-----END PUBLIC KEY-----\n{good}"),
            format!("key: {good}"),
            good.trim_end().to_owned() + " behind",
            good.replace("\n-----END", "-----END"),
        ] {
            assert_eq!(decode_spki(&marked), Err(Error::PemMalformed), "{marked}");
        }
    }

    #[test]
    fn pem_of_another_kind_is_refused_by_its_label() {
        for label in [
            "EC PRIVATE KEY",
            "CERTIFICATE",
            "RSA PUBLIC KEY",
            "PRIVATE KEY",
        ] {
            assert_eq!(decode_spki(&pem(label, &[5, 0])), Err(Error::PemLabel));
        }
    }

    #[test]
    fn rejects_malformed_pem() {
        let good = pem(SPKI_LABEL, &[0x30; 60]);
        let cases = [
            String::new(),
            String::from("PUBLIC KEY"),
            pem(SPKI_LABEL, &[]),
            good.replace("KEY-----\nMDAw", "KEY-----\n\nMDAw"),
            good.replace("END", "ENT"),
            good.replace("-----END PUBLIC", "-----END PRIVATE"),
            good.replace("MDAw", "MD!w"),
            good.replace("\nMDAw", "\nProc-Type: 4,ENCRYPTED\n\nMDAw"),
        ];
        for case in cases {
            assert_eq!(decode_spki(&case), Err(Error::PemMalformed), "{case}");
        }
    }
}
