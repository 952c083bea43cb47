//! Which row of a run is the first one of a chunk, where workers take chunks side by side.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};

/// The chunks of a run in their order: each is told how many rows came before it.
///
/// Who waits for a turn waits for chunks that other workers took before, and that wait for still
/// earlier ones only: so somebody always goes on.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The first chunk of which the number of rows is not known.
    turn: u64,
    /// The rows before it.
    first_row: u64,
    /// The rows of later chunks.
    ended: BTreeMap<u64, u64>,
    /// The rows before earlier chunks that are still at work.
    first_rows: BTreeMap<u64, u64>,
    /// The number of rows of a chunk will never be known.
    is_lost: bool,
}

/// A chunk that is being read. Dropped before [`Turn::end`], it leaves those behind it without a
/// number.
pub(crate) struct Turn<'t> {
    turns: &'t Turns,
    turn: u64,
    is_ended: bool,
}

impl Turns {
    /// The chunk with this number, counted from 0, is being read.
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
    /// The rows before the chunk, when they are known; none if they never will be.
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

    /// The chunk has so many rows; how many came before it.
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
