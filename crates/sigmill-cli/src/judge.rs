//! From the rows of a chunk to their verdicts.

use std::collections::BTreeSet;
use std::sync::Arc;

use sigmill::CurveName;
use sigmill::bulk::{Control, Engine, Id, Plan};

use crate::hints::{self, HintsFile, Turn, Turns};
use crate::pipeline::Work;
use crate::rows::Chunk;
use crate::rows::cells::{Cells, Reading, bytes};
use crate::rows::csv::CsvParser;
use crate::rows::defect::{Defect, RowDefect};
use crate::rows::fields::{Field, RawRow};
use crate::rows::walk::walk;

/// Rows are judged before their chunk is at an end when their decoded cells take so many bytes: so
/// the chunks of column formats, whose rows may be of any length, are not copied as a whole.
const MAX_CELLS_SIZE: usize = 4 << 20;

/// The verdicts of a chunk.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    /// How many rows there are.
    pub(crate) rows: u64,
    /// Those that were rejected, in order.
    pub(crate) rejected: Vec<Rejected>,
    /// The id of every row, if [`Judge::new`] was asked to keep them.
    pub(crate) ids: Option<Vec<Option<Box<str>>>>,
    /// What the engine did, with what it was to cost and did, if [`Judge::new`] was asked for it.
    pub(crate) plan: Option<Plan>,
    /// The curves of the rows that are well formed.
    pub(crate) curves: BTreeSet<CurveName>,
    /// The hint of every row as [`hints::half_byte`] writes it, if wanted.
    pub(crate) hints: Vec<u8>,
    /// The signatures of all rows as [`hints::append_signature`] writes them, if wanted.
    pub(crate) signatures: Vec<u8>,
}

/// A rejected row.
#[derive(Debug)]
pub(crate) struct Rejected {
    /// Its place in the chunk, counted from 0.
    pub(crate) index: u64,
    /// Its id, if it has one.
    pub(crate) id: Option<Box<str>>,
    /// Why.
    pub(crate) defect: Defect,
}

/// What is wanted beside the rejected rows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extras {
    /// The ids of valid rows too.
    pub(crate) ids: bool,
    /// The engine's plans.
    pub(crate) plans: bool,
    /// The hints of all rows.
    pub(crate) hints: bool,
    /// The signatures of all rows.
    pub(crate) signatures: bool,
}

/// A file of hints, with which rows each chunk of the run has.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) file: HintsFile,
    turns: Turns,
}

impl Given {
    pub(crate) fn new(file: HintsFile) -> Self {
        let turns = Turns::default();
        Self { file, turns }
    }
}

/// Judges the rows of chunks. One per worker; keeps its buffers from one chunk to the next.
pub(crate) struct Judge {
    engine: Arc<Engine>,
    reading: Arc<Reading>,
    extras: Extras,
    given: Option<Arc<Given>>,
    csv: CsvParser,
    pending: Pending,
    /// Buffer for the signature of one row.
    signature: Vec<u8>,
}

/// The rows of a chunk so far.
#[derive(Default)]
struct Pending {
    rows: u64,
    /// Of every row, with its length, or nothing.
    ids: String,
    id_ends: Vec<Option<usize>>,
    /// The rows that are well formed and wait for their verdict.
    cells: Cells,
    rejected: Vec<(u64, Defect)>,
    /// The rows that have a verdict.
    judged: u64,
    plan: Option<Plan>,
    curves: BTreeSet<CurveName>,
    hints: Vec<u8>,
    signatures: Vec<u8>,
}

impl Judge {
    /// A judge for rows that are read as `reading` says.
    pub(crate) fn new(engine: Arc<Engine>, reading: Arc<Reading>, extras: Extras) -> Self {
        Self {
            engine,
            reading,
            extras,
            given: None,
            csv: CsvParser::default(),
            pending: Pending::default(),
            signature: vec![],
        }
    }

    /// The same, with the hints in a file.
    pub(crate) fn with_hints(mut self, given: Option<Arc<Given>>) -> Self {
        self.given = given;
        self
    }

    /// Takes the next row of the chunk, or what it could not be read for.
    fn row(
        &mut self,
        row: &RawRow<'_>,
        read: Result<(), RowDefect>,
        turn: Option<&Turn<'_>>,
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
            // Of a row that cannot be read nobody else may have a cell.
            let signature = match read {
                Ok(()) => signature(&row.signature, &self.reading, &mut self.signature),
                Err(_) => None,
            };
            hints::append_signature(signatures, signature);
        }
        id_ends.push(row.id_text().map(|id| {
            ids.push_str(&id);
            ids.len()
        }));
        if let Err(defect) = read.and_then(|()| cells.push(*rows, row, &self.reading)) {
            rejected.push((*rows, defect.into()));
            *judged += 1;
        }
        *rows += 1;
        if cells.size() >= MAX_CELLS_SIZE {
            let first_row = turn.and_then(Turn::first_row);
            self.judge_pending(first_row)?;
        }
        Ok(())
    }

    /// Has the engine judge the rows that wait for it, of a chunk that begins at this row of the
    /// run, if that matters and is known.
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
            .with_rows(&self.reading, |rows| {
                self.engine.verify_with(rows, &control)
            })
            .map_err(|e| e.to_string())?;
        for (_, id, error) in verdicts.iter_rejected() {
            let Id::Number(number) = id else {
                return Err("a row has lost its number".into());
            };
            pending.rejected.push((number, error.into()));
        }
        if let Some(found) = verdicts.hints() {
            for (&number, &id) in pending.cells.numbers().iter().zip(found) {
                pending.hints[number as usize] = hints::half_byte(id);
            }
        }
        pending.judged += verdicts.judged() as u64;
        if let Some(plan) = verdicts.plan() {
            *pending.plan.get_or_insert_default() += plan;
        }
        for curve in pending.cells.curves(&self.reading) {
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
    fn chunk(&mut self, chunk: &Chunk, turn: u64) -> Result<Verdicts, String> {
        // What a chunk left behind that ended in a panic.
        self.pending.clear();
        // Taken out for the walk: its rows borrow from it while the judge works on them.
        let mut csv = std::mem::take(&mut self.csv);
        let (reading, given) = (self.reading.clone(), self.given.clone());
        let mut turn = given.as_ref().map(|given| given.turns.begin(turn));
        walk(chunk, &reading.wanted, &mut csv, |row, read| {
            self.row(row, read, turn.as_ref())
        })?;
        self.csv = csv;
        let first_row = turn.as_mut().and_then(|turn| turn.end(self.pending.rows));
        self.judge_pending(first_row)?;
        // What is not among the rejected rows is reported as valid.
        if self.pending.judged != self.pending.rows {
            return Err("a row was not judged".into());
        }
        Ok(self.pending.take_verdicts(self.extras.ids))
    }
}

/// Gives the rows the hints in a file; its part for them is read at once.
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

/// The signature of a row as bytes, if it can be read, whatever is wrong with the other cells.
fn signature<'a>(
    field: &'a Field<'_>,
    reading: &Reading,
    buffer: &'a mut Vec<u8>,
) -> Option<&'a [u8]> {
    field.check_len("signature").ok()?;
    let encoding = Some(reading.signature_encoding);
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

    /// The verdicts of all rows, none of which waits any more.
    fn take_verdicts(&mut self, keeps_ids: bool) -> Verdicts {
        // Those that could not be read came first, those that the engine rejected later.
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
