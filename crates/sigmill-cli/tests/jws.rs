//! `sigmill jws` through the command.

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin_cmd;
use data_encoding::BASE64URL_NOPAD;
use p256::ecdsa::signature::Signer;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A key pair of the test's own.
enum Key {
    P256(p256::ecdsa::SigningKey),
    P384(p384::ecdsa::SigningKey),
}

impl Key {
    /// The key whose private number is made of this byte.
    fn p256(byte: u8) -> Self {
        Self::P256(p256::ecdsa::SigningKey::from_slice(&[byte; 32]).unwrap())
    }

    fn p384(byte: u8) -> Self {
        Self::P384(p384::ecdsa::SigningKey::from_slice(&[byte; 48]).unwrap())
    }

    fn alg(&self) -> &'static str {
        match self {
            Self::P256(_) => "ES256",
            Self::P384(_) => "ES384",
        }
    }

    /// The public key as a JWK without a kid.
    fn jwk(&self) -> Value {
        let (crv, point) = match self {
            Self::P256(key) => (
                "P-256",
                key.verifying_key().to_sec1_point(false).as_bytes().to_vec(),
            ),
            Self::P384(key) => (
                "P-384",
                key.verifying_key().to_sec1_point(false).as_bytes().to_vec(),
            ),
        };
        let (x, y) = point[1..].split_at(point.len() / 2);
        json!({"kty": "EC", "crv": crv, "x": BASE64URL_NOPAD.encode(x), "y": BASE64URL_NOPAD.encode(y)})
    }

    fn jwk_with(&self, more: Value) -> Value {
        let mut jwk = self.jwk();
        jwk.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        jwk
    }

    /// A token with this header, signed over whatever the header says.
    fn token(&self, header: &Value) -> String {
        self.sign(&header.to_string(), br#"{"sub":"alice","exp":1}"#)
    }

    fn sign(&self, header: &str, payload: &[u8]) -> String {
        let encode = |bytes: &[u8]| BASE64URL_NOPAD.encode(bytes);
        let input = format!("{}.{}", encode(header.as_bytes()), encode(payload));
        let signature = match self {
            Self::P256(key) => {
                let signature: p256::ecdsa::Signature = key.sign(input.as_bytes());
                encode(&signature.to_bytes())
            }
            Self::P384(key) => {
                let signature: p384::ecdsa::Signature = key.sign(input.as_bytes());
                encode(&signature.to_bytes())
            }
        };
        format!("{input}.{signature}")
    }

    fn token_for(&self, kid: &str) -> String {
        self.token(&json!({"alg": self.alg(), "kid": kid}))
    }
}

/// A run of the command on a set and tokens from standard input.
struct Run {
    _folder: TempDir,
    jwks: PathBuf,
}

impl Run {
    fn new(jwks: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let jwks_path = folder.path().join("jwks.json");
        fs::write(&jwks_path, jwks).unwrap();
        Self {
            _folder: folder,
            jwks: jwks_path,
        }
    }

    fn with(keys: &[Value]) -> Self {
        Self::new(&json!({ "keys": keys }).to_string())
    }

    fn command(&self) -> Command {
        let mut command = cargo_bin_cmd!("sigmill");
        command.args(["jws", "-", "--jwks"]).arg(&self.jwks);
        command
    }

    /// The rejected lines of `--json`, the summary, and the exit code.
    fn json(&self, tokens: &str) -> (Vec<Value>, Value, i32) {
        let output = self
            .command()
            .arg("--json")
            .write_stdin(tokens)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let summary = lines.pop().unwrap();
        assert_eq!(summary["type"], "summary");
        assert_eq!(summary["rejected"], lines.len());
        (lines, summary, output.status.code().unwrap())
    }

    /// "valid" or the reason for one token.
    fn outcome(&self, token: &str) -> String {
        let (lines, summary, code) = self.json(&format!("{token}\n"));
        assert_eq!(summary["tokens"], 1);
        match lines.first() {
            None => {
                assert_eq!((summary["valid"].as_u64(), code), (Some(1), 0));
                "valid".into()
            }
            Some(line) => {
                assert_eq!((summary["valid"].as_u64(), code), (Some(0), 1));
                line["reason"].as_str().unwrap().into()
            }
        }
    }

    /// The message of a set that cannot be used.
    fn refused(&self) -> String {
        let output = self
            .command()
            .write_stdin("")
            .assert()
            .code(2)
            .stdout("")
            .get_output()
            .clone();
        String::from_utf8(output.stderr).unwrap()
    }
}

fn two_keys() -> Run {
    Run::with(&[
        Key::p256(1).jwk_with(json!({"kid": "one"})),
        Key::p384(2).jwk_with(json!({"kid": "two"})),
    ])
}

#[test]
fn valid_tokens_of_both_algorithms() {
    let run = two_keys();
    let tokens = format!(
        "{}\n\n  {}\r\n{}",
        Key::p256(1).token_for("one"),
        Key::p384(2).token_for("two"),
        // Without a kid: one key fits each algorithm.
        Key::p256(1).token(&json!({"alg": "ES256", "typ": "JWT"})),
    );
    let (rejected, summary, code) = run.json(&tokens);
    assert_eq!((rejected.len(), code), (0, 0));
    assert_eq!(summary["tokens"], 3);
    assert_eq!(summary["valid"], 3);
    assert_eq!(summary["usable_keys"], 2);
    let output = run
        .command()
        .write_stdin(tokens)
        .assert()
        .code(0)
        .get_output()
        .clone();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("3 tokens"), "{text}");
    assert!(
        text.contains("claims (exp, nbf, aud, iss, ...) are not judged"),
        "{text}"
    );
}

// RFC 7515 §A.3.
#[test]
fn the_example_of_the_rfc() {
    let run = Run::new(
        r#"{"keys":[{"kty":"EC", "crv":"P-256",
        "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        "d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}]}"#,
    );
    let token = "eyJhbGciOiJFUzI1NiJ9.\
        eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.\
        DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    assert_eq!(run.outcome(token), "valid");
}

#[test]
fn rejected_tokens_are_printed_with_line_and_kid() {
    let run = two_keys();
    let forged = Key::p256(3).token_for("one");
    let tokens = format!("{}\n\n{forged}\nhello\n", Key::p256(1).token_for("one"));
    let output = run
        .command()
        .write_stdin(tokens)
        .assert()
        .code(1)
        .get_output()
        .clone();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines();
    let first = lines.next().unwrap();
    assert!(
        first.starts_with("standard input:3: one: signature-mismatch: "),
        "{first}"
    );
    let second = lines.next().unwrap();
    assert!(
        second.starts_with("standard input:4: token-parts: "),
        "{second}"
    );
    assert!(
        text.contains("signature-mismatch (first: line 3)"),
        "{text}"
    );
}

#[test]
fn no_change_of_a_character_is_valid() {
    let run = two_keys();
    for token in [Key::p256(1).token_for("one"), Key::p384(2).token_for("two")] {
        let mut text = format!("{token}\n");
        for at in 0..token.len() {
            for other in ["A", "_", ".", "=", "\u{e9}"] {
                if &token[at..=at] != other {
                    text.push_str(&format!("{}{other}{}\n", &token[..at], &token[at + 1..]));
                }
            }
        }
        let (_, summary, code) = run.json(&text);
        assert_eq!(code, 1);
        assert_eq!(summary["valid"], 1);
        assert!(summary["tokens"].as_u64().unwrap() > 4 * token.len() as u64);
    }
}

#[test]
fn tokens_that_are_malformed() {
    let run = two_keys();
    let key = Key::p256(1);
    let good = key.token_for("one");
    let [header, payload, signature]: [&str; 3] =
        good.split('.').collect::<Vec<_>>().try_into().unwrap();
    let with_header = |json: &str| key.sign(json, b"{}");
    let cases = [
        ("hello".into(), "token-parts"),
        (format!("{header}.{payload}"), "token-parts"),
        (format!("{good}."), "token-parts"),
        (format!("{good}.a.b.c"), "token-parts"),
        (format!("{good}.a.b"), "token-encrypted"),
        (
            format!("{header}=.{payload}.{signature}"),
            "header-encoding",
        ),
        (
            format!("+{header}.{payload}.{signature}"),
            "header-encoding",
        ),
        (format!(".{payload}.{signature}"), "header-json"),
        (
            format!("{header}.{payload}=.{signature}"),
            "payload-encoding",
        ),
        (
            format!("{header}.{payload}.{signature}="),
            "signature-encoding",
        ),
        (
            format!("{header}.{payload}.{}", BASE64URL_NOPAD.encode(&[1; 63])),
            "signature-length",
        ),
        (format!("{header}.{payload}."), "signature-length"),
        (
            format!("{header}.{payload}.{}", BASE64URL_NOPAD.encode(&[0; 64])),
            "r-zero",
        ),
        (
            format!("{header}.{payload}.{}", BASE64URL_NOPAD.encode(&[0xff; 64])),
            "r-out-of-range",
        ),
        (with_header("[\"ES256\"]"), "header-json"),
        (with_header("{\"alg\":\"ES256\""), "header-json"),
        (with_header("{\"alg\":\"ES256\"}x"), "header-json"),
        (
            with_header("{\"alg\":\"ES256\",\"alg\":\"ES256\"}"),
            "header-json",
        ),
        (with_header("{\"alg\":256}"), "header-json"),
        (with_header("{\"alg\":null}"), "header-json"),
        (with_header("{\"alg\":\"ES256\",\"kid\":1}"), "header-json"),
        (
            with_header("{\"alg\":\"ES256\",\"kid\":null}"),
            "header-json",
        ),
        (with_header("{\"kid\":\"one\"}"), "alg-missing"),
        ("a".repeat((1 << 20) + 1), "token-too-long"),
        ("a".repeat(17 << 20), "token-too-long"),
    ];
    for (token, reason) in cases {
        let shown = &token[..token.len().min(200)];
        assert_eq!(run.outcome(&token), reason, "{shown}");
    }
    // What stands behind a line that is too long is judged, under its own number.
    let (rejected, summary, _) = run.json(&format!("{}\n{good}\nhello\n", "a".repeat(17 << 20)));
    assert_eq!(summary["valid"], 1);
    let lines: Vec<_> = rejected
        .iter()
        .map(|line| line["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [1, 3]);
}

#[test]
fn other_algorithms_are_rejected_by_name() {
    let run = two_keys();
    let key = Key::p256(1);
    for alg in [
        "HS256", "RS256", "PS384", "EdDSA", "ES512", "ES256K", "es256", "ES256 ", "",
    ] {
        let token = key.token(&json!({"alg": alg, "kid": "one"}));
        let (rejected, _, code) = run.json(&token);
        assert_eq!(code, 1);
        assert_eq!(rejected[0]["reason"], "alg-unsupported", "{alg}");
        assert_eq!(rejected[0]["kid"], "one");
        assert!(
            rejected[0]["detail"]
                .as_str()
                .unwrap()
                .contains(&format!("{alg:?}")),
            "{alg}"
        );
    }
    let token = key.token(&json!({"alg": "none", "kid": "one"}));
    assert_eq!(run.outcome(&token), "alg-none");
    let unsigned = format!("{}.", token.rsplit_once('.').unwrap().0);
    assert_eq!(run.outcome(&unsigned), "alg-none");
}

#[test]
fn extensions_are_rejected() {
    let run = two_keys();
    let key = Key::p256(1);
    for crit in [
        json!(["exp"]),
        json!([]),
        json!(null),
        json!({}),
        json!("b64"),
    ] {
        let token = key.token(&json!({"alg": "ES256", "kid": "one", "crit": crit}));
        assert_eq!(run.outcome(&token), "header-crit", "{crit}");
    }
    let b64 = |value: Value| key.token(&json!({"alg": "ES256", "kid": "one", "b64": value}));
    assert_eq!(run.outcome(&b64(json!(false))), "header-b64");
    assert_eq!(run.outcome(&b64(json!("false"))), "header-json");
    assert_eq!(run.outcome(&b64(json!(true))), "valid");
}

#[test]
fn the_key_is_the_one_that_kid_and_alg_name() {
    let (a, b, c) = (Key::p256(1), Key::p256(2), Key::p384(3));
    let run = Run::with(&[
        a.jwk_with(json!({"kid": "a", "alg": "ES256", "use": "sig", "key_ops": ["verify"]})),
        b.jwk_with(json!({"kid": "twice"})),
        a.jwk_with(json!({"kid": "twice"})),
        c.jwk_with(json!({"kid": "mixed"})),
        b.jwk_with(json!({"kid": "mixed"})),
        c.jwk_with(json!({"kid": "c"})),
        b.jwk(),
    ]);
    assert_eq!(run.outcome(&a.token_for("a")), "valid");
    assert_eq!(run.outcome(&b.token_for("a")), "signature-mismatch");
    assert_eq!(run.outcome(&a.token_for("A")), "kid-unknown");
    assert_eq!(run.outcome(&a.token_for("")), "kid-unknown");
    assert_eq!(run.outcome(&a.token_for("twice")), "kid-ambiguous");
    // Keys of different types may share a kid (RFC 7517 §4.5): the algorithm tells them apart.
    assert_eq!(run.outcome(&b.token_for("mixed")), "valid");
    assert_eq!(run.outcome(&c.token_for("mixed")), "valid");
    // ES256 on a P-384 key, and the other way round.
    assert_eq!(
        run.outcome(&a.token(&json!({"alg": "ES256", "kid": "c"}))),
        "alg-mismatch"
    );
    assert_eq!(
        run.outcome(&c.token(&json!({"alg": "ES384", "kid": "a"}))),
        "alg-mismatch"
    );
    // Without a kid, several keys fit.
    assert_eq!(
        run.outcome(&a.token(&json!({"alg": "ES256"}))),
        "kid-missing"
    );
    assert_eq!(
        Run::with(&[a.jwk()]).outcome(&c.token(&json!({"alg": "ES384"}))),
        "kid-missing"
    );
}

#[test]
fn what_a_key_says_it_is_for_is_respected() {
    let key = Key::p256(1);
    let usable = [
        json!({"kid": "k", "use": "sig"}),
        json!({"kid": "k", "alg": "ES256"}),
        json!({"kid": "k", "key_ops": ["sign", "verify"]}),
        json!({"kid": "k", "x5t": "x", "d": "AAAA"}),
    ];
    for members in usable {
        assert_eq!(
            Run::with(&[key.jwk_with(members.clone())]).outcome(&key.token_for("k")),
            "valid",
            "{members}"
        );
    }
    let unusable = [
        (json!({"kid": "k", "use": "enc"}), "use enc"),
        (json!({"kid": "k", "alg": "ES384"}), "alg ES384 on P-256"),
        (
            json!({"kid": "k", "alg": "ECDH-ES"}),
            "alg ECDH-ES on P-256",
        ),
        (
            json!({"kid": "k", "key_ops": ["sign"]}),
            "key_ops without verify",
        ),
        (json!({"kid": "k", "key_ops": []}), "key_ops without verify"),
    ];
    for (members, what) in unusable {
        let run = Run::with(&[key.jwk_with(members)]);
        let (rejected, summary, _) = run.json(&key.token_for("k"));
        assert_eq!(rejected[0]["reason"], "key-unusable", "{what}");
        assert!(
            rejected[0]["detail"].as_str().unwrap().ends_with(what),
            "{what}"
        );
        assert_eq!(summary["usable_keys"], 0);
        assert_eq!(summary["unusable_keys"][what], 1);
    }
}

#[test]
fn keys_of_other_types_are_ignored_and_counted() {
    let key = Key::p256(1);
    let run = Run::with(&[
        json!({"kty": "RSA", "kid": "rsa", "n": "AQAB", "e": "AQAB"}),
        json!({"kty": "RSA", "n": "AQAB", "e": "AQAB"}),
        json!({"kty": "OKP", "crv": "Ed25519", "x": "AA"}),
        json!({"kty": "EC", "crv": "P-521", "x": "AA", "y": "AA"}),
        key.jwk_with(json!({"kid": "k"})),
    ]);
    let (_, summary, code) = run.json(&key.token_for("k"));
    assert_eq!(code, 0);
    assert_eq!(summary["usable_keys"], 1);
    assert_eq!(
        summary["unusable_keys"],
        json!({"kty RSA": 2, "kty OKP": 1, "EC P-521": 1})
    );
    assert_eq!(run.outcome(&key.token_for("rsa")), "key-unusable");
    let output = run
        .command()
        .write_stdin("")
        .assert()
        .code(0)
        .get_output()
        .clone();
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("2  kty RSA")
    );
}

#[test]
fn a_malformed_set_is_an_error_that_names_the_key_and_the_rule() {
    for text in [
        "",
        "[]",
        "{}",
        "[[]]",
        r#"{"keys":{}}"#,
        r#"{"keys":[]"#,
        r#"{"keys":[]} x"#,
    ] {
        let message = Run::new(text).refused();
        assert!(
            message.contains("it must be a JSON object with an array of keys"),
            "{text}: {message}"
        );
    }
    let key = Key::p256(1);
    let off_curve = key.jwk_with(json!({"y": key.jwk()["x"]}));
    let cases = [
        (json!("key"), "it must be a JSON object"),
        (json!(["EC"]), "it must be a JSON object"),
        (json!({}), "missing field `kty`"),
        (json!({"kty": 1}), "invalid type"),
        (key.jwk_with(json!({"kid": 1})), "invalid type"),
        (key.jwk_with(json!({"key_ops": "verify"})), "invalid type"),
        (json!({"kty": "EC"}), "key: the JWK member crv is missing"),
        (
            json!({"kty": "EC", "crv": "P-256"}),
            "key: the JWK member x is missing",
        ),
        (
            key.jwk_with(json!({"x": "AA"})),
            "key: the JWK member x must have 32 bytes, not 1",
        ),
        (
            key.jwk_with(json!({"y": "A+"})),
            "key: the JWK member y must be base64url without padding",
        ),
        (off_curve, "key: the point is not on the curve"),
    ];
    for (bad, rule) in cases {
        let message = Run::with(&[key.jwk(), bad.clone()]).refused();
        assert!(message.contains("jwks.json: keys[1]: "), "{bad}: {message}");
        assert!(message.contains(rule), "{bad}: {message}");
    }
}

#[test]
fn many_tokens_of_few_keys_are_verified_with_tables() {
    let run = two_keys();
    let (one, two) = (Key::p256(1), Key::p384(2));
    let token = |i: u64| {
        let payload = format!("{{\"i\":{i}}}");
        match i % 4 {
            0 => two.sign(r#"{"alg":"ES384","kid":"two"}"#, payload.as_bytes()),
            _ => one.sign(r#"{"alg":"ES256","kid":"one"}"#, payload.as_bytes()),
        }
    };
    let tokens: String = (0..2000).map(|i| token(i) + "\n").collect();
    for threads in ["1", "3"] {
        let output = run
            .command()
            .args(["--json", "--threads", threads])
            .write_stdin(tokens.as_str())
            .output()
            .unwrap();
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(summary["valid"], 2000);
        assert_eq!(summary["threads"].to_string(), threads);
        assert_eq!(summary["tables"], 2);
        assert!(summary["prepared"].as_u64().unwrap() > 1800, "{summary}");
    }
}

#[test]
fn rejected_lines_keep_their_order_and_number_in_a_long_file() {
    let run = two_keys();
    let good = Key::p256(1).token_for("one");
    let tokens: String = (1..=5000)
        .map(|i| {
            if i % 7 == 0 {
                format!("bad{i}\n")
            } else {
                format!("{good}\n")
            }
        })
        .collect();
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), &tokens).unwrap();
    let output = cargo_bin_cmd!("sigmill")
        .args(["--json", "jws"])
        .arg(file.path())
        .arg("--jwks")
        .arg(&run.jwks)
        .assert()
        .code(1)
        .get_output()
        .clone();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<u64> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter_map(|line| line["line"].as_u64())
        .collect();
    assert_eq!(
        lines,
        (1..=5000).filter(|i| i % 7 == 0).collect::<Vec<u64>>()
    );
}

#[test]
fn usage_and_files() {
    let run = two_keys();
    let sigmill = || cargo_bin_cmd!("sigmill");
    sigmill().args(["jws", "-"]).assert().code(2);
    sigmill()
        .args(["jws", "-", "--jwks", "-"])
        .assert()
        .code(2)
        .stdout("");
    sigmill()
        .args(["jws", "-", "--jwks", "/nonexistent"])
        .write_stdin("")
        .assert()
        .code(2)
        .stdout("");
    sigmill()
        .args(["jws", "/nonexistent", "--jwks"])
        .arg(&run.jwks)
        .assert()
        .code(2)
        .stdout("");
    sigmill()
        .args(["jws", "/", "--jwks"])
        .arg(&run.jwks)
        .assert()
        .code(2)
        .stdout("");
    run.command()
        .arg("--quiet")
        .write_stdin(Key::p256(1).token_for("one"))
        .assert()
        .code(0)
        .stdout("");
    // A kid cannot play tricks on a terminal.
    let token = Key::p256(1).token(&json!({"alg": "ES256", "kid": "\u{1b}[2J"}));
    let output = run
        .command()
        .arg("--quiet")
        .write_stdin(token)
        .assert()
        .code(1)
        .get_output()
        .clone();
    assert!(!output.stdout.contains(&0x1b));
}
