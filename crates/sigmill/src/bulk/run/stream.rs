//! Streams: batch after batch to verdicts, in order and in bounded memory.

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc;

use rayon::ThreadPool;

use super::control::Control;
use super::engine::Engine;
use super::threads::Threads;
use crate::bulk::columns::{AsRows, ShapeError, Verdicts};

/// Batches in progress for each thread: one that is judged, and one that waits.
const BATCHES_PER_THREAD: usize = 2;

/// The outcome of a batch: its verdicts, the error of its columns, or a panic.
type Outcome = Result<Result<Verdicts, ShapeError>, Box<dyn Any + Send>>;

impl Engine {
    /// Judges batches and passes each, with its verdicts, to `sink` in the order of the batches,
    /// until no batch is left or `sink` breaks.
    ///
    /// Both `batches` and `sink` run on the caller's thread. If there are several
    /// [`threads`](super::EngineBuilder::threads), these judge meanwhile; there are never more than
    /// two batches for each thread in memory. If batches come from several threads, each should
    /// have a [`Feeder`](super::Feeder). After a break no further batch is taken, and the verdicts
    /// of those in progress are lost.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use sigmill::bulk::{AsRows, Column, Engine, Inputs, Rows, ShapeError, Signatures};
    /// use sigmill::Algorithm;
    ///
    /// struct Batch {
    ///     keys: Vec<u8>,
    ///     digests: Vec<u8>,
    ///     signatures: Vec<u8>,
    /// }
    ///
    /// impl AsRows for Batch {
    ///     fn as_rows(&self) -> Result<Rows<'_>, ShapeError> {
    ///         Rows::new(
    ///             Algorithm::ES256,
    ///             Column::fixed(&self.keys, 65),
    ///             Inputs::Digests(Column::fixed(&self.digests, 32)),
    ///             Signatures::P1363(Column::fixed(&self.signatures, 64)),
    ///         )
    ///     }
    /// }
    ///
    /// let batches = (1..4).map(|n| Batch {
    ///     keys: vec![4; n * 65],
    ///     digests: vec![1; n * 32],
    ///     signatures: vec![1; n * 64],
    /// });
    /// let mut rejected = vec![];
    /// let engine = Engine::builder().build()?;
    /// engine.verify_stream(batches, |_, verdicts| {
    ///     rejected.push(verdicts.rejected());
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(rejected, [1, 2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The error of the first batch whose columns do not form rows. All batches before it have been
    /// passed to `sink`, and none after it will be.
    pub fn verify_stream<B: AsRows + Send>(
        &self,
        batches: impl IntoIterator<Item = B>,
        sink: impl FnMut(B, Verdicts) -> ControlFlow<()>,
    ) -> Result<(), ShapeError> {
        self.verify_stream_with(batches, &Control::default(), sink)
    }

    /// [`verify_stream`](Self::verify_stream) with options.
    ///
    /// Once the call is cancelled, no further batch is taken. Those in progress are passed to
    /// `sink` with the verdict [`NotJudged`](crate::Error::NotJudged) for the rows that were not
    /// judged. Progress and plans are those of each batch.
    ///
    /// # Errors
    /// Those of [`verify_stream`](Self::verify_stream).
    pub fn verify_stream_with<B: AsRows + Send>(
        &self,
        batches: impl IntoIterator<Item = B>,
        control: &Control<'_>,
        mut sink: impl FnMut(B, Verdicts) -> ControlFlow<()>,
    ) -> Result<(), ShapeError> {
        let is_cancelled = || control.cancel.is_some_and(|cancel| cancel.load(Relaxed));
        let mut batches = batches.into_iter();
        let mut batches = std::iter::from_fn(|| match is_cancelled() {
            true => None,
            false => batches.next(),
        });
        match self.threads() {
            Threads::Caller => {
                for batch in batches {
                    let verdicts = self.verify_with(&batch.as_rows()?, control);
                    if sink(batch, verdicts).is_break() {
                        break;
                    }
                }
                Ok(())
            }
            Threads::Pool(pool) => self.stream_through(pool, &mut batches, control, sink),
        }
    }

    fn stream_through<B: AsRows + Send>(
        &self,
        pool: &ThreadPool,
        batches: &mut impl Iterator<Item = B>,
        control: &Control<'_>,
        mut sink: impl FnMut(B, Verdicts) -> ControlFlow<()>,
    ) -> Result<(), ShapeError> {
        let most = pool.current_num_threads() * BATCHES_PER_THREAD;
        let stop = AtomicBool::new(false);
        pool.in_place_scope(|scope| {
            // However this ends, the batches in progress should end soon.
            let _stop = SetOnDrop(&stop);
            let (outcome_in, outcome_out) = mpsc::channel::<(u64, B, Outcome)>();
            // The numbers of batches taken and of batches passed to `sink`; then the batches that
            // are done before their turn.
            let (mut taken, mut told) = (0_u64, 0_u64);
            let mut waiting: BTreeMap<u64, (B, Outcome)> = BTreeMap::new();
            loop {
                while taken - told < most as u64
                    && let Some(batch) = batches.next()
                {
                    let (number, outcome_in, stop) = (taken, outcome_in.clone(), &stop);
                    taken += 1;
                    scope.spawn(move |_| {
                        let judge = || {
                            let rows = batch.as_rows()?;
                            let call = self.call(control, rows.len()).stopped_by(stop);
                            Ok(self.verify_in(&rows, call))
                        };
                        let outcome = catch_unwind(AssertUnwindSafe(judge));
                        // Nobody listens after a break.
                        let _ = outcome_in.send((number, batch, outcome));
                    });
                }
                if taken == told {
                    return Ok(());
                }
                // Every batch that was taken sends, so an outcome will come.
                let Ok((number, batch, outcome)) = outcome_out.recv() else {
                    return Ok(());
                };
                waiting.insert(number, (batch, outcome));
                while let Some((batch, outcome)) = waiting.remove(&told) {
                    told += 1;
                    let verdicts = outcome.unwrap_or_else(|panic| resume_unwind(panic))?;
                    if sink(batch, verdicts).is_break() {
                        return Ok(());
                    }
                }
            }
        })
    }
}

struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}
