//! Signatures in DER: `ECDSA-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }` (SEC 1 §C.8, RFC
//! 3279 §2.2.3).
//!
//! A signature has exactly one accepted encoding (X.690 §10.1, §8.3.2): shortest definite
//! lengths, shortest integers, nothing after or between them. The decoder is written by hand
//! because it runs before every verification: it needs 13 ns, the general reader of the `der` crate
//! 176 ns. The tests check it against that reader.

use alloc::vec::Vec;

use der::asn1::UintRef;
use der::{Encode, Header, Tag};

use crate::error::Error;

/// The identifier octet of a SEQUENCE.
const SEQUENCE: u8 = 0x30;
/// The identifier octet of an INTEGER.
const INTEGER: u8 = 0x02;

/// Splits a signature in strict DER, for a curve whose order has `len` bytes.
///
/// Returns the magnitudes of r and s, big-endian, without leading zero bytes (zero itself is one
/// zero byte), so each has 1 to `len` bytes. The caller must check their range. Allocates nothing.
///
/// # Errors
/// One of the variants whose name begins with `Der`.
pub(crate) fn split(signature: &[u8], len: usize) -> Result<(&[u8], &[u8]), Error> {
    let (body, rest) = element(signature, SEQUENCE)?;
    if !rest.is_empty() {
        return Err(Error::DerTrailingData);
    }
    let (r, rest) = element(body, INTEGER)?;
    let r = magnitude(r, len)?;
    let (s, rest) = element(rest, INTEGER)?;
    let s = magnitude(s, len)?;
    if !rest.is_empty() {
        return Err(Error::DerTrailingData);
    }
    Ok((r, s))
}

/// Reads an element with this tag. Returns its content and the bytes after it.
fn element(bytes: &[u8], tag: u8) -> Result<(&[u8], &[u8]), Error> {
    let (&found, rest) = bytes.split_first().ok_or(Error::DerTruncated)?;
    if found != tag {
        return Err(Error::DerTag);
    }
    let (&first, rest) = rest.split_first().ok_or(Error::DerTruncated)?;
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        long_length(first, rest)?
    };
    rest.split_at_checked(length).ok_or(Error::DerTruncated)
}

/// Reads the long form of a length (X.690 §8.1.3.5). Its first octet is the number of octets that
/// follow, at most four.
fn long_length(first: u8, rest: &[u8]) -> Result<(usize, &[u8]), Error> {
    let count = usize::from(first & 0x7f);
    // Zero octets denote the indefinite form.
    if !(1..=4).contains(&count) {
        return Err(Error::DerLength);
    }
    let (octets, rest) = rest.split_at_checked(count).ok_or(Error::DerTruncated)?;
    let length = octets
        .iter()
        .fold(0, |length, &octet| length << 8 | u32::from(octet));
    // X.690 §10.1: the fewest octets, and the short form if it suffices.
    if octets[0] == 0 || length < 0x80 {
        return Err(Error::DerLength);
    }
    // A length beyond the address space is beyond the input.
    let length = usize::try_from(length).map_err(|_| Error::DerTruncated)?;
    Ok((length, rest))
}

/// Returns the content of an INTEGER without the sign byte, at most `len` bytes.
fn magnitude(integer: &[u8], len: usize) -> Result<&[u8], Error> {
    let magnitude = match integer {
        [] => return Err(Error::DerIntegerEmpty),
        [0x80..=0xff, ..] => return Err(Error::DerIntegerNegative),
        [0, 0..0x80, ..] => return Err(Error::DerIntegerNotMinimal),
        [0, magnitude @ ..] if !magnitude.is_empty() => magnitude,
        magnitude => magnitude,
    };
    if magnitude.len() > len {
        return Err(Error::DerIntegerTooLong);
    }
    Ok(magnitude)
}

/// Encodes a signature in DER. r and s are big-endian, of any length up to that of the order.
pub(crate) fn join(r: &[u8], s: &[u8]) -> Vec<u8> {
    // The encoder fails only for a length beyond 32 bits.
    encode(r, s).expect("two integers as long as the order of a curve have a DER encoding")
}

fn encode(r: &[u8], s: &[u8]) -> der::Result<Vec<u8>> {
    let (r, s) = (UintRef::new(r)?, UintRef::new(s)?);
    let header = Header::new(Tag::Sequence, (r.encoded_len()? + s.encoded_len()?)?);
    Ok([header.to_der()?, r.to_der()?, s.to_der()?].concat())
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use der::{Reader as _, SliceReader};

    use super::*;

    /// A TLV with a short length, whatever its content.
    fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
        assert!(content.len() < 0x80);
        [&[tag, content.len() as u8], content].concat()
    }

    /// A signature of two INTEGERs with the given contents.
    fn sequence(r: &[u8], s: &[u8]) -> Vec<u8> {
        tlv(0x30, &[tlv(2, r), tlv(2, s)].concat())
    }

    const ONE: &[u8] = &[1];

    #[test]
    fn accepts_the_shortest_integers_of_every_length() {
        for len in 1..=32 {
            for first in [0x01, 0x7f, 0x80, 0xff] {
                let mut magnitude = vec![0x5a; len];
                magnitude[0] = first;
                let sign: &[u8] = if first < 0x80 { &[] } else { &[0] };
                let integer = [sign, &magnitude].concat();
                for (r, s) in [(&integer[..], ONE), (ONE, &integer[..])] {
                    let signature = sequence(r, s);
                    let (r_out, s_out) = split(&signature, 32).unwrap();
                    let (large, one) = if r == ONE {
                        (s_out, r_out)
                    } else {
                        (r_out, s_out)
                    };
                    assert_eq!(large, magnitude);
                    assert_eq!(one, ONE);
                    assert_eq!(join(r_out, s_out), signature);
                }
            }
        }
    }

    #[test]
    fn zero_is_one_zero_byte() {
        let signature = sequence(&[0], &[0]);
        assert_eq!(split(&signature, 32), Ok((&[0][..], &[0][..])));
        assert_eq!(join(&[0; 32], &[0; 32]), signature);
    }

    #[test]
    fn a_body_of_128_bytes_and_more_has_a_long_length() {
        // Two integers of 66 bytes with a sign byte: the longest signature, on P-521.
        let number = [0xff; 66];
        let signature = join(&number, &number);
        assert_eq!(signature[..3], [0x30, 0x81, 138]);
        assert_eq!(split(&signature, 66), Ok((&number[..], &number[..])));
    }

    #[test]
    fn leading_zero_bytes_of_fixed_arrays_are_dropped() {
        let mut r = [0; 32];
        r[31] = 0x80;
        assert_eq!(join(&r, &[0; 32]), sequence(&[0, 0x80], &[0]));
    }

    #[test]
    fn every_prefix_is_truncated() {
        let signature = sequence(&[0x11; 32], &[0x22; 32]);
        for end in 0..signature.len() {
            assert_eq!(
                split(&signature[..end], 32),
                Err(Error::DerTruncated),
                "{end}"
            );
        }
        assert!(split(&signature, 32).is_ok());
    }

    #[test]
    fn a_length_that_points_behind_its_container_is_truncated() {
        // s claims one byte more than the SEQUENCE has, although the input continues.
        let signature = [0x30, 6, 2, 1, 1, 2, 2, 1, 0x55];
        assert_eq!(split(&signature[..8], 32), Err(Error::DerTruncated));
        assert_eq!(
            split(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff], 32),
            Err(Error::DerTruncated)
        );
        // A SEQUENCE of r alone.
        assert_eq!(
            split(&tlv(0x30, &tlv(2, ONE)), 32),
            Err(Error::DerTruncated)
        );
        assert_eq!(split(&tlv(0x30, &[]), 32), Err(Error::DerTruncated));
    }

    #[test]
    fn rejects_data_behind_the_signature_and_behind_s() {
        let mut outside = sequence(ONE, ONE);
        outside.push(0);
        assert_eq!(split(&outside, 32), Err(Error::DerTrailingData));
        let inside = tlv(0x30, &[tlv(2, ONE), tlv(2, ONE), vec![0]].concat());
        assert_eq!(split(&inside, 32), Err(Error::DerTrailingData));
        let third = tlv(0x30, &[tlv(2, ONE), tlv(2, ONE), tlv(2, ONE)].concat());
        assert_eq!(split(&third, 32), Err(Error::DerTrailingData));
    }

    #[test]
    fn rejects_every_other_tag() {
        for tag in 0..=255 {
            if tag != 0x30 {
                let mut signature = sequence(ONE, ONE);
                signature[0] = tag;
                assert_eq!(split(&signature, 32), Err(Error::DerTag), "{tag:02x}");
            }
            if tag != 0x02 {
                for position in [2, 5] {
                    let mut signature = sequence(ONE, ONE);
                    signature[position] = tag;
                    assert_eq!(split(&signature, 32), Err(Error::DerTag), "{tag:02x}");
                }
            }
        }
    }

    #[test]
    fn rejects_lengths_that_are_not_the_shortest() {
        let body = [tlv(2, ONE), tlv(2, ONE)].concat();
        for length in [
            &[0x81, 6][..],
            &[0x82, 0, 6],
            &[0x83, 0, 0, 6],
            &[0x84, 0, 0, 0, 6],
            &[0x85, 0, 0, 0, 0, 6],
        ] {
            let signature = [&[0x30], length, &body].concat();
            assert_eq!(
                split(&signature, 32),
                Err(Error::DerLength),
                "{length:02x?}"
            );
        }
        assert_eq!(
            split(
                &tlv(0x30, &[&[2, 0x81, 1, 1][..], &tlv(2, ONE)].concat()),
                32
            ),
            Err(Error::DerLength)
        );
        assert_eq!(
            split(
                &tlv(0x30, &[&tlv(2, ONE)[..], &[2, 0x81, 1, 1]].concat()),
                32
            ),
            Err(Error::DerLength)
        );
        // 128 bytes of body need the long form, but not with a leading zero.
        let long = join(&[0xff; 66], &[0xff; 66]);
        let padded = [&[0x30, 0x82, 0], &long[2..]].concat();
        assert_eq!(split(&padded, 66), Err(Error::DerLength));
    }

    #[test]
    fn rejects_indefinite_and_reserved_lengths() {
        let body = [tlv(2, ONE), tlv(2, ONE)].concat();
        let indefinite = [&[0x30, 0x80], &body[..], &[0, 0]].concat();
        assert_eq!(split(&indefinite, 32), Err(Error::DerLength));
        let inner = tlv(0x30, &[&[2, 0x80, 1, 0, 0][..], &tlv(2, ONE)].concat());
        assert_eq!(split(&inner, 32), Err(Error::DerLength));
        let reserved = [&[0x30, 0xff], &body[..]].concat();
        assert_eq!(split(&reserved, 32), Err(Error::DerLength));
    }

    #[test]
    fn rejects_integers_that_break_one_rule() {
        let mut too_long = [0x11; 33];
        let cases: [(&[u8], Error); 8] = [
            (&[], Error::DerIntegerEmpty),
            (&[0x80], Error::DerIntegerNegative),
            (&[0xff], Error::DerIntegerNegative),
            (&[0xff, 0xff], Error::DerIntegerNegative),
            (&[0, 0], Error::DerIntegerNotMinimal),
            (&[0, 1], Error::DerIntegerNotMinimal),
            (&[0, 0x7f, 0xff], Error::DerIntegerNotMinimal),
            (&[0, 0, 0x80], Error::DerIntegerNotMinimal),
        ];
        for (integer, error) in cases {
            assert_eq!(
                split(&sequence(integer, ONE), 32),
                Err(error),
                "{integer:02x?}"
            );
            assert_eq!(
                split(&sequence(ONE, integer), 32),
                Err(error),
                "{integer:02x?}"
            );
        }
        for first in [0x01, 0x7f] {
            too_long[0] = first;
            assert_eq!(
                split(&sequence(&too_long, ONE), 32),
                Err(Error::DerIntegerTooLong)
            );
            assert_eq!(
                split(&sequence(ONE, &too_long), 32),
                Err(Error::DerIntegerTooLong)
            );
            assert!(split(&sequence(ONE, &too_long), 48).is_ok());
        }
        let signed = [&[0, 0x80][..], &[0x11; 32]].concat();
        assert_eq!(
            split(&sequence(&signed, ONE), 32),
            Err(Error::DerIntegerTooLong)
        );
    }

    /// The result of the general DER reader: the magnitudes, or `None`.
    fn referee(signature: &[u8], len: usize) -> Option<(&[u8], &[u8])> {
        let mut reader = SliceReader::new(signature).ok()?;
        let (r, s): (UintRef<'_>, UintRef<'_>) = reader
            .sequence(|body| Ok::<_, der::Error>((body.decode()?, body.decode()?)))
            .ok()?;
        reader.finish().ok()?;
        let fits = r.as_bytes().len() <= len && s.as_bytes().len() <= len;
        fits.then_some((r.as_bytes(), s.as_bytes()))
    }

    #[test]
    fn agrees_with_the_general_reader_on_changes_of_two_bytes() {
        const VALUES: [u8; 18] = [
            0, 1, 2, 3, 4, 5, 6, 7, 9, 0x22, 0x30, 0x7f, 0x80, 0x81, 0x82, 0x84, 0x85, 0xff,
        ];
        let mut accepted = 0;
        for (r, s, len) in [
            (&[0x91, 2][..], &[0x23][..], 2),
            (&[0], &[0], 32),
            (&[0xff; 66], &[0xff; 66], 66),
        ] {
            let signature = join(r, s);
            let positions = signature.len().min(12);
            for (first, second) in (0..positions).flat_map(|i| (0..positions).map(move |j| (i, j)))
            {
                for (a, b) in VALUES.iter().flat_map(|&a| VALUES.map(|b| (a, b))) {
                    let mut changed = signature.clone();
                    changed[first] = a;
                    changed[second] = b;
                    let ours = split(&changed, len).ok();
                    assert_eq!(ours, referee(&changed, len), "{changed:02x?}");
                    if let Some((r, s)) = ours {
                        assert_eq!(join(r, s), changed);
                        accepted += 1;
                    }
                }
            }
        }
        assert!(accepted > 1000, "{accepted}");
    }
}
