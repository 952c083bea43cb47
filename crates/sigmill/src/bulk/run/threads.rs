//! The threads of an engine: the caller's, or the engine's own pool.

use std::num::NonZeroUsize;
use std::thread;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::Error;

/// The threads that do the work of a call.
#[derive(Debug)]
pub(super) enum Threads {
    /// The thread that calls.
    Caller,
    /// Threads that end with the engine.
    Pool(ThreadPool),
}

impl Threads {
    /// Creates threads: 1 is the caller's, more are a pool; 0 is the number that the machine runs
    /// side by side.
    pub(super) fn new(count: usize) -> Result<Self, Error> {
        let count = match count {
            0 => thread::available_parallelism().map_or(1, NonZeroUsize::get),
            count => count,
        };
        if count == 1 {
            return Ok(Self::Caller);
        }
        ThreadPoolBuilder::new()
            .num_threads(count)
            .thread_name(|number| format!("sigmill-{number}"))
            .build()
            .map(Self::Pool)
            .map_err(|_| Error::ThreadsNotStarted)
    }

    /// Returns the number of threads.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Caller => 1,
            Self::Pool(pool) => pool.current_num_threads(),
        }
    }

    /// Runs `work` on all of `items`, in any order, and returns when all are done. The caller does
    /// a single item itself, so it does not wait for another thread to wake up.
    pub(super) fn for_each<T: Send>(&self, items: Vec<T>, work: impl Fn(T) + Sync + Send) {
        match self {
            Self::Pool(pool) if items.len() > 1 => {
                pool.install(|| items.into_par_iter().with_max_len(1).for_each(work));
            }
            _ => items.into_iter().for_each(work),
        }
    }
}
