//! Feeders: batches from many producers to results, in each producer's order.

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

/// A producer's handle to submit batches and get them back with their results, in order.
///
/// Each of any number of producers has a clone. They share the engine, and no lock. A batch goes to
/// the engine's threads, and whoever comes first judges it: one of these threads, or the producer
/// that wants its result. So an engine of one thread, which has no pool, judges on its producers'
/// threads, and nobody waits for a batch that nobody has begun. One thread judges a batch: some
/// hundred rows are a good size, or two thousand if most keys are new or to be recovered.
///
/// Memory is bounded: a producer has at most `depth` batches in progress, and one that it is
/// submitting: [`submit`](Self::submit) waits. The depth is set when the feeder is created. A
/// feeder that is dropped abandons its batches in progress.
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

/// The state that all clones share.
struct Feed<B, V> {
    engine: Arc<Engine>,
    depth: usize,
    judge: Judge<B, V>,
    is_cancelled: AtomicBool,
}

/// A function that judges a batch, unless one of two flags is set.
type Judge<B, V> = fn(&Engine, &B, [&AtomicBool; 2]) -> Result<V, ShapeError>;

/// The outcome of a batch: its result, the error of its columns, or a panic.
type Outcome<V> = std::thread::Result<Result<V, ShapeError>>;

/// A batch in progress.
struct Job<B, V> {
    state: Mutex<State<B, V>>,
    is_done: Condvar,
    /// True if its producer is gone.
    is_abandoned: AtomicBool,
}

enum State<B, V> {
    /// Nobody has begun.
    Waiting(B),
    /// A thread has the batch, or its producer has it back.
    Away,
    /// The batch with its result, or with the panic that it caused.
    Done(B, Outcome<V>),
}

impl Engine {
    /// Creates a feeder of batches to verify, for any number of producers
    /// ([`clone`](Clone::clone)). Each has at most `depth` batches in progress.
    pub fn verify_feeder<B>(self: &Arc<Self>, depth: NonZeroUsize) -> Feeder<B>
    where
        B: AsRows + Send + 'static,
    {
        Feeder::new(self, depth, |engine, batch, flags| {
            let rows = batch.as_rows()?;
            Ok(engine.verify_in(&rows, one_of_many(engine, flags, rows.len())))
        })
    }

    /// Creates a feeder of batches to recover public keys from, for any number of producers
    /// ([`clone`](Clone::clone)). Each has at most `depth` batches in progress.
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

/// Creates a call that leaves the other threads to other batches.
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

    /// Submits a batch. If more than `depth` batches are then in progress, waits for the oldest one
    /// and returns it with its result.
    ///
    /// # Panics
    /// As [`next`](Iterator::next) does. The batch is submitted all the same.
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

    /// Returns the oldest batch in progress, if its result is available.
    ///
    /// # Panics
    /// As [`next`](Iterator::next) does.
    pub fn try_next(&mut self) -> Option<(B, Result<V, ShapeError>)> {
        let is_done = self.under_way.front()?.is_done();
        is_done.then(|| self.next()).flatten()
    }
}

impl<B, V> Feeder<B, V> {
    /// Returns the number of batches in progress: submitted and not yet returned.
    pub fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// Cancels this feeder and all its clones: no further block of rows begins. Batches in
    /// progress, and those that are still submitted, come back; the rows that were not judged have
    /// the result [`NotJudged`](crate::Error::NotJudged).
    pub fn cancel(&self) {
        self.feed.is_cancelled.store(true, Relaxed);
    }
}

impl<B, V> Iterator for Feeder<B, V> {
    type Item = (B, Result<V, ShapeError>);

    /// Waits for the oldest batch in progress and returns it with its result; `None` if there is
    /// none now. A batch that nobody has begun is judged here. The error of a batch is that of its
    /// columns.
    ///
    /// # Panics
    /// If the batch panicked where it was judged: with that panic. The batch is lost, and the
    /// feeder continues with the next one.
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
    /// Creates a handle for another producer, with nothing in progress.
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

    /// Takes the batch, if nobody has begun it.
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

    /// Judges the batch here, unless another thread has begun it.
    fn judge(&self, feed: &Feed<B, V>) {
        let Some(batch) = self.begin() else { return };
        let flags = [&feed.is_cancelled, &self.is_abandoned];
        let judge = || (feed.judge)(&feed.engine, &batch, flags);
        // The producer gets the panic; in a thread of the engine it would end the program.
        let outcome = catch_unwind(AssertUnwindSafe(judge));
        *lock(&self.state) = State::Done(batch, outcome);
        self.is_done.notify_one();
    }

    fn is_done(&self) -> bool {
        matches!(*lock(&self.state), State::Done(..))
    }

    /// Waits for a batch that another thread has begun. For its producer only.
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

    /// Drops the batch: now if nobody has begun it, soon otherwise.
    fn abandon(&self) {
        self.is_abandoned.store(true, Relaxed);
        drop(self.begin());
    }
}
