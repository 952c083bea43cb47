//! Streams: every batch in order, few in memory, and none taken after the end.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use super::{Population, engine, valid_row};
use sigmill::bulk::{AsRows, Column, Control, Inputs, Row, Rows, ShapeError, Signatures};
use sigmill::{Algorithm, Error};
use sigmill_tests::rounds;

/// The number of batches alive now, and the maximum so far.
#[derive(Default)]
struct Gauge {
    now: AtomicUsize,
    most: AtomicUsize,
}

struct Batch<'a> {
    number: usize,
    numbers: Vec<usize>,
    rows: Vec<Row<'a>>,
    gauge: &'a Gauge,
}

impl<'a> Batch<'a> {
    fn new(population: &'a Population, gauge: &'a Gauge, number: usize, count: usize) -> Self {
        gauge
            .most
            .fetch_max(gauge.now.fetch_add(1, SeqCst) + 1, SeqCst);
        let numbers = population.numbers(number * 13, count);
        let rows = numbers.iter().map(|&i| population.rows[i].row()).collect();
        Self {
            number,
            numbers,
            rows,
            gauge,
        }
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        self.gauge.now.fetch_sub(1, SeqCst);
    }
}

impl AsRows for Batch<'_> {
    fn as_rows(&self) -> Result<Rows<'_>, ShapeError> {
        Ok(Rows::from(&self.rows))
    }
}

#[test]
fn batches_come_in_order_and_few_are_in_memory() {
    let population = Population::new(91, 50);
    for threads in [1, 2, 3] {
        let gauge = Gauge::default();
        let count = rounds(25, 200);
        // Batches of very different sizes, including empty ones, so that they end out of order.
        let size = |number: usize| [40, 0, 3, 1, 17][number % 5];
        let batches = (0..count).map(|n| Batch::new(&population, &gauge, n, size(n)));
        let mut next = 0;
        engine(threads)
            .verify_stream(batches, |batch, verdicts| {
                assert_eq!(batch.number, next);
                next += 1;
                population.check_verdicts(&verdicts, &batch.numbers);
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!(next, count);
        assert_eq!(gauge.now.load(SeqCst), 0);
        let most = gauge.most.load(SeqCst);
        let bound = if threads == 1 { 1 } else { 2 * threads };
        assert!(most <= bound, "{most} batches at once");
    }
}

#[test]
fn after_a_break_no_batch_is_taken() {
    let population = Population::new(92, 50);
    for threads in [1, 2] {
        let gauge = Gauge::default();
        let mut taken = 0;
        let batches = std::iter::from_fn(|| {
            taken += 1;
            Some(Batch::new(&population, &gauge, taken, 20))
        });
        let mut told = 0;
        let result = engine(threads).verify_stream(batches, |_, _| {
            told += 1;
            match told {
                5 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        assert_eq!((result, told), (Ok(()), 5));
        assert!(taken <= 5 + 2 * threads, "{taken} were taken");
        assert_eq!(gauge.now.load(SeqCst), 0);
    }
}

#[test]
fn a_stream_that_is_cancelled_hands_out_what_it_took() {
    let population = Population::new(93, 50);
    for threads in [1, 2] {
        let gauge = Gauge::default();
        let cancel = AtomicBool::new(false);
        let mut taken = 0;
        let batches = std::iter::from_fn(|| {
            taken += 1;
            Some(Batch::new(&population, &gauge, taken, 20))
        });
        let control = Control::default().cancel(&cancel).explain(true);
        let mut told = 0;
        let result = engine(threads).verify_stream_with(batches, &control, |batch, verdicts| {
            told += 1;
            assert_eq!(batch.number, told);
            cancel.store(told >= 4, SeqCst);
            for (i, verdict) in batch.numbers.iter().zip(verdicts.as_slice()) {
                let is_judged = *verdict != Err(Error::NotJudged);
                assert!(is_judged || told > 4);
                assert!(!is_judged || *verdict == population.expected[*i]);
            }
            assert!(verdicts.plan().is_some());
            ControlFlow::Continue(())
        });
        assert_eq!((result, told), (Ok(()), taken));
        assert!((4..4 + 2 * threads).contains(&told), "{told}");
    }
}

/// A batch that may be malformed, or panic.
struct Trap {
    number: usize,
    key: Vec<u8>,
}

impl AsRows for Trap {
    fn as_rows(&self) -> Result<Rows<'_>, ShapeError> {
        assert_ne!(self.number, 9, "a trap");
        let width = if self.number == 4 { 64 } else { 65 };
        Rows::new(
            Algorithm::ES256,
            Column::fixed(&self.key, width),
            Inputs::Digests(Column::same(&[1; 32])),
            Signatures::P1363(Column::same(&[1; 64])),
        )
    }
}

#[test]
fn a_misshapen_batch_ends_the_stream_at_its_turn() {
    let key = valid_row(3, 0).key;
    for threads in [1, 2] {
        let batch = |number| Trap {
            number,
            key: key.clone(),
        };
        let mut told = vec![];
        let result = engine(threads).verify_stream((0..9).map(batch), |batch, verdicts| {
            assert_eq!(verdicts.judged(), 1);
            told.push(batch.number);
            ControlFlow::Continue(())
        });
        assert!(matches!(result, Err(ShapeError::WidthPartial { .. })));
        assert_eq!(told, [0, 1, 2, 3]);
        // A panic in a batch reaches the caller, and the engine remains usable.
        let engine = engine(threads);
        for _ in 0..2 {
            let panic = catch_unwind(AssertUnwindSafe(|| {
                engine.verify_stream((5..12).map(batch), |_, _| ControlFlow::Continue(()))
            }));
            assert!(panic.is_err());
        }
        let result = engine.verify_stream((5..8).map(batch), |_, _| ControlFlow::Continue(()));
        assert_eq!(result, Ok(()));
    }
}

#[test]
fn rows_and_references_are_batches() {
    let row = valid_row(3, 5);
    let rows = [row.row(); 4];
    let batch = Rows::from(&rows[..]);
    let mut valid = 0;
    let mut count = |verdicts: sigmill::bulk::Verdicts| {
        valid += verdicts.valid();
        ControlFlow::Continue(())
    };
    let engine = engine(2);
    engine
        .verify_stream([&batch, &batch], |_, verdicts| count(verdicts))
        .unwrap();
    engine
        .verify_stream([Box::new(batch.clone())], |_, verdicts| count(verdicts))
        .unwrap();
    engine
        .verify_stream([batch], |_, verdicts| count(verdicts))
        .unwrap();
    assert_eq!(valid, 16);
}
