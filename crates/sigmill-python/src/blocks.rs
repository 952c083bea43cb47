//! Filling rows block by block, on several threads.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::watch::Watch;

/// The number of rows that a thread claims at a time: the library shares inversions between them.
const BLOCK: usize = 1024;

/// Fills all rows by `fill`, which gets a block and the number of its first row. Blocks not yet
/// begun when the watch is cancelled stay as they are. 0 threads means all that the machine can run
/// in parallel.
pub(crate) fn fill<T: Send>(
    rows: &mut [T],
    threads: usize,
    watch: &Watch,
    fill: impl Fn(usize, &mut [T]) + Sync,
) {
    let blocks: Vec<_> = rows.chunks_mut(BLOCK).map(Mutex::new).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(block) = blocks.get(number) else {
                return;
            };
            if watch.is_cancelled() {
                return;
            }
            // Each block is claimed once.
            if let Ok(mut block) = block.lock() {
                fill(number * BLOCK, &mut block);
            }
        }
    };
    let threads = match threads {
        0 => thread::available_parallelism().map_or(1, NonZero::get),
        threads => threads,
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(blocks.len()) {
            let worker = thread::Builder::new().name("sigmill-rows".into());
            // Fewer threads work as well.
            let _ = worker.spawn_scoped(scope, work);
        }
        work();
    });
}
