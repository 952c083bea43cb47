//! Feeders: batches of many producers come back in each producer's order, whatever happens to the
//! others.

mod ends;
mod kinds;
mod order;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

use super::{Population, valid_row};
use sigmill::bulk::{AsRows, Engine, Feeder, RowBuffer, Rows, ShapeError, Speed, Verdicts};

fn number(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

fn engine(threads: usize) -> Arc<Engine> {
    let builder = Engine::builder()
        .speed(Speed::Fixed)
        .threads(threads)
        .window(4);
    Arc::new(builder.build().unwrap())
}

/// A gate at which threads wait. A gate that stays shut fails the test instead of hanging it.
#[derive(Default)]
struct Gate {
    /// The state (true when open) and the number of arrivals.
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

    /// Waits until this many threads have arrived.
    fn await_visitors(&self, count: usize) {
        self.wait_until(|state| state.1 >= count);
    }

    /// Passes together with others, `count` in total.
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

/// Counts of what happens to batches.
#[derive(Default)]
struct Fate {
    alive: AtomicUsize,
    most: AtomicUsize,
    judged: AtomicUsize,
    threads: Mutex<Vec<ThreadId>>,
}

type Hook = Box<dyn Fn() + Send + Sync>;

/// A batch that reports what happens to it.
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
        // Batches of very different sizes, including empty ones, so that they end out of order.
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

    /// A batch of a single row that runs a hook when it is judged.
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

/// Asserts that a batch comes in order, and with the verdicts of its own rows.
#[track_caller]
fn at_its_turn(population: &Population, producer: usize, next: &mut usize, back: Back) {
    let (batch, verdicts) = back;
    assert_eq!((batch.producer, batch.number), (producer, *next));
    *next += 1;
    population.check_verdicts(&verdicts.unwrap(), &batch.numbers);
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
