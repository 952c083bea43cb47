//! Trials of batches, which pause for a while when batches cost more than they save.

use std::sync::Mutex;

use crate::bulk::locks::lock;

/// The most that batches may cost beyond their recent savings, in rows of a batch. Measure with
/// `sigmill verify --hints` and wrong hints among the right ones (docs/batch.md, "Rows that make
/// batches fail").
const ALLOWANCE: f64 = 8192.0;

/// The most savings that count, in rows, so that good rows do not pay for many bad ones.
const MOST_SAVED: f64 = 4.0 * ALLOWANCE;

/// The first pause, in rows that are judged without batches; the factor by which it grows each time
/// that batches do not pay again; and the longest pause.
const FIRST_PAUSE: u64 = 1 << 16;
const LONGER: u64 = 4;
const LONGEST_PAUSE: u64 = 1 << 22;

/// The costs and savings of batches, for all calls of an engine.
///
/// Whoever supplies the rows can make batches fail, by invalid signatures or by wrong hints: one
/// such row in 256 makes all rows of a batch be summed five times and judged alone after all. Then
/// rows with hints are judged like those without, until so many have come that another trial costs
/// little in comparison.
#[derive(Debug)]
pub(super) struct Trials(Mutex<State>);

#[derive(Debug)]
struct State {
    /// The savings less the costs, in rows of a batch.
    saved: f64,
    /// The rows that still go without batches.
    paused: u64,
    /// The length of the next pause.
    next_pause: u64,
}

/// The outcome of rows in batches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    /// The rows of all batches that were summed, including batches that are parts of others.
    pub(super) summed: usize,
    /// The rows that a batch accepted.
    pub(super) accepted: usize,
    /// The time of a row without batches, relative to that in a batch that holds; at least 1.
    pub(super) speedup: f64,
}

impl Trials {
    pub(super) fn new() -> Self {
        Self(Mutex::new(State {
            saved: 0.0,
            paused: 0,
            next_pause: FIRST_PAUSE,
        }))
    }

    /// Returns true if rows may go into batches.
    pub(super) fn may_batch(&self) -> bool {
        lock(&self.0).paused == 0
    }

    /// Counts rows that would have gone into batches.
    pub(super) fn pass_over(&self, rows: usize) {
        let mut state = lock(&self.0);
        state.paused = state.paused.saturating_sub(rows as u64);
    }

    /// Records the outcome of rows in batches.
    pub(super) fn note(&self, trial: Trial) {
        let mut state = lock(&self.0);
        let gained = trial.accepted as f64 * trial.speedup - trial.summed as f64;
        state.saved = (state.saved + gained).min(MOST_SAVED);
        if state.saved < -ALLOWANCE {
            state.saved = 0.0;
            // Threads may have several trials in progress when the first of them fails.
            if state.paused == 0 {
                state.paused = state.next_pause;
                state.next_pause = state.next_pause.saturating_mul(LONGER).min(LONGEST_PAUSE);
            }
        } else if state.saved >= ALLOWANCE {
            state.next_pause = FIRST_PAUSE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A batch of 4,096 rows that holds, or that fails in every part. Rows alone cost a third more.
    fn batch(holds: bool) -> Trial {
        Trial {
            summed: if holds { 4096 } else { 5 * 4096 },
            accepted: if holds { 4096 } else { 0 },
            speedup: 1.33,
        }
    }

    /// Returns the number of rows that go without batches until the pause ends.
    fn pause(trials: &Trials) -> u64 {
        let mut rows = 0;
        while !trials.may_batch() {
            trials.pass_over(4096);
            rows += 4096;
        }
        rows
    }

    #[test]
    fn rows_in_a_thousand_are_borne_where_batches_save_much() {
        let trials = Trials::new();
        for _ in 0..100 {
            // Four rows of 4,096 are bad, and batches save four fifths.
            let (summed, accepted) = (3 * 4096, 4096 - 4 * 256);
            let speedup = 5.0;
            trials.note(Trial {
                summed,
                accepted,
                speedup,
            });
            assert!(trials.may_batch());
        }
    }

    #[test]
    fn pauses_get_longer_until_batches_pay() {
        let trials = Trials::new();
        let mut before = 0;
        for _ in 0..6 {
            assert!(trials.may_batch());
            trials.note(batch(false));
            let rows = pause(&trials);
            assert!((FIRST_PAUSE..=LONGEST_PAUSE).contains(&rows));
            assert!(rows == LONGEST_PAUSE || rows > before);
            before = rows;
        }
        assert_eq!(before, LONGEST_PAUSE);
        for _ in 0..10 {
            trials.note(batch(true));
        }
        trials.note(batch(false));
        trials.note(batch(false));
        assert_eq!(pause(&trials), FIRST_PAUSE);
    }

    #[test]
    fn good_rows_do_not_pay_for_many_bad_ones() {
        let trials = Trials::new();
        for _ in 0..10_000 {
            trials.note(batch(true));
        }
        let failing = (1..).find(|_| {
            trials.note(batch(false));
            !trials.may_batch()
        });
        assert_eq!(failing, Some(3));
    }
}
