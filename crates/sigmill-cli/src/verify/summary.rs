//! Summary of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::mem;
use std::time::{Duration, Instant};

use serde::Serialize;
use sigmill::bulk::Engine;
use sigmill::{CurveName, Error, cpu};

use crate::error::CliError;
use crate::judge::Verdicts;
use crate::output::{grouped, may_be_cut_off, plural, printable, style};
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
    reasons: BTreeMap<&'static str, Reason>,
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

/// The rows rejected for one reason.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Reason {
    pub(crate) rows: u64,
    /// The place of the first one.
    first_file: String,
    first_row: u64,
}

/// The summary of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    r#type: &'static str,
    pub(crate) files: usize,
    pub(crate) rows: u64,
    pub(crate) valid: u64,
    pub(crate) rejected: u64,
    pub(crate) reasons: BTreeMap<&'static str, Reason>,
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
    /// The origin of the speed that this number is based on.
    pub(crate) costs: CostsOrigin,
    /// Files without an end mark, or without a line break after the last line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) may_be_cut_off: Vec<String>,
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

/// The origin of the speed that decides which keys get tables.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(tag = "from", rename_all = "lowercase")]
pub(crate) enum CostsOrigin {
    /// Measured by this process.
    #[default]
    Measured,
    /// A file of `sigmill calibrate`.
    File {
        file: String,
        /// The backend that was measured.
        backend: String,
    },
}

impl Default for Tally {
    /// Starts the clock.
    fn default() -> Self {
        Self {
            rows: 0,
            curves: BTreeSet::new(),
            reasons: BTreeMap::new(),
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
            let reason = self
                .reasons
                .entry(rejected.defect.reason())
                .or_insert_with(|| Reason {
                    rows: 0,
                    first_file: file.to_owned(),
                    first_row: first_row + rejected.index,
                });
            reason.rows += 1;
        }
    }

    fn end_file(&mut self) {
        let explained = mem::take(&mut self.current).explained();
        self.mismatched = self.mismatched.take().or(explained);
    }

    pub(crate) fn rejected(&self) -> u64 {
        self.reasons.values().map(|reason| reason.rows).sum()
    }

    /// Stops the clock.
    pub(crate) fn finish(
        mut self,
        engine: &Engine,
        files: usize,
        threads: usize,
        interrupted: bool,
    ) -> Summary {
        let seconds = self
            .start
            .elapsed()
            .max(Duration::from_nanos(1))
            .as_secs_f64();
        let stats = engine.stats();
        let store = engine.key_store().stats();
        let backend = cpu::backends().into_iter().find(|backend| backend.used);
        let rejected = self.rejected();
        self.end_file();
        Summary {
            r#type: "summary",
            files,
            rows: self.rows,
            valid: self.rows - rejected,
            rejected,
            reasons: self.reasons,
            hint: self.mismatched.as_deref().map(hint),
            distinct_keys: stats.distinct_keys,
            distinct_keys_saturated: stats.distinct_keys_saturated,
            seconds,
            // Exact below 2^53 rows.
            rows_per_second: (self.rows as f64 / seconds).round(),
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
                    let rows = engine.costs().pays_from(curve, stats.window, self.rows);
                    (curve.to_string(), rows)
                })
                .collect(),
            costs: CostsOrigin::Measured,
            may_be_cut_off: vec![],
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
        "no signature in {file} is one of what was read: usually the message column is encoded \
         (--message-encoding hex or base64; utf8 takes the text itself), or holds digests \
         (--digest-column NAME), or the hash is another (--alg)"
    )
}

impl Summary {
    /// Writes the summary as text.
    pub(crate) fn write(&self, out: &mut dyn Write) -> Result<(), CliError> {
        let (bold, good, bad, dim) = (style::BOLD, style::GOOD, style::BAD, style::DIM);
        if self.interrupted {
            writeln!(
                out,
                "{bad}interrupted{bad:#}: this is what was verified until then"
            )?;
        }
        writeln!(
            out,
            "{bold}{} rows in {:.2} s: {} rows/s{bold:#} on {}",
            grouped(self.rows),
            self.seconds,
            grouped(self.rows_per_second as u64),
            plural(self.threads as u64, "thread"),
        )?;
        writeln!(out, "  valid     {good}{:>12}{good:#}", grouped(self.valid))?;
        let paint = if self.rejected > 0 { bad } else { good };
        writeln!(
            out,
            "  rejected  {paint}{:>12}{paint:#}",
            grouped(self.rejected)
        )?;
        for (code, reason) in &self.reasons {
            writeln!(
                out,
                "            {:>12}  {code} {dim}(first: {}:{}){dim:#}",
                grouped(reason.rows),
                printable(&reason.first_file),
                reason.first_row
            )?;
        }
        for file in &self.may_be_cut_off {
            writeln!(out, "  {}", may_be_cut_off(file))?;
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
                "many at once, by their hints: one that is not valid passes with a probability of \
                 at most {bound}"
            );
            line("batched", &grouped(self.batched), &remark)?;
        }
        line("prepared", &grouped(self.prepared), &self.prepared_how())?;
        line("fresh", &grouped(self.fresh), &self.fresh_why())?;
        line("tables", &grouped(self.tables), &self.tables_where())?;
        if let Some(file) = &self.key_store {
            let remark = format!(
                "keys loaded from {}, {} left out for want of memory; {} saved",
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
                0 => "no key was worth one",
                _ => "those in batches need none",
            };
            return format!("by a table of the key: {why}");
        }
        let windows = self.rows_by_window.iter().rev();
        let windows: Vec<String> = windows
            .map(|(window, &rows)| format!("window {window}: {}", grouped(rows)))
            .collect();
        format!("by a table of the key ({})", windows.join(", "))
    }

    fn fresh_why(&self) -> String {
        if self.pays_from.is_empty() {
            return "without".to_owned();
        }
        let pays = self.pays_from.iter().map(|(curve, rows)| match rows {
            Some(rows) => format!("{} on {curve}", plural(*rows, "row")),
            None => format!("no number of rows on {curve}"),
        });
        let pays: Vec<String> = pays.collect();
        let costs = match &self.costs {
            CostsOrigin::Measured => "the speed measured at the start".to_owned(),
            CostsOrigin::File { file, backend } => {
                format!(
                    "the speed in {} for {}",
                    printable(file),
                    printable(backend)
                )
            }
        };
        format!(
            "without: a table pays from {}, by {costs}",
            pays.join(" and from ")
        )
    }

    fn tables_where(&self) -> String {
        let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let mut text = format!(
            "built, up to window {}; {} held in {:.1} of {:.1} MiB",
            self.window,
            grouped(self.tables_held),
            mebibytes(self.key_memory_used),
            mebibytes(self.key_memory),
        );
        for (number, what) in [
            (self.evictions, "given up for hotter keys"),
            (self.refused, "refused, as hotter keys have the memory"),
            (
                self.passing_tables,
                "for one chunk only, as the store took none then",
            ),
        ] {
            if number > 0 {
                text += &format!("; {} {what}", grouped(number));
            }
        }
        text
    }
}
