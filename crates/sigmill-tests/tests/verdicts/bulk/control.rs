//! Calls with progress and cancellation: no row is lost, and no row counts as valid unless it was
//! judged.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use super::{Owned, Population, engine};
use sigmill::Error;
use sigmill::bulk::{Control, Row, Rows};
use sigmill_tests::rounds;

#[test]
fn a_call_that_is_cancelled_from_the_start_judges_nothing() {
    let population = Population::new(81, 30);
    let rows: Vec<Row<'_>> = population.rows.iter().map(Owned::row).collect();
    let (stop, tell) = (AtomicBool::new(true), |_| panic!("nothing is done"));
    let control = Control::default()
        .cancel(&stop)
        .progress(&tell)
        .explain(true);
    for threads in [1, 2] {
        let verdicts = engine(threads).verify_with(&Rows::from(&rows), &control);
        assert_eq!(verdicts.as_slice(), vec![Err(Error::NotJudged); rows.len()]);
        assert_eq!(
            (verdicts.judged(), verdicts.valid(), verdicts.rejected()),
            (0, 0, 0)
        );
        assert!(!verdicts.all_valid());
        assert!(verdicts.reasons().is_empty());
        assert_eq!(verdicts.iter_rejected().count(), 0);
        assert_eq!(verdicts.plan().unwrap().rows(), 0);
    }
}

#[test]
fn a_call_that_is_cancelled_later_tells_apart_what_was_judged() {
    let population = Population::new(82, rounds(100, 300));
    let numbers = population.numbers(0, 5000);
    let rows: Vec<Row<'_>> = numbers.iter().map(|&i| population.rows[i].row()).collect();
    for threads in [1, 3] {
        for blocks in 1..4 {
            let cancel = AtomicBool::new(false);
            let told = AtomicUsize::new(0);
            let last = AtomicUsize::new(0);
            let progress = |judged| {
                last.fetch_max(judged, Relaxed);
                if told.fetch_add(1, Relaxed) + 1 == blocks {
                    cancel.store(true, Relaxed);
                }
            };
            let control = Control::default().cancel(&cancel).progress(&progress);
            let verdicts = engine(threads).verify_with(&Rows::from(&rows), &control);
            let judged = verdicts.judged();
            assert!(
                judged > 0 && judged < rows.len(),
                "{judged} of {}",
                rows.len()
            );
            assert_eq!(judged, last.load(Relaxed));
            let mut not_judged = 0;
            for (place, verdict) in verdicts.as_slice().iter().enumerate() {
                match verdict {
                    Err(Error::NotJudged) => not_judged += 1,
                    verdict => assert_eq!(*verdict, population.expected[numbers[place]]),
                }
            }
            assert_eq!(judged + not_judged, rows.len());
            assert_eq!(verdicts.valid() + verdicts.rejected(), judged);
        }
    }
}

#[test]
fn progress_counts_every_row_once() {
    let population = Population::new(83, 60);
    let numbers = population.numbers(0, 600);
    let rows: Vec<Row<'_>> = numbers.iter().map(|&i| population.rows[i].row()).collect();
    for threads in [1, 2] {
        let steps = Mutex::new(vec![]);
        let tell = |judged| steps.lock().unwrap().push(judged);
        let control = Control::default().progress(&tell);
        let verdicts = engine(threads).verify_with(&Rows::from(&rows), &control);
        population.check_verdicts(&verdicts, &numbers);
        assert!(verdicts.plan().is_none());
        let mut steps = steps.into_inner().unwrap();
        if threads == 1 {
            assert!(steps.is_sorted());
        }
        steps.sort_unstable();
        let count = steps.len();
        steps.dedup();
        assert_eq!(steps.len(), count);
        assert!(count > 2);
        assert_eq!(steps.last(), Some(&rows.len()));
    }
}
