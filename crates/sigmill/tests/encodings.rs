//! Keys and signatures as bytes: what is accepted is exactly one encoding, and every other input
//! gets the error of the rule that it breaks.

mod common;

use base64ct::{Base64UrlUnpadded, Encoding};
use common::numbers::{big, random_nonzero, rng, to_bytes};
use common::referee::Referee;
use common::strategies::{der_element, der_integer, der_signature};
use num_bigint::BigUint;
use openssl::bn::BigNumContext;
use openssl::ec::{EcGroup, EcKey, PointConversionForm};
use openssl::nid::Nid;
use openssl::pkey::PKey;
use sigmill::curve::{NamedCurve, P256, P384};
use sigmill::ecdsa::{Signature, VerifyingKey};
use sigmill::{AnyVerifyingKey, CurveName, Error, SignatureFormat};

/// Calls a function generic over the curve for both.
macro_rules! for_both {
    ($test:ident: $function:ident) => {
        #[test]
        fn $test() {
            $function::<P256>();
            $function::<P384>();
        }
    };
}

fn points(referee: &Referee) -> Vec<Vec<u8>> {
    let mut rng = rng(31);
    let mut keys: Vec<_> = (1..4u64).map(big).collect();
    keys.push(&referee.n - 1u32);
    keys.extend((0..6).map(|_| random_nonzero(&mut rng, &referee.n)));
    keys.iter().map(|d| referee.generator_multiple(d)).collect()
}

fn sec1<C: NamedCurve>() {
    let referee = Referee::new(C::NAME);
    let length = referee.length();
    let decode = VerifyingKey::<C>::from_sec1_bytes;
    for full in points(&referee) {
        let compressed = referee.compress(&full);
        let key = decode(&full).unwrap();
        assert_eq!(decode(&compressed), Ok(key));
        assert_eq!(key.to_sec1_bytes(false), full);
        assert_eq!(key.to_sec1_bytes(true), compressed);
        // Every first byte, at the full and at the compressed length.
        for tag in 0..=255 {
            for (bytes, other) in [(&full, 1 + length), (&compressed, 1 + 2 * length)] {
                let retagged = [&[tag], &bytes[1..]].concat();
                let actual = bytes.len();
                let expected = match tag {
                    _ if tag == bytes[0] => Ok(key),
                    2 | 3 if actual == 1 + length => {
                        let negated = decode(&retagged).unwrap();
                        assert_eq!(negated.to_sec1_bytes(false)[..=length], full[..=length]);
                        assert_ne!(negated, key);
                        continue;
                    }
                    2..=4 => Err(Error::KeyLength {
                        expected: other,
                        actual,
                    }),
                    _ => Err(Error::KeyTag { tag }),
                };
                assert_eq!(decode(&retagged), expected, "{tag}");
            }
        }
        // Every other length.
        for actual in (2..full.len() + 40).filter(|&actual| actual != full.len()) {
            let mut bytes = full.clone();
            bytes.resize(actual, 0);
            let expected = 1 + 2 * length;
            assert_eq!(decode(&bytes), Err(Error::KeyLength { expected, actual }));
        }
        // Coordinates beyond p: the same residue plus p where it fits, and others.
        let (x, y) = (
            referee.x(&full),
            BigUint::from_bytes_be(&full[1 + length..]),
        );
        let coordinate = |value: &BigUint| to_bytes(value, length);
        let point = |x: &BigUint, y: &BigUint| [vec![4], coordinate(x), coordinate(y)].concat();
        let top = (big(1) << (8 * length)) - 1u32;
        for beyond in [referee.p.clone(), &referee.p + 1u32, top] {
            assert_eq!(decode(&point(&beyond, &y)), Err(Error::KeyXOutOfRange));
            assert_eq!(decode(&point(&x, &beyond)), Err(Error::KeyYOutOfRange));
            for tag in [2, 3] {
                let bytes = [vec![tag], coordinate(&beyond)].concat();
                assert_eq!(decode(&bytes), Err(Error::KeyXOutOfRange));
            }
        }
        // The negative is another key; a neighbour is none.
        assert!(decode(&point(&x, &(&referee.p - &y))).is_ok_and(|negated| negated != key));
        for bit in 0..8 * length as u64 {
            let mut moved = y.clone();
            moved.set_bit(bit, !y.bit(bit));
            if moved < referee.p {
                assert_eq!(decode(&point(&x, &moved)), Err(Error::KeyNotOnCurve));
            }
        }
    }
    // x + p for a small x that has a point.
    for x in (0..50).map(big) {
        let lifted = referee.lift_x(&x, false);
        let bytes = [vec![2], to_bytes(&x, length)].concat();
        assert_eq!(
            decode(&bytes).map(|key| key.to_sec1_bytes(false)).ok(),
            lifted
        );
        if lifted.is_none() {
            assert_eq!(decode(&bytes), Err(Error::KeyNotOnCurve));
        }
        let beyond = &x + &referee.p;
        let bytes = [vec![2], to_bytes(&beyond, length)].concat();
        assert_eq!(decode(&bytes), Err(Error::KeyXOutOfRange));
    }
    assert_eq!(decode(&[]), Err(Error::KeyEmpty));
    assert_eq!(decode(&[0]), Err(Error::KeyIsInfinity));
    assert_eq!(
        decode(&[4]),
        Err(Error::KeyLength {
            expected: 1 + 2 * length,
            actual: 1
        })
    );
    assert_eq!(decode(&vec![0; 1 + length]), Err(Error::KeyTag { tag: 0 }));
    let origin = [vec![4], vec![0; 2 * length]].concat();
    assert_eq!(decode(&origin), Err(Error::KeyNotOnCurve));
}

for_both!(sec1_points: sec1);

fn openssl_group(curve: CurveName) -> EcGroup {
    EcGroup::from_curve_name(match curve {
        CurveName::P256 => Nid::X9_62_PRIME256V1,
        _ => Nid::SECP384R1,
    })
    .unwrap()
}

fn jwk(curve: CurveName, full: &[u8]) -> String {
    let (x, y) = full[1..].split_at(curve.field_len());
    let [x, y] = [x, y].map(Base64UrlUnpadded::encode_string);
    format!(r#"{{"kty":"EC","crv":"{curve}","x":"{x}","y":"{y}"}}"#)
}

/// SPKI, PEM and JWK of keys that OpenSSL makes, and back.
fn openssl_keys<C: NamedCurve>() {
    let group = openssl_group(C::NAME);
    let other = CurveName::ALL
        .iter()
        .find(|&&other| other != C::NAME)
        .unwrap();
    let mut context = BigNumContext::new().unwrap();
    for _ in 0..8 {
        let private = EcKey::generate(&group).unwrap();
        let mut write = |form| {
            private
                .public_key()
                .to_bytes(&group, form, &mut context)
                .unwrap()
        };
        let full = write(PointConversionForm::UNCOMPRESSED);
        let compressed = write(PointConversionForm::COMPRESSED);
        let hybrid = write(PointConversionForm::HYBRID);
        let public = PKey::from_ec_key(private).unwrap();
        let der = public.public_key_to_der().unwrap();
        let pem = String::from_utf8(public.public_key_to_pem().unwrap()).unwrap();
        let jwk = jwk(C::NAME, &full);

        let key = VerifyingKey::<C>::from_sec1_bytes(&full).unwrap();
        let tag = hybrid[0];
        assert_eq!(
            VerifyingKey::<C>::from_sec1_bytes(&hybrid),
            Err(Error::KeyTag { tag })
        );
        assert_eq!(VerifyingKey::from_public_key_der(&der), Ok(key));
        assert_eq!(VerifyingKey::from_public_key_pem(&pem), Ok(key));
        assert_eq!(VerifyingKey::from_jwk_str(&jwk), Ok(key));
        for encoded in [&full, &compressed, &der, pem.as_bytes(), jwk.as_bytes()] {
            let any = AnyVerifyingKey::from_encoded(None, encoded).unwrap();
            assert_eq!(
                (any.curve(), any.to_sec1_bytes(false)),
                (C::NAME, full.clone())
            );
            assert_eq!(any.to_sec1_bytes(true), compressed);
            assert_eq!(
                AnyVerifyingKey::from_encoded(Some(C::NAME), encoded),
                Ok(any)
            );
            assert!(AnyVerifyingKey::from_encoded(Some(*other), encoded).is_err());
        }
        let mismatch = Error::KeyCurveMismatch {
            expected: *other,
            actual: C::NAME,
        };
        for named in [&der, pem.as_bytes(), jwk.as_bytes()] {
            assert_eq!(
                AnyVerifyingKey::from_encoded(Some(*other), named),
                Err(mismatch)
            );
        }
        // Whatever else decodes has to be the same key again.
        for i in 0..der.len() {
            for bit in 0..8 {
                let mut changed = der.clone();
                changed[i] ^= 1 << bit;
                if let Ok(changed) = VerifyingKey::<C>::from_public_key_der(&changed) {
                    assert_eq!(changed.to_sec1_bytes(true)[1..], compressed[1..]);
                    assert_ne!(changed, key, "byte {i} does not matter");
                }
            }
            assert_eq!(
                VerifyingKey::<C>::from_public_key_der(&der[..i]),
                Err(Error::SpkiMalformed)
            );
        }
        let trailing = [&der[..], &[0]].concat();
        assert_eq!(
            VerifyingKey::<C>::from_public_key_der(&trailing),
            Err(Error::SpkiTrailingData)
        );
    }
}

for_both!(keys_of_openssl: openssl_keys);

/// A length in long form, with so many octets.
fn long_length(length: usize, octets: usize) -> Vec<u8> {
    let bytes = (length as u64).to_be_bytes();
    [&[0x80 + octets as u8], &bytes[8 - octets..]].concat()
}

fn der_mutations<C: NamedCurve>() {
    let referee = Referee::new(C::NAME);
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

            // Truncated at each byte, and longer by one, inside and outside.
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
            // Other tags, in all three places.
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
            // Lengths in other forms than the shortest; the indefinite one.
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

for_both!(strict_der: der_mutations);

/// Two million changes of bits and bytes: what decodes writes the same bytes again.
fn der_is_canonical<C: NamedCurve>() {
    use rand_chacha::rand_core::Rng;
    let referee = Referee::new(C::NAME);
    let mut rng = rng(33);
    let mut accepted = 0;
    for _ in 0..common::rounds(300, 20_000) {
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

for_both!(whatever_der_is_accepted_is_written_again: der_is_canonical);

#[test]
fn p1363_has_one_length() {
    for length in (0..200).filter(|&length| length != 64) {
        let expected = Error::SignatureLength {
            expected: 64,
            actual: length,
        };
        assert_eq!(
            Signature::<P256>::from_p1363(&vec![1; length]),
            Err(expected)
        );
    }
    let key = AnyVerifyingKey::from_encoded(None, &[9; 33]);
    assert_eq!(key, Err(Error::KeyEncodingUnknown));
    assert_eq!(
        AnyVerifyingKey::from_encoded(None, &[]),
        Err(Error::KeyEmpty)
    );
    assert_eq!(
        AnyVerifyingKey::from_encoded(None, &[0]),
        Err(Error::KeyIsInfinity)
    );
}
