//! A pipeline: one thread reads, several judge or recover, the caller receives the results in
//! order.
//!
//! ```text
//! reader --chunks--> workers --results--> caller, who puts them in order
//!    ^                                      |
//!    +--------------- tickets --------------+
//! ```
//!
//! The reader needs a ticket for each chunk. The caller returns the ticket once it has taken the
//! chunk's result. So memory never holds more chunks than tickets, however long one of them takes.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};

use crate::error::CliError;
use crate::rows::Chunk;
use crate::rows::columns::Wanted;
use crate::rows::source::{self, ChunkTaker, End, Input, StrictEnd};

/// The name of the thread that reads. A panic there is reported only as an error of the file.
pub(crate) const READER_THREAD: &str = "reader";

/// The interval at which the caller may draw its progress while no result arrives.
const TICK: Duration = Duration::from_millis(100);

/// Chunks in memory per worker: one in progress, some that wait for a worker, and some that wait
/// for their turn in the output.
const TICKETS_PER_WORKER: usize = 4;

/// Work on chunks, each worker on its own thread.
pub(crate) trait Work: Send + 'static {
    /// The result of a chunk.
    type Output: Send + 'static;

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
    MayBeCutOff(usize),
    /// Some time has passed.
    Tick,
}

/// The caller's choice to continue or to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Continue,
    Stop,
}

/// State that all threads of a run share.
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

/// A worker's next task.
enum Task {
    /// A chunk of this file, with the number of chunks before it.
    Work(usize, Chunk, u64),
    Pass(CliError),
    CutOff(usize),
}

impl Pipeline {
    /// Reads `inputs` one after the other, lets the workers that `worker` creates process them, and
    /// passes the results to `take`. Returns early when a signal arrives or `take` wants to stop.
    /// When a signal arrives, everything read so far is processed and passed on first.
    pub(crate) fn run<W: Work>(
        &self,
        inputs: Vec<Input>,
        worker: impl Fn() -> W,
        mut take: impl FnMut(Event<W::Output>) -> Result<Flow, CliError>,
    ) -> Result<(), CliError> {
        let tickets = self.workers.max(1) * TICKETS_PER_WORKER + 1;
        let (ticket_in, ticket_out) = bounded(tickets);
        for _ in 0..tickets {
            // There is room for all of them.
            let _ = ticket_in.send(());
        }
        let (task_in, task_out) = bounded(tickets);
        let (event_in, event_out) = unbounded();
        let sent = Arc::new(AtomicU64::new(0));
        // The threads are not joined, because the reader may wait for standard input forever. They
        // end when their channels do.
        let reader = Reader {
            wanted: self.wanted.clone(),
            strict_end: self.strict_end,
            tickets: ticket_out,
            tasks: task_in,
            sent: sent.clone(),
            signal: self.signal.clone(),
            done: self.done.clone(),
            file: 0,
            turn: 0,
        };
        spawn(READER_THREAD, move || reader.run(&inputs))?;
        for _ in 0..self.workers.max(1) {
            let (worker, tasks, events) = (worker(), task_out.clone(), event_in.clone());
            spawn("worker", move || work(worker, &tasks, &events))?;
        }
        drop((task_out, event_in));

        let mut waiting: BTreeMap<u64, Event<W::Output>> = BTreeMap::new();
        let mut told = 0;
        loop {
            match event_out.recv_timeout(TICK) {
                Ok((number, event)) => {
                    waiting.insert(number, event);
                }
                Err(RecvTimeoutError::Timeout) => {
                    let interrupted = self.signal.load(Ordering::Relaxed) != 0;
                    if interrupted && told == sent.load(Ordering::SeqCst) {
                        break Ok(());
                    }
                    take(Event::Tick)?;
                }
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
            }
            let mut flow = Flow::Continue;
            while let Some(event) = waiting.remove(&told) {
                told += 1;
                flow = take(event)?;
                let _ = ticket_in.try_send(());
                if flow == Flow::Stop {
                    break;
                }
            }
            if flow == Flow::Stop {
                break Ok(());
            }
        }
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<(), CliError> {
    thread::Builder::new()
        .name(name.into())
        .spawn(body)
        .map(drop)
        .map_err(|e| CliError::io(format!("starting a {name} thread"), e))
}

/// The reading thread's end of the pipeline.
struct Reader {
    wanted: Wanted,
    strict_end: StrictEnd,
    tickets: Receiver<()>,
    tasks: Sender<(u64, Task)>,
    sent: Arc<AtomicU64>,
    signal: Arc<AtomicUsize>,
    done: Arc<AtomicU64>,
    file: usize,
    /// The number of chunks so far.
    turn: u64,
}

impl Reader {
    fn run(mut self, inputs: &[Input]) {
        for (file, input) in inputs.iter().enumerate() {
            if self.signal.load(Ordering::Relaxed) != 0 {
                break;
            }
            self.file = file;
            let (wanted, done) = (self.wanted.clone(), self.done.clone());
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
            match result.and_then(|end| self.strict_end.check(input, end)) {
                Ok(End::Whole) => {}
                Ok(End::MayBeCutOff) => {
                    self.send(Task::CutOff(file));
                }
                Err(error) => {
                    self.send(Task::Pass(error));
                }
            }
        }
    }

    fn send(&mut self, task: Task) -> bool {
        if self.signal.load(Ordering::Relaxed) != 0 || self.tickets.recv().is_err() {
            return false;
        }
        let number = self.sent.fetch_add(1, Ordering::SeqCst);
        self.tasks.send((number, task)).is_ok()
    }
}

impl ChunkTaker for Reader {
    fn take(&mut self, chunk: Chunk) -> bool {
        let turn = self.turn;
        self.turn += 1;
        self.send(Task::Work(self.file, chunk, turn))
    }

    fn is_hungry(&self) -> bool {
        self.tasks.is_empty()
    }
}

fn work<W: Work>(
    mut worker: W,
    tasks: &Receiver<(u64, Task)>,
    events: &Sender<(u64, Event<W::Output>)>,
) {
    for (number, task) in tasks {
        let event = match task {
            Task::Pass(error) => Event::Failed(error),
            Task::CutOff(file) => Event::MayBeCutOff(file),
            Task::Work(file, chunk, turn) => {
                match catch_unwind(AssertUnwindSafe(|| worker.chunk(&chunk, turn))) {
                    Ok(Ok(done)) => Event::Done(file, done),
                    Ok(Err(message)) => Event::Failed(CliError::Internal(message)),
                    // Otherwise these rows would be lost silently.
                    Err(panic) => Event::Failed(CliError::Internal(panic_message(&*panic))),
                }
            }
        };
        if events.send((number, event)).is_err() {
            return;
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("unknown cause")
        .to_owned()
}
