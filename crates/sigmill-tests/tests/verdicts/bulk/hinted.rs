//! Rows with hints, judged in batches if the policy allows them: verdicts equal those of an engine
//! without batches, whatever the hints.

use sigmill::bulk::{
    Column, Control, Engine, Field, Hints, Inputs, PlannedStrategy, Rows, Signatures, Speed,
};
use sigmill::ecdsa::Signature;
use sigmill::hazmat::curve::{P256, Secp256k1};
use sigmill::keys::SigningKey;
use sigmill::{Algorithm, Error, Policy, RecoveryId};

use sigmill::curves::NamedCurve;
use sigmill_tests::hints::y_of;
use sigmill_tests::processes::{is_again, on_every_backend};
use sigmill_tests::rounds;

/// Columns of valid rows, with two kinds of hints.
struct Columns {
    algorithm: Algorithm,
    keys: Vec<u8>,
    digests: Vec<u8>,
    signatures: Vec<u8>,
    ids: Vec<u8>,
    y: Vec<u8>,
    len: usize,
}

impl Columns {
    /// The given number of rows, with the given number of keys in turn.
    fn new<C: NamedCurve + Default>(algorithm: Algorithm, len: usize, keys: usize) -> Self {
        let keys: Vec<_> = (0..keys)
            .map(|i| {
                let mut bytes = [1; 32];
                bytes[8..16].copy_from_slice(&(i as u64).to_be_bytes());
                SigningKey::<C>::from_be_bytes(&bytes).unwrap()
            })
            .collect();
        let mut columns = Self {
            algorithm,
            keys: vec![],
            digests: vec![],
            signatures: vec![],
            ids: vec![],
            y: vec![],
            len,
        };
        for i in 0..len {
            let key = &keys[i % keys.len()];
            let mut digest = [7; 32];
            digest[..8].copy_from_slice(&(i as u64).to_le_bytes());
            let (signature, id) = key.sign_prehash_recoverable(&digest).unwrap();
            let p1363 = signature.to_p1363();
            columns
                .keys
                .extend(key.verifying_key().to_sec1_bytes(false));
            columns.digests.extend(digest);
            columns.signatures.extend(p1363);
            columns.ids.push(id.to_byte());
            columns.y.extend(y_of(&signature, id).unwrap());
        }
        columns
    }

    fn rows(&self) -> Rows<'_> {
        let rows = Rows::new(
            self.algorithm,
            Column::fixed(&self.keys, 65),
            Inputs::Digests(Column::fixed(&self.digests, 32)),
            Signatures::P1363(Column::fixed(&self.signatures, 64)),
        );
        rows.unwrap()
    }

    /// The last `len` rows.
    fn few(&self, len: usize) -> Self {
        let last = |column: &Vec<u8>, width: usize| column[(self.len - len) * width..].to_vec();
        Self {
            algorithm: self.algorithm,
            keys: last(&self.keys, 65),
            digests: last(&self.digests, 32),
            signatures: last(&self.signatures, 64),
            ids: vec![],
            y: last(&self.y, 32),
            len,
        }
    }

    fn ids(&self) -> Hints<'_> {
        Hints::Ids(Column::fixed(&self.ids, 1))
    }

    fn y(&self) -> Hints<'_> {
        Hints::Y(Column::fixed(&self.y, 32))
    }
}

/// An engine with the same speeds on every machine.
fn engine(threads: usize, batch: bool) -> Engine {
    let policy = Policy::default().with_batch(batch);
    let engine = Engine::builder().threads(threads).policy(policy);
    engine.speed(Speed::Fixed).build().unwrap()
}

fn verdicts(engine: &Engine, rows: &Rows<'_>) -> Vec<Result<(), Error>> {
    engine.verify(rows).as_slice().to_vec()
}

fn agree<C: NamedCurve + Default>(algorithm: Algorithm) {
    for (len, keys, threads) in [(100, 100, 1), (rounds(700, 6000), 700, 2), (400, 3, 1)] {
        let mut columns = Columns::new::<C>(algorithm, len, keys);
        for bad in [false, true] {
            if bad {
                for i in [3, 77, len - 1] {
                    columns.digests[32 * i + 9] ^= 4;
                }
                // A malformed signature, a malformed hint, wrong hints.
                columns.signatures[64 * 5..][..32].fill(0xff);
                columns.ids[9] = 4;
                columns.ids[10] ^= 1;
                columns.ids[11] = 2;
                columns.y[32 * 10] ^= 1;
                columns.y[32 * 11..][..32].fill(0xff);
            }
            let rows = columns.rows();
            let expected = verdicts(&engine(threads, false), &rows);
            assert_eq!(
                expected.iter().filter(|verdict| verdict.is_err()).count(),
                if bad { 4 } else { 0 }
            );
            for hints in [columns.ids(), columns.y()] {
                let engine = engine(threads, true);
                let hinted = rows.clone().hints(hints.clone()).unwrap();
                assert_eq!(
                    verdicts(&engine, &hinted),
                    expected,
                    "{len} rows of {keys} keys"
                );
                let stats = engine.stats();
                // With a few keys, their tables may be cheaper than square roots.
                if keys > 3 || matches!(hints, Hints::Y(_)) {
                    assert_eq!(stats.batched as usize == len, !bad, "{stats:?}");
                }
                let refused = usize::from(bad);
                let counted = stats.batched + stats.rows_by_window.iter().sum::<u64>();
                assert_eq!(counted as usize, len - refused);
                // Without permission or without hints there are no batches.
                let forbidden = self::engine(threads, false);
                assert_eq!(verdicts(&forbidden, &hinted), expected);
                assert_eq!(forbidden.stats().batched, 0);
            }
            let unhinted = engine(threads, true);
            assert_eq!(verdicts(&unhinted, &rows), expected);
            assert_eq!(unhinted.stats().batched, 0);
        }
    }
}

#[test]
fn verdicts_are_those_without_batches() {
    agree::<P256>(Algorithm::ES256);
    agree::<Secp256k1>(Algorithm::ES256K);
}

/// If many rows are invalid, later blocks use no batches, and neither do later calls until many
/// rows have arrived. The plan shows the original intention.
#[test]
fn batches_end_where_rows_fail() {
    if is_again() && cfg!(debug_assertions) {
        return;
    }
    let mut columns = Columns::new::<P256>(Algorithm::ES256, 500, 500);
    // Repeated 40 times, so that there are three blocks.
    for column in [
        &mut columns.keys,
        &mut columns.digests,
        &mut columns.signatures,
    ] {
        *column = column.repeat(40);
    }
    (columns.y, columns.ids) = (columns.y.repeat(40), columns.ids.repeat(40));
    columns.len *= 40;
    // Wrong hints alone make batches fail too.
    let mut ids = columns.ids.clone();
    ids[..500].iter_mut().step_by(10).for_each(|id| *id ^= 1);
    let hints = Hints::Ids(Column::fixed(&ids, 1));
    let wrong = engine(1, true);
    let found = wrong.verify(&columns.rows().hints(hints).unwrap());
    assert_eq!(found.valid(), columns.len);
    let batched = wrong.stats().batched;
    assert!(batched > 0 && batched < 8192, "{batched}");
    // So does the same number of invalid rows, each with a different key.
    let is_bad = |row: usize| row < 500 && row.is_multiple_of(10);
    for i in (0..columns.len).filter(|&i| is_bad(i)) {
        columns.digests[32 * i + 9] ^= 4;
    }
    let rows = columns.rows().hints(columns.y()).unwrap();
    let (engine, control) = (engine(1, true), Control::default().explain(true));
    let found = engine.verify_with(&rows, &control);
    for (i, verdict) in found.as_slice().iter().enumerate() {
        assert_eq!(verdict.is_err(), is_bad(i), "row {i}");
    }
    let batched = engine.stats().batched;
    assert!(batched > 0 && batched < 8192, "{batched}");
    let plan = found.plan().unwrap();
    let mut groups = plan.groups().iter();
    assert!(groups.all(|group| group.strategy == PlannedStrategy::Batch));
    assert_eq!(plan.rows() as usize, columns.len);
    assert!(plan.to_string().contains("batch"));
    let few = columns.few(400);
    let rows = few.rows().hints(few.y()).unwrap();
    assert_eq!(verdicts(&engine, &rows).len(), 400);
    assert_eq!(engine.stats().batched, batched);
    assert_eq!(verdicts(&self::engine(1, true), &rows).len(), 400);
}

/// A key whose batches fail in call after call gets a table for its rows, as without hints.
#[test]
fn rows_that_batches_do_not_accept_have_tables() {
    let columns = Columns::new::<P256>(Algorithm::ES256, 1024, 1);
    let mut ids = columns.ids.clone();
    ids.iter_mut().step_by(50).for_each(|id| *id ^= 1);
    // Ids that determine no point, as x(R) is not r + n.
    let none = vec![2; columns.len];
    for ids in [&ids, &none] {
        let engine = engine(1, true);
        let hints = || Hints::Ids(Column::fixed(ids, 1));
        let mut fresh = vec![];
        for _ in 0..16 {
            let found = engine.verify(&columns.rows().hints(hints()).unwrap());
            assert_eq!(found.valid(), columns.len);
            fresh.push(engine.stats().fresh);
        }
        assert_eq!(fresh[12], fresh[15], "{fresh:?}");
    }
}

/// If all signatures must be friendly, they are hints themselves; invalid ones are still rejected
/// with the error of their defect.
#[test]
fn friendly_signatures_need_no_hints() {
    let columns = Columns::new::<P256>(Algorithm::ES256, 300, 300);
    let mut friendly = columns.few(300);
    for (signature, id) in friendly.signatures.chunks_mut(64).zip(&columns.ids) {
        let parsed = Signature::<P256>::from_p1363(signature).unwrap();
        let id = RecoveryId::from_byte(*id).unwrap();
        signature.copy_from_slice(&parsed.to_friendly(id).unwrap().to_p1363());
    }
    for bad in [false, true] {
        if bad {
            // Another digest, and a valid signature that is not friendly.
            friendly.digests[32 * 20] ^= 1;
            let signature = &mut friendly.signatures[64 * 30..][..64];
            let parsed = Signature::<P256>::from_p1363(signature).unwrap();
            signature.copy_from_slice(
                &parsed
                    .to_friendly(RecoveryId::new(true, false))
                    .unwrap()
                    .to_p1363(),
            );
        }
        let engine = |batch| {
            let engine = Engine::builder().policy(Policy::FRIENDLY.with_batch(batch));
            engine.speed(Speed::Fixed).build().unwrap()
        };
        let (batched, alone) = (engine(true), engine(false));
        let mut expected = [Ok(()); 300];
        if bad {
            expected[20] = Err(Error::SignatureMismatch);
            expected[30] = Err(Error::NotFriendly);
        }
        assert_eq!(verdicts(&batched, &friendly.rows()), expected);
        assert_eq!(verdicts(&alone, &friendly.rows()), expected);
        assert_eq!(alone.stats().batched, 0);
        assert_eq!(batched.stats().batched, if bad { 150 } else { 300 });
        // Hints are ignored here.
        let hinted = friendly
            .rows()
            .hints(Hints::Ids(Column::same(&[1])))
            .unwrap();
        assert_eq!(verdicts(&batched, &hinted), expected);
    }
}

#[test]
fn plans_say_batch_where_it_is_cheaper() {
    let columns = Columns::new::<P256>(Algorithm::ES256, 600, 600);
    let rows = columns.rows();
    let hinted = rows.clone().hints(columns.y()).unwrap();
    let strategies = |engine: &Engine, rows: &Rows<'_>| {
        let plan = engine.explain(rows);
        let groups = plan.groups().iter();
        groups.map(|group| group.strategy).collect::<Vec<_>>()
    };
    assert_eq!(
        strategies(&engine(1, true), &hinted),
        [PlannedStrategy::Batch]
    );
    assert_eq!(
        strategies(&engine(1, false), &hinted),
        [PlannedStrategy::Fresh]
    );
    assert_eq!(
        strategies(&engine(1, true), &rows),
        [PlannedStrategy::Fresh]
    );
    let plan = engine(1, true).explain(&hinted);
    let alone = engine(1, false).explain(&hinted);
    assert!(plan.estimated() < alone.estimated());
}

#[test]
fn hints_have_the_shape_of_the_rows() {
    let columns = Columns::new::<P256>(Algorithm::ES256, 3, 1);
    let short = Hints::Ids(Column::fixed(&columns.ids[1..], 1));
    let error = columns.rows().hints(short).unwrap_err();
    super::check_length(&error, Field::Hint, 3, 2);
    let empty = Hints::Y(Column::fixed(&columns.y, 0));
    let error = columns.rows().hints(empty).unwrap_err();
    assert_eq!(
        error.to_string(),
        "hint: values of fixed length must have at least one byte"
    );
    // One hint for all rows, or none for some.
    let options = [None, Some(&columns.ids[1..2]), Some(&b"long"[..])];
    for hints in [
        Hints::Ids(Column::same(&[0])),
        Hints::Ids(Column::optional_slices(&options)),
    ] {
        let rows = columns.rows().hints(hints).unwrap();
        assert_eq!(verdicts(&engine(1, true), &rows), [Ok(()); 3]);
    }
}

#[test]
fn every_backend() {
    on_every_backend(
        "bulk::hinted::",
        "bulk::hinted::verdicts_are_those_without_batches",
    );
}
