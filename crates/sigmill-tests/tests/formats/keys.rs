//! Keys as bytes: the standard encodings are accepted, and every other input gets the error of the
//! rule that it breaks.

use std::collections::HashMap;

use base64ct::{Base64UrlUnpadded, Encoding};
use num_bigint::BigUint;
use openssl::bn::BigNumContext;
use openssl::ec::{EcGroup, EcKey, PointConversionForm};
use openssl::pkey::PKey;
use sigmill::curves::{NamedCurve, P256};
use sigmill::ecdsa::Signature;
use sigmill::keys::VerifyingKey;
use sigmill::{AnyVerifyingKey, CurveName, Error};
use sigmill_tests::numbers::{big, random_nonzero, rng, to_bytes};
use sigmill_tests::on_all_curves;
use sigmill_tests::referee::{Referee, nid};

fn points(referee: &Referee) -> Vec<Vec<u8>> {
    let mut rng = rng(31);
    let mut keys: Vec<_> = (1..4u64).map(big).collect();
    keys.push(&referee.n - 1u32);
    keys.extend((0..6).map(|_| random_nonzero(&mut rng, &referee.n)));
    keys.iter().map(|d| referee.generator_multiple(d)).collect()
}

fn sec1<C: NamedCurve + Default>() {
    let referee = Referee::new(C::default().name());
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
        // Coordinates beyond p: the same residue plus p if it fits, and others.
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
        // The negative is another key; a neighbour is not a key.
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

on_all_curves!(sec1_points: sec1);

fn openssl_group(curve: CurveName) -> EcGroup {
    EcGroup::from_curve_name(nid(curve)).unwrap()
}

fn jwk(curve: CurveName, full: &[u8]) -> String {
    let (x, y) = full[1..].split_at(curve.field_len());
    let [x, y] = [x, y].map(Base64UrlUnpadded::encode_string);
    format!(r#"{{"kty":"EC","crv":"{curve}","x":"{x}","y":"{y}"}}"#)
}

/// SPKI, PEM and JWK of keys generated by OpenSSL, and back.
fn openssl_keys<C: NamedCurve + Default>() {
    let name = C::default().name();
    let group = openssl_group(name);
    // A curve of another length, as a bare point may be on any curve with that length.
    let other = CurveName::ALL
        .iter()
        .find(|&&other| other.field_len() != name.field_len())
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
        let jwk = jwk(name, &full);

        let key = VerifyingKey::<C>::from_sec1_bytes(&full).unwrap();
        let tag = hybrid[0];
        assert_eq!(
            VerifyingKey::<C>::from_sec1_bytes(&hybrid),
            Err(Error::KeyTag { tag })
        );
        assert_eq!(VerifyingKey::from_public_key_der(&der), Ok(key));
        assert_eq!(VerifyingKey::from_public_key_pem(&pem), Ok(key));
        let mut named = vec![&der, pem.as_bytes()];
        if name.jwk_name().is_some() {
            named.push(jwk.as_bytes());
        } else {
            let error = AnyVerifyingKey::from_jwk_str(&jwk).err();
            assert_eq!(error, Some(Error::JwkCurveUnknown), "no name in JOSE");
        }
        for &encoded in [&full[..], &compressed].iter().chain(&named) {
            // A bare point may be on another curve with coordinates of this length.
            let has_length = |other: &&CurveName| other.field_len() == name.field_len();
            let like = CurveName::ALL.iter().filter(has_length).count();
            let is_ambiguous = like > 1 && encoded[0] < 5;
            if is_ambiguous {
                assert_eq!(
                    AnyVerifyingKey::from_encoded(None, encoded),
                    Err(Error::KeyCurveAmbiguous)
                );
            }
            let curve = is_ambiguous.then_some(name);
            let any = AnyVerifyingKey::from_encoded(curve, encoded).unwrap();
            assert_eq!(
                (any.curve(), any.to_sec1_bytes(false)),
                (name, full.clone())
            );
            assert_eq!(any.to_sec1_bytes(true), compressed);
            assert_eq!(AnyVerifyingKey::from_encoded(Some(name), encoded), Ok(any));
            assert!(AnyVerifyingKey::from_encoded(Some(*other), encoded).is_err());
        }
        for curve in [None, Some(name)] {
            assert_eq!(
                AnyVerifyingKey::from_encoded(curve, &hybrid),
                Err(Error::KeyTag { tag })
            );
        }
        let any = AnyVerifyingKey::from_encoded(None, &der).unwrap();
        assert_eq!(any.to_public_key_der(), der);
        let mismatch = Error::KeyCurveMismatch {
            expected: *other,
            actual: name,
        };
        for named in named {
            assert_eq!(
                AnyVerifyingKey::from_encoded(Some(*other), named),
                Err(mismatch)
            );
        }
        // Anything else that decodes must be the same key again.
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

on_all_curves!(keys_of_openssl: openssl_keys);

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

/// A compressed point whose x lies on both curves is a key on either: the curve must not be
/// guessed.
#[test]
fn a_point_without_the_name_of_its_curve_is_not_guessed() {
    let point = |x: u8| [&[2][..], &[0; 31], &[x]].concat();
    let is_on = |curve, x| AnyVerifyingKey::from_encoded(Some(curve), &point(x)).is_ok();
    let on_both: Vec<u8> = (1..=255)
        .filter(|&x| is_on(CurveName::P256, x) && is_on(CurveName::Secp256k1, x))
        .collect();
    assert!(on_both.len() > 20);
    for x in 0..=255 {
        assert_eq!(
            AnyVerifyingKey::from_encoded(None, &point(x)),
            Err(Error::KeyCurveAmbiguous)
        );
    }
    // Only P-384 has points of 49 bytes.
    let x = (1..=255).find(|&x| {
        let point = [&[3][..], &[0; 47], &[x]].concat();
        let unnamed = AnyVerifyingKey::from_encoded(None, &point);
        let named = AnyVerifyingKey::from_encoded(Some(CurveName::P384), &point);
        assert_eq!(unnamed, named);
        named.is_ok()
    });
    assert!(x.is_some());
}

/// Text around a PEM block changes nothing, whatever it begins with.
#[test]
fn pem_has_text_around_it() {
    let key = sigmill::p384::SigningKey::generate().unwrap();
    let key = key.verifying_key();
    let (pem, der) = (key.to_public_key_pem(), key.to_public_key_der());
    let expected = AnyVerifyingKey::from_encoded(None, &der);
    assert!(expected.is_ok());
    for before in [
        "",
        "\n\n",
        "0: a digit is the first byte of DER\n",
        "é\r\n",
        "[x]\n",
    ] {
        let text = format!("{before}{pem}\nmore {before}");
        assert_eq!(
            AnyVerifyingKey::from_encoded(None, text.as_bytes()),
            expected,
            "{text}"
        );
    }
    assert_eq!(
        AnyVerifyingKey::from_encoded(None, format!("0\n{pem}{pem}").as_bytes()),
        Err(Error::PemSeveralBlocks)
    );
}

/// Debug output and hashes use the standard encodings, never the limbs of the arithmetic.
fn debug_and_hash<C: NamedCurve + Default>() {
    let referee = Referee::new(C::default().name());
    let hex = |bytes: &[u8]| -> String { bytes.iter().map(|b| format!("{b:02x}")).collect() };
    let mut seen = HashMap::new();
    for full in points(&referee) {
        let key = VerifyingKey::<C>::from_sec1_bytes(&full).unwrap();
        let printed = format!("{key:?}");
        assert!(printed.starts_with("VerifyingKey("), "{printed}");
        assert!(printed.ends_with(&format!(", {})", hex(&referee.compress(&full)))));
        let prepared = key.prepare_with_window(1).unwrap();
        let window = format!("PreparedKey({printed}, window 1)");
        assert_eq!(format!("{prepared:?}"), window);
        let any = AnyVerifyingKey::from_sec1_bytes(referee.name, &full).unwrap();
        assert!(format!("{any:?}").contains(&hex(&referee.compress(&full))));
        *seen.entry(key).or_insert(0) += 1;
        let again = VerifyingKey::<C>::from_sec1_bytes(&referee.compress(&full)).unwrap();
        *seen.get_mut(&again).unwrap() += 1;
    }
    assert!(seen.values().all(|count| count % 2 == 0) && seen.len() > 5);
    let (mut r, mut s) = (vec![1; referee.length()], vec![2; referee.length()]);
    (r[0], s[0]) = (0, 0);
    let signature = Signature::<C>::from_p1363(&[&r[..], &s].concat()).unwrap();
    let tail = format!(", r: {}, s: {})", hex(&r), hex(&s));
    assert!(format!("{signature:?}").ends_with(&tail), "{signature:?}");
}

on_all_curves!(keys_print_as_sec1_and_are_keys_of_maps: debug_and_hash);

/// Coordinates and JWK convert both ways.
fn coordinates_and_jwk<C: NamedCurve + Default>() {
    let referee = Referee::new(C::default().name());
    let length = referee.length();
    for full in points(&referee) {
        let key = VerifyingKey::<C>::from_sec1_bytes(&full).unwrap();
        let any = AnyVerifyingKey::from_sec1_bytes(referee.name, &full).unwrap();
        let (x, y) = key.to_coordinates();
        assert_eq!([&[4], &x[..], &y].concat(), full);
        assert_eq!(any.to_coordinates(), (x.clone(), y.clone()));
        assert_eq!(VerifyingKey::from_coordinates(&x, &y), Ok(key));
        let again = AnyVerifyingKey::from_coordinates(referee.name, &x, &y);
        assert_eq!(again, Ok(any));
        let wrong = |x: &[u8], y: &[u8]| VerifyingKey::<C>::from_coordinates(x, y).err();
        let off = Some(Error::KeyLength {
            expected: length,
            actual: length + 1,
        });
        assert_eq!(wrong(&[&[0], &x[..]].concat(), &y), off);
        assert_eq!(wrong(&x, &[&y[..], &[0]].concat()), off);
        assert_eq!(
            wrong(&y, &x),
            VerifyingKey::<C>::from_sec1_bytes(&[&[4], &y[..], &x].concat()).err()
        );

        let Some(jwk) = any.to_jwk_str() else {
            assert_eq!(referee.name.jwk_name(), None);
            continue;
        };
        assert_eq!(AnyVerifyingKey::from_jwk_str(&jwk), Ok(any));
        let value: serde_json::Value = serde_json::from_str(&jwk).unwrap();
        // RFC 7638 §3: no white space, members in lexicographic order, as this writer sorts them.
        assert_eq!(value.to_string(), jwk);
        let members: Vec<_> = value.as_object().unwrap().keys().collect();
        assert_eq!(members, ["crv", "kty", "x", "y"]);
    }
}

on_all_curves!(coordinates_and_jwk_go_both_ways: coordinates_and_jwk);

/// RFC 7517 appendix A.1, whose key the RFC prints with other members.
#[test]
fn the_jwk_of_the_rfc() {
    let (x, y) = (
        "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
        "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
    );
    let key = AnyVerifyingKey::from_jwk_str(&format!(
        r#"{{"kty":"EC", "crv":"P-256", "x":"{x}", "y":"{y}", "kid":"1"}}"#
    ));
    assert_eq!(
        key.unwrap().to_jwk_str().unwrap(),
        format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#)
    );
}
