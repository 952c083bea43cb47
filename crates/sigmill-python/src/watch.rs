//! Calls that take long: without the GIL, stopped by signals, and telling how far they are.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use sigmill::bulk::{Control, Progress};

use crate::errors;

/// So few rows take a tenth of a second at most, on any curve and CPU: no thread is worth it.
const FEW: usize = 128;

/// How often signals are looked at.
const MOMENT: Duration = Duration::from_millis(100);

/// What a call that is watched tells, and is told.
#[derive(Default)]
pub(crate) struct Watch {
    cancel: AtomicBool,
    done: AtomicUsize,
}

impl Watch {
    /// Whether the work is to end.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// So many rows more are done.
    pub(crate) fn advance(&self, rows: usize) {
        self.done.fetch_add(rows, Ordering::Relaxed);
    }

    /// So many rows are done.
    fn reach(&self, rows: usize) {
        self.done.fetch_max(rows, Ordering::Relaxed);
    }

    /// Does what an engine is to do under this watch.
    pub(crate) fn controlling<T>(&self, work: impl FnOnce(&Control<'_>) -> T) -> T {
        let tell = |told: Progress| self.reach(told.done);
        work(&Control::default().cancel(&self.cancel).progress(&tell))
    }
}

/// Does the work of so many rows without the GIL.
///
/// It is done by a thread of its own, so that this one, which may be the main thread of Python, can
/// look for signals: an exception that one raises (`KeyboardInterrupt`), or that `progress` raises,
/// stops the work. `progress` is called with the rows that are done, and all rows.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    rows: usize,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Watch) -> T + Send,
) -> PyResult<T> {
    let watch = Watch::default();
    if rows <= FEW {
        let value = py.detach(|| work(&watch));
        if let Some(progress) = progress {
            progress.call1(py, (rows, rows))?;
        }
        return Ok(value);
    }
    let look = || {
        Python::attach(|py| {
            py.check_signals()?;
            if let Some(progress) = progress {
                progress.call1(py, (watch.done.load(Ordering::Relaxed), rows))?;
            }
            Ok(())
        })
    };
    let value = py.detach(|| {
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            let worker = thread::Builder::new().name("sigmill".into());
            let worker = worker.spawn_scoped(scope, || {
                // The one who listens goes last.
                let _ = sender.send(work(&watch));
                drop(sender);
            })?;
            loop {
                let outcome: PyResult<()> = match receiver.recv_timeout(MOMENT) {
                    Ok(value) => return Ok(value),
                    Err(RecvTimeoutError::Timeout) => look(),
                    Err(RecvTimeoutError::Disconnected) => Err(errors::defect()),
                };
                if let Err(error) = outcome {
                    watch.cancel.store(true, Ordering::Relaxed);
                    // What it was up to does not matter any more, nor how it ended.
                    let _ = worker.join();
                    return Err(error);
                }
            }
        })
    })?;
    if let Some(progress) = progress {
        progress.call1(py, (rows, rows))?;
    }
    Ok(value)
}
