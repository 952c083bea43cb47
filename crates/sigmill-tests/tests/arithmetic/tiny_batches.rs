//! Batches of two and three rows on curves of tiny order, with all weights: a batch holds if and
//! only if the weighted sum of its rows' faults is infinity, counted in plain integers.

use sigmill::Error;
use sigmill::ecdsa::Signature;
use sigmill::hazmat::ecdsa::{HintedVerify, Verify, verify_batch_with_weights_vartime};
use sigmill::hazmat::field::PrimeField;
use sigmill::hazmat::{KeyParts as _, SignatureParts as _};
use sigmill::keys::VerifyingKey;
use sigmill::{Hint, RecoveryId};
use sigmill_tests::processes::{on_every_backend_without_doubles, unless_again};
use sigmill_tests::tiny::{Tiny, TinyCurve, inverse};
use sigmill_tests::{rounds, tiny_curve};

tiny_curve!(MINUS_THREE_ABOVE, p = 31, n = 23, a = 28, b = 25, G = (0, 5), window 3);
tiny_curve!(ZERO_BELOW, p = 13, n = 19, a = 0, b = 2, G = (1, 4), window 1);
tiny_curve!(GENERAL_ABOVE, p = 29, n = 23, a = 1, b = 17, G = (6, 6), window 4);
tiny_curve!(ENDOMORPHISM_7, p = 13, n = 7, a = 0, b = 6, G = (2, 1), window 1,
    endomorphism beta = 9, split by 1 and 2);
tiny_curve!(ENDOMORPHISM_13, p = 19, n = 13, a = 0, b = 2, G = (4, 3), window 3,
    endomorphism beta = 7, split by 1 and 3);

/// A row, and the integer f for which u1 G + u2 Q - R is f G.
struct Case<C: TinyCurve> {
    key: VerifyingKey<C>,
    digest: Vec<u8>,
    signature: Signature<C>,
    id: RecoveryId,
    fault: i64,
}

/// For every f the given number of rows, with all kinds of keys, signatures and hints.
fn cases<C: TinyCurve>(tiny: &Tiny<C>, each: usize) -> Vec<Case<C>> {
    let (n, length) = (tiny.n, tiny.curve.scalar_field().bytes());
    let bits = 64 - (n as u64).leading_zeros();
    let multiples = tiny.multiples();
    let mut counts = vec![0; n as usize];
    let mut cases = vec![];
    // In an order unrelated to any of them.
    let all = (n * n * n * n * 4) as usize;
    for i in (0..all).map(|i| i * 7919 % all) {
        let [d, e, r, s] = [1, n, n * n, n * n * n].map(|step| i as i64 / step % n);
        let id = RecoveryId::ALL[i / (all / 4)];
        let x = r + if id.is_x_reduced() { n } else { 0 };
        let is_r = |point: &_| match *point {
            Some((px, py)) => px == x && (py % 2 == 1) == id.is_y_odd(),
            None => false,
        };
        let Some(k) = multiples.iter().position(is_r) else {
            continue;
        };
        if d * r * s == 0 {
            continue;
        }
        let w = inverse(s, n);
        let fault = (e * w + r * w * d - k as i64).rem_euclid(n);
        if counts[fault as usize] == each {
            continue;
        }
        counts[fault as usize] += 1;
        assert!(fault != 0 || tiny.plain_verify(&multiples, d, e, r, s));
        let (qx, qy) = multiples[d as usize].unwrap();
        let bytes = |value: i64| value.to_be_bytes()[8 - length..].to_vec();
        let aligned = (e as u16) << (8 * length as u32 - bits);
        cases.push(Case {
            key: VerifyingKey::from_sec1_bytes_on(tiny.curve, &[4, qx as u8, qy as u8]).unwrap(),
            digest: aligned.to_be_bytes()[2 - length..].to_vec(),
            signature: Signature::from_scalars_on(tiny.curve, &bytes(r), &bytes(s)).unwrap(),
            id,
            fault,
        });
        if counts.iter().all(|&count| count == each) {
            break;
        }
    }
    assert!(counts.iter().all(|&count| count == each), "{counts:?}");
    cases
}

/// All batches of `rows` rows out of these, with all weights, thinned out by `step`.
fn batches<C: TinyCurve>(tiny: &Tiny<C>, cases: &[Case<C>], rows: u32, step: usize) {
    let bits = 64 - (tiny.n as u64).leading_zeros();
    let weights = (1 << (bits - 1)) - 1;
    let choices = cases.len() * weights;
    let (mut held, mut wrong) = (0, 0);
    for batch in (0..choices.pow(rows)).step_by(step) {
        let chosen: Vec<_> = (0..rows)
            .map(|row| batch / choices.pow(row) % choices)
            .map(|choice| (&cases[choice / weights], 1 + choice % weights))
            .collect();
        let rows: Vec<_> = chosen
            .iter()
            .map(|(case, _)| HintedVerify {
                verify: Verify {
                    strategy: case.key.strategy(),
                    digest: &case.digest,
                    signature: case.signature.scalars(),
                },
                hint: Some(Hint::Id(case.id)),
            })
            .collect();
        let mut verdicts = vec![Err(Error::KeyEmpty); rows.len()];
        let mut weights = |count| {
            assert_eq!(count, chosen.len());
            Some(chosen.iter().map(|&(_, z)| z as u128).collect())
        };
        let counts =
            verify_batch_with_weights_vartime(tiny.curve, &rows, &mut weights, &mut verdicts);
        let sum: i64 = chosen.iter().map(|(case, z)| case.fault * *z as i64).sum();
        let holds = sum % tiny.n == 0;
        assert_eq!(counts.batched, rows.len());
        assert_eq!(counts.accepted, if holds { rows.len() } else { 0 });
        held += usize::from(holds);
        if holds {
            wrong += usize::from(chosen.iter().any(|(case, _)| case.fault != 0));
            assert_eq!(verdicts, vec![Ok(()); rows.len()]);
            continue;
        }
        // Each row is judged separately, whatever its hint.
        for ((case, _), verdict) in chosen.iter().zip(verdicts) {
            assert_eq!(
                verdict,
                case.key.verify_prehash(&case.digest, &case.signature)
            );
        }
    }
    // Invalid rows cancel for about one choice of weights in n, and no more.
    assert!(
        wrong > 0 && wrong < 2 * choices.pow(rows) / step,
        "{wrong} of {held}"
    );
}

fn every_batch<C: TinyCurve>(tiny: &Tiny<C>, each: usize, steps: [usize; 2]) {
    let again = unless_again(1, 5);
    batches(tiny, &cases(tiny, each), 2, steps[0] * again);
    batches(tiny, &cases(tiny, 1), 3, steps[1] * again);
}

#[test]
fn batches_of_two_and_three() {
    every_batch(&ENDOMORPHISM_7, 2, [1, rounds(7, 1)]);
    every_batch(&ENDOMORPHISM_13, 1, [rounds(7, 1), rounds(1009, 101)]);
    every_batch(
        &MINUS_THREE_ABOVE,
        1,
        [rounds(101, 7), rounds(50_021, 5003)],
    );
    every_batch(&ZERO_BELOW, 1, [rounds(101, 7), rounds(50_021, 5003)]);
    every_batch(&GENERAL_ABOVE, 1, [rounds(101, 7), rounds(50_021, 5003)]);
}

#[test]
fn every_backend() {
    on_every_backend_without_doubles("tiny_batches::", "tiny_batches::batches_of_two_and_three");
}
