//! Batches of many producers to results, in each producer's order.

use std::collections::VecDeque;
use std::fmt;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::call::Call;
use super::control::Control;
use super::engine::Engine;
use super::recover::recover;
use super::threads::Threads;
use crate::bulk::columns::{AsRecoverRows, AsRows, Recovered, ShapeError, Verdicts};
use crate::bulk::locks::lock;

/// The handle of one producer, who submits batches and gets them back with their results, in order.
///
/// Any number of producers each have a clone. They share the engine, and no lock: a batch goes to
/// the engine's threads, and whoever comes first judges it, one of these or the producer who wants
/// its result. So an engine of one thread, which has none of its own, judges on its producers'
/// threads, and nobody waits for a batch that nobody has begun. A batch is judged by one thread:
/// some hundred rows are a good batch, two thousand where most keys are new or to be recovered.
///
/// Memory is bounded: a producer has no more batches under way than the depth that the feeder was
/// made with, and one that it is handing in: [`submit`](Self::submit) waits. A feeder that is
/// dropped lets go of what it has under way.
///
/// ```
/// use std::num::NonZeroUsize;
/// use std::sync::Arc;
/// use sigmill::bulk::{Engine, Input, Row, RowBuffer, ShapeError, Verdicts};
/// use sigmill::secp256k1::SigningKey;
/// use sigmill::{Algorithm, SignatureFormat};
///
/// /// Rows, and what the node calls them.
/// type Batch = (RowBuffer, Vec<u64>);
///
/// fn valid(((_, numbers), verdicts): (Batch, Result<Verdicts, ShapeError>)) -> Vec<u64> {
///     let verdicts = verdicts.expect("what is in a buffer makes rows");
///     let all = numbers.into_iter().zip(verdicts.as_slice());
///     all.filter(|(_, verdict)| verdict.is_ok()).map(|(number, _)| number).collect()
/// }
///
/// let key = SigningKey::generate()?;
/// let engine = Arc::new(Engine::builder().build()?);
/// let feeder = engine.verify_feeder::<Batch>(NonZeroUsize::MIN);
/// std::thread::scope(|scope| {
///     for _ in 0..2 {
///         let (mut feeder, key) = (feeder.clone(), &key);
///         scope.spawn(move || {
///             let (mut batch, mut accepted) = (Batch::default(), vec![]);
///             for number in 0..1000_u64 {
///                 let message = number.to_be_bytes();
///                 batch.0.push(&Row::new(
///                     Algorithm::ES256K,
///                     &key.verifying_key().to_sec1_bytes(true),
///                     Input::Message(&message),
///                     &key.sign(&message).to_p1363(),
///                     SignatureFormat::P1363,
///                 ));
///                 batch.1.push(number);
///                 if batch.0.len() == 256 {
///                     let oldest = feeder.submit(std::mem::take(&mut batch));
///                     accepted.extend(oldest.into_iter().flat_map(valid));
///                 }
///             }
///             let oldest = feeder.submit(batch);
///             accepted.extend(oldest.into_iter().chain(feeder).flat_map(valid));
///             assert!(accepted.into_iter().eq(0..1000));
///         });
///     }
/// });
/// # Ok::<(), sigmill::Error>(())
/// ```
pub struct Feeder<B, V = Verdicts> {
    feed: Arc<Feed<B, V>>,
    under_way: VecDeque<Arc<Job<B, V>>>,
}

/// What all clones share.
struct Feed<B, V> {
    engine: Arc<Engine>,
    depth: usize,
    judge: Judge<B, V>,
    is_cancelled: AtomicBool,
}

/// How a batch is judged, unless one of two flags is set.
type Judge<B, V> = fn(&Engine, &B, [&AtomicBool; 2]) -> Result<V, ShapeError>;

/// What became of a batch: its result, the fault of its columns, or a panic.
type Outcome<V> = std::thread::Result<Result<V, ShapeError>>;

/// A batch on its way.
struct Job<B, V> {
    state: Mutex<State<B, V>>,
    is_done: Condvar,
    /// Whether its producer is gone.
    is_abandoned: AtomicBool,
}

enum State<B, V> {
    /// Nobody has begun.
    Waiting(B),
    /// A thread has it, or its producer has it back.
    Away,
    /// With the result, or the panic that came of it.
    Done(B, Outcome<V>),
}

impl Engine {
    /// A feeder of batches to verify, for any number of producers ([`clone`](Clone::clone)), of
    /// whom each has at most `depth` batches under way.
    pub fn verify_feeder<B>(self: &Arc<Self>, depth: NonZeroUsize) -> Feeder<B>
    where
        B: AsRows + Send + 'static,
    {
        Feeder::new(self, depth, |engine, batch, flags| {
            let rows = batch.as_rows()?;
            Ok(engine.verify_in(&rows, one_of_many(engine, flags, rows.len())))
        })
    }

    /// A feeder of batches to recover public keys from, for any number of producers
    /// ([`clone`](Clone::clone)), of whom each has at most `depth` batches under way.
    pub fn recover_feeder<B>(self: &Arc<Self>, depth: NonZeroUsize) -> Feeder<B, Recovered>
    where
        B: AsRecoverRows + Send + 'static,
    {
        Feeder::new(self, depth, |engine, batch, flags| {
            let rows = batch.as_recover_rows()?;
            Ok(recover(&rows, &one_of_many(engine, flags, rows.len())))
        })
    }
}

/// A call that leaves the other threads to other batches.
fn one_of_many<'a>(
    engine: &'a Engine,
    [cancel, stop]: [&'a AtomicBool; 2],
    rows: usize,
) -> Call<'a> {
    let control = Control {
        cancel: Some(cancel),
        ..Control::default()
    };
    engine.call(&control, rows).stopped_by(stop).by_caller()
}

impl<B: Send + 'static, V: Send + 'static> Feeder<B, V> {
    fn new(engine: &Arc<Engine>, depth: NonZeroUsize, judge: Judge<B, V>) -> Self {
        Self {
            feed: Arc::new(Feed {
                engine: engine.clone(),
                depth: depth.get(),
                judge,
                is_cancelled: AtomicBool::new(false),
            }),
            under_way: VecDeque::new(),
        }
    }

    /// Hands a batch in. If more than the depth are then under way, waits for the oldest, and
    /// returns it with its result.
    ///
    /// # Panics
    /// As [`next`](Iterator::next) does. The batch is handed in all the same.
    #[must_use = "these are the results of the oldest batch"]
    pub fn submit(&mut self, batch: B) -> Option<(B, Result<V, ShapeError>)> {
        let job = Arc::new(Job::new(batch));
        self.under_way.push_back(job.clone());
        match self.feed.engine.threads() {
            Threads::Caller => job.judge(&self.feed),
            Threads::Pool(pool) => {
                let feed = self.feed.clone();
                pool.spawn(move || job.judge(&feed));
            }
        }
        match self.under_way.len() > self.feed.depth {
            true => self.next(),
            false => None,
        }
    }

    /// The oldest batch under way, if its result is there.
    ///
    /// # Panics
    /// As [`next`](Iterator::next) does.
    pub fn try_next(&mut self) -> Option<(B, Result<V, ShapeError>)> {
        let is_done = self.under_way.front()?.is_done();
        is_done.then(|| self.next()).flatten()
    }
}

impl<B, V> Feeder<B, V> {
    /// How many batches are under way: submitted, and not yet handed back.
    pub fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// Cancels this feeder and all its clones: no block of rows is begun any more. What is under
    /// way and what is still submitted comes back, and the rows that were not judged have the
    /// result [`NotJudged`](crate::Error::NotJudged).
    pub fn cancel(&self) {
        self.feed.is_cancelled.store(true, Relaxed);
    }
}

impl<B, V> Iterator for Feeder<B, V> {
    type Item = (B, Result<V, ShapeError>);

    /// Waits for the oldest batch under way, and returns it with its result; `None` if there is
    /// none now. A batch that nobody has begun is judged here. The error of a batch is that of its
    /// columns.
    ///
    /// # Panics
    /// When the batch panicked where it was judged: with that panic. The batch is lost, and the
    /// feeder goes on with the one behind it.
    fn next(&mut self) -> Option<Self::Item> {
        let job = self.under_way.pop_front()?;
        job.judge(&self.feed);
        let (batch, outcome) = job.wait();
        match outcome {
            Ok(result) => Some((batch, result)),
            Err(panic) => resume_unwind(panic),
        }
    }
}

impl<B, V> Clone for Feeder<B, V> {
    /// A handle for another producer, which has nothing under way.
    fn clone(&self) -> Self {
        Self {
            feed: self.feed.clone(),
            under_way: VecDeque::new(),
        }
    }
}

impl<B, V> Drop for Feeder<B, V> {
    fn drop(&mut self) {
        self.under_way.iter().for_each(|job| job.abandon());
    }
}

impl<B, V> fmt::Debug for Feeder<B, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feeder")
            .field("depth", &self.feed.depth)
            .field("under_way", &self.under_way.len())
            .field("is_cancelled", &self.feed.is_cancelled)
            .finish_non_exhaustive()
    }
}

impl<B, V> Job<B, V> {
    fn new(batch: B) -> Self {
        Self {
            state: Mutex::new(State::Waiting(batch)),
            is_done: Condvar::new(),
            is_abandoned: AtomicBool::new(false),
        }
    }

    /// Takes the batch, if nobody has begun.
    fn begin(&self) -> Option<B> {
        let mut state = lock(&self.state);
        match std::mem::replace(&mut *state, State::Away) {
            State::Waiting(batch) => Some(batch),
            other => {
                *state = other;
                None
            }
        }
    }

    /// Judges the batch here, unless somebody has begun.
    fn judge(&self, feed: &Feed<B, V>) {
        let Some(batch) = self.begin() else { return };
        let flags = [&feed.is_cancelled, &self.is_abandoned];
        let judge = || (feed.judge)(&feed.engine, &batch, flags);
        // Its producer is who shall know of a panic; a thread of the engine's would end the
        // program.
        let outcome = catch_unwind(AssertUnwindSafe(judge));
        *lock(&self.state) = State::Done(batch, outcome);
        self.is_done.notify_one();
    }

    fn is_done(&self) -> bool {
        matches!(*lock(&self.state), State::Done(..))
    }

    /// Waits until the batch that somebody has begun is done. For its producer only.
    fn wait(&self) -> (B, Outcome<V>) {
        let mut state = lock(&self.state);
        loop {
            match std::mem::replace(&mut *state, State::Away) {
                State::Done(batch, outcome) => return (batch, outcome),
                other => *state = other,
            }
            let woken = self.is_done.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets go of the batch: of one that nobody has begun now, of another one soon.
    fn abandon(&self) {
        self.is_abandoned.store(true, Relaxed);
        drop(self.begin());
    }
}
