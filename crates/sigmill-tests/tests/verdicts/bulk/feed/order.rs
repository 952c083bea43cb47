//! The order of batches, and the threads that judge them.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;

use super::super::Population;
use super::{Back, Batch, Fate, Gate, at_its_turn, engine, number, occupy};
use sigmill_tests::rounds;

#[test]
fn every_producer_gets_its_own_in_order() {
    let population = Population::new(101, 50);
    let count = rounds(12, 120);
    for (threads, producers, depth) in [
        (1, 1, 1),
        (1, 3, 2),
        (2, 1, 1),
        (2, 3, 1),
        (3, 2, 4),
        (2, 4, 100),
    ] {
        let fate = Arc::<Fate>::default();
        let feeder = engine(threads).verify_feeder::<Batch>(number(depth));
        thread::scope(|scope| {
            for producer in 0..producers {
                let (mut feeder, population, fate) = (feeder.clone(), &population, &fate);
                scope.spawn(move || {
                    let mut next = 0;
                    for i in 0..count {
                        let batch = Batch::new(population, fate, producer, i);
                        let oldest = feeder.submit(batch);
                        assert_eq!(oldest.is_some(), i >= depth);
                        if let Some(oldest) = oldest {
                            at_its_turn(population, producer, &mut next, oldest);
                        }
                        assert_eq!(feeder.under_way(), (i + 1).min(depth));
                    }
                    for back in &mut feeder {
                        at_its_turn(population, producer, &mut next, back);
                    }
                    assert_eq!((next, feeder.under_way()), (count, 0));
                    assert!(feeder.next().is_none() && feeder.try_next().is_none());
                });
            }
        });
        assert_eq!(fate.judged.load(SeqCst), producers * count);
        assert_eq!(fate.alive.load(SeqCst), 0);
        let most = fate.most.load(SeqCst);
        assert!(most <= producers * (depth + 1), "{most} at once");
    }
}

#[test]
fn an_engine_of_one_thread_judges_where_it_is_fed() {
    let population = Population::new(102, 30);
    let feeder = engine(1).verify_feeder::<Batch>(number(3));
    let together = Arc::<Gate>::default();
    thread::scope(|scope| {
        for producer in 0..3 {
            let (mut feeder, population, together) = (feeder.clone(), &population, &together);
            scope.spawn(move || {
                let fate = Arc::<Fate>::default();
                let mut next = 0;
                for i in 0..6 {
                    let mut batch = Batch::new(population, &fate, producer, i);
                    if i == 4 {
                        // No producer passes this unless all three are judging at once.
                        let together = together.clone();
                        batch.hook = Box::new(move || together.meet(3));
                    }
                    let mut backs: Vec<Back> = feeder.submit(batch).into_iter().collect();
                    // The submitted batch is already judged.
                    backs.extend(feeder.try_next());
                    for back in backs {
                        at_its_turn(population, producer, &mut next, back);
                    }
                }
                assert_eq!((next, feeder.under_way()), (6, 0));
                let own = thread::current().id();
                assert_eq!(*fate.threads.lock().unwrap(), [own; 6]);
            });
        }
    });
}

#[test]
fn a_single_producer_is_judged_by_all_threads() {
    let together = Arc::<Gate>::default();
    let fate = Arc::<Fate>::default();
    let mut feeder = engine(3).verify_feeder::<Batch>(number(9));
    for i in 0..3 {
        let together = together.clone();
        let batch = Batch::with_hook(&fate, i, move || together.meet(3));
        assert!(feeder.submit(batch).is_none());
    }
    // Three at once, one of which may be the producer.
    for (i, (batch, verdicts)) in feeder.enumerate() {
        assert_eq!(batch.number, i);
        assert!(verdicts.unwrap().all_valid());
    }
    assert_eq!(fate.alive.load(SeqCst), 0);
}

#[test]
fn nobody_waits_for_a_batch_that_nobody_has_begun() {
    let population = Population::new(103, 30);
    let gate = Arc::<Gate>::default();
    let engine = engine(2);
    let busy = occupy(&engine, 2, &gate);
    let fate = Arc::<Fate>::default();
    let mut feeder = engine.verify_feeder::<Batch>(number(2));
    let mut next = 0;
    for i in 0..7 {
        assert!(feeder.try_next().is_none());
        if let Some(back) = feeder.submit(Batch::new(&population, &fate, 0, i)) {
            at_its_turn(&population, 0, &mut next, back);
        }
    }
    for back in feeder {
        at_its_turn(&population, 0, &mut next, back);
    }
    assert_eq!(next, 7);
    assert_eq!(*fate.threads.lock().unwrap(), [thread::current().id(); 7]);
    gate.open();
    assert_eq!(busy.count(), 2);
}

#[test]
fn what_is_done_need_not_be_waited_for() {
    let gate = Arc::<Gate>::default();
    let engine = engine(2);
    let mut busy = occupy(&engine, 2, &gate);
    assert!(busy.try_next().is_none());
    gate.open();
    let mut back = 0;
    while back < 2 {
        match busy.try_next() {
            Some((batch, verdicts)) => {
                assert_eq!(batch.number, back);
                assert!(verdicts.unwrap().all_valid());
                back += 1;
            }
            None => thread::yield_now(),
        }
    }
    assert_eq!(busy.under_way(), 0);
}
