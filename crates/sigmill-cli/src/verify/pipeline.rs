//! One thread reads, several judge, the caller gets the verdicts in order.
//!
//! ```text
//! reader --chunks--> workers --verdicts--> caller, who puts them in order
//!    ^                                       |
//!    +---------------- tickets --------------+
//! ```
//!
//! The reader needs a ticket for each chunk, and the caller gives it back when the chunk's verdicts have been taken:
//! there are never more chunks in memory than tickets, however long one of them takes.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use sigmill::bulk::Engine;

use crate::error::CliError;
use crate::rows::Chunk;
use crate::rows::cells::Reading;
use crate::rows::judge::{Extras, Judge, Verdicts};
use crate::rows::source::{self, ChunkTaker, Input};

/// The name of the thread that reads: a panic there is told as an error of the file, and only so.
pub(crate) const READER_THREAD: &str = "reader";

/// How often the caller is asked to draw its progress while no verdicts come.
const TICK: Duration = Duration::from_millis(100);

/// Chunks in memory per worker: one being judged, some waiting for it, some waiting for their turn in the output.
const TICKETS_PER_WORKER: usize = 4;

/// What the caller is told, in the order of the rows.
pub(crate) enum Event {
    /// Verdicts of the next rows of the file with this index.
    Verdicts(usize, Verdicts),
    /// The file ended too early, or could not be read at all.
    Failed(CliError),
    /// Some time has passed.
    Tick,
}

/// Whether the caller wants to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Continue,
    Stop,
}

/// What all threads of a run share.
pub(crate) struct Pipeline {
    pub(crate) engine: Arc<Engine>,
    pub(crate) reading: Arc<Reading>,
    /// What is wanted of the verdicts beside the rejected rows.
    pub(crate) extras: Extras,
    /// How many workers judge.
    pub(crate) workers: usize,
    /// Set to a signal's number when the run shall end early.
    pub(crate) signal: Arc<AtomicUsize>,
    /// Counts the bytes read.
    pub(crate) done: Arc<AtomicU64>,
}

/// What a worker does next.
enum Task {
    Judge(usize, Chunk),
    Pass(CliError),
}

impl Pipeline {
    /// Reads `inputs` one after the other and tells `take` what comes of it. Returns early, with what has been read
    /// so far judged and told, when a signal comes or `take` wants to stop.
    pub(crate) fn run(
        &self,
        inputs: Vec<Input>,
        mut take: impl FnMut(Event) -> Result<Flow, CliError>,
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
        // The threads are not joined: the reader may wait for standard input forever. They end when their channels do.
        let reader = Reader {
            wanted: self.reading.clone(),
            tickets: ticket_out,
            tasks: task_in,
            sent: sent.clone(),
            signal: self.signal.clone(),
            done: self.done.clone(),
            file: 0,
        };
        spawn(READER_THREAD, move || reader.run(&inputs))?;
        for _ in 0..self.workers.max(1) {
            let judge = Judge::new(self.engine.clone(), self.reading.clone(), self.extras);
            let (tasks, events) = (task_out.clone(), event_in.clone());
            spawn("worker", move || work(judge, &tasks, &events))?;
        }
        drop((task_out, event_in));

        let mut waiting: BTreeMap<u64, Event> = BTreeMap::new();
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
    wanted: Arc<Reading>,
    tickets: Receiver<()>,
    tasks: Sender<(u64, Task)>,
    sent: Arc<AtomicU64>,
    signal: Arc<AtomicUsize>,
    done: Arc<AtomicU64>,
    file: usize,
}

impl Reader {
    fn run(mut self, inputs: &[Input]) {
        for (file, input) in inputs.iter().enumerate() {
            if self.signal.load(Ordering::Relaxed) != 0 {
                break;
            }
            self.file = file;
            let (wanted, done) = (self.wanted.clone(), self.done.clone());
            // The readers of binary formats are other people's; should one of them panic on a damaged file, that
            // file is at fault, not the run.
            let result = catch_unwind(AssertUnwindSafe(|| {
                source::read(input, &wanted.wanted, &done, &mut self)
            }))
            .unwrap_or_else(|panic| {
                Err(CliError::file(
                    &*input.name,
                    format!("the file is damaged: {}", panic_message(&*panic)),
                ))
            });
            if let Err(error) = result {
                self.send(Task::Pass(error));
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
        self.send(Task::Judge(self.file, chunk))
    }

    fn is_hungry(&self) -> bool {
        self.tasks.is_empty()
    }
}

fn work(mut judge: Judge, tasks: &Receiver<(u64, Task)>, events: &Sender<(u64, Event)>) {
    for (number, task) in tasks {
        let event = match task {
            Task::Pass(error) => Event::Failed(error),
            Task::Judge(file, chunk) => {
                match catch_unwind(AssertUnwindSafe(|| judge.chunk(&chunk))) {
                    Ok(Ok(verdicts)) => Event::Verdicts(file, verdicts),
                    Ok(Err(message)) => Event::Failed(CliError::Internal(message)),
                    // Without a verdict these rows would be lost in silence.
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
