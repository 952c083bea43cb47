//! Base64url without padding, in its unique form (RFC 7515 §2, RFC 4648 §5): no white space, and
//! no nonzero bits after the last byte.

use alloc::vec;
use alloc::vec::Vec;

use base64ct::{Base64UrlUnpadded, Encoding as _};

/// The number of whole bytes in this number of letters.
pub(crate) fn decoded_len(letters: usize) -> usize {
    letters / 4 * 3 + letters % 4 * 3 / 4
}

/// Returns true if the text consists of letters only, in a possible number. A letter has six bits,
/// so a single one at the end would leave no whole byte.
pub(crate) fn has_letters_only(text: &[u8]) -> bool {
    let is_letter = |b: &u8| b.is_ascii_alphanumeric() || *b == b'-' || *b == b'_';
    text.len() % 4 != 1 && text.iter().all(is_letter)
}

/// Decodes into `out`, which must have the length of the bytes. Constant time, except for whether
/// the text is well formed.
pub(crate) fn decode_into(text: &[u8], out: &mut [u8]) -> Option<()> {
    let decoded = Base64UrlUnpadded::decode(text, out).ok()?;
    (decoded.len() == decoded_len(text.len())).then_some(())
}

/// Decodes a text; `None` if it is not well formed.
pub(crate) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = vec![0; decoded_len(text.len())];
    decode_into(text, &mut bytes).map(|()| bytes)
}

/// Returns true if a text is well formed, without decoding it.
pub(crate) fn is_well_formed(text: &[u8]) -> bool {
    let last = &text[text.len() / 4 * 4..];
    has_letters_only(text) && decode_into(last, &mut [0; 3]).is_some()
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;

    #[test]
    fn every_string_has_one_text() {
        for len in 0..10 {
            let bytes: Vec<u8> = (0..len).map(|i| 0xfb ^ (7 * i)).collect();
            let text = Base64UrlUnpadded::encode_string(&bytes);
            assert_eq!(decode(text.as_bytes()), Some(bytes));
            assert!(is_well_formed(text.as_bytes()));
            // The last letter, and every byte in place of it.
            let Some(last) = text.len().checked_sub(1) else {
                continue;
            };
            for other in 0..=255 {
                let mut text = text.clone().into_bytes();
                text[last] = other;
                let decoded = decode(&text);
                assert_eq!(decoded.is_some(), is_well_formed(&text), "{text:?}");
                if let Some(bytes) = decoded {
                    assert_eq!(Base64UrlUnpadded::encode_string(&bytes).as_bytes(), text);
                }
            }
        }
    }

    #[test]
    fn no_other_text_is_well_formed() {
        for text in [
            "A", "AA=", "AA==", "AAAAA", "A A", "AA\n", " AA", "AA+A", "AA/A", "AB", "AAB", "AA\0A",
        ] {
            assert_eq!(decode(text.as_bytes()), None, "{text}");
            assert!(!is_well_formed(text.as_bytes()), "{text}");
        }
        let long: String = ["A".repeat(4000).as_str(), "é", "AA"].concat();
        assert!(!is_well_formed(long.as_bytes()));
    }
}
