//! The threads of an engine: the caller's, or a pool of the engine's own.

use std::num::NonZeroUsize;
use std::thread;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::Error;

/// Where the work of a call is done.
#[derive(Debug)]
pub(super) enum Threads {
    /// By the thread that calls.
    Caller,
    /// By threads that end with the engine.
    Pool(ThreadPool),
}

impl Threads {
    /// One thread is the caller's; more are a pool. 0 is as many as the machine runs side by side.
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

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Caller => 1,
            Self::Pool(pool) => pool.current_num_threads(),
        }
    }

    /// Does all of `items`, in any order, and returns when they are done. One item alone is done
    /// by the caller, who need not wait for another thread to wake up.
    pub(super) fn for_each<T: Send>(&self, items: Vec<T>, work: impl Fn(T) + Sync + Send) {
        match self {
            Self::Pool(pool) if items.len() > 1 => {
                pool.install(|| items.into_par_iter().with_max_len(1).for_each(work));
            }
            _ => items.into_iter().for_each(work),
        }
    }
}
