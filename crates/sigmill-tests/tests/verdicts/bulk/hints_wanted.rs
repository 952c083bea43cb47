//! Hints returned by a first pass: every valid row has a hint to its point R, and no other row has
//! one, whichever strategy judged the rows. Verdicts are the same as without.

use num_bigint::BigUint;
use sigmill::bulk::{Column, Control, Engine, Hints, Inputs, Rows, Signatures, Speed, Verdicts};
use sigmill::{Algorithm, CurveName, Error, HashName, Policy, RecoveryId};
use sigmill_tests::numbers::{big, random_below, random_nonzero, rng, to_bytes};
use sigmill_tests::processes::{curves, is_again, on_every_backend};
use sigmill_tests::referee::{Forged, Referee};

/// Rows with their expected hints.
struct Expected {
    algorithm: Algorithm,
    keys: Vec<Vec<u8>>,
    digests: Vec<Vec<u8>>,
    signatures: Vec<Vec<u8>>,
    ids: Vec<Option<RecoveryId>>,
}

impl Expected {
    fn new(curve: CurveName) -> Self {
        Self {
            algorithm: Algorithm::new(curve, HashName::Sha512),
            keys: vec![],
            digests: vec![],
            signatures: vec![],
            ids: vec![],
        }
    }

    fn push(&mut self, referee: &Referee, forged: &Forged, id: Option<RecoveryId>) {
        let length = referee.length();
        let halves = [&forged.r, &forged.s].map(|half| to_bytes(half, length));
        self.keys.push(forged.key.clone());
        self.digests.push(referee.digest(&forged.e));
        self.signatures.push(halves.concat());
        self.ids.push(id);
    }

    fn len(&self) -> usize {
        self.ids.len()
    }

    fn with_rows<T>(&self, hints: Option<Hints<'_>>, judge: impl FnOnce(&Rows<'_>) -> T) -> T {
        let keys: Vec<&[u8]> = self.keys.iter().map(Vec::as_slice).collect();
        let digests: Vec<&[u8]> = self.digests.iter().map(Vec::as_slice).collect();
        let signatures: Vec<&[u8]> = self.signatures.iter().map(Vec::as_slice).collect();
        let rows = Rows::new(
            self.algorithm,
            Column::slices(&keys),
            Inputs::Digests(Column::slices(&digests)),
            Signatures::P1363(Column::slices(&signatures)),
        );
        let rows = rows.unwrap();
        judge(&match hints {
            Some(hints) => rows.hints(hints).unwrap(),
            None => rows,
        })
    }

    /// Compares verdicts and hints of a call with the expected ones.
    fn check(&self, verdicts: &Verdicts, what: &str) {
        let hints = verdicts.hints().expect("they were asked for");
        assert_eq!(hints.len(), self.len());
        for (row, (id, hint)) in self.ids.iter().zip(hints).enumerate() {
            assert_eq!(verdicts.get(row).is_ok(), id.is_some(), "{what}: row {row}");
            assert_eq!(hint, id, "{what}: row {row}");
        }
    }
}

fn id_of(referee: &Referee, point: &[u8]) -> RecoveryId {
    let is_odd = point.last().unwrap() & 1 == 1;
    RecoveryId::new(is_odd, referee.x(point) >= referee.n)
}

/// The given numbers of rows and keys; every eleventh row is invalid, and every thirteenth has a
/// point with x at least n, if such points exist.
fn rows(name: CurveName, len: usize, keys: u32) -> Expected {
    let referee = Referee::new(name);
    let n = &referee.n;
    let mut rng = rng(u64::from(keys));
    let mut expected = Expected::new(name);
    let mut above = n + 1u32;
    for i in 0..len {
        let d = big(1 + i as u64 % u64::from(keys));
        // Sums of equal and opposite points along the way.
        let (u1, u2) = match i % 7 {
            0 => (big(2) * &d % n, big(2)),
            1 => (n - &d, big(3)),
            2 => (big(0), big(1) + i),
            _ => (random_below(&mut rng, n), random_nonzero(&mut rng, n)),
        };
        if i % 13 == 5 && referee.p > above {
            let point = loop {
                let lifted = referee.lift_x(&above, i % 2 == 0);
                above += 1u32;
                if let Some(point) = lifted {
                    break point;
                }
            };
            let r = referee.x(&point) % n;
            let forged = referee.forge_key(&point, &r, &u1, &u2);
            let id = id_of(&referee, &point);
            assert!(id.is_x_reduced());
            expected.push(&referee, &forged, Some(id));
            continue;
        }
        let Some(mut forged) = referee.forge(&d, &u1, &u2) else {
            continue;
        };
        let k: BigUint = (&u1 + &u2 * &d) % n;
        let id = id_of(&referee, &referee.generator_multiple(&k));
        match i % 11 {
            3 => forged.e = (&forged.e + 1u32) % n,
            7 => forged.r = n.clone(),
            _ => {
                expected.push(&referee, &forged, Some(id));
                continue;
            }
        }
        expected.push(&referee, &forged, None);
    }
    expected
}

fn engine(policy: Policy, threads: usize) -> Engine {
    let engine = Engine::builder().threads(threads).policy(policy);
    engine.speed(Speed::Fixed).build().unwrap()
}

const WANTED: &str = "hints are wanted";

#[test]
fn hints_are_those_of_the_points() {
    for &name in curves() {
        let lengths: &[(usize, u32)] = match is_again() {
            // Few rows, a block, and enough rows for fresh keys to share their steps.
            false => &[(1, 1), (2, 2), (40, 3), (40, 40), (330, 330)],
            true => &[(2, 2), (40, 3), (290, 290)],
        };
        for &(len, keys) in lengths {
            let expected = rows(name, len, keys);
            let control = Control::default().hints(true);
            let plain = engine(Policy::default(), 2);
            let what = format!("{name}, {len} rows of {keys} keys");
            let (first, silent) = expected.with_rows(None, |rows| {
                (plain.verify_with(rows, &control), plain.verify(rows))
            });
            expected.check(&first, &what);
            assert_eq!(first.as_slice(), silent.as_slice(), "{what}");
            assert!(silent.hints().is_none(), "nobody asked");
            let explained = control.explain(true);
            let again = expected.with_rows(None, |rows| plain.verify_with(rows, &explained));
            expected.check(&again, &what);
            // A second pass, in batches.
            let found = first.hints().unwrap();
            let byte = |id: &Option<RecoveryId>| id.map_or(u8::MAX, RecoveryId::to_byte);
            let bytes: Vec<u8> = found.iter().map(byte).collect();
            for wrong in [false, true] {
                let given = match wrong {
                    false => bytes.clone(),
                    true => bytes.iter().map(|byte| byte ^ 1).collect(),
                };
                let batch = engine(Policy::default().with_batch(true), 1);
                let hints = Hints::Ids(Column::fixed(&given, 1));
                let second = expected.with_rows(Some(hints), |rows| {
                    let silent = batch.verify(rows);
                    assert_eq!(silent.as_slice(), first.as_slice(), "{what}");
                    batch.verify_with(rows, &control)
                });
                expected.check(&second, &what);
                if !wrong && keys >= 290 {
                    assert!(batch.stats().batched > 0, "{what}");
                }
            }
        }
    }
}

/// If only friendly signatures are accepted, every valid row has the same hint.
#[test]
fn hints_of_friendly_rows() {
    let expected = rows(curves()[0], 60, 5);
    let control = Control::default().hints(true);
    for batch in [false, true] {
        let friendly = engine(Policy::FRIENDLY.with_batch(batch), 1);
        let found = expected.with_rows(None, |rows| friendly.verify_with(rows, &control));
        let mut accepted = 0;
        for (row, hint) in found.hints().expect(WANTED).iter().enumerate() {
            let is_friendly = expected.ids[row] == Some(RecoveryId::FRIENDLY);
            assert_eq!(
                *hint,
                is_friendly.then_some(RecoveryId::FRIENDLY),
                "row {row}"
            );
            accepted += usize::from(is_friendly);
        }
        assert_eq!(found.valid(), accepted);
        assert!(accepted > 10);
    }
}

/// If ids are requested, hints in the form of y put no row into a batch, and change nothing.
#[test]
fn hints_of_another_kind_are_left_aside() {
    let name = curves()[0];
    let expected = rows(name, 60, 60);
    let batch = engine(Policy::default().with_batch(true), 1);
    let hints = Hints::Y(Column::same(&[7; 32]));
    let control = Control::default().hints(true);
    let found = expected.with_rows(Some(hints), |rows| batch.verify_with(rows, &control));
    expected.check(&found, "hints of y");
    assert_eq!(batch.stats().batched, 0);
}

#[test]
fn rows_that_were_not_judged_have_no_hint() {
    let expected = rows(curves()[0], 9, 3);
    let stop = std::sync::atomic::AtomicBool::new(true);
    let control = Control::default().hints(true).cancel(&stop);
    let plain = engine(Policy::default(), 1);
    let found = expected.with_rows(None, |rows| plain.verify_with(rows, &control));
    assert_eq!(found.get(0), Err(Error::NotJudged));
    assert_eq!(found.hints().expect(WANTED), [None; 9]);
}

#[test]
fn every_backend() {
    on_every_backend(
        "bulk::hints_wanted::",
        "bulk::hints_wanted::hints_are_those_of_the_points",
    );
}
