//! Bytes encoded as text: hex, base64, base64url.

use clap::ValueEnum;
use data_encoding::{
    BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, DecodeError, DecodeKind, Encoding,
    HEXLOWER_PERMISSIVE,
};

/// Encoding of bytes in a text column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextEncoding {
    /// Detected for each value: hex if it has an even length and only hex digits (after an optional
    /// 0x), otherwise base64url if it contains - or _, otherwise base64
    #[default]
    Auto,
    /// Hexadecimal, upper or lower case, with or without 0x
    Hex,
    /// Base64 (RFC 4648 §4), with or without padding
    Base64,
    /// Base64url (RFC 4648 §5), with or without padding
    Base64url,
}

/// Encoding of messages in a text column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MessageEncoding {
    /// The text is the message; its UTF-8 bytes were signed
    #[default]
    Utf8,
    /// The message in hex, base64 or base64url, detected for each value as in other columns
    Auto,
    /// The message in hexadecimal
    Hex,
    /// The message in base64
    Base64,
    /// The message in base64url
    Base64url,
}

impl MessageEncoding {
    /// Returns the encoding of the bytes, or `None` if the text is the message.
    pub(crate) fn bytes(self) -> Option<TextEncoding> {
        match self {
            Self::Utf8 => None,
            Self::Auto => Some(TextEncoding::Auto),
            Self::Hex => Some(TextEncoding::Hex),
            Self::Base64 => Some(TextEncoding::Base64),
            Self::Base64url => Some(TextEncoding::Base64url),
        }
    }
}

/// The reason why a text is not an encoding of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be {encoding}: {rule} at character {position}")]
pub(crate) struct TextDefect {
    encoding: &'static str,
    rule: &'static str,
    /// Counted from 1.
    position: usize,
}

/// Decodes `text` into `out`, replacing its content.
///
/// Accepts hex with digits of either case and an optional `0x`, and base64 and base64url with all
/// of their padding or none. Rejects white space, unused bits that are not zero, and mixed
/// alphabets.
pub(crate) fn decode(
    text: &[u8],
    encoding: TextEncoding,
    out: &mut Vec<u8>,
) -> Result<(), TextDefect> {
    let encoding = match encoding {
        TextEncoding::Auto => detect(text),
        named => named,
    };
    let padded = text.last() == Some(&b'=');
    let (name, table, skipped): (_, &Encoding, usize) = match encoding {
        TextEncoding::Hex | TextEncoding::Auto => (
            "hex",
            &HEXLOWER_PERMISSIVE,
            text.len() - without_0x(text).len(),
        ),
        TextEncoding::Base64 if padded => ("base64", &BASE64, 0),
        TextEncoding::Base64 => ("base64", &BASE64_NOPAD, 0),
        TextEncoding::Base64url if padded => ("base64url", &BASE64URL, 0),
        TextEncoding::Base64url => ("base64url", &BASE64URL_NOPAD, 0),
    };
    let defect = |e: DecodeError| TextDefect {
        encoding: name,
        rule: match e.kind {
            DecodeKind::Length => "truncated",
            DecodeKind::Symbol => "invalid digit",
            DecodeKind::Trailing => "nonzero unused bits",
            DecodeKind::Padding => "invalid padding",
        },
        position: e.position + skipped + 1,
    };
    let digits = &text[skipped..];
    let len = table.decode_len(digits.len()).map_err(defect)?;
    out.resize(len, 0);
    let len = table
        .decode_mut(digits, out)
        .map_err(|partial| defect(partial.error))?;
    out.truncate(len);
    Ok(())
}

/// Returns the encoding of `text` by the rule of [`TextEncoding::Auto`].
fn detect(text: &[u8]) -> TextEncoding {
    let digits = without_0x(text);
    if digits.len().is_multiple_of(2) && digits.iter().all(u8::is_ascii_hexdigit) {
        TextEncoding::Hex
    } else if memchr::memchr2(b'-', b'_', text).is_some() {
        TextEncoding::Base64url
    } else {
        TextEncoding::Base64
    }
}

fn without_0x(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"0x").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str, encoding: TextEncoding) -> Result<Vec<u8>, String> {
        let mut out = vec![9; 3];
        decode(text.as_bytes(), encoding, &mut out).map_err(|e| e.to_string())?;
        Ok(out)
    }

    #[test]
    fn auto_follows_its_rule() {
        use TextEncoding::Auto;
        assert_eq!(decoded("", Auto), Ok(vec![]));
        assert_eq!(decoded("dead", Auto), Ok(vec![0xde, 0xad]));
        assert_eq!(decoded("0xDEad", Auto), Ok(vec![0xde, 0xad]));
        // An odd length cannot be hex; the text is decoded as base64.
        assert_eq!(
            decoded("abcdefg", Auto),
            decoded("abcdefg", TextEncoding::Base64)
        );
        assert_eq!(decoded("abg", Auto), Ok(vec![0x69, 0xb8]));
        assert_eq!(decoded("+/8=", Auto), Ok(vec![0xfb, 0xff]));
        assert_eq!(decoded("+/8", Auto), Ok(vec![0xfb, 0xff]));
        assert_eq!(decoded("-_8=", Auto), Ok(vec![0xfb, 0xff]));
        assert_eq!(decoded("-_8", Auto), Ok(vec![0xfb, 0xff]));
    }

    #[test]
    fn a_named_encoding_is_not_guessed() {
        assert_eq!(
            decoded("dead", TextEncoding::Base64),
            Ok(vec![0x75, 0xe6, 0x9d])
        );
        assert_eq!(
            decoded("dead", TextEncoding::Base64url),
            Ok(vec![0x75, 0xe6, 0x9d])
        );
    }

    #[test]
    fn defects_name_the_rule_and_the_place() {
        let cases = [
            (
                "abc",
                TextEncoding::Hex,
                "must be hex: truncated at character 3",
            ),
            (
                "0xzz",
                TextEncoding::Hex,
                "must be hex: invalid digit at character 3",
            ),
            (
                "a b=",
                TextEncoding::Base64,
                "must be base64: invalid digit at character 2",
            ),
            (
                "-_8=",
                TextEncoding::Base64,
                "must be base64: invalid digit at character 1",
            ),
            (
                "+/8",
                TextEncoding::Base64url,
                "must be base64url: invalid digit at character 1",
            ),
            (
                "+/9=",
                TextEncoding::Base64,
                "must be base64: nonzero unused bits at character 3",
            ),
            (
                "+/8==",
                TextEncoding::Base64,
                "must be base64: truncated at character 5",
            ),
            (
                "====",
                TextEncoding::Base64,
                "must be base64: invalid padding at character 1",
            ),
        ];
        for (text, encoding, message) in cases {
            assert_eq!(decoded(text, encoding), Err(message.to_owned()), "{text}");
        }
    }
}
