//! Computes the first row of each chunk, while workers process chunks in parallel.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};

/// The chunks of a run in order. Each chunk learns how many rows precede it.
///
/// A worker that waits for a chunk waits only for chunks that other workers took earlier, and those
/// wait only for still earlier ones. So some worker always makes progress.
#[derive(Debug, Default)]
pub(crate) struct RowOffsets {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The first chunk whose number of rows is unknown.
    chunk: u64,
    /// The number of rows before that chunk.
    first_row: u64,
    /// The number of rows of later chunks.
    ended: BTreeMap<u64, u64>,
    /// The number of rows before each earlier chunk that is still in progress.
    first_rows: BTreeMap<u64, u64>,
    /// True if the number of rows of some chunk will never be known.
    is_lost: bool,
}

/// A chunk that is being read. If it is dropped before [`PendingChunk::end`], the first rows of
/// later chunks stay unknown.
pub(crate) struct PendingChunk<'t> {
    row_offsets: &'t RowOffsets,
    chunk: u64,
    is_ended: bool,
}

impl RowOffsets {
    /// Begins the chunk with this number, counted from 0.
    pub(crate) fn begin(&self, chunk: u64) -> PendingChunk<'_> {
        PendingChunk {
            row_offsets: self,
            chunk,
            is_ended: false,
        }
    }

    fn with_state(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }
}

impl PendingChunk<'_> {
    /// Waits until the number of rows before the chunk is known, and returns it. Returns `None` if
    /// it will never be known.
    pub(crate) fn first_row(&self) -> Option<u64> {
        let offsets = self.row_offsets;
        let mut state = offsets.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.chunk < self.chunk && !state.is_lost {
            let waited = offsets.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        match state.chunk == self.chunk {
            true => Some(state.first_row),
            false => state.first_rows.get(&self.chunk).copied(),
        }
    }

    /// Ends the chunk, which has `rows` rows. Returns the number of rows before it.
    pub(crate) fn end(&mut self, rows: u64) -> Option<u64> {
        self.is_ended = true;
        self.row_offsets.with_state(|state| {
            state.ended.insert(self.chunk, rows);
            while let Some(rows) = state.ended.remove(&state.chunk) {
                state.first_rows.insert(state.chunk, state.first_row);
                state.chunk += 1;
                state.first_row += rows;
            }
        });
        self.first_row()
    }
}

impl Drop for PendingChunk<'_> {
    fn drop(&mut self) {
        self.row_offsets.with_state(|state| {
            state.is_lost |= !self.is_ended;
            state.first_rows.remove(&self.chunk);
        });
    }
}
