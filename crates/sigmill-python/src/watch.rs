//! Long calls: they run without the GIL, stop on signals, and report their progress.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use sigmill::bulk::Control;

use crate::errors;

/// This many rows need at most a tenth of a second on any curve and CPU, so a thread does not pay.
const FEW: usize = 128;

/// The interval between checks for signals.
const MOMENT: Duration = Duration::from_millis(100);

/// State shared between a long call and its watcher: cancellation and progress.
#[derive(Default)]
pub(crate) struct Watch {
    cancel: AtomicBool,
    done: AtomicUsize,
}

impl Watch {
    /// Reports whether the work must end.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Adds to the number of finished rows.
    pub(crate) fn advance(&self, rows: usize) {
        self.done.fetch_add(rows, Ordering::Relaxed);
    }

    /// Raises the number of finished rows to the given one.
    fn reach(&self, rows: usize) {
        self.done.fetch_max(rows, Ordering::Relaxed);
    }

    /// Runs an engine's work under this watch.
    pub(crate) fn controlling<T>(&self, work: impl FnOnce(&Control<'_>) -> T) -> T {
        let tell = |judged| self.reach(judged);
        work(&Control::default().cancel(&self.cancel).progress(&tell))
    }
}

/// Runs the work on the given number of rows without the GIL.
///
/// The work has its own thread, so that this thread, which may be Python's main thread, can check
/// for signals. An exception raised by a signal handler (`KeyboardInterrupt`) or by `progress`
/// stops the work. `progress` is called with the number of finished rows and of all rows.
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
                // The receiver outlives the sender, so this cannot fail.
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
                    // The outcome of stopped work does not matter.
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
