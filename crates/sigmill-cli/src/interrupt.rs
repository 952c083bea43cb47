//! Ctrl-C: the first one ends the run in an orderly way, the second one at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::error::CliError;

/// Watches for SIGINT and SIGTERM. The returned number becomes the signal's number when one
/// arrives.
pub(crate) fn watch() -> Result<Arc<AtomicUsize>, CliError> {
    let signal = Arc::new(AtomicUsize::new(0));
    let seen = Arc::new(AtomicBool::new(false));
    for number in [SIGINT, SIGTERM] {
        // The order matters: the first signal finds `seen` still unset.
        flag::register_conditional_shutdown(number, 128 + number, seen.clone())
            .and_then(|_| flag::register(number, seen.clone()))
            .and_then(|_| {
                flag::register_usize(number, signal.clone(), usize::try_from(number).unwrap_or(0))
            })
            .map_err(|e| CliError::io("watching for signals", e))?;
    }
    Ok(signal)
}

/// Turns the limit on file sizes into an error of the writer. Otherwise the process would end in
/// the middle of a line.
pub(crate) fn keep_limits_errors() {
    #[cfg(unix)]
    {
        // The flag itself is not used. If registering fails, the process ends as it would by
        // default.
        let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    }
}
