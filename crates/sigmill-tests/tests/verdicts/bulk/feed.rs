//! Feeders: batches of many producers come back in each producer's order, whatever becomes of the others.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

use super::recover::{Signed, check, mixed, single};
use super::{Population, valid_row};
use sigmill::bulk::{
    AsRecoverRows, AsRows, Engine, Feeder, RecoverBuffer, RowBuffer, Rows, ShapeError, Verdicts,
};
use sigmill::curve::{P256, Secp256k1};
use sigmill::{Algorithm, Error, Policy};
use sigmill_tests::rounds;

fn number(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

fn engine(threads: usize) -> Arc<Engine> {
    let builder = Engine::builder().threads(number(threads)).window(4);
    Arc::new(builder.build().unwrap())
}

/// A gate at which threads wait. One that stays shut fails the test instead of hanging it.
#[derive(Default)]
struct Gate {
    /// Whether it is open, and how many have come.
    state: Mutex<(bool, usize)>,
    changed: Condvar,
}

impl Gate {
    fn wait_until(&self, condition: impl Fn(&(bool, usize)) -> bool) {
        let state = self.state.lock().unwrap();
        let limit = Duration::from_secs(120);
        let (_state, timeout) = self
            .changed
            .wait_timeout_while(state, limit, |state| !condition(state))
            .unwrap();
        assert!(!timeout.timed_out(), "nobody opened the gate");
    }

    fn pass(&self) {
        self.state.lock().unwrap().1 += 1;
        self.changed.notify_all();
        self.wait_until(|state| state.0);
    }

    /// Waits until so many stand before it.
    fn await_visitors(&self, count: usize) {
        self.wait_until(|state| state.1 >= count);
    }

    /// Passes together with others, `count` in all.
    fn meet(&self, count: usize) {
        self.state.lock().unwrap().1 += 1;
        self.changed.notify_all();
        self.await_visitors(count);
    }

    fn open(&self) {
        self.state.lock().unwrap().0 = true;
        self.changed.notify_all();
    }
}

/// What happens to batches.
#[derive(Default)]
struct Fate {
    alive: AtomicUsize,
    most: AtomicUsize,
    judged: AtomicUsize,
    threads: Mutex<Vec<ThreadId>>,
}

type Hook = Box<dyn Fn() + Send + Sync>;

/// A batch that is watched.
struct Batch {
    producer: usize,
    number: usize,
    numbers: Vec<usize>,
    rows: RowBuffer,
    fate: Arc<Fate>,
    hook: Hook,
}

impl Batch {
    fn new(population: &Population, fate: &Arc<Fate>, producer: usize, number: usize) -> Self {
        let alive = fate.alive.fetch_add(1, SeqCst) + 1;
        fate.most.fetch_max(alive, SeqCst);
        // Batches of very different sizes, also empty ones, so that they end out of turn.
        let size = [20, 0, 3, 1, 9][(number + producer) % 5];
        let numbers = population.numbers(number * 13 + producer * 7, size);
        let mut rows = RowBuffer::default();
        for &i in &numbers {
            rows.push(&population.rows[i].row());
        }
        Self {
            producer,
            number,
            numbers,
            rows,
            fate: fate.clone(),
            hook: Box::new(|| {}),
        }
    }

    /// A batch of a single row that does something when it is judged.
    fn with_hook(fate: &Arc<Fate>, number: usize, hook: impl Fn() + Send + Sync + 'static) -> Self {
        fate.alive.fetch_add(1, SeqCst);
        let mut rows = RowBuffer::default();
        rows.push(&valid_row(3, 1).row());
        Self {
            producer: 0,
            number,
            numbers: vec![],
            rows,
            fate: fate.clone(),
            hook: Box::new(hook),
        }
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.fate.alive.fetch_sub(1, SeqCst);
    }
}

impl AsRows for Batch {
    fn as_rows(&self) -> Result<Rows<'_>, ShapeError> {
        self.fate.judged.fetch_add(1, SeqCst);
        self.fate
            .threads
            .lock()
            .unwrap()
            .push(thread::current().id());
        (self.hook)();
        self.rows.as_rows()
    }
}

type Back = (Batch, Result<Verdicts, ShapeError>);

/// Asserts that a batch comes at its turn, and with the verdicts of its own rows.
#[track_caller]
fn at_its_turn(population: &Population, producer: usize, next: &mut usize, back: Back) {
    let (batch, verdicts) = back;
    assert_eq!((batch.producer, batch.number), (producer, *next));
    *next += 1;
    population.check_verdicts(&verdicts.unwrap(), &batch.numbers);
}

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
                        // No producer gets past this unless all three are judging at once.
                        let together = together.clone();
                        batch.hook = Box::new(move || together.meet(3));
                    }
                    let mut backs: Vec<Back> = feeder.submit(batch).into_iter().collect();
                    // What was submitted is judged by now.
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
    // Three at once, of which the producer may be one.
    for (i, (batch, verdicts)) in feeder.enumerate() {
        assert_eq!(batch.number, i);
        assert!(verdicts.unwrap().all_valid());
    }
    assert_eq!(fate.alive.load(SeqCst), 0);
}

/// Keeps the threads of an engine busy until the gate opens.
fn occupy(engine: &Arc<Engine>, threads: usize, gate: &Arc<Gate>) -> Feeder<Batch> {
    let mut feeder = engine.verify_feeder::<Batch>(number(threads));
    let fate = Arc::<Fate>::default();
    for i in 0..threads {
        let gate = gate.clone();
        assert!(
            feeder
                .submit(Batch::with_hook(&fate, i, move || gate.pass()))
                .is_none()
        );
    }
    gate.await_visitors(threads);
    feeder
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
    // One whose batches are being judged: they end by themselves, and so does the engine.
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

/// A batch that may be misshapen, or panic.
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
    // Both curves in turn, in batches of every size up to that of the rows.
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
