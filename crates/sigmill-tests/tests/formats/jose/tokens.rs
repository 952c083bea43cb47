//! Compact tokens: the RFC's examples, tokens of other software, and attacks.

use openssl::ecdsa::EcdsaSig;
use openssl::pkey::PKey;
use p256::ecdsa::signature::{Signer as _, Verifier as _};
use sigmill::jose::{CompactToken, Error, JwkSet, MAX_TOKEN_LEN, verify_compact};
use sigmill::{AnySigningKey, CurveName, SignatureFormat};

use super::{base64url, curves, jwk, key, set, token};

const HEADER: &str = r#"{"alg":"ES256","kid":"one"}"#;

fn signer() -> AnySigningKey {
    key(CurveName::P256, 1)
}

fn keys() -> JwkSet {
    set(&[
        jwk(&signer(), r#""kid":"one","#),
        jwk(&key(CurveName::Secp256k1, 2), r#""kid":"k","#),
    ])
}

/// "valid", or the reason for rejection: the same with tables and without.
fn outcome(token: impl AsRef<[u8]>, keys: &JwkSet) -> &'static str {
    let reason = |keys: &JwkSet| match verify_compact(token.as_ref(), keys) {
        Ok(_) => "valid",
        Err(error) => error.reason(),
    };
    let outcome = reason(keys);
    assert_eq!(reason(&keys.clone().prepare()), outcome);
    outcome
}

/// RFC 7515 §A.3 and §A.4.
#[test]
fn the_examples_of_the_rfc() {
    let a3 = (
        r#"{"kty":"EC",
            "crv":"P-256",
            "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
            "d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"
           }"#,
        "eyJhbGciOiJFUzI1NiJ9\
         .\
         eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt\
         cGxlLmNvbS9pc19yb290Ijp0cnVlfQ\
         .\
         DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSA\
         pmWQxfKTUJqPP3-Kg6NU1Q",
        "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}",
    );
    let a4 = (
        concat!(
            r#"{"kty":"EC","crv":"P-521","#,
            r#""x":"AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_"#,
            r#"NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk","#,
            r#""y":"ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDl"#,
            r#"y79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2","#,
            r#""d":"AY5pb7A0UFiB3RELSD64fTLOSV_jazdF7fLYyuTw8lOfRhWg6Y6rUrPA"#,
            r#"xerEzgdRhajnu0ferB0d53vM9mE15j2C"}"#,
        ),
        "eyJhbGciOiJFUzUxMiJ9\
         .\
         UGF5bG9hZA\
         .\
         AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZq\
         wqT2SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8Kp\
         EHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn",
        "Payload",
    );
    for (jwk, text, payload) in [a3, a4] {
        let keys = set(&[jwk.to_owned()]);
        let verified = verify_compact(text, &keys).unwrap();
        assert_eq!(verified.payload(), payload.as_bytes());
        assert_eq!(verified.header().kid(), None);
        assert_eq!(verified.header().typ(), None);
        // The private key of the example yields a different signature that is also valid.
        let key = AnySigningKey::from_jwk_str(jwk).unwrap();
        let header = format!(r#"{{"alg":"{}"}}"#, key.algorithm());
        let own = token(&key, header, payload.as_bytes());
        let signed = |token: &str| token.rsplit_once('.').unwrap().0.to_owned();
        assert_eq!(signed(&own), signed(text));
        assert_eq!(outcome(own, &keys), "valid");
    }
}

#[test]
fn tokens_of_others_are_valid_and_ours_are_to_them() {
    for curve in curves() {
        let key = key(curve, 9);
        let keys = set(&[jwk(&key, r#""kid":"k","#)]);
        let header = format!(r#"{{"typ":"JWT","alg":"{}","kid":"k"}}"#, key.algorithm());
        let input = format!("{}.{}", base64url(header.as_bytes()), base64url(b"{}"));
        let digest = key.algorithm().hash.digest(input.as_bytes());
        let openssl = PKey::private_key_from_der(&key.to_pkcs8_der()).unwrap();
        let openssl = openssl.ec_key().unwrap();
        let signature = EcdsaSig::sign(&digest, &openssl).unwrap();
        let len = i32::try_from(curve.order_len()).unwrap();
        let [r, s] = [signature.r(), signature.s()].map(|n| n.to_vec_padded(len).unwrap());
        let theirs = format!("{input}.{}", base64url(&[&r[..], &s].concat()));
        let verified = verify_compact(&theirs, &keys).unwrap();
        assert_eq!(verified.header().typ(), Some("JWT"));
        assert_eq!(verified.header().alg(), curve.jose_algorithm());
        assert_eq!(verified.into_payload(), b"{}");
        // Tokens do not accept DER, which is common elsewhere.
        let der = format!("{input}.{}", base64url(&signature.to_der().unwrap()));
        assert_eq!(outcome(der, &keys), "signature-length");

        let ours = key.sign(input.as_bytes(), SignatureFormat::Der);
        let ours = EcdsaSig::from_der(&ours).unwrap();
        assert!(ours.verify(&digest, &openssl).unwrap());
    }
    let referee = p256::ecdsa::SigningKey::from_slice(&signer().to_be_bytes()).unwrap();
    let text = token(&signer(), HEADER, b"ours");
    let parsed = CompactToken::parse(&text).unwrap();
    let keys = keys();
    let resolved = parsed.resolve(&keys).unwrap();
    let signature = p256::ecdsa::Signature::from_slice(resolved.signature()).unwrap();
    let judge = referee.verifying_key();
    judge.verify(resolved.signing_input(), &signature).unwrap();
    let signature: p256::ecdsa::Signature = referee.sign(resolved.signing_input());
    let (input, _) = text.rsplit_once('.').unwrap();
    let theirs = format!("{input}.{}", base64url(&signature.to_bytes()));
    assert_eq!(outcome(theirs, &keys), "valid");
}

#[test]
fn no_change_of_a_letter_is_valid() {
    let keys = keys().prepare();
    let good = token(&signer(), HEADER, br#"{"sub":"alice"}"#);
    assert!(verify_compact(&good, &keys).is_ok());
    for at in 0..good.len() {
        for other in ["A", "_", ".", "=", " ", "\u{e9}", ""] {
            if &good[at..=at] != other {
                let changed = format!("{}{other}{}", &good[..at], &good[at + 1..]);
                assert!(verify_compact(&changed, &keys).is_err(), "{changed}");
            }
        }
    }
}

#[test]
fn malformed_tokens_are_told_by_their_part() {
    let good = token(&signer(), HEADER, b"{}");
    let [header, payload, signature]: [&str; 3] =
        good.split('.').collect::<Vec<_>>().try_into().unwrap();
    let with_header = |json: &str| token(&signer(), json, b"{}");
    let with_signature = |bytes: &[u8]| format!("{header}.{payload}.{}", base64url(bytes));
    let scalars = CompactToken::parse(&good).unwrap();
    let (keys, zero, ones) = (keys(), [0; 32], [0xff; 32]);
    let resolved = scalars.resolve(&keys).unwrap();
    let (r, s) = resolved.signature().split_at(32);
    let and = |r: &[u8], s: &[u8]| with_signature(&[r, s].concat());
    let cases = [
        (String::new(), "token-parts"),
        ("hello".into(), "token-parts"),
        (format!("{header}.{payload}"), "token-parts"),
        (format!("{good}."), "token-parts"),
        (".".repeat(MAX_TOKEN_LEN), "token-parts"),
        (format!("{good}.a.b"), "token-encrypted"),
        ("a".repeat(MAX_TOKEN_LEN), "token-parts"),
        ("a".repeat(MAX_TOKEN_LEN + 1), "token-too-long"),
        ("..".into(), "header-json"),
        (
            format!("{header}=.{payload}.{signature}"),
            "header-encoding",
        ),
        (format!(" {good}"), "header-encoding"),
        (format!("\n{good}"), "header-encoding"),
        (
            format!("+{header}.{payload}.{signature}"),
            "header-encoding",
        ),
        (
            format!("{header}.{payload}=.{signature}"),
            "payload-encoding",
        ),
        (format!("{header}.e31.{signature}"), "payload-encoding"),
        (
            format!("{header}. {payload}.{signature}"),
            "payload-encoding",
        ),
        (
            format!("{header}.{payload}\n.{signature}"),
            "payload-encoding",
        ),
        (format!("{good}="), "signature-encoding"),
        (format!("{good}\n"), "signature-encoding"),
        (format!("{good} "), "signature-encoding"),
        (format!("{header}.{payload}."), "signature-length"),
        (with_signature(&[1; 63]), "signature-length"),
        (with_signature(&[&[0], r, s].concat()), "signature-length"),
        (and(&zero, s), "r-zero"),
        (and(r, &zero), "s-zero"),
        (and(&zero, &zero), "r-zero"),
        (and(&ones, s), "r-out-of-range"),
        (and(r, &ones), "s-out-of-range"),
        (and(s, r), "signature-mismatch"),
        (and(r, s), "valid"),
        (with_header("[\"ES256\"]"), "header-json"),
        (with_header("{\"alg\":\"ES256\"}x"), "header-json"),
        (with_header("{\"alg\":256}"), "header-json"),
        (with_header("{\"alg\":null}"), "header-json"),
        (with_header("{\"alg\":\"ES256\",\"kid\":1}"), "header-json"),
        (with_header("{\"alg\":\"ES256\",\"typ\":1}"), "header-json"),
        (with_header("{\"kid\":\"one\"}"), "alg-missing"),
        (with_header("{}"), "alg-missing"),
    ];
    for (token, reason) in cases {
        assert_eq!(outcome(&token, &keys), reason, "{token:.200}");
    }
    // Bytes that are not text are not a token.
    for bytes in [&b"\xff.\xff.\xff"[..], b"e30.e30.\xff", b"\0"] {
        assert!(verify_compact(bytes, &keys).is_err());
    }
    // A payload may be empty, and may contain any bytes.
    for payload in [&b""[..], b"\xff\0", &[7; 70_000]] {
        let token = token(&signer(), HEADER, payload);
        let verified = verify_compact(&token, &keys).unwrap();
        assert_eq!(verified.payload(), payload);
    }
}

/// RFC 7515 §4 and §5.2 step 3: also for members that are ignored, as another reader may use
/// them.
#[test]
fn headers_that_two_readers_read_differently() {
    let keys = keys();
    let with = |member: &[u8]| {
        let header = [br#"{"alg":"ES256","kid":"one","#, member, b"}"].concat();
        outcome(token(&signer(), header, b"{}"), &keys)
    };
    let deep = format!(r#""x":{}{}"#, "[".repeat(100_000), "]".repeat(100_000));
    let wide = format!(r#""x":[{}{{}}]"#, r#"{"a":[]},"#.repeat(20_000));
    let refused: [&[u8]; 14] = [
        b"\"x\":\"\xff\"",
        b"\"x\":\"\xc0\x80\"",
        b"\"x\":\"\xed\xa0\x80\"",
        b"\"\xff\":1",
        br#""x":"\ud800""#,
        br#""\ud800":1"#,
        b"\"x\":\"\0\"",
        br#""x":1,"x":1"#,
        br#""kid":"one""#,
        br#""x":1,"\u0078":2"#,
        br#""\u0061lg":"none""#,
        br#""jwk":{"a":[{"b":1,"b":2}]}"#,
        b"\"x\":1e999",
        deep.as_bytes(),
    ];
    for member in refused {
        let shown = member[..member.len().min(100)].escape_ascii();
        assert_eq!(with(member), "header-json", "{shown}");
    }
    let accepted: [&[u8]; 5] = [
        "\"x\":\"\u{10ffff}é\"".as_bytes(),
        br#""x":"\ud83d\ude00\u0000""#,
        br#""jwk":{"alg":"none","kid":[{"alg":1}]}"#,
        br#""ALG":"none","typ":"at+jwt","b64":true"#,
        wide.as_bytes(),
    ];
    for member in accepted {
        let shown = member[..member.len().min(100)].escape_ascii();
        assert_eq!(with(member), "valid", "{shown}");
    }
}

#[test]
fn the_algorithm_is_that_of_the_key() {
    let (keys, k) = (keys(), key(CurveName::Secp256k1, 2));
    let header = |alg: &str, kid: &str| format!(r#"{{"alg":"{alg}","kid":"{kid}"}}"#);
    assert_eq!(
        outcome(token(&k, header("ES256K", "k"), b""), &keys),
        "valid"
    );
    // Signatures that the key would verify, under the name of another algorithm.
    for alg in ["ES256", "ES384", "ES512"] {
        let confused = token(&k, header(alg, "k"), b"");
        assert_eq!(outcome(&confused, &keys), "alg-mismatch", "{alg}");
    }
    let confused = token(&signer(), header("ES256K", "one"), b"");
    assert_eq!(outcome(confused, &keys), "alg-mismatch");
    // No signature, and a signature by a public secret.
    for alg in [
        "none", "None", "NONE", "nOnE", "HS256", "RS256", "EdDSA", "",
    ] {
        let unsigned = token(&signer(), header(alg, "one"), b"");
        let expected = match alg {
            "none" => "alg-none",
            _ => "alg-unsupported",
        };
        assert_eq!(outcome(&unsigned, &keys), expected, "{alg}");
        let (input, _) = unsigned.rsplit_once('.').unwrap();
        assert_eq!(outcome(format!("{input}."), &keys), expected, "{alg}");
    }
    // The key in the token's header is not used.
    let own = key(CurveName::P256, 77);
    let brought = format!(r#"{{"alg":"ES256","kid":"one","jwk":{}}}"#, jwk(&own, ""));
    assert_eq!(
        outcome(token(&own, brought, b""), &keys),
        "signature-mismatch"
    );
    let unnamed = format!(r#"{{"alg":"ES256","jwk":{}}}"#, jwk(&own, ""));
    assert_eq!(
        outcome(token(&own, unnamed, b""), &keys),
        "signature-mismatch"
    );
}

#[test]
fn extensions_are_refused() {
    let keys = keys();
    let with = |member: &str| {
        let header = HEADER.replacen('{', &format!("{{{member},"), 1);
        outcome(token(&signer(), header, b""), &keys)
    };
    for crit in [r#"["exp"]"#, "[]", "null", "{}", r#""b64""#] {
        assert_eq!(with(&format!(r#""crit":{crit}"#)), "header-crit");
    }
    assert_eq!(with(r#""b64":false"#), "header-b64");
    assert_eq!(with(r#""b64":"false""#), "header-json");
    assert_eq!(with(r#""b64":true"#), "valid");
}

/// A token with a readable header reports its kid, even if the rest is invalid.
#[test]
fn the_pieces_of_a_token() {
    let keys = keys();
    let text = token(
        &signer(),
        r#"{"typ":"JWT","alg":"ES256","kid":"one"}"#,
        b"p",
    );
    let parsed = CompactToken::parse(&text).unwrap();
    let header = parsed.header().clone();
    assert_eq!(
        (header.alg(), header.kid(), header.typ()),
        (Some("ES256"), Some("one"), Some("JWT"))
    );
    let resolved = parsed.resolve(&keys).unwrap();
    let (input, signature) = text.rsplit_once('.').unwrap();
    assert_eq!(resolved.signing_input(), input.as_bytes());
    assert_eq!(base64url(resolved.signature()), signature);
    assert_eq!((resolved.key_index(), resolved.header()), (0, &header));
    assert_eq!(resolved.verify().unwrap().header(), &header);
    let broken = CompactToken::parse("eyJraWQiOiJvbmUifQ.?.?").unwrap();
    assert_eq!(broken.header().kid(), Some("one"));
    assert_eq!(broken.resolve(&keys).err(), Some(Error::AlgMissing));
}
