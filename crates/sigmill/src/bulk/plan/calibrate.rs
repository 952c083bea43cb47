//! Calibration: patient measurements of what engines measure quickly, and of memory.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::memory::MemorySpeed;
use super::speed::Speed;
use super::timing::{has_clock, time_fields};
use crate::CurveName;
use crate::table::prefetch;

/// The points that are fetched together, as in a verification.
const POINTS: usize = 32;

/// The size of a table that no cache holds, in bytes.
const FAR: usize = 64 << 20;

/// Measures the speed of this machine for about `time`, with the backends that this process uses,
/// on the caller's thread. Nothing else should keep the core busy. In addition to what
/// [`Speed::measured`] times, it measures the time of points that are in no near cache; for this it
/// uses 64 MiB of memory for a while. Without a clock, it returns [`Speed::FIXED`].
pub fn calibrate(time: Duration) -> Speed {
    if !has_clock() {
        return Speed::FIXED;
    }
    let share = time / (CurveName::ALL.len() + 1) as u32;
    Speed::new(time_fields(share), time_memory(share))
}

/// A cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u64; 8]);

/// Measures the time of points that are farther away than the second-level cache.
fn time_memory(time: Duration) -> MemorySpeed {
    let mut speed = MemorySpeed::of_this_machine();
    let lines = vec![Line([1; 8]); FAR / size_of::<Line>()];
    let second = speed.second_level_bytes as usize / size_of::<Line>();
    let third = speed.third_level_bytes as usize / size_of::<Line>();
    // Lines that fit well, lines that fit only the third level, and lines that fit no cache.
    let [near, next, far] = [second / 2, second + (third - second) / 2, lines.len()]
        .map(|count| time_look_ups(&lines[..count.clamp(1, lines.len())], time / 3));
    speed.third_level = next.saturating_sub(near).max(1);
    speed.memory = far.saturating_sub(near).max(speed.third_level);
    speed
}

/// Returns the picoseconds of a look-up among these lines: the median of rounds.
fn time_look_ups(lines: &[Line], time: Duration) -> u64 {
    /// Enough rounds for near lines to be in their cache in the end.
    const ROUNDS: usize = 1 << 12;
    let (begin, mut times, mut state) = (Instant::now(), vec![], 1_u64);
    while times.len() < ROUNDS || begin.elapsed() < time {
        // D. E. Knuth's MMIX generator; the high bits are the good ones.
        let places: [usize; POINTS] = std::array::from_fn(|_| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as usize % lines.len()
        });
        let round = Instant::now();
        for &place in &places {
            prefetch(&lines[place]);
        }
        let sum = places.iter().fold(0, |sum, &place| sum ^ lines[place].0[0]);
        black_box(sum);
        times.push(round.elapsed().as_nanos() as u64);
    }
    times.sort_unstable();
    times[times.len() / 2] * 1000 / POINTS as u64
}
