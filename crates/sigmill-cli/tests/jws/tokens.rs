//! Valid, forged and malformed tokens, and files of tokens.

use std::fs;

use assert_cmd::cargo::cargo_bin_cmd;
use data_encoding::BASE64URL_NOPAD;
use serde_json::{Value, json};

use crate::fixture::{Key, Run, two_keys};

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
        eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxl\
        LmNvbS9pc19yb290Ijp0cnVlfQ.\
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
        text.contains("signature-mismatch (first: standard input:3)"),
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
    // Lines after a line that is too long are judged under their own numbers.
    let (rejected, summary, _) = run.json(&format!("{}\n{good}\nhello\n", "a".repeat(17 << 20)));
    assert_eq!(summary["valid"], 1);
    let lines: Vec<_> = rejected
        .iter()
        .map(|line| line["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [1, 3]);
}

/// RFC 7515 §4 and §5.2 step 3. This includes members that do not matter, which some readers may
/// use.
#[test]
fn headers_that_two_readers_read_differently() {
    let run = two_keys();
    let key = Key::p256(1);
    let with = |member: &[u8]| {
        let header = [br#"{"alg":"ES256","kid":"one","#, member, b"}"].concat();
        run.outcome(&key.sign(header, b"{}"))
    };
    let refused: [&[u8]; 16] = [
        // Invalid UTF-8: a byte, NUL and a slash in overlong forms, a surrogate, a truncated text.
        b"\"x\":\"\xff\"",
        b"\"x\":\"\xc0\x80\"",
        b"\"x\":\"\xc0\xaf\"",
        b"\"x\":\"\xe0\x80\xaf\"",
        b"\"x\":\"\xed\xa0\x80\"",
        b"\"x\":\"\xe2\x82\"",
        b"\"\xff\":1",
        // Unpaired surrogates, and a raw NUL.
        br#""x":"\ud800""#,
        br#""x":"\udc00\ud800""#,
        br#""\ud800":1"#,
        b"\"x\":\"\0\"",
        // Duplicate members: ones that do not matter, ones spelled differently, ones nested deep
        // inside.
        br#""x":1,"x":1"#,
        br#""x":1,"\u0078":2"#,
        br#""\u0061lg":"none""#,
        br#""jwk":{"a":[{"b":1,"b":2}]}"#,
        b"\"x\":1e999",
    ];
    for member in refused {
        let shown = member.escape_ascii();
        assert_eq!(with(member), "header-json", "{shown}");
    }
    // Well-formed JSON has one meaning, whatever it contains.
    let accepted: [&[u8]; 4] = [
        "\"x\":\"\u{10ffff}é\"".as_bytes(),
        br#""x":"\ud83d\ude00\u0000""#,
        br#""jwk":{"alg":"none","kid":[{"alg":1}]}"#,
        br#""ALG":"none""#,
    ];
    for member in accepted {
        let shown = member.escape_ascii();
        assert_eq!(with(member), "valid", "{shown}");
    }
    // A byte order mark is not white space, and a kid that continues after NUL is another kid.
    let marked = "\u{feff}{\"alg\":\"ES256\",\"kid\":\"one\"}";
    assert_eq!(run.outcome(&key.sign(marked, b"{}")), "header-json");
    assert_eq!(run.outcome(&key.token_for("one\0")), "kid-unknown");
    let deep = format!("\"x\":{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(with(deep.as_bytes()), "header-json");
}

#[test]
fn other_algorithms_are_rejected_by_name() {
    let run = two_keys();
    let key = Key::p256(1);
    for alg in [
        "HS256", "RS256", "PS384", "EdDSA", "ES224", "ES256k", "es256", "ES256 ", "",
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
    // While one thread builds a table, the others verify without it for as long as the builder has
    // to wait. With more than one thread, the machine decides how many rows that concerns.
    for (threads, least) in [("1", 1800), ("3", 1000)] {
        let output = run
            .command()
            .args(["--json", "--threads", threads])
            .write_stdin(tokens.as_str())
            .output()
            .unwrap();
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(summary["valid"], 2000);
        assert_eq!(summary["threads"].to_string(), threads);
        // At least one table per key, and wider ones when the key recurs.
        assert!(summary["tables"].as_u64().unwrap() >= 2, "{summary}");
        assert!(summary["prepared"].as_u64().unwrap() > least, "{summary}");
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
    // A kid cannot control a terminal.
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
