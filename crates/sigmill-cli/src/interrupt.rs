//! Ctrl-C: the first one ends the run in good order, the second one at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::error::CliError;

/// Watches for SIGINT and SIGTERM; the number returned becomes the signal's when one comes.
pub(crate) fn watch() -> Result<Arc<AtomicUsize>, CliError> {
    let signal = Arc::new(AtomicUsize::new(0));
    let seen = Arc::new(AtomicBool::new(false));
    for number in [SIGINT, SIGTERM] {
        // In this order: the first signal finds `seen` still unset.
        flag::register_conditional_shutdown(number, 128 + number, seen.clone())
            .and_then(|_| flag::register(number, seen.clone()))
            .and_then(|_| {
                flag::register_usize(number, signal.clone(), usize::try_from(number).unwrap_or(0))
            })
            .map_err(|e| CliError::io("watching for signals", e))?;
    }
    Ok(signal)
}

/// A file that would become larger than the limit of the process is an error of its writer, not the
/// end of the process in the middle of a line.
pub(crate) fn keep_limits_errors() {
    #[cfg(unix)]
    {
        // That the signal came is not asked for. Should it not be caught, the process ends as it
        // would without.
        let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    }
}
