//! Computes the first row of each chunk, while workers process chunks in parallel.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};

/// The chunks of a run in order. Each chunk learns how many rows precede it.
///
/// A worker that waits for a chunk waits only for chunks that other workers took earlier, and those
/// wait only for still earlier ones. So some worker always makes progress.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The first chunk whose number of rows is unknown.
    turn: u64,
    /// The number of rows before that chunk.
    first_row: u64,
    /// The number of rows of later chunks.
    ended: BTreeMap<u64, u64>,
    /// The number of rows before each earlier chunk that is still in progress.
    first_rows: BTreeMap<u64, u64>,
    /// True if the number of rows of some chunk will never be known.
    is_lost: bool,
}

/// A chunk that is being read. If it is dropped before [`Turn::end`], the first rows of later
/// chunks stay unknown.
pub(crate) struct Turn<'t> {
    turns: &'t Turns,
    turn: u64,
    is_ended: bool,
}

impl Turns {
    /// Begins the chunk with this number, counted from 0.
    pub(crate) fn begin(&self, turn: u64) -> Turn<'_> {
        Turn {
            turns: self,
            turn,
            is_ended: false,
        }
    }

    fn with_state(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }
}

impl Turn<'_> {
    /// Waits until the number of rows before the chunk is known, and returns it. Returns `None` if
    /// it will never be known.
    pub(crate) fn first_row(&self) -> Option<u64> {
        let turns = self.turns;
        let mut state = turns.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.turn < self.turn && !state.is_lost {
            let waited = turns.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        match state.turn == self.turn {
            true => Some(state.first_row),
            false => state.first_rows.get(&self.turn).copied(),
        }
    }

    /// Ends the chunk, which has `rows` rows. Returns the number of rows before it.
    pub(crate) fn end(&mut self, rows: u64) -> Option<u64> {
        self.is_ended = true;
        self.turns.with_state(|state| {
            state.ended.insert(self.turn, rows);
            while let Some(rows) = state.ended.remove(&state.turn) {
                state.first_rows.insert(state.turn, state.first_row);
                state.turn += 1;
                state.first_row += rows;
            }
        });
        self.first_row()
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.with_state(|state| {
            state.is_lost |= !self.is_ended;
            state.first_rows.remove(&self.turn);
        });
    }
}
