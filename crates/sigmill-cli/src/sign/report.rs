//! Output of a run: the table, and on standard error the rows that were not signed or converted,
//! and the summary.

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use serde::Serialize;

use super::rows::Signed;
use crate::error::{CliError, Outcome};
use crate::interrupt;
use crate::output::{
    Context, RejectedRow, grouped, may_be_truncated, printable, style, write_json_line,
};
use crate::pipeline::{Event, Pipeline, Work};
use crate::rows::columns::Wanted;
use crate::rows::source::{Input, StrictEnd};
use crate::signed::SignedWriter;

/// The verb of `sign`; any other verb stands for a conversion.
pub(crate) const SIGNED: &str = "signed";

/// Writes the rows that workers return for the rows of a table, and prints a summary.
pub(crate) fn write_table<W: Work<Output = Signed>>(
    ctx: &Context,
    input: Input,
    wanted: Wanted,
    strict_end: StrictEnd,
    writer: SignedWriter,
    verb: &'static str,
    worker: impl Fn() -> W,
) -> Result<Outcome, CliError> {
    let pipeline = Pipeline {
        wanted,
        strict_end,
        workers: ctx.threads,
        signal: interrupt::watch()?,
        done: Arc::new(AtomicU64::new(0)),
    };
    let mut report = Report::new(ctx, &input, &pipeline, writer, verb);
    pipeline.run(vec![input], worker, |event| report.handle(event))?;
    report.finish()
}

/// Handles the events of a run.
struct Report<'a> {
    ctx: &'a Context,
    file: Arc<str>,
    writer: SignedWriter,
    signal: Arc<AtomicUsize>,
    summary: Summary,
    has_failed: bool,
    /// The verb for what is done with a row.
    verb: &'static str,
    written: u64,
}

/// The summary of a run.
#[derive(Debug, Default, Serialize)]
struct Summary {
    r#type: &'static str,
    rows: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    signed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    converted: Option<u64>,
    rejected: u64,
    interrupted: bool,
    may_be_truncated: bool,
}

impl<'a> Report<'a> {
    fn new(
        ctx: &'a Context,
        input: &Input,
        pipeline: &Pipeline,
        writer: SignedWriter,
        verb: &'static str,
    ) -> Self {
        Self {
            ctx,
            file: input.name.clone(),
            writer,
            signal: pipeline.signal.clone(),
            summary: Summary {
                r#type: "summary",
                ..Summary::default()
            },
            has_failed: false,
            verb,
            written: 0,
        }
    }

    /// Handles the next event.
    fn handle(&mut self, event: Event<Signed>) -> Result<ControlFlow<()>, CliError> {
        match event {
            Event::Failed(error) => {
                self.has_failed = true;
                self.ctx.report_error(&error);
            }
            Event::MayBeTruncated(_) => self.summary.may_be_truncated = true,
            Event::Done(_, signed) => self.rows(&signed)?,
        }
        Ok(ControlFlow::Continue(()))
    }

    fn rows(&mut self, chunk: &Signed) -> Result<(), CliError> {
        self.writer.write(&chunk.signed)?;
        // Rejected rows go to standard error, because standard output may be the file.
        let mut stderr = self.ctx.stderr();
        for (index, id, defect) in &chunk.rejected {
            let rejected = RejectedRow {
                file: &self.file,
                row: self.summary.rows + index + 1,
                id: id.as_deref(),
                reason: defect.reason(),
                detail: &defect.to_string(),
            };
            rejected.write(&mut stderr, self.ctx.json)?;
        }
        self.summary.rejected += chunk.rejected.len() as u64;
        self.summary.rows += chunk.rows;
        self.written += chunk.signed.len() as u64;
        Ok(())
    }

    /// Completes the table and prints the summary.
    fn finish(mut self) -> Result<Outcome, CliError> {
        let is_nothing = self.has_failed && self.summary.rows == 0;
        // Signed rows are kept, whatever followed them. If no row could be read, no table is
        // written, so that the table of an earlier run stays.
        if !is_nothing {
            self.writer.finish()?;
        }
        let signal = self.signal.load(Ordering::Relaxed);
        self.summary.interrupted = signal != 0;
        let (verb, written) = (self.verb, self.written);
        match verb {
            SIGNED => self.summary.signed = Some(written),
            _ => self.summary.converted = Some(written),
        }
        let summary = &self.summary;
        let mut stderr = self.ctx.stderr();
        if is_nothing {
            // If nothing could be read, a summary would only hide that.
        } else if self.ctx.json {
            write_json_line(&mut stderr, summary)?;
        } else if !self.ctx.quiet {
            let bad = style::BAD;
            if summary.interrupted {
                writeln!(stderr, "{bad}interrupted{bad:#}: rows {verb} so far")?;
            }
            writeln!(
                stderr,
                "{}: {} rows, {} {verb}, {} rejected",
                printable(&self.file),
                grouped(summary.rows),
                grouped(written),
                grouped(summary.rejected)
            )?;
            if summary.may_be_truncated {
                writeln!(stderr, "  {}", may_be_truncated(&self.file))?;
            }
        }
        Ok(Outcome::of(signal, self.has_failed, summary.rejected))
    }
}
