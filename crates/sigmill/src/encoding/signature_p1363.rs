//! Signatures as IEEE P1363 and JOSE (RFC 7518 §3.4) write them: r, then s, each as long as the
//! order.

use alloc::vec::Vec;

use crate::error::Error;

/// Splits a signature of 2 * `len` bytes into r and s, big-endian, `len` bytes each, of any value.
///
/// # Errors
/// [`Error::SignatureLength`]
pub(crate) fn split(signature: &[u8], len: usize) -> Result<(&[u8], &[u8]), Error> {
    if signature.len() != 2 * len {
        return Err(Error::SignatureLength {
            expected: 2 * len,
            actual: signature.len(),
        });
    }
    Ok(signature.split_at(len))
}

/// Concatenates r and s, big-endian, each as long as the order.
pub(crate) fn join(r: &[u8], s: &[u8]) -> Vec<u8> {
    debug_assert_eq!(r.len(), s.len());
    [r, s].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_in_the_middle_and_joins_back() {
        for len in [32, 48, 66] {
            let signature: Vec<u8> = (0..2 * len).map(|i| i as u8).collect();
            let (r, s) = split(&signature, len).unwrap();
            assert_eq!((r, s), (&signature[..len], &signature[len..]));
            assert_eq!(join(r, s), signature);
        }
    }

    #[test]
    fn rejects_every_other_length() {
        for actual in (0..200).filter(|&n| n != 64) {
            let expected = Error::SignatureLength {
                expected: 64,
                actual,
            };
            assert_eq!(split(&alloc::vec![1; actual], 32), Err(expected));
        }
    }
}
