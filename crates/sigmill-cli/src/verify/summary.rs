//! What a run comes to.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

use serde::Serialize;
use sigmill::bulk::Engine;
use sigmill::cpu;

use crate::error::CliError;
use crate::output::{grouped, style};
use crate::rows::judge::Verdicts;

/// Counts verdicts.
pub(crate) struct Tally {
    pub(crate) rows: u64,
    reasons: BTreeMap<&'static str, Reason>,
    start: Instant,
}

/// The rows rejected for one reason.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Reason {
    pub(crate) rows: u64,
    /// The first of them.
    first_file: String,
    first_row: u64,
}

/// What a run comes to.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    r#type: &'static str,
    pub(crate) files: usize,
    pub(crate) rows: u64,
    pub(crate) valid: u64,
    pub(crate) rejected: u64,
    pub(crate) reasons: BTreeMap<&'static str, Reason>,
    pub(crate) distinct_keys: u64,
    /// Whether there may be more keys than `distinct_keys`.
    pub(crate) distinct_keys_saturated: bool,
    pub(crate) seconds: f64,
    pub(crate) rows_per_second: f64,
    pub(crate) threads: usize,
    /// Signatures verified without a table of their key, and with one.
    pub(crate) fresh: u64,
    pub(crate) prepared: u64,
    pub(crate) tables: u64,
    pub(crate) table_bytes: u64,
    pub(crate) window: u32,
    pub(crate) backend: String,
    pub(crate) backend_why: String,
    pub(crate) interrupted: bool,
}

impl Default for Tally {
    /// Starts the clock.
    fn default() -> Self {
        Self {
            rows: 0,
            reasons: BTreeMap::new(),
            start: Instant::now(),
        }
    }
}

impl Tally {
    /// Counts `verdicts`, whose first row is `first_row` of `file`.
    pub(crate) fn add(&mut self, file: &str, first_row: u64, verdicts: &Verdicts) {
        self.rows += verdicts.rows;
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

    pub(crate) fn rejected(&self) -> u64 {
        self.reasons.values().map(|reason| reason.rows).sum()
    }

    /// Stops the clock.
    pub(crate) fn finish(
        self,
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
        let backend = cpu::backends().into_iter().find(|backend| backend.used);
        let rejected = self.rejected();
        Summary {
            r#type: "summary",
            files,
            rows: self.rows,
            valid: self.rows - rejected,
            rejected,
            reasons: self.reasons,
            distinct_keys: stats.distinct_keys,
            distinct_keys_saturated: stats.distinct_keys_saturated,
            seconds,
            // Exact below 2^53 rows.
            rows_per_second: (self.rows as f64 / seconds).round(),
            threads,
            fresh: stats.fresh,
            prepared: stats.prepared,
            tables: stats.tables_built,
            table_bytes: stats.table_bytes,
            window: stats.window,
            backend: backend
                .as_ref()
                .map_or_else(String::new, |b| b.name.to_owned()),
            backend_why: backend.map_or_else(String::new, |b| b.why.to_owned()),
            interrupted,
        }
    }
}

impl Summary {
    /// Writes the summary for people.
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
                reason.first_file.replace(char::is_control, "\u{fffd}"),
                reason.first_row
            )?;
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
        writeln!(
            out,
            "  prepared  {:>12}  {dim}{}{dim:#}",
            grouped(self.prepared),
            self.prepared_why()
        )?;
        writeln!(
            out,
            "  fresh     {:>12}  {dim}by double-and-add: the key had no table{dim:#}",
            grouped(self.fresh)
        )?;
        writeln!(
            out,
            "  backend   {:>12}  {dim}{}{dim:#}",
            self.backend, self.backend_why
        )?;
        Ok(())
    }

    fn prepared_why(&self) -> String {
        if self.tables == 0 {
            return "by a table of the key: no key came often enough to be worth one".into();
        }
        format!(
            "by a table of the key: {}, window {}, {:.1} MiB, for keys that came often enough",
            plural(self.tables, "table"),
            self.window,
            self.table_bytes as f64 / f64::from(1 << 20),
        )
    }
}

fn plural(number: u64, noun: &str) -> String {
    format!(
        "{} {noun}{}",
        grouped(number),
        if number == 1 { "" } else { "s" }
    )
}
