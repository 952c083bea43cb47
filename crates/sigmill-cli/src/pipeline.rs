//! A pipeline: one thread reads, several judge or recover, the caller receives the results in
//! order.
//!
//! ```text
//! reader --chunks--> queue --chunks--> workers --results--> caller
//! ```
//!
//! The queue is bounded, and so is the number of chunks whose result the caller has not taken yet
//! ([`map_in_order`]). So memory holds few chunks, however long one of them takes.

use std::any::Any;
use std::iter;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use sigmill::bulk::map_in_order;

use crate::error::CliError;
use crate::rows::Chunk;
use crate::rows::columns::Wanted;
use crate::rows::source::{self, ChunkReceiver, End, Input, StrictEnd};

/// The name of the thread that reads. A panic there is reported only as an error of the file.
pub(crate) const READER_THREAD: &str = "reader";

/// The interval at which workers that wait for a chunk check whether the run has ended.
const TICK: Duration = Duration::from_millis(100);

/// Chunks per worker that it works on, or that wait for their turn in the output.
const IN_PROGRESS_PER_WORKER: usize = 3;

/// Work on chunks, each worker on its own thread.
pub(crate) trait Work: Send {
    /// The result of a chunk.
    type Output: Send;

    /// Processes the next chunk; `turn` is the number of chunks before it. An error is not the
    /// fault of a row: the batch contradicts itself.
    fn chunk(&mut self, chunk: &Chunk, turn: u64) -> Result<Self::Output, String>;
}

/// An event for the caller, in the order of the rows.
pub(crate) enum Event<T> {
    /// The result of the next rows of the file with this index.
    Done(usize, T),
    /// The file ended too early, or could not be read at all.
    Failed(CliError),
    /// The file with this index ended, and may be truncated.
    MayBeTruncated(usize),
}

/// An event whose chunk waits for a worker, with the number of chunks before it.
type Task = Event<(Chunk, u64)>;

/// State that all threads of a run share.
#[derive(Clone)]
pub(crate) struct Pipeline {
    /// The columns to read.
    pub(crate) wanted: Wanted,
    /// True if a file that may be truncated is an error.
    pub(crate) strict_end: StrictEnd,
    /// The number of workers.
    pub(crate) workers: usize,
    /// Becomes a signal's number when the run is to end early.
    pub(crate) signal: Arc<AtomicUsize>,
    /// Counts the bytes read.
    pub(crate) done: Arc<AtomicU64>,
}

impl Pipeline {
    /// Reads `inputs` one after the other, lets the workers that `worker` creates process them, and
    /// passes the results to `take`. Returns early when a signal arrives or `take` breaks. When a
    /// signal arrives, everything read so far is processed and passed on first.
    pub(crate) fn run<W: Work>(
        &self,
        inputs: Vec<Input>,
        worker: impl Fn() -> W,
        mut take: impl FnMut(Event<W::Output>) -> Result<ControlFlow<()>, CliError>,
    ) -> Result<(), CliError> {
        let (task_in, tasks) = sync_channel(self.workers + 1);
        let queued = Arc::new(AtomicUsize::new(0));
        let reader = Reader {
            run: self.clone(),
            tasks: task_in,
            queued: queued.clone(),
            file: 0,
            turn: 0,
        };
        // The reader is not joined, because it may wait for standard input forever. It ends when
        // its channel does.
        thread::Builder::new()
            .name(READER_THREAD.into())
            .spawn(move || reader.read(&inputs))
            .map_err(|e| CliError::io("starting a reader thread", e))?;

        let stop = &AtomicBool::new(false);
        let next = move || loop {
            match tasks.recv_timeout(TICK) {
                Ok(task) => {
                    queued.fetch_sub(1, Ordering::SeqCst);
                    return Some(task);
                }
                Err(RecvTimeoutError::Timeout)
                    if !stop.load(Ordering::Relaxed) && !self.is_interrupted() => {}
                Err(_) => return None,
            }
        };
        let worker = || {
            let mut worker = worker();
            move |task| work(&mut worker, task)
        };
        let mut outcome = Ok(());
        let sink = |event| {
            take(event).unwrap_or_else(|error| {
                outcome = Err(error);
                ControlFlow::Break(())
            })
        };
        let in_progress = self.workers * IN_PROGRESS_PER_WORKER;
        let tasks = iter::from_fn(next);
        map_in_order(self.workers, in_progress, stop, tasks, worker, sink)
            .map_err(|e| CliError::file("starting the workers", e.to_string()))?;
        outcome
    }

    fn is_interrupted(&self) -> bool {
        self.signal.load(Ordering::Relaxed) != 0
    }
}

/// The reading thread's end of the pipeline.
struct Reader {
    run: Pipeline,
    tasks: SyncSender<Task>,
    /// The number of tasks in the channel.
    queued: Arc<AtomicUsize>,
    file: usize,
    /// The number of chunks so far.
    turn: u64,
}

impl Reader {
    fn read(mut self, inputs: &[Input]) {
        for (file, input) in inputs.iter().enumerate() {
            if self.run.is_interrupted() {
                break;
            }
            self.file = file;
            let Pipeline { wanted, done, .. } = self.run.clone();
            // The readers of binary formats are third-party code. If one of them panics on a
            // damaged file, the file is at fault, not the run.
            let result = catch_unwind(AssertUnwindSafe(|| {
                source::read(input, &wanted, &done, &mut self)
            }))
            .unwrap_or_else(|panic| {
                Err(CliError::file(
                    &*input.name,
                    format!("the file is damaged: {}", panic_message(&*panic)),
                ))
            });
            match result.and_then(|end| self.run.strict_end.check(input, end)) {
                Ok(End::Whole) => {}
                Ok(End::MayBeTruncated) => {
                    self.send(Task::MayBeTruncated(file));
                }
                Err(error) => {
                    self.send(Task::Failed(error));
                }
            }
        }
    }

    fn send(&mut self, task: Task) -> bool {
        if self.run.is_interrupted() {
            return false;
        }
        self.queued.fetch_add(1, Ordering::SeqCst);
        self.tasks.send(task).is_ok()
    }
}

impl ChunkReceiver for Reader {
    fn receive(&mut self, chunk: Chunk) -> bool {
        let turn = self.turn;
        self.turn += 1;
        self.send(Task::Done(self.file, (chunk, turn)))
    }

    fn has_idle_worker(&self) -> bool {
        self.queued.load(Ordering::SeqCst) == 0
    }
}

fn work<W: Work>(worker: &mut W, task: Task) -> Event<W::Output> {
    match task {
        Event::Failed(error) => Event::Failed(error),
        Event::MayBeTruncated(file) => Event::MayBeTruncated(file),
        Event::Done(file, (chunk, turn)) => {
            match catch_unwind(AssertUnwindSafe(|| worker.chunk(&chunk, turn))) {
                Ok(Ok(done)) => Event::Done(file, done),
                Ok(Err(message)) => Event::Failed(CliError::Internal(message)),
                // Otherwise these rows would be lost silently.
                Err(panic) => Event::Failed(CliError::Internal(panic_message(&*panic))),
            }
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("unknown cause")
        .to_owned()
}
