//! Keeps the memory of a call for the next one.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The size of a block that is allocated and freed, untouched.
///
/// glibc returns the end of its heap to the system when more of it is free than twice the largest
/// block that was ever mapped and freed (`mallopt(3)`, `M_TRIM_THRESHOLD`), 128 KiB at first. A
/// thread needs some 3 MiB for 4,096 rows, and twice as much for the largest batch. The test
/// `bulk::memory` finds a number that is too small.
const MAPPED_AND_FREED: usize = 8 << 20;

/// Calls of fewer rows need so little memory that it stays. In a call of 512 rows, pages were three
/// tenths of the time.
const FEWEST_ROWS: usize = 256;

/// Makes glibc keep the memory of a call for the next one. It acts once in a process, at the first
/// call of many rows. Otherwise a process that does little else returns the memory to the system
/// after each call and requests it again page by page, which costs up to three tenths of a batch's
/// time (docs/batch.md).
///
/// It acts on glibc only, and has no effect if the program has set these thresholds or has another
/// allocator.
pub(super) fn keep_between_calls(rows: usize) {
    static IS_DONE: AtomicBool = AtomicBool::new(false);
    let has_effect = cfg!(all(target_os = "linux", target_env = "gnu")) && rows >= FEWEST_ROWS;
    if has_effect && !IS_DONE.swap(true, Relaxed) {
        let mut block = Vec::<u8>::new();
        // If this fails, nothing is lost.
        let _ = block.try_reserve_exact(MAPPED_AND_FREED);
        drop(black_box(block));
    }
}
