//! Friendly signatures, and signatures with the whole of R.

use sigmill::bulk::{Column, Engine, Inputs, Rows, Signatures};
use sigmill::ecdsa::{FullSignature, Signature};
use sigmill::hazmat::curve::NamedCurve;
use sigmill::keys::{SigningKey, VerifyingKey, sign_prehash_many, sign_prehash_many_with};
use sigmill::{
    AnySigningKey, AnyVerifyingKey, CurveName, Error, HashName, Input, Policy, RecoveryId,
    SignOptions, SignatureFormat, VerifyOptions,
};
use sigmill_tests::numbers::rng;
use sigmill_tests::processes::{is_on, on_every_backend, unless_again};
use sigmill_tests::tiny::{Tiny, TinyCurve};
use sigmill_tests::{for_each_curve, rounds, tiny_curve};

/// Signed in friendly form, and converted: by the signer, by the verifier, and back.
fn made_and_converted<C: NamedCurve + Default>() {
    if !is_on(C::default().name()) {
        return;
    }
    let mut rng = rng(154);
    let plain = SigningKey::<C>::generate_from_rng(&mut rng).unwrap();
    let friendly = plain.clone().with_policy(Policy::FRIENDLY);
    let low = plain.clone().with_policy(Policy::LOW_S);
    let key = plain.verifying_key();
    let any =
        AnyVerifyingKey::from_sec1_bytes(C::default().name(), &key.to_sec1_bytes(true)).unwrap();
    let (mut changed, mut high) = (0, 0);
    let count = rounds(12, 60) as u8;
    for i in 0..count {
        let digest = [i + 1; 40];
        let (signature, id) = plain.sign_prehash_recoverable(&digest).unwrap();
        let (made, made_id) = friendly.sign_prehash_recoverable(&digest).unwrap();
        assert_eq!(made_id, RecoveryId::FRIENDLY);
        assert_eq!(friendly.sign_prehash(&digest), Ok(made));
        assert_eq!(signature.to_friendly(id), Ok(made));
        for format in [SignatureFormat::Der, SignatureFormat::P1363] {
            let write = |signature: &Signature<C>| match format {
                SignatureFormat::Der => signature.to_der(),
                _ => signature.to_p1363(),
            };
            let converted = any.to_friendly_prehash(&digest, &write(&signature), format);
            assert_eq!(converted, Ok(write(&made)));
            let again = any.to_friendly_prehash(&digest, &write(&made), format);
            assert_eq!(again, Ok(write(&made)));
            let wrong = any.to_friendly_prehash(&[i; 40], &write(&signature), format);
            assert_eq!(wrong, Err(Error::SignatureMismatch));
            let id = any.verify_prehash_recoverable(&digest, &write(&made), format);
            assert_eq!(id, Ok(made_id));
        }
        // Back to the lower s, which is another rule.
        assert_eq!(Ok(made.normalize_s()), low.sign_prehash(&digest));
        changed += usize::from(made != signature);
        high += usize::from(made.is_high_s());
        // The other of the two is equally valid, but not friendly.
        let other = signature
            .to_friendly(RecoveryId::new(!id.is_y_odd(), false))
            .unwrap();
        assert_ne!(other, made);
        let prepared = key.prepare_with_window(4).unwrap();
        let with = |signature, policy| {
            let options = VerifyOptions::new().policy(policy);
            let verdict = key.verify_with(Input::Digest(&digest), signature, &options);
            let by_table = prepared.verify_with(Input::Digest(&digest), signature, &options);
            assert_eq!(verdict, by_table);
            verdict
        };
        assert_eq!(with(&made, Policy::FRIENDLY), Ok(()));
        assert_eq!(with(&other, Policy::default()), Ok(()));
        assert_eq!(with(&other, Policy::FRIENDLY), Err(Error::NotFriendly));
        // An invalid signature is not reported as an unfriendly one.
        let options = VerifyOptions::new().policy(Policy::FRIENDLY);
        let wrong = key.verify_with(Input::Digest(&[i; 40]), &other, &options);
        assert_eq!(wrong, Err(Error::SignatureMismatch));
        let empty = key.verify_with(Input::Digest(&[]), &other, &options);
        assert_eq!(empty, Err(Error::DigestEmpty));
    }
    assert!(
        changed > 0 && high > 0 && high < usize::from(count),
        "{changed} {high}"
    );
}

#[test]
fn made_and_converted_on_every_curve() {
    for_each_curve!(C => { made_and_converted::<C>() });
}

/// Many signatures at once, under each policy, by keys with several policies.
fn many_are_single_ones<C: NamedCurve + Default>() {
    if !is_on(C::default().name()) {
        return;
    }
    let mut rng = rng(155);
    let keys = [Policy::default(), Policy::LOW_S, Policy::FRIENDLY].map(|policy| {
        let key = SigningKey::<C>::generate_from_rng(&mut rng).unwrap();
        key.with_policy(policy)
    });
    for count in [0, 1, 5, unless_again(rounds(30, 500), 30)] {
        let digests: Vec<_> = (0..count)
            .map(|i| HashName::Sha256.digest(&[i as u8]))
            .collect();
        let mut rows: Vec<_> = digests.iter().map(|digest| &**digest).collect();
        if let Some(row) = rows.get_mut(3) {
            *row = &[];
        }
        let rows: Vec<_> = rows
            .into_iter()
            .enumerate()
            .map(|(i, row)| (&keys[i % 3], row))
            .collect();
        let signed = sign_prehash_many_with(&rows, &SignOptions::new());
        let plain = sign_prehash_many(&rows);
        assert_eq!(signed.len(), count);
        for (((key, digest), signed), plain) in rows.iter().zip(signed).zip(plain) {
            assert_eq!(signed, key.sign_prehash_recoverable(digest));
            assert_eq!(signed.map(|(signature, _)| signature), plain);
            if let Ok((signature, id)) = signed {
                let found = key
                    .verifying_key()
                    .verify_prehash_recoverable(digest, &signature);
                assert_eq!(found, Ok(id));
                assert!(key.policy() != Policy::FRIENDLY || id.is_friendly());
            }
        }
    }
}

#[test]
fn many_are_single_ones_on_every_curve() {
    for_each_curve!(C => { many_are_single_ones::<C>() });
    let keys =
        [CurveName::P384, CurveName::P256].map(|curve| AnySigningKey::generate(curve).unwrap());
    let rows: Vec<_> = (0..5u8)
        .map(|i| (&keys[usize::from(i) % 2], [i; 32]))
        .collect();
    let rows: Vec<_> = rows
        .iter()
        .map(|(key, digest)| (*key, &digest[..]))
        .collect();
    let format = SignatureFormat::Der;
    let signed = AnySigningKey::sign_prehash_many_with(&rows, format, &SignOptions::new());
    for ((key, digest), signed) in rows.iter().zip(signed) {
        assert_eq!(signed, key.sign_prehash_recoverable(digest, format));
    }
}

tiny_curve!(MINUS_THREE_ABOVE, p = 31, n = 23, a = 28, b = 25, G = (0, 5), window 3);
tiny_curve!(ZERO_ABOVE, p = 43, n = 31, a = 0, b = 7, G = (2, 12), window 2);

/// If x(R) = r + n is common, a signer uses another nonce.
fn never_reduced<C: TinyCurve>(tiny: &Tiny<C>) {
    let mut reduced = 0;
    for d in 1..tiny.n as u8 {
        let plain = SigningKey::from_be_bytes_on(tiny.curve, &[d]).unwrap();
        let friendly = plain.clone().with_policy(Policy::FRIENDLY);
        let mut digests: Vec<_> = (0..16).map(|e| [e << 3]).collect();
        for digest in &digests {
            let (_, id) = plain.sign_prehash_recoverable(digest).unwrap();
            reduced += usize::from(id.is_x_reduced());
            let (signature, id) = friendly.sign_prehash_recoverable(digest).unwrap();
            assert_eq!(id, RecoveryId::FRIENDLY);
            let key = friendly.verifying_key();
            let options = VerifyOptions::new().policy(Policy::FRIENDLY);
            let verdict = key.verify_with(Input::Digest(digest), &signature, &options);
            assert_eq!(verdict, Ok(()));
        }
        digests.truncate(16);
        let rows: Vec<_> = digests
            .iter()
            .map(|digest| (&friendly, &digest[..]))
            .collect();
        let many = sign_prehash_many_with(&rows, &SignOptions::new());
        for ((_, digest), signed) in rows.iter().zip(many) {
            assert_eq!(signed, friendly.sign_prehash_recoverable(digest));
        }
    }
    assert!(reduced > 10, "{reduced}");
}

#[test]
fn signers_take_another_nonce_where_x_is_reduced() {
    never_reduced(&MINUS_THREE_ABOVE);
    never_reduced(&ZERO_ABOVE);
}

/// An engine under the policy: rows that are friendly, otherwise valid, and invalid, with tables
/// and without.
#[test]
fn the_engine_says_what_single_calls_say() {
    for memory in [0, 1 << 22] {
        let engine = Engine::builder()
            .policy(Policy::FRIENDLY)
            .key_memory(memory)
            .window(4)
            .build()
            .unwrap();
        let key = SigningKey::<sigmill::curves::P256>::generate().unwrap();
        let (mut digests, mut signatures, mut expected) = (vec![], vec![], vec![]);
        for i in 0..60u8 {
            let digest = [i % 20 + 1; 32];
            let (signature, id) = key.sign_prehash_recoverable(&digest).unwrap();
            digests.extend([digest, [99; 32]][usize::from(i % 5 == 0)]);
            signatures.extend(signature.to_p1363());
            expected.push(match (i % 5, id.is_friendly()) {
                (0, _) => Err(Error::SignatureMismatch),
                (_, true) => Ok(()),
                (_, false) => Err(Error::NotFriendly),
            });
        }
        assert!(expected.contains(&Ok(())) && expected.contains(&Err(Error::NotFriendly)));
        let keys = key.verifying_key().to_sec1_bytes(false).repeat(60);
        for count in [1, 2, 60] {
            let rows = Rows::new(
                sigmill::Algorithm::ES256,
                Column::fixed(&keys[..65 * count], 65),
                Inputs::Digests(Column::fixed(&digests[..32 * count], 32)),
                Signatures::P1363(Column::fixed(&signatures[..64 * count], 64)),
            )
            .unwrap();
            let verdicts = engine.verify(&rows);
            for (i, expected) in expected[..count].iter().enumerate() {
                assert_eq!(verdicts.get(i), *expected, "row {i} of {count}");
            }
        }
    }
}

#[test]
fn the_id_of_a_recovered_key_says_whether_a_signature_is_friendly() {
    let key = SigningKey::<sigmill::curves::Secp256k1>::generate().unwrap();
    let (signature, id) = key.sign_prehash_recoverable(&[1; 32]).unwrap();
    let with = |id| {
        VerifyingKey::recover_from_prehash_with_policy(&[1; 32], &signature, id, Policy::FRIENDLY)
    };
    for other in RecoveryId::ALL {
        if other != RecoveryId::FRIENDLY {
            assert_eq!(with(other), Err(Error::NotFriendly));
        }
    }
    assert_eq!(with(id).is_ok(), id.is_friendly());
}

/// Every rule that the bytes of (R, s) can break.
fn full_signatures<C: NamedCurve + Default>() {
    let length = C::default().name().field_len();
    let key = SigningKey::<C>::generate().unwrap();
    let public = key.verifying_key();
    let (signature, id) = key.sign_prehash_recoverable(&[5; 32]).unwrap();
    let full = FullSignature::new(&signature, id).unwrap();
    assert_eq!((full.signature(), full.recovery_id()), (&signature, id));
    let any =
        AnyVerifyingKey::from_sec1_bytes(C::default().name(), &public.to_sec1_bytes(true)).unwrap();
    for (compressed, expected) in [(true, 1 + 2 * length), (false, 1 + 3 * length)] {
        let bytes = full.to_bytes(compressed);
        assert_eq!(bytes.len(), expected);
        let read = |bytes: &[u8]| FullSignature::<C>::from_bytes(bytes).map(|_| ());
        assert_eq!(FullSignature::from_bytes(&bytes), Ok(full));
        let (input, plain) = (Input::Digest(&[5; 32]), VerifyOptions::new());
        assert_eq!(any.verify_full(input, &bytes, &plain), Ok(()));
        for actual in [1, length, expected - 1] {
            assert_eq!(
                read(&bytes[..actual]),
                Err(Error::FullSignatureLength { expected, actual })
            );
        }
        let actual = expected + 1;
        assert_eq!(
            read(&[&bytes[..], &[0]].concat()),
            Err(Error::FullSignatureLength { expected, actual })
        );
        for tag in [0, 1, 5, 6, 7, 0xff] {
            let bytes = [&[tag], &bytes[1..]].concat();
            assert_eq!(read(&bytes), Err(Error::FullSignatureTag { tag }));
        }
        let changed = |range: std::ops::Range<usize>, byte| {
            let mut bytes = bytes.clone();
            bytes[range].fill(byte);
            bytes
        };
        assert_eq!(
            read(&changed(1..1 + length, 0xff)),
            Err(Error::FullSignatureCoordinate)
        );
        let s = expected - length..expected;
        assert_eq!(read(&changed(s.clone(), 0)), Err(Error::SZero));
        assert_eq!(read(&changed(s, 0xff)), Err(Error::SOutOfRange));
        // Another s and the opposite R are not valid; (r, s) with that R is valid.
        let mut other = bytes.clone();
        other[expected - 1] ^= 1;
        let other = FullSignature::from_bytes(&other).unwrap();
        assert_eq!(
            public.verify_full(input, &other, &plain),
            Err(Error::SignatureMismatch)
        );
        let minus = RecoveryId::new(!id.is_y_odd(), id.is_x_reduced());
        let minus = FullSignature::new(&signature, minus).unwrap();
        let prepared = public.prepare_with_window(4).unwrap();
        for (full, digest, expected) in [
            (&full, &[5; 32][..], Ok(())),
            (&full, &[6; 32], Err(Error::SignatureMismatch)),
            (&full, &[], Err(Error::DigestEmpty)),
            (&minus, &[5; 32], Err(Error::SignatureMismatch)),
        ] {
            let input = Input::Digest(digest);
            assert_eq!(public.verify_full(input, full, &plain), expected);
            assert_eq!(prepared.verify_full(input, full, &plain), expected);
            let friendly = full.recovery_id().is_friendly();
            let verdict = public.verify_full(input, full, &plain.policy(Policy::FRIENDLY));
            assert_eq!(
                verdict,
                if friendly {
                    expected
                } else {
                    Err(Error::NotFriendly)
                }
            );
            let verdict = public.verify_full(input, full, &plain.policy(Policy::LOW_S));
            let high = full.signature().is_high_s();
            assert_eq!(verdict, if high { Err(Error::HighS) } else { expected });
        }
    }
    let uncompressed = full.to_bytes(false);
    let mut off = uncompressed.clone();
    off[2 * length] ^= 1;
    assert_eq!(
        FullSignature::<C>::from_bytes(&off).map(|_| ()),
        Err(Error::FullSignatureNotOnCurve)
    );
    assert_eq!(
        FullSignature::<C>::from_bytes(&[]).map(|_| ()),
        Err(Error::FullSignatureLength {
            expected: 1 + 2 * length,
            actual: 0
        })
    );
    // Half of all x have no point.
    let none = (1..60u8).find_map(|x| {
        let mut bytes = full.to_bytes(true);
        bytes[1..1 + length].fill(0);
        bytes[length] = x;
        FullSignature::<C>::from_bytes(&bytes).err()
    });
    assert_eq!(none, Some(Error::FullSignatureNotOnCurve));
}

#[test]
fn full_signatures_on_every_curve() {
    for_each_curve!(C => { full_signatures::<C>() });
}

#[test]
fn every_backend() {
    on_every_backend("friendly::m", "friendly::made_and_converted_on_every_curve");
}
