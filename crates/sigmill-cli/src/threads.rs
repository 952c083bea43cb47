//! How many threads a run has, and the pool that its parallel loops share.

use std::num::NonZeroUsize;
use std::thread;

use rayon::ThreadPoolBuilder;

use crate::error::CliError;

/// The most threads that may be asked for: more than any machine has cores for, and fewer than
/// would exhaust it.
pub(crate) const MOST: i64 = 1024;

/// The number that was asked for, or that keeps the machine busy.
pub(crate) fn count(asked: Option<u16>) -> usize {
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    asked.map_or_else(|| cores().min(MOST as usize), usize::from)
}

/// Starts the pool of `count` threads. What its own environment variable says does not matter.
pub(crate) fn start(count: usize) -> Result<(), CliError> {
    let pool = ThreadPoolBuilder::new().num_threads(count);
    pool.build_global()
        .map_err(|e| CliError::file(format!("starting {count} threads"), e.to_string()))
}
