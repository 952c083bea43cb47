//! Recovery by the engine: a row's key is that of the single call, whatever the other rows.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::signed::{Signed, check, mixed, rsv, single};
use sigmill::RecoveryId;
use sigmill::bulk::{Column, Control, Engine, Field, Input, Inputs, RecoverRows, Recovered};
use sigmill::curves::{BrainpoolP256r1, NamedCurve, P256, P384, P521, Secp256k1};
use sigmill::ecdsa::Signature;
use sigmill::keys::SigningKey;
use sigmill::{Algorithm, CurveName, Error, Policy};

use sigmill_tests::numbers::rng;
use sigmill_tests::{THOROUGH, rounds};

fn engine(threads: usize, policy: Policy) -> Engine {
    let builder = Engine::builder().threads(threads).policy(policy);
    builder.build().unwrap()
}

/// Recovers rows passed as slices.
fn recover<C: NamedCurve + Default>(engine: &Engine, rows: &[&Signed]) -> Recovered {
    let digests: Vec<&[u8]> = rows.iter().map(|row| &row.digest[..]).collect();
    let signatures: Vec<&[u8]> = rows.iter().map(|row| &row.signature[..]).collect();
    let inputs = Inputs::Digests(Column::slices(&digests));
    let rows = RecoverRows::new(
        C::default().name().default_algorithm(),
        inputs,
        Column::slices(&signatures),
    )
    .unwrap();
    engine.recover(&rows)
}

fn as_single_calls<C: NamedCurve + Default>(seed: u64, sizes: &[usize]) {
    let count = rounds(64, 800);
    let population = mixed::<C>(seed, count);
    for policy in [
        Policy::default(),
        Policy::ETHEREUM_PRECOMPILE,
        Policy::ETHEREUM_TRANSACTION,
    ] {
        let expected: Vec<_> = population
            .iter()
            .map(|row| single::<C>(row, policy))
            .collect();
        let found = expected.iter().filter(|key| key.is_ok()).count();
        assert!(found > count / 5 && found < 4 * count / 5, "{found}");
        for threads in [1, 2, 3] {
            let engine = engine(threads, policy);
            for (i, &size) in sizes.iter().enumerate() {
                let start = i * 29 + threads;
                let places: Vec<usize> = (start..start + size).map(|i| i % count).collect();
                let rows: Vec<&Signed> = places.iter().map(|&i| &population[i]).collect();
                let expected: Vec<_> = places.iter().map(|&i| expected[i].clone()).collect();
                check(&recover::<C>(&engine, &rows), &expected);
            }
        }
    }
}

#[test]
fn every_size_of_a_call() {
    let mut sizes: Vec<usize> = (0..=20).collect();
    sizes.extend([63, 64, 65, 129]);
    if THOROUGH {
        sizes.extend([255, 256, 257, 500, 2047, 2048, 2049, 5000]);
    }
    as_single_calls::<Secp256k1>(80, &sizes);
    as_single_calls::<P256>(81, &sizes[..rounds(10, sizes.len())]);
    as_single_calls::<P384>(82, &sizes[..rounds(5, 24)]);
    as_single_calls::<BrainpoolP256r1>(87, &sizes[..rounds(5, 24)]);
    as_single_calls::<P521>(88, &sizes[..rounds(3, 12)]);
}

#[test]
fn a_bad_row_in_every_position() {
    let policy = Policy::ETHEREUM_TRANSACTION;
    let size = rounds(10, 90);
    let good: Vec<Signed> = mixed::<Secp256k1>(83, 16 * size)
        .into_iter()
        .filter(|row| single::<Secp256k1>(row, policy).is_ok())
        .take(size)
        .collect();
    let keys: Vec<_> = good
        .iter()
        .map(|row| single::<Secp256k1>(row, policy))
        .collect();
    type Spoiler = (fn(&mut Signed), Error);
    let length = |actual| Error::RecoverableSignatureLength {
        expected: 65,
        actual,
    };
    let spoilers: [Spoiler; 10] = [
        (|row| row.digest.clear(), Error::DigestEmpty),
        (|row| row.signature.clear(), length(0)),
        (|row| row.signature.truncate(64), length(64)),
        (|row| row.signature.push(0), length(66)),
        (|row| row.signature[..32].fill(0), Error::RZero),
        (|row| row.signature[..32].fill(0xff), Error::ROutOfRange),
        (|row| row.signature[32..64].fill(0), Error::SZero),
        (|row| row.signature[32] = 0x80, Error::HighS),
        (
            |row| row.signature[64] = 29,
            Error::RecoveryByteOutOfRange { v: 29 },
        ),
        (|row| row.signature[64] |= 2, Error::RecoveryIdReduced),
    ];
    let engine = engine(1, policy);
    for (spoil, error) in spoilers {
        for place in 0..size {
            let mut bad = good[place].clone();
            // In 27 and 28, bit 1 has another meaning.
            bad.signature[64] %= 27;
            spoil(&mut bad);
            let mut rows: Vec<&Signed> = good.iter().collect();
            rows[place] = &bad;
            let mut expected = keys.clone();
            expected[place] = Err(error);
            check(&recover::<Secp256k1>(&engine, &rows), &expected);
        }
    }
}

#[test]
fn every_v_and_every_length() {
    let row = mixed::<Secp256k1>(84, 16).pop().unwrap();
    for v in 0..=u8::MAX {
        let expected = match v {
            0..=3 => Ok(RecoveryId::ALL[usize::from(v)]),
            27 => Ok(RecoveryId::ALL[0]),
            28 => Ok(RecoveryId::ALL[1]),
            _ => Err(Error::RecoveryByteOutOfRange { v }),
        };
        assert_eq!(RecoveryId::from_v(v), expected);
        let mut bytes = row.signature.clone();
        bytes[64] = v;
        let read = Signature::<Secp256k1>::from_rsv(&bytes);
        assert_eq!(read.map(|(_, id)| id), expected);
        if let Ok((signature, _)) = read {
            assert_eq!(signature.to_p1363(), bytes[..64]);
        }
    }
    for actual in (0..200).filter(|&len| len != 65) {
        let expected = 65;
        let error = Signature::<Secp256k1>::from_rsv(&vec![1; actual]).unwrap_err();
        assert_eq!(
            error,
            Error::RecoverableSignatureLength { expected, actual }
        );
    }
    assert!(Signature::<P384>::from_rsv(&[1; 97]).is_ok());
    assert!(Signature::<P384>::from_rsv(&[1; 65]).is_err());
}

#[test]
fn layouts_messages_and_missing_values() {
    let key = SigningKey::<P256>::generate_from_rng(&mut rng(85)).unwrap();
    let public = key.verifying_key().to_sec1_bytes(false);
    let messages: Vec<Vec<u8>> = (0..9).map(|i| vec![7; i]).collect();
    let hash = Algorithm::ES256.hash;
    let digests: Vec<Vec<u8>> = messages.iter().map(|m| hash.digest(m).to_vec()).collect();
    let signatures = digests.iter().map(|digest| {
        let (signature, id) = key.sign_prehash_recoverable(digest).unwrap();
        rsv(&signature, id)
    });
    let signatures: Vec<u8> = signatures.flatten().collect();
    let message_slices: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
    let digest_bytes = digests.concat();
    let each: Vec<Input<'_>> = (0..9)
        .map(|i| match i % 2 {
            0 => Input::Message(&messages[i]),
            _ => Input::Digest(&digests[i]),
        })
        .collect();
    let engine = engine(2, Policy::default());
    let all = || Column::fixed(&signatures, 65);
    for inputs in [
        Inputs::Messages(Column::slices(&message_slices)),
        Inputs::Digests(Column::fixed(&digest_bytes, 32)),
        Inputs::Each(&each),
    ] {
        let rows = RecoverRows::new(Algorithm::ES256, inputs, all()).unwrap();
        let recovered = engine.recover(&rows);
        assert_eq!(recovered.curve(), CurveName::P256);
        check(&recovered, &vec![Ok(public.clone()); 9]);
        // The keys form a column.
        let keys = Column::fixed(recovered.keys(), recovered.key_len());
        let digests = Inputs::Digests(Column::fixed(&digest_bytes, 32));
        let p1363: Vec<&[u8]> = signatures.chunks(65).map(|bytes| &bytes[..64]).collect();
        let rows = sigmill::bulk::Rows::new(
            Algorithm::ES256,
            keys,
            digests,
            sigmill::bulk::Signatures::P1363(Column::slices(&p1363)),
        );
        assert!(engine.verify(&rows.unwrap()).all_valid());
        assert_eq!(recovered.into_keys(), public.repeat(9));
    }
    // Row i lacks its digest if bit 0 of i is set, its signature with bit 1.
    let bits = |bit: usize| {
        let bits = (0..9).filter(|i| i >> bit & 1 == 0);
        bits.fold(0_u16, |bits, i| bits | 1 << i).to_le_bytes()
    };
    let bits = [bits(0), bits(1)];
    let digests = Column::fixed(&digest_bytes, 32).with_validity(&bits[0], 0);
    let rows = RecoverRows::new(
        Algorithm::ES256,
        Inputs::Digests(digests),
        all().with_validity(&bits[1], 0),
    );
    let recovered = engine.recover(&rows.unwrap());
    let expected: Vec<_> = (0..9)
        .map(|i| match i & 3 {
            0 => Ok(public.clone()),
            2 => Err(Error::SignatureNull),
            _ => Err(Error::InputNull),
        })
        .collect();
    check(&recovered, &expected);
    assert_eq!(recovered.verdicts().reasons()["input-null"], 4);
    assert_eq!(recovered.get(9), Err(Error::NotJudged));
}

#[test]
fn columns_that_are_no_rows() {
    let bytes = [1; 130];
    let digests = |column| Inputs::Digests(column);
    let error = |inputs, signatures| {
        RecoverRows::new(Algorithm::ES256K, inputs, signatures)
            .map(|_| ())
            .unwrap_err()
    };
    let (same, empty) = (|| Column::same(&bytes), || Column::fixed(&bytes, 0));
    let length = error(
        digests(Column::fixed(&bytes, 65)),
        Column::fixed(&bytes, 13),
    );
    super::check_length(&length, Field::Signature, 2, 10);
    for (error, field, reason) in [
        (error(digests(same()), same()), None, "no-length"),
        (
            error(digests(same()), empty()),
            Some(Field::Signature),
            "width-zero",
        ),
        (
            error(digests(empty()), same()),
            Some(Field::Input),
            "width-zero",
        ),
    ] {
        assert_eq!((error.field(), error.reason()), (field, reason));
    }
    let rows = RecoverRows::new(
        Algorithm::ES256K,
        digests(Column::same(&bytes)),
        Column::fixed(&bytes, 65),
    )
    .unwrap();
    assert!(rows.len() == 2 && !rows.is_empty());
}

#[test]
fn calls_that_are_watched_and_cancelled() {
    let population = mixed::<Secp256k1>(86, 32);
    let expected: Vec<_> = population
        .iter()
        .map(|row| single::<Secp256k1>(row, Policy::default()))
        .collect();
    let size = rounds(400, 9000);
    let take = |i: usize| i % population.len();
    let digests: Vec<&[u8]> = (0..size).map(|i| &population[take(i)].digest[..]).collect();
    let signatures: Vec<&[u8]> = (0..size)
        .map(|i| &population[take(i)].signature[..])
        .collect();
    let inputs = Inputs::Digests(Column::slices(&digests));
    let rows = RecoverRows::new(Algorithm::ES256K, inputs, Column::slices(&signatures)).unwrap();
    for threads in [1, 2, 4] {
        let engine = engine(threads, Policy::default());
        for cancel_after in [0, 1, usize::MAX] {
            let cancel = AtomicBool::new(cancel_after == 0);
            let steps = Mutex::new(vec![]);
            let progress = |judged| {
                let mut steps = steps.lock().unwrap();
                steps.push(judged);
                if steps.len() == cancel_after {
                    cancel.store(true, Relaxed);
                }
            };
            let recovered = engine.recover_with(
                &rows,
                &Control::default().cancel(&cancel).progress(&progress),
            );
            let steps = steps.into_inner().unwrap();
            let verdicts = recovered.verdicts();
            let judged = verdicts.judged();
            assert_eq!(judged, steps.iter().copied().max().unwrap_or(0));
            match cancel_after {
                0 => assert_eq!(judged, 0),
                1 => assert!(judged > 0 && (judged < size || steps.len() <= threads)),
                _ => assert_eq!(judged, size),
            }
            let mut not_judged = 0;
            for (i, key) in recovered.iter().enumerate() {
                match key {
                    Err(Error::NotJudged) => {
                        not_judged += 1;
                        assert!(
                            recovered.keys()[i * 65..][..65]
                                .iter()
                                .all(|&byte| byte == 0)
                        );
                    }
                    key => assert_eq!(key.map(<[u8]>::to_vec), expected[take(i)]),
                }
            }
            assert_eq!(judged + not_judged, size);
            assert_eq!(verdicts.valid() + verdicts.rejected(), judged);
        }
    }
}
