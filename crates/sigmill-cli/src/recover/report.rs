//! Output of a run: the table, and on standard error the rows without a key and the summary.

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use serde::Serialize;

use super::row::{Column, Row};
use crate::error::{CliError, Outcome};
use crate::output::{
    Context, Progress, Reasons, RejectedRow, Speed, grouped, may_be_truncated, style,
    write_json_line,
};
use crate::pipeline::{Event, Pipeline};
use crate::rows::source::Input;
use crate::written::TableWriter;

/// Handles the events of a run.
pub(super) struct Report<'a> {
    ctx: &'a Context,
    file: Arc<str>,
    writer: TableWriter<Column>,
    progress: Progress,
    done: Arc<AtomicU64>,
    signal: Arc<AtomicUsize>,
    start: Instant,
    threads: usize,
    rows: u64,
    reasons: Reasons,
    has_failed: bool,
    may_be_truncated: bool,
}

/// The summary of a run.
#[derive(Serialize)]
struct Summary {
    r#type: &'static str,
    rows: u64,
    recovered: u64,
    rejected: u64,
    reasons: Reasons,
    seconds: f64,
    rows_per_second: f64,
    threads: usize,
    interrupted: bool,
    may_be_truncated: bool,
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
            progress: Progress::new(ctx, input.len()),
            done: pipeline.done.clone(),
            signal: pipeline.signal.clone(),
            start: Instant::now(),
            threads: pipeline.workers,
            rows: 0,
            reasons: Reasons::default(),
            has_failed: false,
            may_be_truncated: false,
        }
    }

    /// Handles the next event.
    pub(super) fn handle(&mut self, event: Event<Vec<Row>>) -> Result<ControlFlow<()>, CliError> {
        match event {
            Event::Failed(error) => {
                self.has_failed = true;
                let ctx = *self.ctx;
                self.print(|_| {
                    ctx.report_error(&error);
                    Ok(())
                })?;
            }
            Event::MayBeTruncated(_) => self.may_be_truncated = true,
            Event::Done(_, rows) => self.rows(rows)?,
        }
        self.progress.show(self.done.load(Ordering::Relaxed), || {
            let (rows, rejected) = (grouped(self.rows), grouped(self.reasons.rows()));
            format!("{rows} rows, {rejected} rejected")
        });
        Ok(ControlFlow::Continue(()))
    }

    fn rows(&mut self, mut rows: Vec<Row>) -> Result<(), CliError> {
        for row in &mut rows {
            self.rows += 1;
            row.number = self.rows;
            if let Err(defect) = &row.outcome {
                self.reasons.add(defect.reason(), &self.file, row.number);
            }
        }
        self.writer.write(&rows)?;
        let is_rejected = |row: &&Row| row.outcome.is_err();
        if !rows.iter().any(|row| is_rejected(&row)) {
            return Ok(());
        }
        let (json, file) = (self.ctx.json, self.file.clone());
        self.print(|stderr| {
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
    fn print(
        &self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let ctx = *self.ctx;
        let print = || {
            let mut stderr = std::io::BufWriter::new(ctx.stderr());
            write(&mut stderr)?;
            Ok(stderr.flush()?)
        };
        self.progress.suspend(print)
    }

    /// Completes the table and prints the summary.
    pub(super) fn finish(self) -> Result<Outcome, CliError> {
        let rejected = self.reasons.rows();
        let is_nothing = self.has_failed && self.rows == 0;
        // Recovered rows are kept, whatever followed them. If no row could be read, no table is
        // written, so that the table of an earlier run stays.
        if !is_nothing {
            self.writer.finish()?;
        }
        self.progress.finish();
        let speed = Speed::since(self.start, self.rows);
        let signal = self.signal.load(Ordering::Relaxed);
        let summary = Summary {
            r#type: "summary",
            rows: self.rows,
            recovered: self.rows - rejected,
            rejected,
            reasons: self.reasons,
            seconds: speed.seconds,
            rows_per_second: speed.rate,
            threads: self.threads,
            interrupted: signal != 0,
            may_be_truncated: self.may_be_truncated,
        };
        let mut stderr = self.ctx.stderr();
        if is_nothing {
            // If nothing could be read, a summary would only hide that.
        } else if self.ctx.json {
            write_json_line(&mut stderr, &summary)?;
        } else if !self.ctx.quiet {
            summary.write(&mut stderr, speed)?;
            if summary.may_be_truncated {
                writeln!(stderr, "  {}", may_be_truncated(&self.file))?;
            }
        }
        Ok(Outcome::of(signal, self.has_failed, rejected))
    }
}

impl Summary {
    /// Writes the summary as text.
    fn write(&self, out: &mut dyn Write, speed: Speed) -> Result<(), CliError> {
        let bad = style::BAD;
        if self.interrupted {
            writeln!(out, "{bad}interrupted{bad:#}: rows recovered so far")?;
        }
        speed.write(out, self.rows, "rows", self.threads)?;
        self.reasons.write(out, "recovered", self.recovered)
    }
}
