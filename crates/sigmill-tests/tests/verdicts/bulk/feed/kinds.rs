//! Feeders that recover keys, and buffers of rows.

use std::thread;

use super::super::Population;
use super::super::signed::{Signed, check, mixed, single};
use super::{engine, number};
use sigmill::bulk::{AsRecoverRows, RecoverBuffer, RowBuffer, Rows};
use sigmill::curves::{P256, Secp256k1};
use sigmill::{Algorithm, Policy};
use sigmill_tests::rounds;

#[test]
fn keys_are_recovered_by_feeders_too() {
    fn buffer(algorithm: Algorithm, rows: &[Signed]) -> RecoverBuffer {
        let mut buffer = RecoverBuffer::new(algorithm);
        for row in rows {
            buffer.push(&row.digest, &row.signature);
        }
        assert_eq!(
            (buffer.len(), buffer.is_empty()),
            (rows.len(), rows.is_empty())
        );
        buffer
    }
    let policy = Policy::default();
    let bitcoin = mixed::<Secp256k1>(106, 48);
    let nist = mixed::<P256>(107, 32);
    let keys: Vec<_> = bitcoin
        .iter()
        .map(|row| single::<Secp256k1>(row, policy))
        .collect();
    let nist_keys: Vec<_> = nist.iter().map(|row| single::<P256>(row, policy)).collect();
    // Both curves alternating, in batches of every size up to the number of rows.
    type Batch = (RecoverBuffer, usize);
    for threads in [1, 2] {
        let feeder = engine(threads).recover_feeder::<Batch>(number(2));
        thread::scope(|scope| {
            for _ in 0..2 {
                let mut feeder = feeder.clone();
                let (bitcoin, nist, keys, nist_keys) = (&bitcoin, &nist, &keys, &nist_keys);
                scope.spawn(move || {
                    let mut backs = vec![];
                    for size in 0..=nist.len() {
                        let buffer = match size % 2 {
                            0 => buffer(Algorithm::ES256K, &bitcoin[..size]),
                            _ => buffer(Algorithm::ES256, &nist[..size]),
                        };
                        backs.extend(feeder.submit((buffer, size)));
                    }
                    backs.extend(feeder);
                    assert_eq!(backs.len(), nist.len() + 1);
                    for (i, ((_, size), recovered)) in backs.into_iter().enumerate() {
                        assert_eq!(size, i);
                        let keys = [keys, nist_keys][size % 2];
                        check(&recovered.unwrap(), &keys[..size]);
                    }
                });
            }
        });
    }
    let mut buffer = buffer(Algorithm::ES256K, &bitcoin);
    buffer.clear();
    assert!(buffer.is_empty() && buffer.as_recover_rows().unwrap().is_empty());
    buffer.push(&bitcoin[0].digest, &bitcoin[0].signature);
    check(
        &engine(1).recover(&buffer.as_recover_rows().unwrap()),
        &keys[..1],
    );
}

#[test]
fn a_buffer_holds_the_rows_that_it_was_given() {
    let population = Population::new(108, rounds(60, 300));
    let engine = engine(1);
    let numbers = population.numbers(0, population.rows.len());
    let mut buffer = RowBuffer::default();
    for _ in 0..2 {
        assert!(buffer.is_empty());
        for &i in &numbers {
            buffer.push(&population.rows[i].row());
        }
        assert_eq!(buffer.len(), numbers.len());
        population.check_verdicts(&engine.verify(&Rows::from(&buffer)), &numbers);
        buffer.clear();
    }
}
