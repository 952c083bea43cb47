//! Summary of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::mem;
use std::time::Instant;

use clap::ValueEnum;
use serde::Serialize;
use sigmill::bulk::Engine;
use sigmill::{CurveName, Error, cpu};

use crate::error::CliError;
use crate::judge::Verdicts;
use crate::output::{Reasons, Speed, grouped, may_be_truncated, plural, printable, style};
use crate::verify::explain::GroupLine;
use crate::verify::hints::HintsLine;
use crate::verify::key_store::StoreFile;

/// The bound on the probability that an invalid row passes in a batch.
pub(crate) const FALSE_ACCEPTS: &str = "2^-120";

/// Counts verdicts.
pub(crate) struct Tally {
    pub(crate) rows: u64,
    /// The curves of the rows.
    curves: BTreeSet<CurveName>,
    pub(crate) reasons: Reasons,
    /// The rows of the current file.
    current: Mismatches,
    /// The first file in which every row is a mismatch.
    mismatched: Option<String>,
    start: Instant,
}

/// The rows of a file, and how many of them have a signature that does not match.
#[derive(Debug, Default)]
struct Mismatches {
    file: String,
    rows: u64,
    mismatches: u64,
}

impl Mismatches {
    /// Returns the file if it has several rows and all of them mismatch. The signatures are then
    /// hardly at fault.
    fn explained(self) -> Option<String> {
        (self.rows > 1 && self.mismatches == self.rows).then_some(self.file)
    }
}

/// The summary of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    r#type: &'static str,
    pub(crate) files: usize,
    pub(crate) rows: u64,
    pub(crate) valid: u64,
    pub(crate) rejected: u64,
    pub(crate) reasons: Reasons,
    /// The usual cause if all rows of a file mismatch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    pub(crate) distinct_keys: u64,
    /// True if there may be more keys than `distinct_keys`.
    pub(crate) distinct_keys_saturated: bool,
    pub(crate) seconds: f64,
    pub(crate) rows_per_second: f64,
    pub(crate) threads: usize,
    /// Signatures verified without a table of their key, and with one.
    pub(crate) fresh: u64,
    pub(crate) prepared: u64,
    /// Signatures accepted in batches, by their hints.
    pub(crate) batched: u64,
    /// The bound on the probability that one of them is invalid, if rows were judged in batches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) false_accepts: Option<&'static str>,
    /// The prepared ones by window of the table.
    pub(crate) rows_by_window: BTreeMap<u32, u64>,
    /// Tables built in this run. Some of them served only one chunk, because the store accepted
    /// none at the time.
    pub(crate) tables: u64,
    pub(crate) passing_tables: u64,
    /// Tables in the store at the end.
    pub(crate) tables_held: u64,
    pub(crate) table_bytes: u64,
    /// Tables that were replaced by those of hotter keys, and tables that were refused because
    /// hotter keys used the memory.
    pub(crate) evictions: u64,
    pub(crate) refused: u64,
    /// The memory that keys and tables use at the end, and its limit, in bytes.
    pub(crate) key_memory_used: u64,
    pub(crate) key_memory: u64,
    /// The widest window of a table.
    pub(crate) window: u32,
    /// The number of rows from which a table pays for a key, for the number of rows of this run, on
    /// each curve that occurs.
    pub(crate) pays_from: BTreeMap<String, Option<u64>>,
    /// The speed that this number is based on.
    pub(crate) speed: SpeedChoice,
    /// Files without an end mark, or without a line break after the last line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) may_be_truncated: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key_store: Option<StoreFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hints_file: Option<HintsLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<Vec<GroupLine>>,
    pub(crate) backend: String,
    pub(crate) backend_why: String,
    pub(crate) interrupted: bool,
}

/// The speed that decides which keys get tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SpeedChoice {
    /// Measured at the start, in a millisecond
    Measured,
    /// The same on every machine and in every run
    Fixed,
}

impl Default for Tally {
    /// Starts the clock.
    fn default() -> Self {
        Self {
            rows: 0,
            curves: BTreeSet::new(),
            reasons: Reasons::default(),
            current: Mismatches::default(),
            mismatched: None,
            start: Instant::now(),
        }
    }
}

impl Tally {
    /// Counts `verdicts`; their first row is row `first_row` of `file`.
    pub(crate) fn add(&mut self, file: &str, first_row: u64, verdicts: &Verdicts) {
        self.rows += verdicts.rows;
        self.curves.extend(&verdicts.curves);
        if first_row == 1 {
            self.end_file();
            self.current.file = file.to_owned();
        }
        let mismatch = Error::SignatureMismatch.reason();
        let mismatches = verdicts
            .rejected
            .iter()
            .filter(|rejected| rejected.defect.reason() == mismatch);
        self.current.rows += verdicts.rows;
        self.current.mismatches += mismatches.count() as u64;
        for rejected in &verdicts.rejected {
            let reason = rejected.defect.reason();
            self.reasons.add(reason, file, first_row + rejected.index);
        }
    }

    fn end_file(&mut self) {
        let explained = mem::take(&mut self.current).explained();
        self.mismatched = self.mismatched.take().or(explained);
    }

    /// Stops the clock.
    pub(crate) fn finish(
        mut self,
        engine: &Engine,
        files: usize,
        threads: usize,
        interrupted: bool,
    ) -> Summary {
        let speed = Speed::since(self.start, self.rows);
        let stats = engine.stats();
        let store = engine.key_store().stats();
        let backend = cpu::backends().into_iter().find(|backend| backend.used);
        let rejected = self.reasons.rows();
        self.end_file();
        Summary {
            r#type: "summary",
            files,
            rows: self.rows,
            valid: self.rows - rejected,
            rejected,
            reasons: self.reasons,
            hint: self.mismatched.as_deref().map(hint),
            distinct_keys: store.distinct_keys,
            distinct_keys_saturated: store.distinct_keys_saturated,
            seconds: speed.seconds,
            rows_per_second: speed.rate,
            threads,
            fresh: stats.fresh,
            prepared: stats.prepared,
            batched: stats.batched,
            false_accepts: None,
            rows_by_window: (0..)
                .zip(stats.rows_by_window)
                .filter(|&(window, rows)| window > 0 && rows > 0)
                .collect(),
            tables: stats.tables_built,
            passing_tables: stats.passing_tables,
            tables_held: store.tables,
            table_bytes: store.table_bytes,
            evictions: store.evictions,
            refused: store.refused,
            key_memory_used: store.bytes_used,
            key_memory: store.bytes_limit,
            window: stats.window,
            pays_from: self
                .curves
                .iter()
                .map(|&curve| {
                    let rows = engine.table_pays_from(curve, self.rows);
                    (curve.to_string(), rows)
                })
                .collect(),
            speed: SpeedChoice::Measured,
            may_be_truncated: vec![],
            key_store: None,
            hints_file: None,
            plan: None,
            backend: backend
                .as_ref()
                .map_or_else(String::new, |b| b.name.to_owned()),
            backend_why: backend.map_or_else(String::new, |b| b.why.to_owned()),
            interrupted,
        }
    }
}

/// Names the usual causes if no signature of `file` matches.
fn hint(file: &str) -> String {
    format!(
        "no signature in {file} matches its message. Usual causes: the messages are encoded \
         (--message-encoding hex or base64), the column holds digests (--digest-column NAME), or \
         the hash differs (--alg)"
    )
}

impl Summary {
    /// Writes the summary as text.
    pub(crate) fn write(&self, out: &mut dyn Write) -> Result<(), CliError> {
        let (bold, bad, dim) = (style::BOLD, style::BAD, style::DIM);
        if self.interrupted {
            writeln!(out, "{bad}interrupted{bad:#}: rows verified so far")?;
        }
        let (seconds, rate) = (self.seconds, self.rows_per_second);
        Speed { seconds, rate }.write(out, self.rows, "rows", self.threads)?;
        self.reasons.write(out, "valid", self.valid)?;
        for file in &self.may_be_truncated {
            writeln!(out, "  {}", may_be_truncated(file))?;
        }
        if let Some(hint) = &self.hint {
            writeln!(out, "  {bold}hint{bold:#} {}", printable(hint))?;
        }
        let at_least = if self.distinct_keys_saturated {
            "at least "
        } else {
            ""
        };
        writeln!(
            out,
            "  keys      {:>12}",
            format!("{at_least}{}", grouped(self.distinct_keys))
        )?;
        let mut line = |noun: &str, number: &str, remark: &str| {
            writeln!(out, "  {noun:<9} {number:>12}  {dim}{remark}{dim:#}")
        };
        if let Some(bound) = self.false_accepts {
            let remark = format!(
                "verified in batches, using hints; an invalid row passes with probability at most \
                 {bound}"
            );
            line("batched", &grouped(self.batched), &remark)?;
        }
        line("prepared", &grouped(self.prepared), &self.prepared_how())?;
        line("fresh", &grouped(self.fresh), &self.fresh_why())?;
        line("tables", &grouped(self.tables), &self.tables_where())?;
        if let Some(file) = &self.key_store {
            let remark = format!(
                "keys loaded from {}, {} skipped for lack of memory; {} saved",
                printable(&file.file),
                grouped(file.skipped),
                grouped(file.saved)
            );
            line("key store", &grouped(file.loaded), &remark)?;
        }
        if let Some(file) = &self.hints_file {
            let what = match file.written {
                true => "written to",
                false => "rows in",
            };
            let remark = format!("{what} {}", printable(&file.file));
            line("hints", &grouped(file.hints), &remark)?;
        }
        line("backend", &self.backend, &self.backend_why)?;
        Ok(())
    }

    fn prepared_how(&self) -> String {
        if self.prepared == 0 {
            let why = match self.batched {
                0 => "no key had enough rows",
                _ => "batches need no tables",
            };
            return format!("with a table of the key: {why}");
        }
        let windows = self.rows_by_window.iter().rev();
        let windows: Vec<String> = windows
            .map(|(window, &rows)| format!("window {window}: {}", grouped(rows)))
            .collect();
        format!("with a table of the key ({})", windows.join(", "))
    }

    fn fresh_why(&self) -> String {
        if self.pays_from.is_empty() {
            return "without a table".to_owned();
        }
        let pays = self.pays_from.iter().map(|(curve, rows)| match rows {
            Some(rows) => format!("{} on {curve}", plural(*rows, "row")),
            None => format!("no number of rows on {curve}"),
        });
        let pays: Vec<String> = pays.collect();
        let speed = match self.speed {
            SpeedChoice::Measured => "the speed measured at startup",
            SpeedChoice::Fixed => "a fixed speed",
        };
        format!(
            "without a table; one pays off from {}, by {speed}",
            pays.join(" and from ")
        )
    }

    fn tables_where(&self) -> String {
        let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let mut text = format!(
            "built, up to window {}; {} kept in {:.1} of {:.1} MiB",
            self.window,
            grouped(self.tables_held),
            mebibytes(self.key_memory_used),
            mebibytes(self.key_memory),
        );
        for (number, what) in [
            (self.evictions, "evicted for more frequent keys"),
            (
                self.refused,
                "not stored, because more frequent keys fill the memory",
            ),
            (
                self.passing_tables,
                "used for one chunk only, because the store was full",
            ),
        ] {
            if number > 0 {
                text += &format!("; {} {what}", grouped(number));
            }
        }
        text
    }
}
