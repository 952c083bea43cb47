//! Producers that are dropped, batches that are malformed or panic, and cancellation.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;

use super::super::{Population, valid_row};
use super::{Back, Batch, Fate, Gate, at_its_turn, engine, number, occupy};
use sigmill::Error;
use sigmill::bulk::{AsRows, Rows, ShapeError, Verdicts};

#[test]
fn a_producer_that_goes_takes_its_batches_along() {
    let population = Population::new(104, 30);
    let gate = Arc::<Gate>::default();
    let engine = engine(2);
    let busy = occupy(&engine, 2, &gate);
    let fate = Arc::<Fate>::default();
    let feeder = engine.verify_feeder::<Batch>(number(10));
    let producer = thread::scope(|scope| {
        let producer = scope.spawn(|| {
            let mut feeder = feeder.clone();
            for i in 0..5 {
                assert!(
                    feeder
                        .submit(Batch::new(&population, &fate, 0, i))
                        .is_none()
                );
            }
            assert_eq!(fate.alive.load(SeqCst), 5);
            panic!("the producer");
        });
        producer.join()
    });
    assert!(producer.is_err());
    assert_eq!((fate.alive.load(SeqCst), fate.judged.load(SeqCst)), (0, 0));
    // A producer whose batches are being judged: they end by themselves, and so does the engine.
    drop((busy, engine));
    gate.open();
    let mut feeder = feeder.clone();
    assert!(
        feeder
            .submit(Batch::new(&population, &fate, 0, 0))
            .is_none()
    );
    at_its_turn(&population, 0, &mut 0, feeder.next().unwrap());
    assert_eq!((fate.alive.load(SeqCst), fate.judged.load(SeqCst)), (0, 1));
}

#[test]
fn a_batch_that_is_abandoned_while_it_is_judged_is_not_judged_to_the_end() {
    let (begun, gone) = (Arc::<Gate>::default(), Arc::<Gate>::default());
    let engine = engine(2);
    let before = engine.stats();
    let fate = Arc::<Fate>::default();
    let mut feeder = engine.verify_feeder::<Batch>(number(1));
    let hook = {
        let (begun, gone) = (begun.clone(), gone.clone());
        move || {
            begun.open();
            gone.pass();
        }
    };
    let mut batch = Batch::with_hook(&fate, 0, hook);
    for i in 0..50 {
        batch.rows.push(&valid_row(5, i).row());
    }
    assert!(feeder.submit(batch).is_none());
    begun.wait_until(|state| state.0);
    drop(feeder);
    gone.open();
    while fate.alive.load(SeqCst) > 0 {
        thread::yield_now();
    }
    let after = engine.stats();
    assert_eq!(
        (before.fresh, before.prepared),
        (after.fresh, after.prepared)
    );
}

#[test]
fn a_feeder_that_is_cancelled_loses_no_batch() {
    let population = Population::new(105, 40);
    for threads in [1, 2] {
        let fate = Arc::<Fate>::default();
        let mut feeder = engine(threads).verify_feeder::<Batch>(number(3));
        let other = feeder.clone();
        let (mut next, mut not_judged) = (0, 0);
        let mut told = |(batch, verdicts): Back, cancelled_at: usize| {
            assert_eq!(batch.number, next);
            next += 1;
            let verdicts = verdicts.unwrap();
            assert_eq!(verdicts.len(), batch.numbers.len());
            for (i, verdict) in batch.numbers.iter().zip(verdicts.as_slice()) {
                match *verdict {
                    Err(Error::NotJudged) => not_judged += 1,
                    verdict => {
                        assert_eq!(verdict, population.expected[*i]);
                        assert!(batch.number < cancelled_at);
                    }
                }
            }
        };
        for i in 0..20 {
            if i == 9 {
                thread::scope(|scope| scope.spawn(|| other.cancel()).join().unwrap());
            }
            if let Some(back) = feeder.submit(Batch::new(&population, &fate, 0, i)) {
                told(back, 9);
            }
        }
        feeder.by_ref().for_each(|back| told(back, 9));
        assert_eq!(next, 20);
        let rows_after = (9..20).map(|i| [20, 0, 3, 1, 9][i % 5]).sum::<usize>();
        assert!(not_judged >= rows_after);
        assert_eq!(fate.alive.load(SeqCst), 0);
    }
}

/// A batch that may be malformed, or panic.
struct Trap(usize);

impl AsRows for Trap {
    fn as_rows(&self) -> Result<Rows<'_>, ShapeError> {
        match self.0 % 5 {
            2 => Err(ShapeError::NoLength),
            3 => panic!("trap {}", self.0),
            _ => Ok(Rows::from(&[][..])),
        }
    }
}

#[test]
fn faults_and_panics_come_at_their_turn_and_to_their_producer() {
    for threads in [1, 2] {
        let feeder = engine(threads).verify_feeder::<Trap>(number(4));
        thread::scope(|scope| {
            for _ in 0..3 {
                let mut feeder = feeder.clone();
                scope.spawn(move || {
                    let mut next = 0;
                    let mut take = |back: thread::Result<Option<(Trap, Result<_, _>)>>| {
                        match back {
                            Ok(None) => return false,
                            Ok(Some((Trap(number), verdicts))) => {
                                let verdicts: Result<Verdicts, ShapeError> = verdicts;
                                assert_eq!(number, next);
                                assert_eq!(verdicts.is_err(), number % 5 == 2);
                            }
                            Err(panic) => {
                                let message = panic.downcast_ref::<String>().unwrap();
                                assert_eq!(*message, format!("trap {next}"));
                            }
                        }
                        next += 1;
                        true
                    };
                    for i in 0..30 {
                        let submit = || feeder.submit(Trap(i));
                        take(catch_unwind(AssertUnwindSafe(submit)));
                    }
                    while take(catch_unwind(AssertUnwindSafe(|| feeder.next()))) {}
                    assert_eq!(next, 30);
                });
            }
        });
    }
}
