//! The clock of a slot: the time-stamp counter on x86-64, and the monotonic clock on all targets.

use std::time::{Duration, Instant};

/// True if [`ticks`] counts TSC cycles on this target.
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

/// The time that this thread has run, without the time when others had its core; `None` if the
/// system does not report it.
#[cfg(target_os = "linux")]
fn thread_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).ok()
}

#[cfg(not(target_os = "linux"))]
fn thread_time() -> Option<Duration> {
    None
}

/// The time of a slot, and the work done in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) calls: u64,
    /// From beginning to end.
    pub(crate) wall: Duration,
    /// The part that counts.
    pub(crate) running: Duration,
    /// TSC cycles in `running`; 0 without a TSC.
    pub(crate) cycles: f64,
}

/// The part of a slot that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counts {
    /// The time in which this thread ran.
    RunningTime,
    /// All of it: other threads do the work.
    AllTime,
}

/// Repeats `call` until `length` has passed, and at least once; stops at the first `false`,
/// which is returned as `None`.
///
/// The clock is read between calls, about 25 ns each time, so a call should last microseconds.
pub(crate) fn slot(
    length: Duration,
    counts: Counts,
    mut call: impl FnMut() -> bool,
) -> Option<Slot> {
    let mut calls = 0;
    let thread = match counts {
        Counts::RunningTime => thread_time(),
        Counts::AllTime => None,
    };
    let start = Instant::now();
    let first = ticks();
    let (wall, ticks) = loop {
        if !call() {
            return None;
        }
        calls += 1;
        let elapsed = start.elapsed();
        if elapsed >= length {
            break (elapsed, ticks().wrapping_sub(first));
        }
    };
    let running = match (thread, thread_time()) {
        (Some(before), Some(after)) => after.saturating_sub(before).min(wall),
        _ => wall,
    };
    let share = running.as_secs_f64() / wall.as_secs_f64().max(f64::MIN_POSITIVE);
    Some(Slot {
        calls,
        wall,
        running,
        cycles: ticks as f64 * share,
    })
}

/// TSC cycles per second, measured with the monotonic clock; `None` without a TSC.
pub(crate) fn tsc_hz() -> Option<f64> {
    if !HAS_TSC {
        return None;
    }
    let slot = slot(Duration::from_millis(20), Counts::RunningTime, || true)?;
    Some(slot.cycles / slot.running.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_lasts_its_length_and_counts_its_calls() {
        let mut seen = 0;
        let slot = slot(Duration::from_millis(2), Counts::RunningTime, || {
            seen += 1;
            true
        })
        .unwrap();
        assert_eq!(slot.calls, seen);
        assert!(slot.wall >= Duration::from_millis(2) && slot.running <= slot.wall);
        assert_eq!(HAS_TSC, slot.cycles > 0.0);
    }

    #[test]
    fn a_slot_of_no_length_still_calls_once_and_a_failure_stops_it() {
        let once = slot(Duration::ZERO, Counts::RunningTime, || true).unwrap();
        assert_eq!(once.calls, 1);
        let mut calls = 0;
        let failed = slot(Duration::from_secs(60), Counts::AllTime, || {
            calls += 1;
            calls < 3
        });
        assert!(failed.is_none());
        assert_eq!(calls, 3);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn time_in_which_the_thread_does_not_run_counts_where_it_shall() {
        let sleep = || {
            std::thread::sleep(Duration::from_millis(20));
            true
        };
        let running = slot(Duration::from_millis(1), Counts::RunningTime, sleep).unwrap();
        assert!(running.wall >= Duration::from_millis(20));
        assert!(running.running < Duration::from_millis(10), "{running:?}");
        let all = slot(Duration::from_millis(1), Counts::AllTime, sleep).unwrap();
        assert_eq!(all.running, all.wall);
        assert!(all.wall >= Duration::from_millis(20));
    }
}
