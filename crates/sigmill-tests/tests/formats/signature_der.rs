//! Signatures as bytes: each has exactly one DER form, and every other input gets the error of the
//! rule that it breaks.

use sigmill::curves::NamedCurve;
use sigmill::ecdsa::Signature;
use sigmill::{Error, SignatureFormat};
use sigmill_tests::der::{der_element, der_integer, der_signature};
use sigmill_tests::numbers::{big, random_nonzero, rng, to_bytes};
use sigmill_tests::on_all_curves;
use sigmill_tests::referee::Referee;

/// A length in long form, with the given number of octets.
fn long_length(length: usize, octets: usize) -> Vec<u8> {
    let bytes = (length as u64).to_be_bytes();
    [&[0x80 + octets as u8], &bytes[8 - octets..]].concat()
}

fn der_mutations<C: NamedCurve + Default>() {
    let referee = Referee::new(C::default().name());
    let n = &referee.n;
    let mut rng = rng(32);
    let decode = Signature::<C>::from_der;
    let mut numbers = vec![
        big(1),
        big(0x7f),
        big(0x80),
        big(0xff),
        big(0x100),
        n - 1u32,
    ];
    numbers.extend((0..4).map(|_| random_nonzero(&mut rng, n)));
    numbers.extend((0..3u32).map(|i| random_nonzero(&mut rng, &(n >> (7 + 9 * i)))));
    for r in &numbers {
        for s in &numbers {
            let (r_der, s_der) = (der_integer(r), der_integer(s));
            let der = der_signature(r, s);
            let signature = decode(&der).unwrap();
            assert_eq!(signature.to_der(), der);
            let p1363 = signature.to_p1363();
            assert_eq!(
                p1363,
                [to_bytes(r, referee.length()), to_bytes(s, referee.length())].concat()
            );
            assert_eq!(Signature::from_p1363(&p1363), Ok(signature));
            assert_eq!(
                Signature::from_bytes(&p1363, SignatureFormat::Auto),
                Ok(signature)
            );
            if der.len() != p1363.len() {
                assert_eq!(
                    Signature::from_bytes(&der, SignatureFormat::Auto),
                    Ok(signature)
                );
            }
            let body = [&r_der[..], &s_der].concat();
            let sequence = |body: &[u8]| der_element(0x30, body);
            let with = |r: &[u8], s: &[u8]| sequence(&[r, s].concat());

            // Truncated at each byte, and extended by one, inside and outside.
            for end in 0..der.len() {
                assert_eq!(decode(&der[..end]), Err(Error::DerTruncated), "{end}");
            }
            assert_eq!(
                decode(&[&der[..], &[0]].concat()),
                Err(Error::DerTrailingData)
            );
            assert_eq!(
                decode(&sequence(&[&body[..], &[5, 0]].concat())),
                Err(Error::DerTrailingData)
            );
            assert_eq!(decode(&sequence(&r_der)), Err(Error::DerTruncated));
            // Other tags, at all three places.
            for tag in (0..=255u8).step_by(if r == s { 1 } else { 51 }) {
                let element =
                    |keep, element: &[u8]| (tag != keep).then(|| [&[tag], &element[1..]].concat());
                if let Some(outer) = element(0x30, &der) {
                    assert_eq!(decode(&outer), Err(Error::DerTag));
                }
                if let Some(r) = element(2, &r_der) {
                    assert_eq!(decode(&with(&r, &s_der)), Err(Error::DerTag));
                    assert_eq!(decode(&with(&r_der, &r)), Err(Error::DerTag));
                }
            }
            // Lengths in forms other than the shortest; the indefinite one.
            for octets in 1..=4 {
                for (element, wrap) in [(&body, 0), (&r_der, 1), (&s_der, 2)] {
                    let content = if wrap == 0 {
                        &element[..]
                    } else {
                        &element[2..]
                    };
                    let shortest = content.len() >= 0x80 && octets == 1;
                    let tag = if wrap == 0 { 0x30 } else { 2 };
                    let long = [&[tag], &long_length(content.len(), octets)[..], content].concat();
                    let whole = match wrap {
                        0 => long,
                        1 => with(&long, &s_der),
                        _ => with(&r_der, &long),
                    };
                    let expected = if shortest {
                        Ok(signature)
                    } else {
                        Err(Error::DerLength)
                    };
                    assert_eq!(decode(&whole), expected, "{octets} {wrap}");
                }
            }
            for octets in 5..=127 {
                let long = [
                    &[0x30, 0x80 | octets],
                    &vec![0; octets as usize - 1][..],
                    &[1],
                    &body,
                ]
                .concat();
                assert_eq!(decode(&long), Err(Error::DerLength));
            }
            let indefinite = [&[0x30, 0x80], &body[..], &[0, 0]].concat();
            assert_eq!(decode(&indefinite), Err(Error::DerLength));
            // Contents of the integers.
            for (content, error) in [
                (vec![], Error::DerIntegerEmpty),
                (vec![0x80], Error::DerIntegerNegative),
                (vec![0xff; 3], Error::DerIntegerNegative),
                (vec![0, 0], Error::DerIntegerNotMinimal),
                (vec![0, 0x7f], Error::DerIntegerNotMinimal),
                (vec![0x11; referee.length() + 1], Error::DerIntegerTooLong),
                (
                    [vec![0], vec![0xff; referee.length() + 1]].concat(),
                    Error::DerIntegerTooLong,
                ),
            ] {
                let wrong = der_element(2, &content);
                assert_eq!(decode(&with(&wrong, &s_der)), Err(error));
                assert_eq!(decode(&with(&r_der, &wrong)), Err(error));
            }
            let padded = der_element(2, &[&[0], &r_der[2..]].concat());
            if r_der[2] < 0x80 {
                assert_eq!(
                    decode(&with(&padded, &s_der)),
                    Err(Error::DerIntegerNotMinimal)
                );
            }
            if r_der[2] == 0 && r_der.len() > 3 {
                let cut = der_element(2, &r_der[3..]);
                assert_eq!(decode(&with(&cut, &s_der)), Err(Error::DerIntegerNegative));
            }
            assert_eq!(decode(&der_signature(&big(0), s)), Err(Error::RZero));
            assert_eq!(decode(&der_signature(r, &big(0))), Err(Error::SZero));
            assert_eq!(decode(&der_signature(n, s)), Err(Error::ROutOfRange));
            assert_eq!(decode(&der_signature(r, n)), Err(Error::SOutOfRange));
        }
    }
}

on_all_curves!(strict_der: der_mutations);

/// Two million changes of bits and bytes: inputs that decode encode to the same bytes.
fn der_is_canonical<C: NamedCurve + Default>() {
    use rand_chacha::rand_core::Rng;
    let referee = Referee::new(C::default().name());
    let mut rng = rng(33);
    let mut accepted = 0;
    for _ in 0..sigmill_tests::rounds(300, 20_000) {
        let (r, s) = (
            random_nonzero(&mut rng, &referee.n),
            random_nonzero(&mut rng, &(&referee.n >> 64)),
        );
        let der = der_signature(&r, &s);
        for _ in 0..50 {
            let mut changed = der.clone();
            for _ in 0..1 + rng.next_u32() % 2 {
                // The first bytes of the three elements matter most.
                let at = [0, 1, 2, 3, 4, changed.len() - der_integer(&s).len()];
                let index = at[rng.next_u32() as usize % 6] + rng.next_u32() as usize % 4;
                changed[index] = changed[index].wrapping_add(1 + (rng.next_u32() % 255) as u8);
            }
            if let Ok(signature) = Signature::<C>::from_der(&changed) {
                assert_eq!(signature.to_der(), changed);
                accepted += 1;
            }
        }
    }
    assert!(accepted > 100, "{accepted}");
}

on_all_curves!(whatever_der_is_accepted_is_written_again: der_is_canonical);
