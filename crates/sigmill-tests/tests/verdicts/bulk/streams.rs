//! Streams: every batch in order, few in memory, and none taken after the end.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::iter;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc;
use std::thread::{self, ThreadId};
use std::time::Duration;

use super::{Population, engine};
use sigmill::Error;
use sigmill::bulk::{Control, Engine, Row, Rows, Verdicts, map_in_order};
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

    fn judged(self, engine: &Engine, control: &Control<'_>) -> (Self, Verdicts) {
        let verdicts = engine.verify_with(&Rows::from(&self.rows), control);
        (self, verdicts)
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        self.gauge.now.fetch_sub(1, SeqCst);
    }
}

/// Judges batches on this number of threads, with at most `most` in memory.
fn judge<'a>(
    (threads, most): (usize, usize),
    batches: impl Iterator<Item = Batch<'a>> + Send,
    stop: &AtomicBool,
    mut sink: impl FnMut(Batch<'a>, Verdicts) -> ControlFlow<()>,
) {
    let engine = engine(1);
    let control = Control::default().cancel(stop).explain(true);
    let work = |batch: Batch<'a>| batch.judged(&engine, &control);
    let sink = |(batch, verdicts)| sink(batch, verdicts);
    map_in_order(threads, most, stop, batches, || &work, sink).unwrap();
}

#[test]
fn batches_come_in_order_and_few_are_in_memory() {
    let population = Population::new(91, 50);
    for (threads, most) in [(1, 1), (1, 2), (2, 1), (2, 4), (3, 9), (0, 0)] {
        let gauge = Gauge::default();
        let count = rounds(25, 200);
        // Batches of very different sizes, including empty ones, so that they end out of order.
        let size = |number: usize| [40, 0, 3, 1, 17][number % 5];
        let batches = (0..count).map(|n| Batch::new(&population, &gauge, n, size(n)));
        let stop = AtomicBool::new(false);
        let mut next = 0;
        judge((threads, most), batches, &stop, |batch, verdicts| {
            assert_eq!(batch.number, next);
            next += 1;
            population.check_verdicts(&verdicts, &batch.numbers);
            ControlFlow::Continue(())
        });
        assert_eq!(next, count);
        assert_eq!(gauge.now.load(SeqCst), 0);
        let most_alive = gauge.most.load(SeqCst);
        assert!(most_alive <= most.max(1), "{most_alive} batches at once");
        assert!(stop.load(SeqCst));
    }
}

#[test]
fn after_a_break_no_batch_is_taken() {
    let population = Population::new(92, 50);
    for threads in [1, 2] {
        let gauge = Gauge::default();
        let taken = AtomicUsize::new(0);
        let batches = iter::from_fn(|| {
            let number = taken.fetch_add(1, SeqCst);
            Some(Batch::new(&population, &gauge, number, 20))
        });
        let mut told = 0;
        let most = 2 * threads;
        judge((threads, most), batches, &AtomicBool::new(false), |_, _| {
            told += 1;
            match told {
                5 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        assert_eq!(told, 5);
        let taken = taken.load(SeqCst);
        assert!(taken < 5 + most, "{taken} were taken");
        assert_eq!(gauge.now.load(SeqCst), 0);
    }
}

#[test]
fn a_stream_that_is_cancelled_hands_out_what_it_took() {
    let population = Population::new(93, 50);
    for threads in [1, 2] {
        let gauge = Gauge::default();
        let stop = AtomicBool::new(false);
        let taken = AtomicUsize::new(0);
        let batches = iter::from_fn(|| {
            let number = taken.fetch_add(1, SeqCst);
            Some(Batch::new(&population, &gauge, number, 20))
        });
        let mut told = 0;
        judge((threads, 2 * threads), batches, &stop, |batch, verdicts| {
            assert_eq!(batch.number, told);
            told += 1;
            stop.store(told >= 4, SeqCst);
            for (i, verdict) in batch.numbers.iter().zip(verdicts.as_slice()) {
                let is_judged = *verdict != Err(Error::NotJudged);
                assert!(is_judged || told >= 4);
                assert!(!is_judged || *verdict == population.expected[*i]);
            }
            assert!(verdicts.plan().is_some());
            ControlFlow::Continue(())
        });
        assert_eq!(told, taken.load(SeqCst));
        assert!((4..4 + 2 * threads).contains(&told), "{told}");
    }
}

/// Maps the numbers below 20 with `work`, and returns the results.
fn results(threads: usize, work: impl Fn(usize) -> usize + Sync) -> Vec<usize> {
    let (stop, mut results) = (AtomicBool::new(false), vec![]);
    let sink = |result| {
        results.push(result);
        ControlFlow::Continue(())
    };
    map_in_order(threads, 4, &stop, 0..20, || &work, sink).unwrap();
    results
}

/// A panic of a worker, of the iterator or of the sink.
#[test]
fn panics_reach_the_caller() {
    for threads in [1, 2, 3] {
        let told = Cell::new(0);
        let run = |trap: &str| {
            let stop = AtomicBool::new(false);
            let at_9 = |place, number| assert!(trap != place || number != 9, "the {place}");
            let items = (0..20).inspect(|&number| at_9("iterator", number));
            let work = |number| {
                at_9("worker", number);
                number
            };
            let sink = |number| {
                told.set(number);
                at_9("sink", number);
                ControlFlow::Continue(())
            };
            let run = || map_in_order(threads, 4, &stop, items, || &work, sink);
            let panic = catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
                let message = panic.downcast_ref::<String>();
                message.is_some_and(|message| *message == format!("the {trap}"))
            });
            assert!(stop.load(SeqCst));
            (panic, told.get())
        };
        assert_eq!(run("none"), (Ok(Ok(())), 19));
        assert_eq!(run("worker"), (Err(true), 8));
        assert_eq!(run("sink"), (Err(true), 9));
        // The panic of the iterator has printed its message.
        assert_eq!(run("iterator"), (Err(false), 8));
    }
    assert_eq!(results(2, |number| number), Vec::from_iter(0..20));
}

#[test]
fn each_thread_has_its_own_function() {
    let mut threads = BTreeSet::<String>::new();
    let (stop, mut made) = (AtomicBool::new(false), Cell::new(0));
    let worker = || {
        made.set(made.get() + 1);
        let (mut own, mut count): (Option<ThreadId>, _) = (None, 0);
        move |()| {
            let thread = thread::current().id();
            assert_eq!(*own.get_or_insert(thread), thread);
            count += 1;
            (format!("{thread:?}"), count)
        }
    };
    let mut sum = 0;
    let sink = |(thread, count): (String, usize)| {
        sum += usize::from(threads.insert(thread) == (count == 1));
        ControlFlow::Continue(())
    };
    let items = iter::repeat_n((), 50);
    map_in_order(3, 6, &stop, items, worker, sink).unwrap();
    assert_eq!((*made.get_mut(), sum), (3, 50));
    assert!((1..=3).contains(&threads.len()));
}

/// A result is passed on although the iterator has nothing for the other threads, and an iterator
/// that waits for more sees the end.
#[test]
fn an_iterator_that_waits_holds_nothing_up() {
    let (more, waiting) = mpsc::channel();
    more.send(7).unwrap();
    let stop = AtomicBool::new(false);
    let seen = &stop;
    // `Receiver` is not `Sync`, so the iterator must own it.
    let items = iter::from_fn(move || {
        while !seen.load(SeqCst) {
            if let Ok(item) = waiting.recv_timeout(Duration::from_millis(5)) {
                return Some(item);
            }
        }
        None
    });
    let mut told = vec![];
    let sink = |number| {
        told.push(number);
        match number {
            7 => more.send(8).unwrap(),
            _ => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    };
    map_in_order(2, 4, &stop, items, || |number| number, sink).unwrap();
    assert_eq!(told, [7, 8]);
}
