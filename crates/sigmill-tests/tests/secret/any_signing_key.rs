//! Private keys on a curve that is known only at run time, against those of a typed curve: the same
//! bytes, the same signatures, the same errors.

use sigmill::agreement::{diffie_hellman, diffie_hellman_sha256};
use sigmill::ecdsa::Signature;
use sigmill::hazmat::curve::{
    BrainpoolP256r1, NamedCurve, NamedPrime, P256, P384, P521, Secp256k1,
};
use sigmill::keys::SigningKey;
use sigmill::{
    AnySigningKey, AnyVerifyingKey, CurveName, Error, HashName, Input, Policy, SignOptions,
    SignatureFormat, VerifyOptions,
};
use subtle::ConstantTimeEq;

use sigmill_tests::numbers::rng;

const FORMATS: [SignatureFormat; 3] = [
    SignatureFormat::Der,
    SignatureFormat::P1363,
    SignatureFormat::Auto,
];

/// A key on a curve, with and without the curve's type.
fn pair<C: NamedCurve>(domain: C, seed: u64) -> (SigningKey<C>, AnySigningKey)
where
    AnySigningKey: From<SigningKey<C>>,
{
    let key = SigningKey::generate_from_rng_on(domain, &mut rng(seed)).unwrap();
    let any = AnySigningKey::from(key.clone());
    (key, any)
}

fn any(curve: CurveName, seed: u64) -> AnySigningKey {
    AnySigningKey::generate_from_rng(curve, &mut rng(seed)).unwrap()
}

fn encoded<C: NamedCurve>(signature: &Signature<C>, format: SignatureFormat) -> Vec<u8> {
    match format {
        SignatureFormat::Der => signature.to_der(),
        _ => signature.to_p1363(),
    }
}

fn same_as_the_key_of_one_curve<C: NamedCurve>(domain: C)
where
    AnySigningKey: From<SigningKey<C>>,
    AnyVerifyingKey: From<sigmill::keys::VerifyingKey<C>>,
{
    let name = domain.name();
    let (key, any_key) = pair(domain, 60);
    assert_eq!(any_key.curve(), name);
    assert_eq!(any_key.algorithm(), name.default_algorithm());
    assert_eq!(any_key, any(name, 60));
    assert_eq!(any_key.to_be_bytes(), key.to_be_bytes());
    let public = AnyVerifyingKey::from(*key.verifying_key());
    assert_eq!(any_key.verifying_key(), public);
    assert_eq!(
        public.to_public_key_pem(),
        key.verifying_key().to_public_key_pem()
    );
    assert_eq!(format!("{any_key:?}"), format!("AnySigningKey({})", name));
    assert_eq!(
        AnySigningKey::from_be_bytes(name, &key.to_be_bytes()),
        Ok(any_key.clone())
    );

    let digest = HashName::Sha512.digest(b"message");
    for format in FORMATS {
        let expected = encoded(&key.sign(b"message"), format);
        assert_eq!(any_key.sign(b"message", format), expected);
        assert_eq!(
            public.verify_prehash(
                &any_key.algorithm().hash.digest(b"message"),
                &expected,
                format
            ),
            Ok(())
        );
        for &hash in HashName::ALL {
            let options = SignOptions::new().hash(hash);
            for options in [options, options.entropy(b"more")] {
                for input in [Input::Message(b"message"), Input::Digest(&digest)] {
                    let (signature, id) = key.sign_with(input, &options).unwrap();
                    assert_eq!(
                        any_key.sign_with(input, format, &options),
                        Ok((encoded(&signature, format), id))
                    );
                }
            }
        }
        assert_eq!(
            any_key.sign_prehash(&digest, format),
            Ok(encoded(&key.sign_prehash(&digest).unwrap(), format))
        );
        let (signature, id) = key.sign_prehash_recoverable(&digest).unwrap();
        assert_eq!(
            any_key.sign_prehash_recoverable(&digest, format),
            Ok((encoded(&signature, format), id))
        );
        assert_eq!(any_key.sign_prehash(&[], format), Err(Error::DigestEmpty));
    }

    assert_eq!(any_key.to_pkcs8_der(), key.to_pkcs8_der());
    assert_eq!(any_key.to_pkcs8_pem(), key.to_pkcs8_pem());

    let (peer, any_peer) = pair(domain, 61);
    assert_eq!(
        any_key.diffie_hellman(&any_peer.verifying_key()),
        Ok(diffie_hellman(key.secret_scalar(), peer.verifying_key()))
    );
    assert_eq!(
        any_key.diffie_hellman_sha256(&any_peer.verifying_key()),
        Ok(diffie_hellman_sha256(
            key.secret_scalar(),
            peer.verifying_key()
        ))
    );

    let many = SigningKey::generate_many_from_rng_on(domain, &mut rng(62), 5).unwrap();
    let many: Vec<_> = many.into_iter().map(AnySigningKey::from).collect();
    assert_eq!(
        AnySigningKey::generate_many_from_rng(name, &mut rng(62), 5),
        Ok(many)
    );

    for actual in [0, name.order_len() - 1, name.order_len() + 1] {
        let expected = name.order_len();
        assert_eq!(
            AnySigningKey::from_be_bytes(name, &vec![1; actual]),
            Err(Error::SecretLength { expected, actual })
        );
    }
    let zeros = vec![0; name.order_len()];
    assert_eq!(
        AnySigningKey::from_be_bytes(name, &zeros),
        Err(Error::SecretZero)
    );
}

#[test]
fn what_the_key_of_one_curve_gives() {
    same_as_the_key_of_one_curve(P256);
    same_as_the_key_of_one_curve(BrainpoolP256r1);
    same_as_the_key_of_one_curve(P384);
    same_as_the_key_of_one_curve(P521);
    same_as_the_key_of_one_curve(Secp256k1);
    // The same for the type whose values have names.
    same_as_the_key_of_one_curve(NamedPrime::of(P384));
}

#[test]
fn keys_of_every_curve_are_read_from_every_file() {
    for &curve in CurveName::ALL {
        let key = AnySigningKey::generate(curve).unwrap();
        assert_eq!(key.curve(), curve);
        assert_eq!(
            AnySigningKey::from_pkcs8_der(&key.to_pkcs8_der()),
            Ok(key.clone())
        );
        assert_eq!(
            AnySigningKey::from_sec1_der(&key.to_sec1_der()),
            Ok(key.clone())
        );
        assert_eq!(
            AnySigningKey::from_pem(&key.to_pkcs8_pem()),
            Ok(key.clone())
        );
        assert_eq!(AnySigningKey::from_pem(&key.to_sec1_pem()), Ok(key.clone()));
        let files = [
            key.to_pkcs8_der().to_vec(),
            key.to_sec1_der().to_vec(),
            key.to_pkcs8_pem().as_bytes().to_vec(),
            [b"\r\n ", key.to_sec1_pem().as_bytes()].concat(),
        ];
        for file in &files {
            assert_eq!(AnySigningKey::from_encoded(file), Ok(key.clone()));
        }
        // The error is that of the closest encoding.
        for der in &files[..2] {
            let trailing = [der.as_slice(), &[0]].concat();
            let error = Err(Error::PrivateKeyTrailingData);
            assert_eq!(AnySigningKey::from_encoded(&trailing), error);
            let end = der.len() - 1;
            let error = Err(Error::PrivateKeyMalformed);
            assert_eq!(AnySigningKey::from_encoded(&der[..end]), error);
        }
        let mut wrong = key.to_sec1_der().to_vec();
        let secret = key.to_be_bytes();
        let start = wrong
            .windows(secret.len())
            .position(|part| *part == **secret);
        wrong[start.unwrap() + 5] ^= 1;
        assert_eq!(
            AnySigningKey::from_encoded(&wrong),
            Err(Error::PrivateKeyPublicMismatch)
        );
    }
    for (file, error) in [
        (&b""[..], Error::PrivateKeyMalformed),
        (b"hello", Error::PrivateKeyMalformed),
        (b"-----BEGIN PRIVATE KEY-----", Error::PemMalformed),
        (b"-----BEGIN PRIVATE KEY-----\n\xff", Error::PemMalformed),
        (
            b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
            Error::PrivateKeyPemLabel,
        ),
    ] {
        assert_eq!(AnySigningKey::from_encoded(file), Err(error));
    }
}

#[test]
fn keys_on_different_curves_differ_and_do_not_agree() {
    // The same number is a key on every curve.
    let bytes = |curve: CurveName| [vec![0; curve.field_len() - 32], vec![7; 32]].concat();
    for &curve in CurveName::ALL {
        let key = AnySigningKey::from_be_bytes(curve, &bytes(curve)).unwrap();
        for &other in CurveName::ALL {
            let other = AnySigningKey::from_be_bytes(other, &bytes(other)).unwrap();
            let are_same = key.curve() == other.curve();
            assert_eq!(key == other, are_same);
            assert_eq!(bool::from(key.ct_eq(&other)), are_same);
            let error = Error::KeyCurveMismatch {
                expected: key.curve(),
                actual: other.curve(),
            };
            for shared in [
                key.diffie_hellman(&other.verifying_key()),
                key.diffie_hellman_sha256(&other.verifying_key()),
            ] {
                assert_eq!(shared.err(), (!are_same).then_some(error));
            }
        }
        assert_ne!(key, any(curve, 63));
    }
}

#[test]
fn pem_of_one_form_is_not_read_as_the_other() {
    let key = sigmill::p256::SigningKey::generate_from_rng(&mut rng(63)).unwrap();
    let sec1 = AnySigningKey::from(key.clone()).to_sec1_pem();
    let read = SigningKey::<P256>::from_pkcs8_pem;
    assert_eq!(read(&key.to_pkcs8_pem()), Ok(key));
    assert_eq!(read(&sec1), Err(Error::PrivateKeyPemLabel));
}

#[test]
fn rows_of_all_curves_agree_in_one_call() {
    // Every key with every other one: enough rows of each curve for lanes, and more of two curves.
    let curves = CurveName::ALL.iter().cycle();
    let keys: Vec<_> = (64..)
        .zip(curves)
        .map(|(seed, &curve)| any(curve, seed))
        .take(24)
        .collect();
    let peers: Vec<_> = keys
        .iter()
        .rev()
        .map(AnySigningKey::verifying_key)
        .collect();
    let rows: Vec<_> = (0..24 * 24)
        .map(|i| (&keys[i % 24], &peers[i / 24]))
        .collect();
    let shared = AnySigningKey::diffie_hellman_many(&rows);
    assert_eq!(shared.len(), rows.len());
    for ((key, peer), shared) in rows.iter().zip(&shared) {
        assert_eq!(*shared, key.diffie_hellman(peer));
    }
    assert!(shared.iter().any(Result::is_ok) && shared.iter().any(Result::is_err));
    assert!(AnySigningKey::diffie_hellman_many(&[]).is_empty());
}

#[test]
fn rows_of_all_curves_are_signed_in_one_call() {
    let keys: Vec<_> = (0..7)
        .map(|i| {
            let key = any(CurveName::ALL[i % CurveName::ALL.len()], i as u64);
            match i % 2 {
                0 => key,
                _ => key.with_policy(Policy::LOW_S),
            }
        })
        .collect();
    let digests: Vec<_> = (0..50u8)
        .map(|i| match i % 11 {
            10 => vec![],
            _ => HashName::Sha256.digest(&[i]).to_vec(),
        })
        .collect();
    let rows: Vec<_> = digests
        .iter()
        .enumerate()
        .map(|(i, digest)| (&keys[i * i % keys.len()], digest.as_slice()))
        .collect();
    for format in FORMATS {
        let expected: Vec<_> = rows
            .iter()
            .map(|(key, digest)| key.sign_prehash(digest, format))
            .collect();
        assert_eq!(expected.iter().filter(|row| row.is_err()).count(), 4);
        assert_eq!(AnySigningKey::sign_prehash_many(&rows, format), expected);
        for &hash in HashName::ALL {
            let options = SignOptions::new().hash(hash).entropy(b"more");
            let expected: Vec<_> = rows
                .iter()
                .map(|(key, digest)| key.sign_with(Input::Digest(digest), format, &options))
                .collect();
            assert_eq!(
                AnySigningKey::sign_prehash_many_with(&rows, format, &options),
                expected
            );
        }
    }
    assert_eq!(
        AnySigningKey::sign_prehash_many(&[], SignatureFormat::Der),
        []
    );
}

#[test]
fn the_policy_goes_with_the_key() {
    for &curve in CurveName::ALL {
        let key = any(curve, 64);
        assert_eq!(key.policy(), Policy::default());
        let strict = key.clone().with_policy(Policy::LOW_S);
        assert_eq!((strict.policy(), &strict), (Policy::LOW_S, &key));
        let mut high = 0;
        for i in 0..20u8 {
            let digest = HashName::Sha256.digest(&[i]);
            let verdict = |key: &AnySigningKey| {
                let format = SignatureFormat::P1363;
                let signature = key.sign_prehash(&digest, format).unwrap();
                let public = key.verifying_key();
                let options = VerifyOptions::new().policy(Policy::LOW_S);
                public.verify_with(Input::Digest(&digest), &signature, format, &options)
            };
            assert_eq!(verdict(&strict), Ok(()));
            high += usize::from(verdict(&key) == Err(Error::HighS));
        }
        assert!((1..20).contains(&high));
    }
}

#[test]
fn messages_are_verified_as_they_are_signed() {
    for &curve in CurveName::ALL {
        let key = any(curve, 65);
        let public = key.verifying_key();
        let prepared = public.prepare();
        for format in FORMATS {
            let signature = key.sign(b"message", format);
            for message in [&b"message"[..], b"massage"] {
                let expected = match message {
                    b"message" => Ok(()),
                    _ => Err(Error::SignatureMismatch),
                };
                assert_eq!(public.verify(message, &signature, format), expected);
                assert_eq!(prepared.verify(message, &signature, format), expected);
            }
            let hash = HashName::Sha512;
            let input = Input::Message(b"message");
            let signed = key.sign_with(input, format, &SignOptions::new().hash(hash));
            let (signature, _) = signed.unwrap();
            let verdict = |hash| {
                let options = VerifyOptions::new().hash(hash);
                public.verify_with(input, &signature, format, &options)
            };
            assert_eq!(verdict(hash), Ok(()));
            let other = HashName::Sha256;
            assert_eq!(verdict(other), Err(Error::SignatureMismatch));
            let mut high = 0;
            for message in 0..20_u8 {
                let message = &[message];
                let signature = key.sign(message, format);
                let options = VerifyOptions::new().policy(Policy::LOW_S);
                let input = Input::Message(message);
                let verdict = public.verify_with(input, &signature, format, &options);
                let by_table = prepared.verify_with(input, &signature, format, &options);
                assert_eq!(by_table, verdict);
                if verdict != Ok(()) {
                    high += 1;
                    assert_eq!(verdict, Err(Error::HighS));
                    assert_eq!(public.verify(message, &signature, format), Ok(()));
                    assert_eq!(prepared.verify(message, &signature, format), Ok(()));
                }
            }
            assert!((1..20).contains(&high), "{high}");
        }
        // Each format refuses the other's bytes.
        let der = key.sign(b"message", SignatureFormat::Der);
        assert!(
            public
                .verify(b"message", &der, SignatureFormat::P1363)
                .is_err()
        );
    }
}
