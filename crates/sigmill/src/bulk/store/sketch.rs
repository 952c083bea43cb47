//! How often keys came recently, for many more keys than are remembered: a count-min sketch with
//! ageing, as in TinyLFU (Einziger, Friedman and Manes, 2017).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, AtomicUsize, Ordering::*};

use crate::table::prefetch;

/// The factors of a hash that choose a counter in each of the four rows: the fractional parts of
/// the square roots of 2, 3, 5 and 7, made odd.
const MULTIPLIERS: [u64; 4] = [
    0x6a09_e667_f3bc_c909,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
];

/// The number of bits of a hash that choose among the most counters of a row.
const MOST_BITS: u32 = 32;

/// The number of counters in a row that a sketch begins with: 4 KiB for all rows.
const FIRST_WIDTH: usize = 512;

/// The number of counters in a row for each addition, until the row has all of them. Rows grow by
/// copies, which are counts of other hashes: with fewer counters, new hashes would look as if they
/// had been counted before.
const SPARSE: u64 = 64;

/// Rows with this number of counters stay in a near cache, so nothing is prefetched.
const NEAR_WIDTH: usize = 1 << 13;

/// Estimates of how often hashes were counted recently.
///
/// A hash selects one counter in each of four rows; the smallest of them is the estimate. Only the
/// smallest ones are raised (conservative update). So an estimate is never too low, except for
/// counts that several threads make at once, and is too high only if all four counters are shared.
/// After as many additions as a row has counters, all counters are halved: old counts fade.
///
/// Memory is allocated as it is used: rows begin short and double, each counter next to a copy of
/// itself, so that no estimate falls.
///
/// The hashes must be keyed with a secret of the process, so that nobody can aim at counters. By
/// chance a rare key has all four counters in common with hot ones: with h hot hashes and rows of w
/// counters, one in (w / h)^4 keys does. Four counters in one cache line would be faster to reach,
/// and shared a hundred times more often.
pub(super) struct FrequencySketch {
    /// The counters of the first columns, then as many more for each doubling. Each part has the
    /// four rows, one after the other.
    parts: Box<[OnceLock<Box<[AtomicU16]>>]>,
    /// The number of counters in a row.
    width: AtomicUsize,
    /// The number that it grows to.
    most_width: AtomicUsize,
    additions: AtomicU64,
    ageing: AtomicBool,
}

impl FrequencySketch {
    /// Creates a sketch of at most `bytes` bytes, but at least one counter per row.
    pub(super) fn new(bytes: usize) -> Self {
        let most_width = 1usize << (bytes / 8).max(1).ilog2().min(MOST_BITS);
        let width = most_width.min(FIRST_WIDTH);
        let parts = 1 + (most_width / width).ilog2();
        let parts: Box<[_]> = (0..parts).map(|_| OnceLock::new()).collect();
        let _ = parts[0].set((0..4 * width).map(|_| AtomicU16::new(0)).collect());
        Self {
            parts,
            width: width.into(),
            most_width: most_width.into(),
            additions: AtomicU64::new(0),
            ageing: AtomicBool::new(false),
        }
    }

    /// Returns the memory of the counters now, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.parts) + 8 * self.width.load(Relaxed)
    }

    /// Returns the memory of the counters when fully grown, in bytes.
    pub(super) fn most_bytes(&self) -> usize {
        size_of_val(&*self.parts) + 8 * self.most_width.load(Relaxed)
    }

    /// Returns the number of additions after which all counters are halved: the average counter is
    /// then raised once per period. An addition of many rows counts as one, so that a big call does
    /// not age the other keys away.
    pub(super) fn period(&self) -> u64 {
        self.most_width.load(Relaxed) as u64
    }

    fn counters(&self, hash: u64) -> [&AtomicU16; 4] {
        let last = self.width.load(Acquire) - 1;
        std::array::from_fn(|row| {
            // The highest bits of the product depend on all bits of the hash.
            let column = (hash.wrapping_mul(MULTIPLIERS[row]) >> 32) as usize;
            self.counter(row, column & last)
        })
    }

    fn counter(&self, row: usize, column: usize) -> &AtomicU16 {
        // Part i > 0 has FIRST_WIDTH 2^(i - 1) columns, and begins at that column.
        let part = (usize::BITS - (column / FIRST_WIDTH).leading_zeros()) as usize;
        let first = if part == 0 {
            0
        } else {
            FIRST_WIDTH << (part - 1)
        };
        let Some(counters) = self.parts[part].get() else {
            unreachable!("the width has grown after the counters");
        };
        &counters[row * (counters.len() / 4) + column - first]
    }

    /// Prefetches the counters of a hash that will be counted soon. This affects only time.
    pub(super) fn prefetch(&self, hash: u64) {
        if self.width.load(Relaxed) > NEAR_WIDTH {
            self.counters(hash).into_iter().for_each(prefetch);
        }
    }

    /// Returns how often the hash was counted recently.
    pub(super) fn estimate(&self, hash: u64) -> u32 {
        lowest(self.counters(hash))
    }

    /// Counts a hash `times` times, and returns how often it was counted recently, including these.
    /// Counters stop at 65,535.
    pub(super) fn add(&self, hash: u64, times: u32) -> u32 {
        let counters = self.counters(hash);
        let raised = lowest(counters).saturating_add(times);
        let raised = raised.min(u32::from(u16::MAX)) as u16;
        // Four locked instructions would take longer than all the rest. Without them, counts that
        // other threads make between a load here and its store are lost.
        for counter in counters {
            if counter.load(Relaxed) < raised {
                counter.store(raised, Relaxed);
            }
        }
        let additions = self.additions.fetch_add(1, Relaxed) + 1;
        let due = |additions: u64| self.is_narrow(additions) || additions >= self.period();
        if due(additions) && !self.ageing.swap(true, Acquire) {
            // Another thread may have done it a moment ago.
            let additions = self.additions.load(Relaxed);
            if self.is_narrow(additions) {
                self.grow();
            } else if additions >= self.period() {
                self.age();
            }
            self.ageing.store(false, Release);
        }
        u32::from(raised)
    }

    /// Returns true if the rows should double after this number of additions.
    fn is_narrow(&self, additions: u64) -> bool {
        let width = self.width.load(Relaxed);
        width < self.most_width.load(Relaxed) && additions.saturating_mul(SPARSE) >= width as u64
    }

    /// Doubles the rows; if there is no memory, they stay as they are. A count that another thread
    /// makes at the same moment may be missing from the copies.
    fn grow(&self) {
        let width = self.width.load(Relaxed);
        let mut counters = Vec::new();
        if counters.try_reserve_exact(4 * width).is_err() {
            self.most_width.store(width, Relaxed);
            return;
        }
        for row in 0..4 {
            let copy = |column| AtomicU16::new(self.counter(row, column).load(Relaxed));
            counters.extend((0..width).map(copy));
        }
        let part = (width / FIRST_WIDTH).ilog2() as usize + 1;
        let _ = self.parts[part].set(counters.into_boxed_slice());
        self.width.store(2 * width, Release);
    }

    /// Halves every counter. A count that another thread makes at the same moment may be lost.
    fn age(&self) {
        for counter in self.parts.iter().filter_map(OnceLock::get).flatten() {
            counter.store(counter.load(Relaxed) / 2, Relaxed);
        }
        self.additions.store(0, Relaxed);
    }
}

fn lowest(counters: [&AtomicU16; 4]) -> u32 {
    let [a, b, c, d] = counters.map(|counter| counter.load(Relaxed));
    u32::from(a.min(b).min(c.min(d)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SplitMix64: hashes as good as those of a keyed hasher, and the same in every run.
    fn hash(i: u64) -> u64 {
        let mut z = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    #[test]
    fn sizes_are_powers_of_two_within_the_bytes_given() {
        for (bytes, width) in [(0, 1), (8, 1), (16, 2), (31, 2), (32, 4), (65536, 8192)] {
            let sketch = FrequencySketch::new(bytes);
            assert!((8 * width..9 * width + 64).contains(&sketch.most_bytes()));
            assert_eq!(sketch.period(), width as u64);
            // The last column is reached and not exceeded.
            for i in 0..1000 {
                sketch.add(hash(i), 1);
            }
            assert!(bytes > 1 << 16 || sketch.memory_bytes() == sketch.most_bytes());
        }
    }

    /// The memory follows the additions, whatever the bytes given, and estimates outlast growth.
    #[test]
    fn rows_grow_with_additions() {
        let sketch = FrequencySketch::new(usize::MAX);
        assert_eq!(sketch.period(), 1 << (usize::BITS - 4).min(32));
        sketch.add(hash(0), 9);
        for i in 1..20_000_u64 {
            assert!(sketch.memory_bytes() <= (8 << 10) + 2 * 8 * 64 * i as usize);
            sketch.add(hash(i), 1);
            assert!(sketch.estimate(hash(i)) >= 1 && sketch.estimate(hash(0)) >= 9);
        }
        assert_eq!(sketch.width.load(Relaxed), 1 << 21);
        let high = (0..10_000).filter(|&i| sketch.estimate(hash(1 << 40 | i)) > 0);
        assert!(high.count() < 10, "copies look like counts");
    }

    #[test]
    fn estimates_are_never_too_low_within_a_period() {
        let sketch = FrequencySketch::new(1 << 16);
        let keys = sketch.period() / 8;
        for round in 1..=7 {
            for i in 0..keys {
                sketch.add(hash(i), 1);
                assert!(sketch.estimate(hash(i)) >= round);
            }
        }
    }

    /// In a flood of different hashes, one count each and as long as a period, some look as if they
    /// had come more often: one in twenty as if it had come twice, none as if three times.
    #[test]
    fn a_flood_of_single_counts_stays_near_one() {
        let sketch = FrequencySketch::new(1 << 20);
        let count = sketch.period() - 1;
        let mut looked_like = [0u64; 8];
        for i in 0..count {
            sketch.add(hash(i), 1);
            looked_like[sketch.estimate(hash(i)).min(7) as usize] += 1;
        }
        let at_least = |n: usize| looked_like[n..].iter().sum::<u64>() as f64 / count as f64;
        assert_eq!(at_least(1), 1.0);
        assert!(at_least(2) < 0.06, "{looked_like:?}");
        assert!(at_least(3) < 1e-4, "{looked_like:?}");
    }

    #[test]
    fn ageing_halves_and_a_key_that_stays_away_is_forgotten() {
        let sketch = FrequencySketch::new(1 << 12);
        let period = sketch.period();
        sketch.add(hash(0), 40);
        assert_eq!(sketch.estimate(hash(0)), 40);
        let mut estimates = vec![40];
        for i in 1..8 * period {
            sketch.add(hash(i), 1);
            estimates.push(sketch.estimate(hash(0)));
        }
        // Until the end of the period nothing is lost; then the estimate halves again and again.
        let after = |periods: u64| estimates[(periods * period) as usize - 1];
        assert!(estimates[..period as usize - 1].iter().all(|&n| n >= 40));
        assert_eq!((after(1), after(2)), (20, 10));
        assert!(after(8) <= 1, "{}", after(8));
    }

    #[test]
    fn a_big_count_is_one_addition_and_counters_stop_at_their_end() {
        let sketch = FrequencySketch::new(1 << 12);
        sketch.add(hash(1), 7);
        sketch.add(hash(3), 65_000);
        for _ in 0..5 {
            sketch.add(hash(3), u32::MAX);
        }
        assert_eq!(sketch.estimate(hash(3)), u32::from(u16::MAX));
        assert_eq!(sketch.estimate(hash(1)), 7);
    }

    #[test]
    fn threads_that_count_together_never_count_too_much() {
        let sketch = FrequencySketch::new(1 << 20);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for i in 0..10_000 {
                        sketch.add(hash(i % 100), 1);
                    }
                });
            }
        });
        let estimates: Vec<_> = (0..100).map(|i| sketch.estimate(hash(i))).collect();
        let is_possible = |estimate| (1..=400).contains(estimate);
        assert!(estimates.iter().all(is_possible), "{estimates:?}");
        // An addition that reads before another one writes is lost: if the four threads run in
        // step, all but those of one thread. A thread that is interrupted in between reverts
        // everything that came meanwhile for the one number that it was at.
        let low = estimates.iter().filter(|&&estimate| estimate < 100);
        assert!(low.count() < 50, "{estimates:?}");
        assert_eq!(sketch.additions.load(Relaxed), 40_000);
    }
}
