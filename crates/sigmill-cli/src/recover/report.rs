//! Output of a run: the table, and on standard error the rows without a key and the summary.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use indicatif::ProgressBar;
use serde::Serialize;

use super::row::{Column, Row};
use crate::error::{CliError, Outcome};
use crate::output::{
    Context, RejectedRow, grouped, may_be_cut_off, plural, progress_bar, style, write_json_line,
};
use crate::pipeline::{Event, Pipeline};
use crate::rows::source::Input;
use crate::written::TableWriter;

/// Handles the events of a run.
pub(super) struct Report<'a> {
    ctx: &'a Context,
    file: Arc<str>,
    writer: TableWriter<Column>,
    bar: Option<ProgressBar>,
    done: Arc<AtomicU64>,
    signal: Arc<AtomicUsize>,
    start: Instant,
    threads: usize,
    rows: u64,
    reasons: BTreeMap<&'static str, Reason>,
    has_failed: bool,
    may_be_cut_off: bool,
}

/// The rows that yielded no key for one reason.
#[derive(Serialize)]
struct Reason {
    rows: u64,
    first_row: u64,
}

/// The summary of a run.
#[derive(Serialize)]
struct Summary {
    r#type: &'static str,
    rows: u64,
    recovered: u64,
    rejected: u64,
    reasons: BTreeMap<&'static str, Reason>,
    seconds: f64,
    rows_per_second: f64,
    threads: usize,
    interrupted: bool,
    may_be_cut_off: bool,
}

impl<'a> Report<'a> {
    pub(super) fn new(
        ctx: &'a Context,
        input: &Input,
        pipeline: &Pipeline,
        writer: TableWriter<Column>,
    ) -> Self {
        Self {
            ctx,
            file: input.name.clone(),
            writer,
            bar: ctx.wants_progress().then(|| progress_bar(input.len())),
            done: pipeline.done.clone(),
            signal: pipeline.signal.clone(),
            start: Instant::now(),
            threads: pipeline.workers,
            rows: 0,
            reasons: BTreeMap::new(),
            has_failed: false,
            may_be_cut_off: false,
        }
    }

    /// Handles the next event.
    pub(super) fn take(&mut self, event: Event<Vec<Row>>) -> Result<ControlFlow<()>, CliError> {
        match event {
            Event::Failed(error) => {
                self.has_failed = true;
                let ctx = *self.ctx;
                self.beside_bar(|_| {
                    ctx.report_error(&error);
                    Ok(())
                })?;
            }
            Event::MayBeCutOff(_) => self.may_be_cut_off = true,
            Event::Done(_, rows) => self.rows(rows)?,
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done.load(Ordering::Relaxed));
            bar.set_message(format!(
                "{} rows, {} rejected",
                grouped(self.rows),
                grouped(self.rejected())
            ));
        }
        Ok(ControlFlow::Continue(()))
    }

    fn rows(&mut self, mut rows: Vec<Row>) -> Result<(), CliError> {
        for row in &mut rows {
            self.rows += 1;
            row.number = self.rows;
            if let Err(defect) = &row.outcome {
                let reason = self.reasons.entry(defect.reason()).or_insert(Reason {
                    rows: 0,
                    first_row: row.number,
                });
                reason.rows += 1;
            }
        }
        self.writer.write(&rows)?;
        let is_rejected = |row: &&Row| row.outcome.is_err();
        if !rows.iter().any(|row| is_rejected(&row)) {
            return Ok(());
        }
        let (json, file) = (self.ctx.json, self.file.clone());
        self.beside_bar(|stderr| {
            for row in rows.iter().filter(is_rejected) {
                if let Err(defect) = &row.outcome {
                    let rejected = RejectedRow {
                        file: &file,
                        row: row.number,
                        id: row.id.as_deref(),
                        reason: defect.reason(),
                        detail: &defect.to_string(),
                    };
                    rejected.write(stderr, json)?;
                }
            }
            Ok(())
        })
    }

    /// Writes to standard error without disturbing the progress bar.
    fn beside_bar(
        &self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let ctx = *self.ctx;
        let print = || {
            let mut stderr = std::io::BufWriter::new(ctx.stderr());
            write(&mut stderr)?;
            Ok(stderr.flush()?)
        };
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    fn rejected(&self) -> u64 {
        self.reasons.values().map(|reason| reason.rows).sum()
    }

    /// Completes the table and prints the summary.
    pub(super) fn finish(self) -> Result<Outcome, CliError> {
        let rejected = self.rejected();
        let is_nothing = self.has_failed && self.rows == 0;
        // Recovered rows are kept, whatever followed them. If no row could be read, no table is
        // written, so that the table of an earlier run stays.
        if !is_nothing {
            self.writer.finish()?;
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let seconds = self.start.elapsed().as_secs_f64().max(1e-9);
        let signal = self.signal.load(Ordering::Relaxed);
        let summary = Summary {
            r#type: "summary",
            rows: self.rows,
            recovered: self.rows - rejected,
            rejected,
            reasons: self.reasons,
            seconds,
            // Exact below 2^53 rows.
            rows_per_second: (self.rows as f64 / seconds).round(),
            threads: self.threads,
            interrupted: signal != 0,
            may_be_cut_off: self.may_be_cut_off,
        };
        let mut stderr = self.ctx.stderr();
        if is_nothing {
            // If nothing could be read, a summary would only hide that.
        } else if self.ctx.json {
            write_json_line(&mut stderr, &summary)?;
        } else if !self.ctx.quiet {
            summary.write(&mut stderr)?;
            if summary.may_be_cut_off {
                writeln!(stderr, "  {}", may_be_cut_off(&self.file))?;
            }
        }
        Ok(match () {
            () if signal != 0 => Outcome::Interrupted(u8::try_from(signal).unwrap_or(u8::MAX)),
            () if self.has_failed => Outcome::Failed,
            () if rejected > 0 => Outcome::Rejected,
            () => Outcome::Clean,
        })
    }
}

impl Summary {
    /// Writes the summary as text.
    fn write(&self, out: &mut dyn Write) -> Result<(), CliError> {
        let (good, bad, bold, dim) = (style::GOOD, style::BAD, style::BOLD, style::DIM);
        if self.interrupted {
            writeln!(
                out,
                "{bad}interrupted{bad:#}: this is what was recovered until then"
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
        let paint = if self.rejected > 0 { bad } else { good };
        writeln!(
            out,
            "  recovered {good}{:>12}{good:#}",
            grouped(self.recovered)
        )?;
        writeln!(
            out,
            "  rejected  {paint}{:>12}{paint:#}",
            grouped(self.rejected)
        )?;
        for (code, reason) in &self.reasons {
            writeln!(
                out,
                "            {:>12}  {code} {dim}(first: row {}){dim:#}",
                grouped(reason.rows),
                grouped(reason.first_row)
            )?;
        }
        Ok(())
    }
}
