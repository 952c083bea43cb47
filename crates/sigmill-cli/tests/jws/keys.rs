//! Sets of keys, and which key a token means.

use serde_json::json;

use crate::fixture::{Key, Run};

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
