//! Batches with random weights against single calls: valid, invalid, malformed and wrongly hinted
//! rows at every place, calls of every size, and rows crafted to cancel.

use num_bigint::BigUint;
use rand_chacha::rand_core::Rng;
use sigmill::ecdsa::Signature;
use sigmill::hazmat::curve::{BrainpoolP256r1, NamedCurve, P256, P384, P521, Secp256k1};
use sigmill::hazmat::ecdsa::{
    BatchCounts, HintedVerify, Verify, verify_batch_vartime, verify_batch_with_weights_vartime,
};
use sigmill::hazmat::{KeyParts as _, SignatureParts as _};
use sigmill::keys::{PreparedKey, SigningKey, VerifyingKey};
use sigmill::{CurveName, Error, Hint, RecoveryId};
use sigmill_tests::hints::y_of;
use sigmill_tests::numbers::{big, invert, random_nonzero, rng, to_bytes};
use sigmill_tests::processes::{is_again, is_on, on_every_backend};
use sigmill_tests::referee::{Referee, digest_integer};
use sigmill_tests::rounds;

/// A row with its known R.
struct Case<C: NamedCurve> {
    key: VerifyingKey<C>,
    prepared: PreparedKey<C>,
    digest: Vec<u8>,
    signature: Signature<C>,
    id: RecoveryId,
    y: Vec<u8>,
}

/// Valid and invalid signatures of a few keys; every fifth is tampered with.
fn pool<C: NamedCurve + Default>(seed: u64, count: usize) -> Vec<Case<C>> {
    let mut rng = rng(seed);
    let length = C::default().name().order_len();
    let keys: Vec<_> = (0..5)
        .map(|i| {
            let mut bytes = vec![0; length];
            bytes[length - 1] = 17 + i;
            bytes[length / 2] = 1;
            let key = SigningKey::<C>::from_be_bytes(&bytes).unwrap();
            let prepared = key.verifying_key().prepare_with_window(4).unwrap();
            (key, prepared)
        })
        .collect();
    let mut cases = vec![];
    for i in 0..count {
        let (key, prepared) = &keys[i % keys.len()];
        let mut digest = vec![0; length];
        rng.fill_bytes(&mut digest);
        let (signature, id) = key.sign_prehash_recoverable(&digest).unwrap();
        if i % 5 == 2 {
            digest[i % length.min(32)] ^= 1 << (i % 7);
        }
        cases.push(Case {
            key: *key.verifying_key(),
            prepared: prepared.clone(),
            digest,
            y: y_of(&signature, id).unwrap(),
            signature,
            id,
        });
    }
    cases
}

/// The kinds of hints to R.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Nothing,
    Bits,
    Whole,
    OtherParity,
    /// r + n, which is almost never below p.
    Reduced,
    OtherBits,
    OtherWhole,
    ShortWhole,
    LongWhole,
    NoPoint,
}

const TOLD: [Told; 10] = [
    Told::Bits,
    Told::Whole,
    Told::Nothing,
    Told::OtherParity,
    Told::Reduced,
    Told::OtherBits,
    Told::OtherWhole,
    Told::ShortWhole,
    Told::LongWhole,
    Told::NoPoint,
];

/// The hint for a row; `other` is another row.
fn hint<'a, C: NamedCurve>(case: &'a Case<C>, other: &'a Case<C>, told: Told) -> Option<Hint<'a>> {
    let flipped = RecoveryId::new(!case.id.is_y_odd(), case.id.is_x_reduced());
    Some(match told {
        Told::Nothing => return None,
        Told::Bits => Hint::Id(case.id),
        Told::Whole => Hint::Y(&case.y),
        Told::OtherParity => Hint::Id(flipped),
        Told::Reduced => Hint::Id(RecoveryId::new(case.id.is_y_odd(), true)),
        Told::OtherBits => Hint::Id(other.id),
        Told::OtherWhole => Hint::Y(&other.y),
        Told::ShortWhole => Hint::Y(&case.y[1..]),
        Told::LongWhole => Hint::Y(&[0xff; 80]),
        Told::NoPoint => Hint::Y(&[]),
    })
}

type Verdict = Result<(), Error>;

/// Judges rows in batches; returns verdicts and counts.
fn judge<C: NamedCurve + Default>(
    rows: &[HintedVerify<'_, C::Curve>],
    smallest: bool,
) -> (Vec<Verdict>, BatchCounts) {
    // Every initial value must be overwritten.
    let mut verdicts = vec![Err(Error::KeyEmpty); rows.len()];
    let curve = C::default().curve();
    let counts = if smallest {
        let mut rng = rng(rows.len() as u64);
        let mut weights = |count: usize| {
            let weight = |_| u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
            Some((0..count).map(weight).collect())
        };
        verify_batch_with_weights_vartime(curve, rows, &mut weights, &mut verdicts)
    } else {
        verify_batch_vartime(curve, rows, &mut verdicts)
    };
    (verdicts, counts)
}

fn row<'a, C: NamedCurve + Default>(
    case: &'a Case<C>,
    hint: Option<Hint<'a>>,
    is_prepared: bool,
) -> HintedVerify<'a, C::Curve> {
    HintedVerify {
        verify: Verify {
            strategy: match is_prepared {
                true => case.prepared.strategy(),
                false => case.key.strategy(),
            },
            digest: &case.digest,
            signature: case.signature.scalars(),
        },
        hint,
    }
}

/// Calls of these sizes: with valid rows and right hints, and mixed ones.
fn agree<C: NamedCurve + Default>(seed: u64, sizes: impl Iterator<Item = usize>) {
    if !is_on(C::default().name()) {
        return;
    }
    let cases = pool::<C>(seed, 40);
    let empty = Case {
        digest: vec![],
        key: cases[0].key,
        prepared: cases[0].prepared.clone(),
        signature: cases[0].signature,
        id: cases[0].id,
        y: cases[0].y.clone(),
    };
    let single = |case: &Case<C>| case.key.verify_prehash(&case.digest, &case.signature);
    let verdicts: Vec<_> = cases.iter().map(single).collect();
    let valid: Vec<_> = (0..cases.len()).filter(|&i| verdicts[i].is_ok()).collect();
    assert_eq!(valid.len(), 32);
    let mut rng = rng(seed + 1);
    for size in sizes {
        for kind in 0..4 {
            // All valid with right hints, one exception, a few exceptions, and arbitrary rows.
            let odd = rng.next_u32() as usize % size.max(1);
            let (mut rows, mut expected) = (vec![], vec![]);
            for place in 0..size {
                let coin = rng.next_u32() as usize;
                let is_odd = match kind {
                    0 => false,
                    1 => place == odd,
                    2 => coin.is_multiple_of(97),
                    _ => coin.is_multiple_of(3),
                };
                let (case, told) = if is_odd {
                    let told = TOLD[coin / 128 % TOLD.len()];
                    if (coin / 8).is_multiple_of(16) {
                        rows.push(row(&empty, Some(Hint::Id(empty.id)), false));
                        expected.push(Err(Error::DigestEmpty));
                        continue;
                    }
                    (coin / 4096 % cases.len(), told)
                } else {
                    let told = [Told::Bits, Told::Whole][(coin / 128 % 3) / 2];
                    (valid[coin / 4096 % valid.len()], told)
                };
                let other = &cases[(case + 1) % cases.len()];
                let hint = hint(&cases[case], other, told);
                rows.push(row(&cases[case], hint, coin.is_multiple_of(2)));
                expected.push(verdicts[case]);
            }
            let is_smallest = kind % 2 == 0;
            let (found, counts) = judge::<C>(&rows, is_smallest);
            let context = format!("{}: {size} rows, kind {kind}", C::default().name());
            assert_eq!(found, expected, "{context}");
            assert!(
                counts.accepted <= counts.batched && counts.batched <= size,
                "{context}"
            );
            assert!(
                counts.invalid <= counts.batched - counts.accepted,
                "{context}"
            );
            if kind == 0 {
                let all = BatchCounts {
                    batched: size,
                    accepted: size,
                    summed: size,
                    invalid: 0,
                    failures: 0,
                };
                assert_eq!(counts, all, "{context}");
            }
        }
    }
}

#[test]
fn calls_of_every_size_agree_with_single_calls() {
    let sizes = [31, 32, 33, 64, 255, 256, 257, 600];
    agree::<P256>(401, (0..rounds(10, 24)).chain(sizes));
    let large = [1023, 2049, 5000];
    agree::<P256>(
        402,
        large
            .into_iter()
            .take(if is_again() { 0 } else { rounds(1, 3) }),
    );
    agree::<Secp256k1>(403, [1, 2, 9, 65, rounds(258, 800)].into_iter());
    agree::<P384>(404, [1, 9, rounds(33, 300)].into_iter());
    agree::<BrainpoolP256r1>(405, [1, 9, rounds(33, 300)].into_iter());
    agree::<P521>(406, [1, 9, rounds(17, 300)].into_iter());
}

/// An invalid row at every place of a call, with a wrong digest or a wrong hint.
#[test]
fn every_place() {
    let cases = pool::<P256>(410, 40);
    let count = rounds(40, 300);
    let places = (0..count).step_by(if is_again() { 13 } else { rounds(3, 1) });
    for (place, told) in places.zip(TOLD.into_iter().cycle()) {
        for bad in [2, 3] {
            let rows: Vec<_> = (0..count)
                .map(|i| {
                    let case = &cases[if i == place { bad } else { 5 * (i % 8) }];
                    let told = if i == place { told } else { Told::Bits };
                    row(case, hint(case, &cases[4], told), i % 2 == 0)
                })
                .collect();
            let (verdicts, counts) = judge::<P256>(&rows, true);
            for (i, verdict) in verdicts.into_iter().enumerate() {
                let is_bad = i == place && bad == 2;
                let expected = if is_bad {
                    Err(Error::SignatureMismatch)
                } else {
                    Ok(())
                };
                assert_eq!(
                    verdict, expected,
                    "row {i}, {bad} told {told:?} in row {place}"
                );
            }
            assert!(counts.invalid <= usize::from(bad == 2));
        }
    }
}

/// All rows equal, and all rows of one key: points meet in every bucket.
#[test]
fn equal_rows() {
    let cases = pool::<P256>(420, 40);
    for count in [16, 100, rounds(400, 3000)] {
        for bad in [false, true] {
            let case = |i: usize| match (bad, i) {
                (true, 7) => &cases[2],
                _ => &cases[0],
            };
            let rows: Vec<_> = (0..count)
                .map(|i| row(case(i), Some(Hint::Id(case(i).id)), i % 3 == 0))
                .collect();
            let (verdicts, counts) = judge::<P256>(&rows, false);
            assert_eq!(
                verdicts.iter().filter(|verdict| verdict.is_err()).count(),
                usize::from(bad)
            );
            assert_eq!(verdicts[7].is_err(), bad);
            assert_eq!(counts.batched, count);
            assert_eq!(counts.accepted == count, !bad);
        }
    }
}

/// An r without a point: an invalid root would be a point of another curve, where a sum that holds
/// proves nothing.
#[test]
fn rows_without_a_point_are_in_no_batch() {
    fn check<C: NamedCurve + Default>(seed: u64) {
        if !is_on(C::default().name()) {
            return;
        }
        let mut cases = pool::<C>(seed, 20);
        let length = C::default().name().order_len();
        let id = RecoveryId::new(false, false);
        let without = (1..200_u32).map(|r| {
            let p1363 = [to_bytes(&big(r.into()), length), to_bytes(&big(7), length)].concat();
            Signature::<C>::from_p1363(&p1363).unwrap()
        });
        let without: Vec<_> = without.filter(|s| y_of(s, id).is_none()).collect();
        assert!((50..150).contains(&without.len()));
        for (case, signature) in cases.iter_mut().zip(&without).take(7) {
            case.signature = *signature;
            case.id = id;
        }
        let rows: Vec<_> = cases
            .iter()
            .map(|case| row(case, Some(Hint::Id(case.id)), false))
            .collect();
        let single = |case: &Case<C>| case.key.verify_prehash(&case.digest, &case.signature);
        for smallest in [false, true] {
            let (verdicts, counts) = judge::<C>(&rows, smallest);
            assert_eq!(verdicts, cases.iter().map(single).collect::<Vec<_>>());
            // Fewer rows than the library's own batches require.
            assert_eq!(counts.batched, if smallest { 13 } else { 0 });
        }
    }
    check::<P256>(460);
    check::<Secp256k1>(461);
    check::<P384>(462);
    check::<BrainpoolP256r1>(463);
}

/// Two rows (r, s) over digests e1 and e2 with known key and nonce. With s = (e1 + e2 + 2 r d) / (2
/// k) neither is valid, but their faults cancel: (e1 + r d) / s - k is the negative of (e2 + r d) /
/// s - k.
fn unsound_pair(seed: u64) -> [Case<P256>; 2] {
    let referee = Referee::new(CurveName::P256);
    let n = &referee.n;
    let mut rng = rng(seed);
    let (d, k) = (random_nonzero(&mut rng, n), random_nonzero(&mut rng, n));
    let point = referee.generator_multiple(&k);
    let r = referee.x(&point) % n;
    let id = RecoveryId::new(point[64] & 1 == 1, referee.x(&point) >= *n);
    let digests = [0; 2].map(|_| to_bytes(&random_nonzero(&mut rng, n), 32));
    let [e1, e2] = digests.each_ref().map(|digest| digest_integer(digest, n));
    let s: BigUint = (e1 + e2 + big(2) * &r * &d) * invert(&(big(2) * k % n), n) % n;
    let p1363 = [to_bytes(&r, 32), to_bytes(&s, 32)].concat();
    let key: VerifyingKey<P256> =
        VerifyingKey::from_sec1_bytes(&referee.generator_multiple(&d)).unwrap();
    let prepared = key.prepare_with_window(2).unwrap();
    digests.map(|digest| Case {
        key,
        prepared: prepared.clone(),
        digest,
        signature: Signature::from_p1363(&p1363).unwrap(),
        id,
        y: point[33..].to_vec(),
    })
}

/// The rows of the pair among `others` valid ones.
fn with_pair<'a>(
    pair: &'a [Case<P256>; 2],
    valid: &'a Case<P256>,
    others: usize,
) -> Vec<HintedVerify<'a, P256>> {
    let mut rows = vec![row(valid, Some(Hint::Id(valid.id)), false); others];
    rows.insert(others / 2, row(&pair[0], Some(Hint::Id(pair[0].id)), false));
    rows.push(row(&pair[1], Some(Hint::Y(&pair[1].y)), false));
    rows
}

#[test]
fn a_pair_that_cancels_is_rejected_ten_thousand_times() {
    let cases = pool::<P256>(430, 5);
    let turns = if is_again() {
        rounds(10, 100)
    } else {
        rounds(100, 10_000)
    };
    for turn in 0..turns {
        let pair = unsound_pair(431 + turn as u64 % 50);
        // Alone or among others: the library's own weights judge at least sixteen rows.
        let rows = with_pair(&pair, &cases[0], if turn % 20 == 0 { 40 } else { 14 });
        let (verdicts, counts) = judge::<P256>(&rows, turn % 2 == 0);
        assert_eq!(
            (counts.batched, counts.accepted, counts.invalid),
            (rows.len(), 0, 2)
        );
        let bad = [(rows.len() - 2) / 2, rows.len() - 1];
        for (i, verdict) in verdicts.iter().enumerate() {
            assert_eq!(verdict.is_err(), bad.contains(&i), "turn {turn}, row {i}");
        }
    }
}

/// The test above can fail: with equal weights, or weights that an attacker knows beforehand, the
/// pair is accepted.
#[test]
fn a_pair_that_cancels_is_accepted_with_equal_weights() {
    let cases = pool::<P256>(440, 5);
    for (turn, weight) in [1, 2, 1 << 64, u128::MAX].into_iter().enumerate() {
        let pair = unsound_pair(441 + turn as u64);
        for others in [0, 1, 30] {
            let rows = with_pair(&pair, &cases[0], others);
            let mut verdicts = vec![Err(Error::KeyEmpty); rows.len()];
            let mut weights = |count: usize| Some(vec![weight; count]);
            let counts =
                verify_batch_with_weights_vartime(P256, &rows, &mut weights, &mut verdicts);
            assert_eq!(verdicts, vec![Ok(()); rows.len()]);
            assert_eq!(counts.accepted, rows.len());
        }
    }
}

/// Adjacent rows of one key share its term, but no weight: with weights that differ, in any bits,
/// the pair is rejected at every place.
#[test]
fn neighbours_of_one_key_have_weights_of_their_own() {
    let cases = pool::<P256>(445, 5);
    let pair = unsound_pair(446);
    let bad = [0, 1].map(|i| row(&pair[i], Some(Hint::Id(pair[i].id)), false));
    for place in 0..9 {
        let mut rows = vec![row(&cases[0], Some(Hint::Id(cases[0].id)), false); 8];
        rows.splice(place..place, bad);
        for shift in [0, 60, 64, 124] {
            let weight = |i: u128| 1 + (i << shift);
            let mut verdicts = vec![Err(Error::KeyEmpty); rows.len()];
            let mut weights = |count: usize| Some((0..count as u128).map(weight).collect());
            let counts =
                verify_batch_with_weights_vartime(P256, &rows, &mut weights, &mut verdicts);
            assert_eq!((counts.accepted, counts.invalid), (0, 2), "place {place}");
            for (i, verdict) in verdicts.iter().enumerate() {
                assert_eq!(verdict.is_err(), i == place || i == place + 1);
            }
        }
    }
}

/// Without randomness rows are judged one by one, and a zero weight counts as one.
#[test]
fn no_randomness_and_zero_weights() {
    let cases = pool::<P256>(450, 40);
    let rows: Vec<_> = cases
        .iter()
        .map(|case| row(case, Some(Hint::Id(case.id)), false))
        .collect();
    let expected: Vec<_> = (0..40)
        .map(|i| {
            if i % 5 == 2 {
                Err(Error::SignatureMismatch)
            } else {
                Ok(())
            }
        })
        .collect();
    for gives in [None, Some(0)] {
        let mut verdicts = vec![Err(Error::KeyEmpty); rows.len()];
        let mut weights = |count: usize| gives.map(|weight| vec![weight; count]);
        let counts = verify_batch_with_weights_vartime(P256, &rows, &mut weights, &mut verdicts);
        assert_eq!(verdicts, expected);
        assert_eq!(counts.batched, if gives.is_some() { 40 } else { 0 });
    }
}

#[test]
fn every_backend() {
    on_every_backend(
        "batch::",
        "batch::calls_of_every_size_agree_with_single_calls",
    );
}
