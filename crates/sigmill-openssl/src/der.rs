//! The DER form of a signature, which OpenSSL checks before it reads the numbers.

/// Returns true if the bytes are exactly a SEQUENCE of two INTEGERs in DER that are not negative,
/// of any length up to 65,535 bytes.
pub(crate) fn is_signature(bytes: &[u8]) -> bool {
    let is_integer = |content: &[u8]| match content {
        [] => false,
        [0, second, ..] => second & 0x80 != 0,
        [first, ..] => first & 0x80 == 0,
    };
    // Zero is the only integer that is a single byte 0.
    let integer = |content: &[u8]| *content == [0] || is_integer(content);
    let Some((sequence, [])) = element(0x30, bytes) else {
        return false;
    };
    let Some((r, rest)) = element(2, sequence) else {
        return false;
    };
    matches!(element(2, rest), Some((s, [])) if integer(r) && integer(s))
}

/// Returns the content of an element with this tag, and the bytes after it.
fn element(tag: u8, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (first, rest) = bytes.split_first()?;
    let (length, rest) = match *rest {
        [length, ref rest @ ..] if length < 0x80 => (usize::from(length), rest),
        [0x81, length, ref rest @ ..] if length >= 0x80 => (usize::from(length), rest),
        [0x82, high, low, ref rest @ ..] if high > 0 => {
            (usize::from(u16::from_be_bytes([high, low])), rest)
        }
        _ => return None,
    };
    (*first == tag).then(|| rest.split_at_checked(length))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_der_is_a_signature() {
        assert!(is_signature(&[0x30, 6, 2, 1, 0, 2, 1, 127]));
        assert!(is_signature(&[0x30, 7, 2, 2, 0, 128, 2, 1, 1]));
        let mut long = vec![0x30, 0x82, 2, 7, 2, 0x82, 1, 1, 1];
        long.resize(9 + 256, 0);
        long.extend([2, 0x81, 255, 1]);
        long.resize(long.len() + 254, 0);
        assert_eq!(long[2..4], ((long.len() - 4) as u16).to_be_bytes());
        assert!(is_signature(&long));
        for wrong in [
            &[][..],
            &[0x30],
            &[0x30, 0],
            &[0x31, 6, 2, 1, 0, 2, 1, 127],
            &[0x30, 6, 3, 1, 0, 2, 1, 127],
            // Not minimal, negative, empty.
            &[0x30, 7, 2, 2, 0, 127, 2, 1, 1],
            &[0x30, 6, 2, 1, 128, 2, 1, 1],
            &[0x30, 5, 2, 0, 2, 1, 1],
            // Bytes after it, inside it, and missing; a third integer.
            &[0x30, 6, 2, 1, 1, 2, 1, 1, 0],
            &[0x30, 7, 2, 1, 1, 2, 1, 1, 0],
            &[0x30, 6, 2, 1, 1, 2, 2, 1],
            &[0x30, 9, 2, 1, 1, 2, 1, 1, 2, 1, 1],
            // Lengths that are not the shortest, or indefinite.
            &[0x30, 0x81, 6, 2, 1, 1, 2, 1, 1],
            &[0x30, 0x82, 0, 6, 2, 1, 1, 2, 1, 1],
            &[0x30, 0x80, 2, 1, 1, 2, 1, 1, 0, 0],
        ] {
            assert!(!is_signature(wrong), "{wrong:02x?}");
        }
    }
}
