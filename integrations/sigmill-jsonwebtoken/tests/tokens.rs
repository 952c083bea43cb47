//! Whole tokens, with the provider installed.

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, ThumbprintHash};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use serde_json::{Value, json};
use sigmill::{AnySigningKey, CurveName};
use sigmill_jsonwebtoken::{engine, sigmill, v11};

/// A single test, as a process has one provider and one engine.
#[test]
fn tokens() {
    v11::provider().install_default().unwrap();
    let claims = json!({ "sub": "me", "exp": 4_000_000_000_u64 });
    for (algorithm, curve) in [
        (Algorithm::ES256, CurveName::P256),
        (Algorithm::ES384, CurveName::P384),
    ] {
        let key = AnySigningKey::generate(curve).unwrap();
        let private = EncodingKey::from_ec_der(&key.to_pkcs8_der());
        let public = DecodingKey::from_ec_der(&key.verifying_key().to_sec1_bytes(false));
        let validation = Validation::new(algorithm);
        let before = engine().key_store().stats().tables;
        for i in 0..40 {
            let mut token = encode(&Header::new(algorithm), &claims, &private).unwrap();
            let data = decode::<Value>(&token, &public, &validation).unwrap();
            assert_eq!((data.claims, data.header.alg), (claims.clone(), algorithm));
            // Changes a byte of the signature.
            let at = token.len() - 2 - i;
            let other = if token.as_bytes()[at] == b'A' {
                "B"
            } else {
                "A"
            };
            token.replace_range(at..=at, other);
            let error = decode::<Value>(&token, &public, &validation).unwrap_err();
            assert_eq!(error.kind(), &ErrorKind::InvalidSignature);
        }
        // The key occurred often enough for a table.
        assert_eq!(engine().key_store().stats().tables, before + 1);

        // The backend computes the JWK of a key.
        let jwk = Jwk::from_encoding_key(&private, algorithm).unwrap();
        let AlgorithmParameters::EllipticCurve(_) = &jwk.algorithm else {
            panic!("{jwk:?}");
        };
        assert_eq!(jwk.thumbprint(ThumbprintHash::SHA256).unwrap().len(), 43);
        let token = encode(&Header::new(algorithm), &claims, &private).unwrap();
        let public = DecodingKey::from_jwk(&jwk).unwrap();
        decode::<Value>(&token, &public, &validation).unwrap();
    }

    // Algorithms that the backend handles.
    let token = encode(&Header::default(), &claims, &EncodingKey::from_secret(b"s")).unwrap();
    let validation = Validation::default();
    decode::<Value>(&token, &DecodingKey::from_secret(b"s"), &validation).unwrap();
    let wrong = decode::<Value>(&token, &DecodingKey::from_secret(b"t"), &validation);
    assert_eq!(wrong.unwrap_err().kind(), &ErrorKind::InvalidSignature);
}
