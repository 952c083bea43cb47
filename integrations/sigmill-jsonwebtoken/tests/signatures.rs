//! Signing accepts and rejects the same keys as the replaced backend, and all backends accept its
//! signatures.

mod common;

use common::{Outcome, REPLACED, verify};
use jsonwebtoken::crypto::{CryptoProvider, aws_lc, rust_crypto};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use sigmill::{AnySigningKey, CurveName};
use sigmill_jsonwebtoken::sigmill;
use sigmill_jsonwebtoken::v11::provider;

const ALGORITHMS: [(Algorithm, CurveName); 2] = [
    (Algorithm::ES256, CurveName::P256),
    (Algorithm::ES384, CurveName::P384),
];

/// A signature, or the kind of the error.
fn sign(
    provider: &CryptoProvider,
    algorithm: Algorithm,
    key: &EncodingKey,
    message: &[u8],
) -> Result<Vec<u8>, String> {
    let signer = (provider.signer_factory)(&algorithm, key);
    let signer = signer.map_err(|error| format!("{:?}", error.kind()))?;
    assert_eq!(signer.algorithm(), algorithm);
    signer.try_sign(message).map_err(|error| error.to_string())
}

#[test]
fn signatures_are_valid_for_all() {
    for (algorithm, curve) in ALGORITHMS {
        for i in 0..8_u8 {
            let key = AnySigningKey::generate(curve).unwrap();
            let private = EncodingKey::from_ec_der(&key.to_pkcs8_der());
            let public = DecodingKey::from_ec_der(&key.verifying_key().to_sec1_bytes(false));
            let message = [i; 40];
            let (aws_lc, rust_crypto) = (&aws_lc::DEFAULT_PROVIDER, &rust_crypto::DEFAULT_PROVIDER);
            for signer in [provider(), aws_lc, rust_crypto] {
                let signature = sign(signer, algorithm, &private, &message).unwrap();
                for verifier in [provider(), aws_lc, rust_crypto] {
                    let outcome = verify(verifier, algorithm, &public, &message, &signature);
                    assert_eq!(outcome, Outcome::Valid);
                }
            }
            // RFC 6979, as in RustCrypto.
            assert_eq!(
                sign(provider(), algorithm, &private, &message),
                sign(rust_crypto, algorithm, &private, &message)
            );
        }
    }
}

/// Every byte of PKCS#8 changed in two ways, every length, and other forms.
#[test]
fn damaged_private_keys() {
    for (algorithm, curve) in ALGORITHMS {
        let key = AnySigningKey::generate(curve).unwrap();
        let pkcs8 = key.to_pkcs8_der().to_vec();
        let public = DecodingKey::from_ec_der(&key.verifying_key().to_sec1_bytes(false));
        let (mut taken, mut differences) = (0, vec![]);
        let mut compare = |bytes: &[u8]| {
            let private = EncodingKey::from_ec_der(bytes);
            let ours = sign(provider(), algorithm, &private, b"m");
            let replaced = sign(REPLACED, algorithm, &private, b"m");
            if ours.as_ref().err() != replaced.as_ref().err() {
                differences.push(format!("{bytes:02x?}: {ours:?}, {replaced:?}"));
            }
            if let Ok(signature) = ours {
                taken += 1;
                assert_eq!(
                    verify(REPLACED, algorithm, &public, b"m", &signature),
                    Outcome::Valid
                );
            }
        };
        compare(&pkcs8);
        for at in 0..pkcs8.len() {
            for change in [0x01, 0x80] {
                let mut damaged = pkcs8.clone();
                damaged[at] ^= change;
                compare(&damaged);
            }
            compare(&pkcs8[..at]);
        }
        compare(&[&pkcs8[..], &[0]].concat());
        compare(&key.to_sec1_der());
        for other in [CurveName::P256, CurveName::P384] {
            if other != curve {
                compare(&AnySigningKey::generate(other).unwrap().to_pkcs8_der());
            }
        }
        assert!(
            differences.is_empty(),
            "{} {differences:#?}",
            differences.len()
        );
        assert!(taken > 0);
    }
}

#[test]
fn keys_of_other_families() {
    let key = AnySigningKey::generate(CurveName::P256).unwrap();
    let bytes = key.to_pkcs8_der();
    for key in [
        EncodingKey::from_secret(&bytes),
        EncodingKey::from_rsa_der(&bytes),
        EncodingKey::from_ed_der(&bytes),
        EncodingKey::from_ec_der(&bytes),
    ] {
        for algorithm in [
            Algorithm::ES256,
            Algorithm::ES384,
            Algorithm::HS256,
            Algorithm::RS256,
            Algorithm::EdDSA,
        ] {
            let ours = sign(provider(), algorithm, &key, b"m");
            let replaced = sign(REPLACED, algorithm, &key, b"m");
            assert_eq!(ours.err(), replaced.err(), "{algorithm:?}");
        }
    }
}
