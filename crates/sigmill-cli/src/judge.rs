//! Verdicts for the rows of a chunk.

use std::collections::BTreeSet;
use std::sync::Arc;

use sigmill::CurveName;
use sigmill::bulk::{Control, Engine, Plan};

use crate::hints::{self, HintsFile, PendingChunk, RowOffsets};
use crate::pipeline::Work;
use crate::rows::Chunk;
use crate::rows::cells::{Cells, ReadOptions, bytes};
use crate::rows::csv::CsvParser;
use crate::rows::defect::{Defect, RowDefect};
use crate::rows::fields::{Field, RawRow};
use crate::rows::walk::walk;

/// The size of decoded cells, in bytes, at which rows are judged before the end of their chunk. So
/// the chunks of column formats, whose rows may have any length, are not copied as a whole.
const MAX_CELLS_SIZE: usize = 4 << 20;

/// The verdicts of a chunk.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    /// The number of rows.
    pub(crate) rows: u64,
    /// The rejected rows, in order.
    pub(crate) rejected: Vec<Rejected>,
    /// The id of every row, if [`Extras::ids`] is set.
    pub(crate) ids: Option<Vec<Option<Box<str>>>>,
    /// The engine's plan, with estimated and actual cost, if [`Extras::plans`] is set.
    pub(crate) plan: Option<Plan>,
    /// The curves of the well-formed rows.
    pub(crate) curves: BTreeSet<CurveName>,
    /// The hint of every row as [`hints::half_byte`] encodes it, if wanted.
    pub(crate) hints: Vec<u8>,
    /// The signatures of all rows as [`hints::append_signature`] encodes them, if wanted.
    pub(crate) signatures: Vec<u8>,
}

/// A rejected row.
#[derive(Debug)]
pub(crate) struct Rejected {
    /// Its place in the chunk, counted from 0.
    pub(crate) index: u64,
    /// Its id, if it has one.
    pub(crate) id: Option<Box<str>>,
    /// The reason.
    pub(crate) defect: Defect,
}

/// Results that are wanted in addition to the rejected rows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extras {
    /// The ids of all rows, valid ones included.
    pub(crate) ids: bool,
    /// The engine's plans.
    pub(crate) plans: bool,
    /// The hints of all rows.
    pub(crate) hints: bool,
    /// The signatures of all rows.
    pub(crate) signatures: bool,
}

/// A file of hints, and the first row of each chunk of the run.
#[derive(Debug)]
pub(crate) struct HintsInput {
    pub(crate) file: HintsFile,
    row_offsets: RowOffsets,
}

impl HintsInput {
    pub(crate) fn new(file: HintsFile) -> Self {
        let row_offsets = RowOffsets::default();
        Self { file, row_offsets }
    }
}

/// Judges the rows of chunks. Each worker has one; it keeps its buffers from one chunk to the next.
pub(crate) struct Judge {
    engine: Arc<Engine>,
    options: Arc<ReadOptions>,
    extras: Extras,
    given: Option<Arc<HintsInput>>,
    csv: CsvParser,
    pending: Pending,
    /// Buffer for the signature of one row.
    signature: Vec<u8>,
}

/// The rows of a chunk so far.
#[derive(Default)]
struct Pending {
    rows: u64,
    /// The ids of all rows, with their ends; `None` for a row without one.
    ids: String,
    id_ends: Vec<Option<usize>>,
    /// The well-formed rows that wait for a verdict.
    cells: Cells,
    rejected: Vec<(u64, Defect)>,
    /// The number of rows that have a verdict.
    judged: u64,
    plan: Option<Plan>,
    curves: BTreeSet<CurveName>,
    hints: Vec<u8>,
    signatures: Vec<u8>,
}

impl Judge {
    /// Creates a judge for rows that are read according to `options`.
    pub(crate) fn new(engine: Arc<Engine>, options: Arc<ReadOptions>, extras: Extras) -> Self {
        Self {
            engine,
            options,
            extras,
            given: None,
            csv: CsvParser::default(),
            pending: Pending::default(),
            signature: vec![],
        }
    }

    /// Adds the hints in a file.
    pub(crate) fn with_hints(mut self, given: Option<Arc<HintsInput>>) -> Self {
        self.given = given;
        self
    }

    /// Adds the next row of the chunk, or the defect for which it could not be read.
    fn row(
        &mut self,
        row: &RawRow<'_>,
        read: Result<(), RowDefect>,
        place: Option<&PendingChunk<'_>>,
    ) -> Result<(), String> {
        let Pending {
            rows,
            ids,
            id_ends,
            cells,
            rejected,
            judged,
            hints,
            signatures,
            ..
        } = &mut self.pending;
        if self.extras.hints {
            hints.push(hints::NONE);
        }
        if self.extras.signatures {
            // Another reader may find no cells in a row that cannot be read.
            let signature = match read {
                Ok(()) => signature(&row.signature, &self.options, &mut self.signature),
                Err(_) => None,
            };
            hints::append_signature(signatures, signature);
        }
        id_ends.push(row.id_text().map(|id| {
            ids.push_str(&id);
            ids.len()
        }));
        if let Err(defect) = read.and_then(|()| cells.push(*rows, row, &self.options)) {
            rejected.push((*rows, defect.into()));
            *judged += 1;
        }
        *rows += 1;
        if cells.size() >= MAX_CELLS_SIZE {
            let first_row = place.and_then(PendingChunk::first_row);
            self.judge_pending(first_row)?;
        }
        Ok(())
    }

    /// Lets the engine judge the pending rows. `first_row` is the row of the run at which their
    /// chunk begins, if it matters and is known.
    fn judge_pending(&mut self, first_row: Option<u64>) -> Result<(), String> {
        let pending = &mut self.pending;
        if pending.cells.len() == 0 {
            return Ok(());
        }
        if let (Some(given), Some(first_row)) = (&self.given, first_row) {
            give_hints(&given.file, first_row, &mut pending.cells);
        }
        let control = Control::default()
            .explain(self.extras.plans)
            .hints(self.extras.hints);
        let verdicts = pending
            .cells
            .with_rows(&self.options, |rows| {
                self.engine.verify_with(rows, &control)
            })
            .map_err(|e| e.to_string())?;
        let numbers = pending.cells.numbers();
        for (row, error) in verdicts.iter_rejected() {
            pending.rejected.push((numbers[row], error.into()));
        }
        if let Some(found) = verdicts.hints() {
            for (&number, &id) in numbers.iter().zip(found) {
                pending.hints[number as usize] = hints::half_byte(id);
            }
        }
        pending.judged += verdicts.judged() as u64;
        if let Some(plan) = verdicts.plan() {
            *pending.plan.get_or_insert_default() += plan;
        }
        for curve in pending.cells.curves(&self.options) {
            if pending.curves.last() != Some(&curve) {
                pending.curves.insert(curve);
            }
        }
        pending.cells.clear();
        Ok(())
    }
}

impl Work for Judge {
    type Output = Verdicts;

    /// Judges every row of `chunk`.
    fn chunk(&mut self, chunk: &Chunk, number: u64) -> Result<Verdicts, String> {
        // A chunk that ended in a panic may have left rows behind.
        self.pending.clear();
        // Taken out for the walk: its rows borrow from the parser while the judge works on them.
        let mut csv = std::mem::take(&mut self.csv);
        let (options, given) = (self.options.clone(), self.given.clone());
        let mut place = given.as_ref().map(|given| given.row_offsets.begin(number));
        walk(chunk, &options.wanted, &mut csv, |row, read| {
            self.row(row, read, place.as_ref())
        })?;
        self.csv = csv;
        let first_row = place
            .as_mut()
            .and_then(|place| place.end(self.pending.rows));
        self.judge_pending(first_row)?;
        // Every row that is not among the rejected ones is reported as valid.
        if self.pending.judged != self.pending.rows {
            return Err("a row has no verdict".into());
        }
        Ok(self.pending.take_verdicts(self.extras.ids))
    }
}

/// Sets the hints of the rows from a file, with a single read.
fn give_hints(file: &HintsFile, first_row: u64, cells: &mut Cells) {
    let numbers = cells.numbers();
    let (Some(&first), Some(&last)) = (numbers.first(), numbers.last()) else {
        return;
    };
    let halves = file.read(first_row + first, (last - first + 1) as usize);
    let of_row = |number: &u64| halves[(number - first) as usize];
    let found: Vec<u8> = numbers.iter().map(of_row).collect();
    for (hint, half) in cells.hints_mut().iter_mut().zip(found) {
        if half != hints::NONE {
            *hint = half;
        }
    }
}

/// Returns the signature of a row as bytes if it can be read, whatever is wrong with the other
/// cells.
fn signature<'a>(
    field: &'a Field<'_>,
    options: &ReadOptions,
    buffer: &'a mut Vec<u8>,
) -> Option<&'a [u8]> {
    field.check_len("signature").ok()?;
    let encoding = Some(options.signature_encoding);
    bytes(field, "signature", encoding, buffer).ok()
}

impl Pending {
    fn clear(&mut self) {
        self.rows = 0;
        self.ids.clear();
        self.id_ends.clear();
        self.cells.clear();
        self.rejected.clear();
        self.judged = 0;
        self.plan = None;
        self.curves.clear();
        self.hints.clear();
        self.signatures.clear();
    }

    /// Returns the verdicts of all rows. No row may be pending.
    fn take_verdicts(&mut self, keeps_ids: bool) -> Verdicts {
        // Rows that could not be read come first, those that the engine rejected later.
        self.rejected.sort_unstable_by_key(|&(index, _)| index);
        let mut rejected = self.rejected.drain(..).peekable();
        let mut verdicts = Verdicts {
            rows: self.rows,
            rejected: Vec::new(),
            ids: keeps_ids.then(Vec::new),
            plan: self.plan.take(),
            curves: std::mem::take(&mut self.curves),
            hints: std::mem::take(&mut self.hints),
            signatures: std::mem::take(&mut self.signatures),
        };
        let mut start = 0;
        for (row, &end) in (0..).zip(&self.id_ends) {
            let id = end.map(|end| &self.ids[std::mem::replace(&mut start, end)..end]);
            if let Some((index, defect)) = rejected.next_if(|&(index, _)| index == row) {
                verdicts.rejected.push(Rejected {
                    index,
                    id: id.map(Box::from),
                    defect,
                });
            }
            if let Some(ids) = &mut verdicts.ids {
                ids.push(id.map(Box::from));
            }
        }
        verdicts
    }
}
