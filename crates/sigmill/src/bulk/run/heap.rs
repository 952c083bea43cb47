//! What becomes of a call's memory when the call ends.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A block of so many bytes, of which none is touched.
///
/// glibc gives the end of its heap back when more of it is free than twice the largest block that
/// was ever mapped and freed (`mallopt(3)`, `M_TRIM_THRESHOLD`), 128 KiB at first. A thread takes
/// some 3 MiB for 4,096 rows, and twice as much for the largest batch.
const MAPPED_AND_FREED: usize = 8 << 20;

/// Calls of fewer rows take so little that it stays; pages were three tenths of one with 512.
const FEWEST_ROWS: usize = 256;

/// Sees to it, once in a process, at the first call of many rows, that the memory of a call serves
/// the next one too. Otherwise a process that does little else gives it back to the system after
/// each call, and takes it again page by page, which is up to three tenths of a batch's time
/// (docs/batch.md).
///
/// Only for glibc, and without effect where the program has set these thresholds, or has another
/// allocator.
pub(super) fn keep_between_calls(rows: usize) {
    static IS_DONE: AtomicBool = AtomicBool::new(false);
    let has_effect = cfg!(all(target_os = "linux", target_env = "gnu")) && rows >= FEWEST_ROWS;
    if has_effect && !IS_DONE.swap(true, Relaxed) {
        let mut block = Vec::<u8>::new();
        // If there is no such block, nothing is lost.
        let _ = block.try_reserve_exact(MAPPED_AND_FREED);
        drop(black_box(block));
    }
}
