//! Items to results on several threads, in order and in bounded memory.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, mpsc};
use std::thread;

use crate::Error;

/// Maps items to results on threads of its own, and passes the results to `sink` in the order of
/// the items. Use it to judge a stream of batches with an [`Engine`](super::Engine) of one thread,
/// which all threads share.
///
/// `threads` and `most` are at least 1. `worker` creates the function of each thread, which may
/// keep buffers from one item to the next. The threads take the items, one thread at a time; `sink`
/// runs on the caller's thread. At most `most` items are in memory: taken, and their results not
/// yet passed on. Twice the number of threads keeps the threads busy if `sink` is fast.
///
/// No item is taken once `stop` is true. The results of those that were taken are still passed on,
/// unless `sink` breaks. When the call ends, for whatever reason, it sets `stop` and waits for its
/// threads. So `stop` can also [cancel](super::Control::cancel) a call of the engine, or end an
/// iterator that waits for input. If a worker panics, so does the caller, when the result is due.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::atomic::AtomicBool;
/// use sigmill::bulk::{Column, Control, Engine, Inputs, Rows, Signatures, map_in_order};
/// use sigmill::Algorithm;
///
/// struct Batch {
///     keys: Vec<u8>,
///     digests: Vec<u8>,
///     signatures: Vec<u8>,
/// }
///
/// let batches = (1..4).map(|n| Batch {
///     keys: vec![4; n * 65],
///     digests: vec![1; n * 32],
///     signatures: vec![1; n * 64],
/// });
/// let engine = Engine::builder().build()?;
/// let stop = AtomicBool::new(false);
/// let control = Control::default().cancel(&stop);
/// let judge = |batch: Batch| {
///     let rows = Rows::new(
///         Algorithm::ES256,
///         Column::fixed(&batch.keys, 65),
///         Inputs::Digests(Column::fixed(&batch.digests, 32)),
///         Signatures::P1363(Column::fixed(&batch.signatures, 64)),
///     );
///     rows.map(|rows| engine.verify_with(&rows, &control))
/// };
/// let mut rejected = vec![];
/// map_in_order(2, 4, &stop, batches, || &judge, |verdicts| match verdicts {
///     Ok(verdicts) => {
///         rejected.push(verdicts.rejected());
///         ControlFlow::Continue(())
///     }
///     Err(_) => ControlFlow::Break(()),
/// })?;
/// assert_eq!(rejected, [1, 2, 3]);
/// # Ok::<(), sigmill::Error>(())
/// ```
///
/// # Errors
/// [`Error::ThreadsNotStarted`]. Then no item was taken.
pub fn map_in_order<T, R, W>(
    threads: usize,
    most: usize,
    stop: &AtomicBool,
    items: impl Iterator<Item = T> + Send,
    worker: impl Fn() -> W,
    sink: impl FnMut(R) -> ControlFlow<()>,
) -> Result<(), Error>
where
    R: Send,
    W: FnMut(T) -> R + Send,
{
    // Taking an item needs a ticket, which the caller returns once it has passed on the result.
    let (ticket_in, tickets) = mpsc::channel();
    let (result_in, results) = mpsc::channel();
    let source = Mutex::new(Some((tickets, (0_u64..).zip(items))));
    let next = || {
        // An iterator that has panicked is not asked again.
        let mut source = source.lock().ok()?;
        let (tickets, items) = source.as_mut()?;
        let may_take = tickets.recv().is_ok() && !stop.load(Relaxed);
        let item = if may_take { items.next() } else { None };
        if item.is_none() {
            *source = None;
        }
        item
    };
    thread::scope(|scope| {
        let _stop = SetOnDrop(stop);
        // Dropped before the threads are waited for, so that none waits for a ticket.
        let (ticket_in, results, mut sink) = (ticket_in, results, sink);
        for number in 0..threads.max(1) {
            let (mut work, result_in, next) = (worker(), result_in.clone(), &next);
            let run = move || {
                while let Some((number, item)) = next() {
                    let result = catch_unwind(AssertUnwindSafe(|| work(item)));
                    // Nobody listens after the end.
                    let _ = result_in.send((number, result));
                }
            };
            thread::Builder::new()
                .name(format!("sigmill-{number}"))
                .spawn_scoped(scope, run)
                .map_err(|_| Error::ThreadsNotStarted)?;
        }
        drop(result_in);
        for _ in 0..most.max(1) {
            let _ = ticket_in.send(());
        }
        let (mut waiting, mut turn) = (BTreeMap::new(), 0);
        for (number, result) in results {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&turn) {
                turn += 1;
                let result = result.unwrap_or_else(|panic| resume_unwind(panic));
                if sink(result).is_break() {
                    return Ok(());
                }
                // Nobody takes a ticket after the last item.
                let _ = ticket_in.send(());
            }
        }
        Ok(())
    })
}

struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}
