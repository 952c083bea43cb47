//! The number of threads of a run, and the pool that its parallel loops share.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::thread;

use rayon::ThreadPoolBuilder;

use crate::error::CliError;

/// The largest number of threads that a user may request: more than any machine has cores, and too
/// few to exhaust it.
pub(crate) const MOST: i64 = 1024;

/// The address space of [`THREADS_PER_BLOCK`] threads. Each has a stack of 2 MiB, the library's own
/// stack of 2 MiB, and 2 MiB for allocations. Freeing blocks of up to 32 MiB would change how glibc
/// allocates afterwards.
const BLOCK: usize = 96 << 20;
const THREADS_PER_BLOCK: usize = 16;

/// Returns the requested number of threads, or enough to keep the machine busy.
pub(crate) fn count(requested: Option<u16>) -> usize {
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    requested.map_or_else(|| cores().min(MOST as usize), usize::from)
}

/// Starts the pool of `count` threads. Rayon's own environment variable is ignored.
///
/// # Errors
/// Fails if memory is too small for so many threads, or if the system refuses to start one.
pub(crate) fn start(count: usize) -> Result<(), CliError> {
    let refused = |reason| CliError::file(format!("cannot start {count} threads"), reason);
    if !fit(count) {
        return Err(refused("not enough memory".into()));
    }
    let pool = ThreadPoolBuilder::new().num_threads(count);
    pool.build_global().map_err(|e| refused(e.to_string()))
}

/// Reports whether the address space suffices for `count` threads. Threads allocate while others
/// are being started. If a limit were met only then, many of them would fail at once, and the
/// program would abort.
fn fit(count: usize) -> bool {
    let mut blocks: Vec<Vec<u8>> = vec![];
    (0..count / THREADS_PER_BLOCK).all(|_| {
        let mut block = vec![];
        let fits = block.try_reserve_exact(BLOCK).is_ok();
        // Compilers may leave out blocks that nobody reads.
        blocks.push(black_box(block));
        fits
    })
}
