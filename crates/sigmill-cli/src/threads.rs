//! How many threads a run has, and the pool that its parallel loops share.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::thread;

use rayon::ThreadPoolBuilder;

use crate::error::CliError;

/// The most threads that may be asked for: more than any machine has cores for, and fewer than
/// would exhaust it.
pub(crate) const MOST: i64 = 1024;

/// The address space of [`THREADS_PER_BLOCK`] threads: stacks of 2 MiB, the library's own of 2 MiB
/// each, and 2 MiB for what they allocate. Freeing blocks of up to 32 MiB would change how glibc
/// allocates afterwards.
const BLOCK: usize = 96 << 20;
const THREADS_PER_BLOCK: usize = 16;

/// The number that was asked for, or that keeps the machine busy.
pub(crate) fn count(asked: Option<u16>) -> usize {
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    asked.map_or_else(|| cores().min(MOST as usize), usize::from)
}

/// Starts the pool of `count` threads. What its own environment variable says does not matter.
///
/// # Errors
/// Not enough memory for so many, and the system's refusal to start one.
pub(crate) fn start(count: usize) -> Result<(), CliError> {
    let refused = |reason| CliError::file(format!("starting {count} threads"), reason);
    if !fit(count) {
        return Err(refused("there is not enough memory for them".into()));
    }
    let pool = ThreadPoolBuilder::new().num_threads(count);
    pool.build_global().map_err(|e| refused(e.to_string()))
}

/// Looks for the address space of so many threads. Threads allocate while others are being started:
/// where a limit is met only then, many of them fail at once, and the program is aborted.
fn fit(count: usize) -> bool {
    let mut blocks: Vec<Vec<u8>> = vec![];
    (0..count / THREADS_PER_BLOCK).all(|_| {
        let mut block = vec![];
        let fits = block.try_reserve_exact(BLOCK).is_ok();
        // Compilers may leave out blocks that nobody looks at.
        blocks.push(black_box(block));
        fits
    })
}
