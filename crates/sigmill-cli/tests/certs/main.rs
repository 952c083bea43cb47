//! `sigmill certs` through the command.

mod issuers;

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use data_encoding::BASE64;
use serde_json::Value;

/// The certificates of `data/certs` that are judged, each with its signer.
const JUDGED: [(&str, &str, &str); 8] = [
    ("root-p384", "root-p384", "ecdsa-with-SHA384 on P-384"),
    (
        "intermediate-p256",
        "root-p384",
        "ecdsa-with-SHA256 on P-384",
    ),
    (
        "leaf-p384",
        "intermediate-p256",
        "ecdsa-with-SHA256 on P-256",
    ),
    (
        "leaf-sha512",
        "intermediate-p256",
        "ecdsa-with-SHA512 on P-256",
    ),
    ("twin-a", "twin-a", "ecdsa-with-SHA256 on P-256"),
    ("twin-b", "twin-b", "ecdsa-with-SHA384 on P-384"),
    ("twin-leaf", "twin-b", "ecdsa-with-SHA384 on P-384"),
    ("root-p521", "root-p521", "ecdsa-with-SHA512 on P-521"),
];

/// The other certificates, each with its signature algorithm.
const NOT_JUDGED: [(&str, &str); 5] = [
    ("root-rsa", "sha256WithRSAEncryption"),
    ("root-ed25519", "ed25519"),
    ("root-p224", "ecdsa-with-SHA512 on 1.3.132.0.33"),
    ("root-sha1", "ecdsa-with-SHA1"),
    ("leaf-of-rsa", "sha256WithRSAEncryption"),
];

fn certs() -> Command {
    let mut command = cargo_bin_cmd!("sigmill");
    command.arg("certs");
    command
}

fn pem(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/certs");
    fs::read_to_string(folder.join(format!("{name}.pem"))).unwrap()
}

fn bundle(names: &[&str]) -> String {
    names.iter().map(|name| pem(name)).collect()
}

fn to_der(pem: &str) -> Vec<u8> {
    let lines = pem.lines().filter(|line| !line.starts_with("-----"));
    BASE64.decode(lines.collect::<String>().as_bytes()).unwrap()
}

fn to_pem(der: &[u8]) -> String {
    format!(
        "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
        BASE64.encode(der)
    )
}

/// Returns the lines and the summary of `--json --list` for a bundle, and the exit code.
fn judge(bundle: &str) -> (Vec<Value>, Value, i32) {
    let output = certs()
        .args(["--json", "--list", "-"])
        .write_stdin(bundle)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let summary = lines.pop().unwrap();
    assert_eq!(summary["type"], "summary");
    assert_eq!(summary["certificates"], lines.len());
    (lines, summary, output.status.code().unwrap())
}

/// Returns the verdict of each certificate, or the reason if it is rejected.
fn outcomes(bundle: &str) -> Vec<String> {
    let outcome = |line: &Value| {
        let text = line["reason"].as_str().or(line["verdict"].as_str());
        text.unwrap().to_owned()
    };
    judge(bundle).0.iter().map(outcome).collect()
}

#[test]
fn every_certificate_finds_its_issuer_in_any_order() {
    let names: Vec<&str> = JUDGED.iter().map(|(name, ..)| *name).collect();
    let reversed: Vec<&str> = names.iter().rev().copied().collect();
    for names in [names, reversed] {
        let (lines, summary, code) = judge(&bundle(&names));
        assert_eq!(code, 0);
        assert_eq!(summary["valid"], JUDGED.len());
        for (line, name) in lines.iter().zip(&names) {
            let (_, issuer, algorithm) = JUDGED.iter().find(|(judged, ..)| judged == name).unwrap();
            assert_eq!(line["verdict"], "valid", "{name}");
            assert_eq!(line["algorithm"], *algorithm, "{name}");
            let issuer = 1 + names.iter().position(|name| name == issuer).unwrap();
            assert_eq!(line["issuer"], issuer, "{name}");
        }
    }
}

#[test]
fn other_algorithms_are_counted_and_named() {
    let names: Vec<&str> = NOT_JUDGED.iter().map(|(name, _)| *name).collect();
    let (lines, summary, code) = judge(&bundle(&names));
    assert_eq!(code, 0);
    assert_eq!(summary["not_judged"], 5);
    assert_eq!(
        summary["not_judged_algorithms"]["sha256WithRSAEncryption"],
        2
    );
    for (line, (name, algorithm)) in lines.iter().zip(NOT_JUDGED) {
        assert_eq!(line["verdict"], "not-judged", "{name}");
        assert_eq!(line["algorithm"], algorithm, "{name}");
    }
    let output = certs()
        .arg("-")
        .write_stdin(bundle(&names))
        .assert()
        .code(0);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.contains("ecdsa-with-SHA512 on 1.3.132.0.33"), "{text}");
    assert!(
        text.contains("dates, names, constraints, purposes and revocation are not judged"),
        "{text}"
    );
}

#[test]
fn without_its_issuer_a_certificate_is_not_judged() {
    assert_eq!(outcomes(&pem("leaf-p384")), ["issuer-missing"]);
    // A root of the same name without a key identifier may be the issuer. Only the signature, here
    // one on P-384 against a key on P-256, shows that it is not.
    assert_eq!(
        outcomes(&bundle(&["twin-a", "twin-leaf"])),
        ["valid", "der-integer-too-long"]
    );
    assert_eq!(
        outcomes(&bundle(&["twin-leaf", "twin-a", "twin-b"])),
        ["valid"; 3]
    );
}

#[test]
fn no_change_of_a_byte_is_valid() {
    let original = to_der(&pem("leaf-p384"));
    for mask in [0x01, 0x20, 0x80, 0xff] {
        let mut text = bundle(&["root-p384", "intermediate-p256", "leaf-p384"]);
        for at in 0..original.len() {
            let mut tampered = original.clone();
            tampered[at] ^= mask;
            text.push_str(&to_pem(&tampered));
        }
        let (lines, summary, code) = judge(&text);
        assert_eq!(code, 1);
        assert_eq!(summary["valid"], 3);
        assert!(lines[..3].iter().all(|line| line["verdict"] == "valid"));
        assert_eq!(lines.len(), 3 + original.len());
        // Most changes affect the signed part. Some affect the claimed issuer or algorithm.
        assert!(
            summary["reasons"]["signature-mismatch"].as_u64().unwrap() > original.len() as u64 / 3
        );
    }
}

#[test]
fn a_tampered_certificate_is_named_and_the_rest_is_judged() {
    let mut leaf = to_der(&pem("leaf-p384"));
    let serial = leaf.len() / 2;
    leaf[serial] ^= 1;
    let text = bundle(&["root-p384", "intermediate-p256"]) + &to_pem(&leaf) + &pem("leaf-sha512");
    let output = certs().arg("-").write_stdin(text).assert().code(1);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let mut lines = text.lines();
    let first = lines.next().unwrap();
    assert!(
        first.starts_with("standard input:3: O=sigmill, CN=leaf-p384: signature-mismatch: "),
        "{first}"
    );
    assert!(
        lines
            .next()
            .unwrap()
            .contains("3 valid, 1 rejected, 0 not judged"),
        "{text}"
    );
}

/// Returns the certificate with an unused bit in its signature, whose last bit is zero.
fn unused_bits(der: &[u8]) -> Vec<u8> {
    let mut der = der.to_vec();
    // BIT STRING, length, unused bits, SEQUENCE, length.
    let signature = (0..der.len() - 4)
        .rev()
        .find(|&at| {
            der[at] == 3 && at + 2 + usize::from(der[at + 1]) == der.len() && der[at + 2] == 0
        })
        .unwrap();
    der[signature + 2] = 1;
    *der.last_mut().unwrap() &= 0xfe;
    der
}

#[test]
fn a_malformed_certificate_is_rejected_at_its_position() {
    let good = pem("root-p384");
    let der = to_der(&good);
    let body = &good[..good.find("-----END").unwrap()];
    let cases = [
        (to_pem(&der[..der.len() - 1]), "certificate-malformed"),
        (
            to_pem(&[der.as_slice(), &[0]].concat()),
            "certificate-trailing-data",
        ),
        (to_pem(b""), "certificate-malformed"),
        (to_pem(b"hello"), "certificate-malformed"),
        (
            to_pem(&unused_bits(&der)),
            "certificate-signature-unused-bits",
        ),
        (body.to_owned(), "pem-malformed"),
        (good.replace("MII", "M!I"), "pem-malformed"),
        (
            good.replace("-----END CERTIFICATE", "-----END KEY"),
            "pem-malformed",
        ),
    ];
    for (broken, reason) in cases {
        assert_ne!(broken, good);
        let expected = ["valid", reason, "valid"];
        assert_eq!(
            outcomes(&format!("{good}{broken}{good}")),
            expected,
            "{broken}"
        );
        certs().arg("-").write_stdin(broken).assert().code(1);
    }
}

#[test]
fn the_algorithm_must_be_the_same_in_both_places() {
    // ecdsa-with-SHA256 occurs in the signed part and after it. The last occurrence is changed to
    // ecdsa-with-SHA384.
    let oid = [0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2];
    let mut der = to_der(&pem("leaf-p384"));
    let at = der
        .windows(oid.len())
        .rposition(|window| window == oid)
        .unwrap();
    der[at + 7] = 3;
    let text = bundle(&["root-p384", "intermediate-p256"]) + &to_pem(&der);
    assert_eq!(
        outcomes(&text),
        ["valid", "valid", "certificate-algorithms-differ"]
    );
}

#[test]
fn an_issuer_with_another_kind_of_key_cannot_have_signed_with_ecdsa() {
    // A self-signed certificate whose key algorithm is changed from id-ecPublicKey.
    let mut der = to_der(&pem("twin-a"));
    let oid = [0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
    let at = der
        .windows(oid.len())
        .position(|window| window == oid)
        .unwrap();
    der[at + 6] = 2;
    assert_eq!(outcomes(&to_pem(&der)), ["issuer-key-not-ec"]);
}

#[test]
fn an_issuer_whose_key_is_malformed_says_so() {
    // Changes the last byte of the point of a self-signed certificate, before the extensions.
    let mut der = to_der(&pem("twin-a"));
    let point = der
        .windows(3)
        .position(|window| window == [0x42, 0, 4])
        .unwrap();
    der[point + 2 + 64] ^= 1;
    assert_eq!(outcomes(&to_pem(&der)), ["key-not-on-curve"]);
}

/// No certificate is dropped silently: the END line shows that there was one.
#[test]
fn a_damaged_begin_line_is_a_rejected_certificate() {
    let good = pem("root-p384");
    for begin in [
        "----BEGIN CERTIFICATE-----",
        " -----BEGIN CERTIFICATE-----",
        "-----BEGIN CERTIFICAT-----",
        "-----BEGIN CERTIFICATE----",
        "-----BEGIN  CERTIFICATE-----",
        "\u{feff}-----BEGIN CERTIFICATE-----",
        "# -----BEGIN CERTIFICATE-----",
        "",
    ] {
        let broken = good.replace("-----BEGIN CERTIFICATE-----", begin);
        let (lines, summary, code) = judge(&format!("{good}{broken}{good}"));
        assert_eq!(code, 1, "{begin}");
        assert_eq!(lines[1]["reason"], "pem-malformed", "{begin}");
        assert_eq!(summary["valid"], 2, "{begin}");
        assert_eq!(summary["reasons"]["pem-malformed"], 1, "{begin}");
        assert_eq!(summary["other_pem_blocks"], 0, "{begin}");
        // The same holds in text, and for a bundle of this block alone.
        let output = certs().arg("-").write_stdin(broken).assert().code(1);
        let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        assert!(
            text.starts_with("standard input:1: pem-malformed: certificate: malformed PEM: "),
            "{text}"
        );
        assert!(text.contains("0 valid, 1 rejected, 0 not judged"), "{text}");
    }
}

#[test]
fn other_blocks_and_text_are_skipped() {
    let text = format!(
        "# comment\r\n-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\nsubject=x\n\
         {}trailing",
        pem("root-p384").replace('\n', "\r\n")
    );
    let (_, summary, code) = judge(&text);
    assert_eq!(code, 0);
    assert_eq!(summary["valid"], 1);
    assert_eq!(summary["other_pem_blocks"], 1);
}

#[test]
fn quiet_prints_rejected_certificates_only() {
    certs()
        .args(["--quiet", "-"])
        .write_stdin(pem("root-p384"))
        .assert()
        .code(0)
        .stdout("");
    let text = pem("root-p384") + &to_pem(b"hello");
    let output = certs()
        .args(["--quiet", "-"])
        .write_stdin(text)
        .assert()
        .code(1);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(
        text.starts_with("standard input:2: certificate-malformed: "),
        "{text}"
    );
}

#[test]
fn what_is_no_bundle_is_an_error() {
    let output = certs()
        .arg("-")
        .write_stdin("hello")
        .assert()
        .code(2)
        .stdout("");
    let text = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(
        text.contains("standard input: no PEM certificate"),
        "{text}"
    );
    certs()
        .arg("/nonexistent/bundle.pem")
        .assert()
        .code(2)
        .stdout("");
    certs().assert().code(2);
}

/// Debian's bundle of the web's roots, if it is installed, comes from others. All of its
/// elliptic-curve roots sign themselves.
#[test]
fn every_elliptic_curve_root_of_the_system_verifies() {
    let path = "/etc/ssl/certs/ca-certificates.crt";
    let Ok(text) = fs::read_to_string(path) else {
        eprintln!("skipped: there is no {path}");
        return;
    };
    // Blocks in which ecdsa-with-SHA256, -384 or -512 occurs twice, as signature algorithms do.
    let oid = |hash| [0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, hash];
    let blocks: Vec<&str> = text
        .split_inclusive("-----END CERTIFICATE-----\n")
        .collect();
    let is_ecdsa = |block: &&&str| {
        let der = to_der(&block[block.find("-----BEGIN").unwrap()..]);
        (2..=4).any(|hash| der.windows(8).filter(|window| *window == oid(hash)).count() == 2)
    };
    let ecdsa = blocks.iter().filter(is_ecdsa).count();
    let (_, summary, code) = judge(&text);
    assert_eq!(code, 0);
    assert_eq!(summary["certificates"], blocks.len());
    assert_eq!(summary["valid"], ecdsa);
    assert_eq!(summary["rejected"], 0);
    assert_eq!(summary["not_judged"], blocks.len() - ecdsa);
}
