//! Sets of keys, and the key that a token selects.

use std::fs;

use serde_json::{Value, json};

use crate::fixture::{Key, Run, two_keys};

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
    // Keys of different types may share a kid (RFC 7517 §4.5). The algorithm distinguishes them.
    assert_eq!(run.outcome(&b.token_for("mixed")), "valid");
    assert_eq!(run.outcome(&c.token_for("mixed")), "valid");
    // ES256 with a P-384 key, and the reverse.
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
    // No key fits, with or without a kid.
    let (rejected, ..) = Run::with(&[a.jwk()]).json(&c.token(&json!({"alg": "ES384"})));
    assert_eq!(rejected[0]["reason"], "key-missing");
    assert_eq!(
        rejected[0]["detail"],
        "header: no key of the set fits alg ES384"
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
        json!({"kty": "EC", "crv": "P-192", "x": "AA", "y": "AA"}),
        key.jwk_with(json!({"kid": "k"})),
    ]);
    let (_, summary, code) = run.json(&key.token_for("k"));
    assert_eq!(code, 0);
    assert_eq!(summary["usable_keys"], 1);
    assert_eq!(
        summary["unusable_keys"],
        json!({"kty RSA": 2, "kty OKP": 1, "EC P-192": 1})
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
fn a_malformed_set_is_an_error() {
    for text in [
        "",
        "[]",
        "{}",
        "[[]]",
        r#"{"keys":{}}"#,
        r#"{"keys":[]"#,
        r#"{"keys":[]} x"#,
        // Readers differ about the keys of these sets.
        r#"{"keys":[],"keys":[]}"#,
        r#"{"keys":[],"\u006beys":[]}"#,
        r#"{"x":1,"keys":[],"x":1}"#,
        r#"{"keys":[],"x":{"a":1,"a":1}}"#,
        r#"{"keys":[],"x":"\ud800"}"#,
        "\u{feff}{\"keys\":[]}",
        "{\"keys\":[],\"x\":\"\0\"}",
    ] {
        let message = Run::new(text).refused();
        assert!(
            message.contains("must be a JSON object with an array of keys"),
            "{text}: {message}"
        );
    }
    let run = two_keys();
    fs::write(&run.jwks, b"{\"keys\":[],\"x\":\"\xff\"}").unwrap();
    assert!(run.refused().contains("must be UTF-8"));
}

#[test]
fn a_malformed_key_is_told_and_costs_no_other_key() {
    let key = Key::p256(1);
    let bad = |mut key: Value| {
        key["kid"] = json!("bad");
        key.to_string()
    };
    let with = |members| bad(key.jwk_with(members));
    let twice = with(json!({})).replacen('{', r#"{"a":1,"a":1,"#, 1);
    let cases = [
        (json!("key").to_string(), "must be a JSON object"),
        (json!(["EC"]).to_string(), "must be a JSON object"),
        (bad(json!({})), "missing field `kty`"),
        (bad(json!({"kty": 1})), "invalid type"),
        (key.jwk_with(json!({"kid": 1})).to_string(), "invalid type"),
        (
            with(json!({"key_ops": "verify"})),
            "key: the JWK must be a JSON object with text members",
        ),
        (
            bad(json!({"kty": "EC"})),
            "key: the JWK member crv is missing",
        ),
        (
            bad(json!({"kty": "EC", "crv": "P-256"})),
            "key: the JWK member x is missing",
        ),
        (
            with(json!({"x": "AA"})),
            "key: the JWK member x must have 32 bytes, not 1",
        ),
        (
            with(json!({"y": "A+"})),
            "key: the JWK member y must be base64url without padding",
        ),
        (
            with(json!({"y": key.jwk()["x"]})),
            "key: the point is not on the curve",
        ),
        (twice, "must not be given twice"),
    ];
    for (bad, rule) in cases {
        let good = key.jwk_with(json!({"kid": "good"}));
        let run = Run::new(&format!(r#"{{"keys":[{good},{bad}]}}"#));
        assert_eq!(run.outcome(&key.token_for("good")), "valid", "{bad}");
        // Without a kid, only the good key fits.
        let unnamed = key.token(&json!({"alg": "ES256"}));
        assert_eq!(run.outcome(&unnamed), "valid", "{bad}");
        let (rejected, summary, code) = run.json(&key.token_for("bad"));
        assert_eq!(code, 1);
        let reason = match bad.contains(r#""kid":"bad""#) {
            true => "key-malformed",
            false => "kid-unknown",
        };
        assert_eq!(rejected[0]["reason"], reason, "{bad}");
        assert_eq!(summary["usable_keys"], 1);
        let ignored = summary["unusable_keys"].as_object().unwrap();
        let (what, count) = ignored.iter().next().unwrap();
        assert!(what.starts_with("malformed: "), "{what}");
        assert!(what.contains(rule), "{what}");
        assert_eq!((ignored.len(), count), (1, &json!(1)));
        // The warning appears even if nothing else is printed.
        let quiet = run
            .command()
            .arg("--quiet")
            .write_stdin("")
            .assert()
            .code(0);
        let told = String::from_utf8(quiet.get_output().stderr.clone()).unwrap();
        assert!(told.starts_with("warning: "), "{told}");
        assert!(told.contains("jwks.json: keys[1]: "), "{told}");
        assert!(told.contains(rule), "{told}");
    }
}

#[test]
fn many_malformed_keys_are_told_in_few_lines() {
    let run = Run::new(&format!(r#"{{"keys":[{}7]}}"#, "{},".repeat(50_000)));
    let output = run.command().arg("--json").write_stdin("").assert().code(0);
    let output = output.get_output();
    let told = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(told.lines().count(), 9, "{told}");
    assert!(told.ends_with("49993 more keys are malformed\n"), "{told}");
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    let ignored = summary["unusable_keys"].as_object().unwrap();
    let counts: Vec<_> = ignored.values().collect();
    assert_eq!(counts, [1, 50_000]);
}
