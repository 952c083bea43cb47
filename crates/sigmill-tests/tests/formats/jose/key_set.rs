//! Sets of keys, and the selection of a token's key.

use sigmill::jose::{CompactToken, Error, JwkSet, verify_compact};
use sigmill::{Algorithm, CurveName};

use super::{jwk, key, set, token};

/// The place of this header's key in a set.
fn find(keys: &JwkSet, header: &str) -> Result<usize, Error> {
    let token = token(&key(CurveName::P256, 1), header, b"");
    let resolved = CompactToken::parse(&token)?.resolve(keys)?;
    let place = resolved.key_index();
    assert_eq!(resolved.key(), &keys.keys()[place]);
    Ok(place)
}

/// RFC 7517 §A.1: one key on a curve, for encryption, and one of RSA, whose n is truncated here.
#[test]
fn the_example_of_the_rfc() {
    let keys = r#"{"keys":
        [
            {"kty":"EC",
             "crv":"P-256",
             "x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
             "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
             "use":"enc",
             "kid":"1"},

            {"kty":"RSA",
             "n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx",
             "e":"AQAB",
             "alg":"RS256",
             "kid":"2011-04-29"}
        ]
    }"#;
    let keys = JwkSet::from_json(keys).unwrap();
    assert_eq!(keys.keys(), []);
    let unusable: Vec<_> = keys.unusable().collect();
    assert_eq!(unusable, [("kty RSA", 1), ("use enc", 1)]);
    assert_eq!(keys.malformed().len(), 0);
    let named = |kid: &str| find(&keys, &format!(r#"{{"alg":"ES256","kid":"{kid}"}}"#));
    let what = |what: &str| Error::KeyUnusable { what: what.into() };
    assert_eq!(named("1"), Err(what("use enc")));
    assert_eq!(named("2011-04-29"), Err(what("kty RSA")));
    assert_eq!(named("2"), Err(Error::KidUnknown));
}

#[test]
fn one_key_is_meant_or_none() {
    let (a, b) = (key(CurveName::P256, 1), key(CurveName::P256, 2));
    let (c, k) = (key(CurveName::P384, 3), key(CurveName::Secp256k1, 4));
    let keys = set(&[
        r#"{"kty":"RSA","kid":"rsa first"}"#.into(),
        jwk(&a, r#""kid":"a","#),
        jwk(&b, r#""kid":"twice","#),
        jwk(&a, r#""kid":"twice","#),
        jwk(&c, r#""kid":"mixed","#),
        jwk(&b, r#""kid":"mixed","#),
        jwk(&b, r#""kid":"rsa first","#),
        jwk(&k, ""),
        r#"{"kty":"RSA","kid":"mixed"}"#.into(),
        r#"{"kty":"EC","kid":"bad"}"#.into(),
        r#"{"kty":"EC","kid":"bad","kid":"bad"}"#.into(),
    ]);
    let (es256, es384) = (Algorithm::ES256, Algorithm::ES384);
    let matches = |algorithm| (2, algorithm);
    let cases = [
        ("ES256", Some("a"), Ok(0)),
        // Keys of different types may share a kid (RFC 7517 §4.5): the algorithm distinguishes
        // them.
        ("ES384", Some("mixed"), Ok(3)),
        ("ES256", Some("mixed"), Ok(4)),
        ("ES256", Some("rsa first"), Ok(5)),
        ("ES256K", None, Ok(6)),
        ("ES384", None, Ok(3)),
        ("ES512", None, {
            Err(Error::KeyMissing {
                algorithm: CurveName::P521.default_algorithm(),
            })
        }),
        ("ES256", None, {
            Err(Error::KidMissing {
                matches: 5,
                algorithm: es256,
            })
        }),
        ("ES256", Some("twice"), {
            let (matches, algorithm) = matches(es256);
            Err(Error::KidAmbiguous { matches, algorithm })
        }),
        ("ES384", Some("a"), {
            Err(Error::AlgMismatch {
                algorithm: es384,
                key_algorithm: es256,
            })
        }),
        ("ES256K", Some("mixed"), {
            Err(Error::AlgMismatch {
                algorithm: Algorithm::ES256K,
                key_algorithm: es384,
            })
        }),
        ("ES384", Some("rsa first"), {
            Err(Error::KeyUnusable {
                what: "kty RSA".into(),
            })
        }),
        ("ES256", Some("bad"), {
            Err(Error::KeyMalformed {
                rule: "key: the JWK member crv is missing".into(),
            })
        }),
        ("ES256", Some("A"), Err(Error::KidUnknown)),
        ("ES256", Some(""), Err(Error::KidUnknown)),
        ("none", Some("a"), Err(Error::AlgNone)),
        ("HS256", None, {
            Err(Error::AlgUnsupported {
                alg: "HS256".into(),
            })
        }),
    ];
    for (alg, kid, expected) in cases {
        let kid = kid.map(|kid| format!(r#","kid":"{kid}""#));
        let header = format!(r#"{{"alg":"{alg}"{}}}"#, kid.unwrap_or_default());
        assert_eq!(find(&keys, &header), expected, "{header}");
    }
    assert_eq!(keys.keys().len(), 7);
    assert_eq!(keys.malformed_count(), 2);
    let malformed: Vec<_> = keys.malformed().map(|(index, _)| index).collect();
    assert_eq!(malformed, [9, 10]);
    assert!(keys.unusable().any(|unusable| unusable == ("kty RSA", 2)));
}

#[test]
fn a_set_that_is_none_is_an_error() {
    for json in [
        "",
        "[]",
        "{}",
        r#"{"keys":{}}"#,
        r#"{"keys":[]"#,
        r#"{"keys":[]} x"#,
        r#"{"keys":[],"keys":[]}"#,
        r#"{"keys":[],"\u006beys":[]}"#,
        r#"{"keys":[],"x":{"a":1,"a":1}}"#,
        r#"{"keys":[],"x":"\ud800"}"#,
        "\u{feff}{\"keys\":[]}",
    ] {
        let error = JwkSet::from_json(json).unwrap_err();
        assert!(matches!(error, Error::KeySetJson { .. }), "{json}: {error}");
        assert_eq!(error.reason(), "key-set-json");
    }
    let deep = format!(r#"{{"keys":[],"x":{}"#, "[".repeat(1 << 20));
    assert!(JwkSet::from_json(&deep).is_err());
    let empty = JwkSet::from_json(r#"{"x":{"keys":1},"keys":[ ]}"#).unwrap();
    assert_eq!((empty.keys().len(), empty.table_bytes()), (0, 0));
    let algorithm = Algorithm::ES256;
    let none = Err(Error::KeyMissing { algorithm });
    assert_eq!(find(&empty, r#"{"alg":"ES256"}"#), none);
    assert_eq!(find(&empty.prepare(), r#"{"alg":"ES256"}"#), none);
}

/// Many keys with one kid and many malformed keys cost only the time to read them.
#[test]
fn a_crowded_set_is_read_once() {
    let one = jwk(&key(CurveName::P256, 1), r#""kid":"k","#);
    let bad = vec![r#"{"kid":"k"}"#.to_owned(); 50_000];
    let keys = set(&[vec![one.clone(), one.clone()], bad].concat());
    assert_eq!(keys.malformed_count(), 50_000);
    assert_eq!(keys.malformed().len(), 8);
    assert_eq!(keys.unusable().map(|(_, count)| count).sum::<u64>(), 50_000);
    for _ in 0..10_000 {
        let found = CompactToken::parse("eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ..").unwrap();
        assert_eq!(found.header().kid(), Some("k"));
        let ambiguous = Error::KidAmbiguous {
            matches: 2,
            algorithm: Algorithm::ES256,
        };
        assert_eq!(found.resolve(&keys).err(), Some(ambiguous));
    }
    // The text of an unusable key is truncated.
    let long = format!(r#"{{"kty":"{}"}}"#, "x".repeat(1 << 20));
    let keys = set(&[long]);
    assert!(keys.unusable().all(|(what, _)| what.len() == 120));
}

#[test]
fn prepared_keys_say_the_same() {
    let signers: Vec<_> = super::curves().map(|curve| key(curve, 5)).collect();
    let jwks: Vec<_> = signers.iter().map(|key| jwk(key, "")).collect();
    let (plain, prepared) = (set(&jwks), set(&jwks).prepare());
    assert_eq!(plain.keys(), prepared.keys());
    let bytes = |keys: &JwkSet| -> usize {
        let prepared = keys.keys().iter().map(|jwk| jwk.key().prepare());
        prepared.map(|key| key.memory_bytes()).sum()
    };
    assert_eq!(plain.table_bytes(), bytes(&plain));
    for (place, key) in signers.iter().enumerate() {
        let header = format!(r#"{{"alg":"{}"}}"#, key.algorithm());
        let good = token(key, header, b"payload");
        let (input, _) = good.rsplit_once('.').unwrap();
        for keys in [&plain, &prepared] {
            let verified = verify_compact(&good, keys).unwrap();
            assert_eq!(verified.payload(), b"payload");
            assert_eq!(verified.key_index(), place);
            assert_eq!(verified.key().key(), &key.verifying_key());
            let wrong = verify_compact(&format!("{input}.AAAA"), keys).unwrap_err();
            assert_eq!(wrong.reason(), "signature-length");
            let other = super::token(&super::key(key.curve(), 6), "{}", b"").replacen(
                "e30.",
                &format!("{}.", input.split_once('.').unwrap().0),
                1,
            );
            let wrong = verify_compact(&other, keys).unwrap_err();
            assert_eq!(wrong, Error::Signature(sigmill::Error::SignatureMismatch));
        }
    }
}
