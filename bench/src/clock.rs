//! The clock of a slot: the time-stamp counter on x86-64, and the monotonic clock everywhere.

use std::time::{Duration, Instant};

/// Whether [`ticks`] counts TSC cycles on this target.
pub(crate) const HAS_TSC: bool = cfg!(target_arch = "x86_64");

/// The time-stamp counter, ordered against everything before and after it.
#[cfg(target_arch = "x86_64")]
fn ticks() -> u64 {
    use core::arch::x86_64::{_mm_lfence, _rdtsc};
    // SAFETY: every x86-64 CPU has RDTSC and LFENCE (SSE2); both only read the counter and order
    // instructions.
    unsafe {
        _mm_lfence();
        let now = _rdtsc();
        _mm_lfence();
        now
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn ticks() -> u64 {
    0
}

/// What a slot took, and how much was done in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) calls: u64,
    pub(crate) elapsed: Duration,
    /// TSC cycles; 0 where there is no TSC.
    pub(crate) cycles: u64,
}

/// Repeats `call` until `length` has passed, and at least once; stops at the first `false`,
/// which is returned as `None`.
///
/// The clock is read between calls, about 25 ns each time, so a call should last microseconds.
pub(crate) fn slot(length: Duration, mut call: impl FnMut() -> bool) -> Option<Slot> {
    let mut calls = 0;
    let start = Instant::now();
    let first = ticks();
    loop {
        if !call() {
            return None;
        }
        calls += 1;
        let elapsed = start.elapsed();
        if elapsed >= length {
            let cycles = ticks().wrapping_sub(first);
            return Some(Slot {
                calls,
                elapsed,
                cycles,
            });
        }
    }
}

/// TSC cycles a second, against the monotonic clock; `None` where there is no TSC.
pub(crate) fn tsc_hz() -> Option<f64> {
    if !HAS_TSC {
        return None;
    }
    let slot = slot(Duration::from_millis(20), || true)?;
    Some(slot.cycles as f64 / slot.elapsed.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_lasts_its_length_and_counts_its_calls() {
        let mut seen = 0;
        let slot = slot(Duration::from_millis(2), || {
            seen += 1;
            true
        })
        .unwrap();
        assert_eq!(slot.calls, seen);
        assert!(slot.elapsed >= Duration::from_millis(2));
        assert_eq!(HAS_TSC, slot.cycles > 0);
    }

    #[test]
    fn a_slot_of_no_length_still_calls_once_and_a_failure_stops_it() {
        assert_eq!(slot(Duration::ZERO, || true).unwrap().calls, 1);
        let mut calls = 0;
        let failed = slot(Duration::from_secs(60), || {
            calls += 1;
            calls < 3
        });
        assert!(failed.is_none());
        assert_eq!(calls, 3);
    }
}
