//! `sigmill sample`: equal options produce equal files, and each row matches its id.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use data_encoding::HEXLOWER;
use openssl::asn1::Asn1Object;
use openssl::bn::{BigNum, BigNumContext};
use openssl::ec::{EcGroup, EcKey, EcPoint};
use openssl::ecdsa::EcdsaSig;
use openssl::hash::{MessageDigest, hash};
use serde_json::Value;
use sigmill::{Algorithm, CurveName, HashName};

use crate::support::*;

/// Writes a sample, and returns it.
fn sample(path: &Path, args: &[&str]) -> Vec<u8> {
    let mut all = vec!["sample", "--out", path.to_str().unwrap()];
    all.extend_from_slice(args);
    let run = run(&all, b"");
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.stdout, "");
    fs::read(path).unwrap()
}

#[test]
fn verdicts_are_what_the_ids_say() {
    let dir = TempDir::new().unwrap();
    for format in ["jsonl", "csv", "parquet", "arrow", "arrows"] {
        for shape in [
            &["--signature-format", "der"][..],
            &[
                "--signature-format",
                "p1363",
                "--input",
                "digest",
                "--key-format",
                "spki",
            ],
            &["--key-format", "sec1-compressed", "--encoding", "base64url"],
            &[
                "--key-format",
                "pem",
                "--encoding",
                "base64",
                "--distribution",
                "zipf",
            ],
        ] {
            let path = dir.path().join("a.".to_owned() + format);
            let args = [
                "--rows",
                "200",
                "--keys",
                "3",
                "--curve",
                "P-256,P-384",
                "--invalid",
                "0.1",
                "--malformed",
                "0.1",
            ];
            sample(&path, &[&args[..], shape].concat());
            let out = dir.path().join("out.jsonl");
            let run = verify(&path, &["--out", out.to_str().unwrap()]);
            let (_, summary) = run.json();
            let case = format!("{format} {shape:?}: {}", run.stdout);
            assert_eq!(
                (run.code, &summary["rows"], &summary["rejected"]),
                (1, &200.into(), &40.into()),
                "{case}"
            );
            let reasons = summary["reasons"].as_object().unwrap();
            assert_eq!(reasons["signature-mismatch"]["rows"], 20, "{case}");
            for (row, line) in (1..).zip(fs::read_to_string(&out).unwrap().lines()) {
                let line: Value = serde_json::from_str(line).unwrap();
                let valid = line["valid"].as_bool().unwrap();
                let kind = match line["reason"].as_str() {
                    None => "valid",
                    Some("signature-mismatch") => "invalid",
                    Some(_) => "malformed",
                };
                assert_eq!(line["id"], format!("{kind}-{row}"), "{case}");
                assert_eq!(valid, kind == "valid");
            }
        }
    }
}

#[test]
fn malformed_rows_break_many_rules() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.jsonl");
    sample(&path, &["--rows", "18", "--malformed", "1"]);
    let reasons: BTreeSet<String> = verify(&path, &[])
        .rejected()
        .into_iter()
        .map(|(_, reason)| reason)
        .collect();
    let expected = [
        "der-truncated",
        "field-encoding",
        "field-missing",
        "json-syntax",
        "key-not-on-curve",
        "r-zero",
        "s-out-of-range",
        "unknown-algorithm",
    ];
    assert_eq!(reasons, expected.map(str::to_owned).into());
}

#[test]
fn the_seed_decides() {
    let dir = TempDir::new().unwrap();
    for format in ["jsonl", "csv", "parquet", "arrow", "arrows"] {
        let path = dir.path().join("a.".to_owned() + format);
        let args = |seed| {
            [
                "--rows",
                "50",
                "--invalid",
                "0.1",
                "--malformed",
                "0.1",
                "--seed",
                seed,
            ]
        };
        let one = sample(&path, &args("1"));
        assert_eq!(sample(&path, &args("1")), one, "{format}");
        assert_ne!(sample(&path, &args("2")), one, "{format}");
    }
}

#[test]
fn a_longer_sample_begins_with_the_shorter() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.csv");
    let short = sample(&path, &["--rows", "10"]);
    assert!(sample(&path, &["--rows", "30"]).starts_with(&short));
}

#[test]
fn keys_and_their_distribution() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.jsonl");
    let counts = |distribution| {
        let text = sample(
            &path,
            &[
                "--rows",
                "400",
                "--keys",
                "8",
                "--distribution",
                distribution,
            ],
        );
        let mut counts = BTreeMap::new();
        for line in String::from_utf8(text).unwrap().lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            *counts
                .entry(row["key"].as_str().unwrap().to_owned())
                .or_insert(0) += 1;
        }
        let mut counts: Vec<i32> = counts.into_values().collect();
        counts.sort_unstable();
        counts
    };
    let uniform = counts("uniform");
    assert_eq!(uniform.len(), 8);
    assert!(uniform[0] > 25 && uniform[7] < 80, "{uniform:?}");
    // 400 / (1 + 1/2 + ... + 1/8) is 147 for the first and 18 for the last.
    let zipf = counts("zipf");
    assert!(zipf[7] > 110 && zipf[0] < 35, "{zipf:?}");
}

#[test]
fn tells_what_it_wrote() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("a.csv");
    let args = [
        "sample",
        "--rows",
        "100",
        "--invalid",
        "0.05",
        "--malformed",
        "0.02",
        "--out",
        path.to_str().unwrap(),
    ];
    let text = run(&args, b"");
    assert!(
        text.stderr
            .contains("93 valid, 5 invalid, 2 malformed; 16 keys on P-256"),
        "{}",
        text.stderr
    );
    let json = run(&[&args[..], &["--json"]].concat(), b"");
    let json: Value = serde_json::from_str(&json.stderr).unwrap();
    assert_eq!(
        (&json["valid"], &json["invalid"], &json["malformed"]),
        (&93.into(), &5.into(), &2.into())
    );
    assert_eq!(run(&[&args[..], &["--quiet"]].concat(), b"").stderr, "");
}

#[test]
fn usage() {
    let last = format!(" or {}", CurveName::ALL.last().unwrap());
    for (args, part) in [
        (&["--rows", "1"][..], "--out"),
        (&["--out", "a.jsonl"], "--rows"),
        (&["--rows", "1", "--out", "a.txt"], "--format"),
        (
            &["--rows", "1", "--out", "a.jsonl", "--encoding", "binary"],
            "cannot hold bytes",
        ),
        (
            &["--rows", "1", "--out", "a.jsonl", "--invalid", "2"],
            "0 to 1",
        ),
        (
            &[
                "--rows",
                "1",
                "--out",
                "a.jsonl",
                "--invalid",
                "0.6",
                "--malformed",
                "0.6",
            ],
            "sum of --invalid and --malformed",
        ),
        (
            &["--rows", "1", "--out", "a.jsonl", "--curve", "P-255"],
            &last,
        ),
        (
            &["--rows", "1", "--out", "a.jsonl", "--keys", "0"],
            "--keys",
        ),
        (
            &["--rows", "1", "--out", "/no/such/dir/a.jsonl"],
            "/no/such/dir/a.jsonl",
        ),
    ] {
        let run = run(&[&["sample"], args].concat(), b"");
        assert_eq!(run.code, 2, "{args:?}: {run:?}");
        assert!(
            run.stderr.contains(part),
            "{part:?} is not in {:?}",
            run.stderr
        );
    }
}

/// Returns OpenSSL's verdict on a row of JSON Lines, with the point and the signature (r and s side
/// by side) in hexadecimal.
fn openssl_accepts(row: &Value) -> bool {
    let bytes = |name: &str| HEXLOWER.decode(row[name].as_str().unwrap().as_bytes());
    let algorithm: Algorithm = row["alg"].as_str().unwrap().parse().unwrap();
    let object = Asn1Object::from_str(algorithm.curve.object_identifier()).unwrap();
    let group = EcGroup::from_curve_name(object.nid()).unwrap();
    let algorithm = match algorithm.hash {
        HashName::Sha256 => MessageDigest::sha256(),
        HashName::Sha384 => MessageDigest::sha384(),
        HashName::Sha512 => MessageDigest::sha512(),
        other => panic!("{other}"),
    };
    let mut context = BigNumContext::new().unwrap();
    let point = EcPoint::from_bytes(&group, &bytes("key").unwrap(), &mut context).unwrap();
    let key = EcKey::from_public_key(&group, &point).unwrap();
    let digest = hash(algorithm, row["message"].as_str().unwrap().as_bytes()).unwrap();
    let signature = bytes("signature").unwrap();
    let (r, s) = signature.split_at(signature.len() / 2);
    let [r, s] = [r, s].map(|number| BigNum::from_slice(number).unwrap());
    let signature = EcdsaSig::from_private_components(r, s).unwrap();
    signature.verify(&digest, &key).unwrap()
}

/// The same library signs and judges here, so another implementation judges the signatures.
#[test]
fn openssl_finds_the_valid_rows_valid_and_the_invalid_ones_not() {
    let dir = TempDir::new().unwrap();
    let names: Vec<_> = CurveName::ALL.iter().map(ToString::to_string).collect();
    let (curves, keys) = (names.join(","), (3 * names.len()).to_string());
    let rows = (400 * names.len()).to_string();
    let args = [
        "--rows",
        &rows,
        "--keys",
        &keys,
        "--invalid",
        "0.3",
        "--curve",
        &curves,
    ];
    let format = ["--signature-format", "p1363"];
    let text = sample(&dir.path().join("a.jsonl"), &[&args[..], &format].concat());
    let mut judged = BTreeMap::new();
    for line in String::from_utf8(text).unwrap().lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let is_valid = row["id"].as_str().unwrap().starts_with("valid-");
        assert_eq!(openssl_accepts(&row), is_valid, "{line}");
        let alg = row["alg"].as_str().unwrap().to_owned();
        *judged.entry((alg, is_valid)).or_insert(0) += 1;
    }
    assert_eq!(judged.len(), 2 * names.len(), "{judged:?}");
    assert!(judged.values().all(|&rows| rows > 50), "{judged:?}");
}
