//! Output of a run: rejected rows, progress, the summary, and the table of verdicts.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use sigmill::bulk::Engine;

use crate::error::{CliError, Outcome};
use crate::judge::Verdicts;
use crate::output::{Context, Progress, RejectedRow, grouped, write_json_line};
use crate::pipeline::{Event, Pipeline};
use crate::rows::source::Input;
use crate::verdicts::{VerdictChunk, VerdictWriter};
use crate::verify::explain::Explanation;
use crate::verify::hints::RunHints;
use crate::verify::key_store::StoreFile;
use crate::verify::summary::{FALSE_ACCEPTS, SpeedChoice, Tally};

/// Handles the events of a run.
pub(crate) struct Report<'a> {
    ctx: &'a Context,
    names: Vec<Arc<str>>,
    out: Option<VerdictWriter>,
    stdout: Box<dyn Write>,
    /// Nobody reads standard output any more.
    is_closed: bool,
    progress: Progress,
    done: Arc<AtomicU64>,
    signal: Arc<AtomicUsize>,
    engine: Arc<Engine>,
    workers: usize,
    tally: Tally,
    /// The sum of the plans, if wanted.
    explanation: Option<Explanation>,
    /// The file of hints.
    run_hints: Option<RunHints>,
    /// True if rows with hints are judged in batches.
    batches: bool,
    /// The file of the last verdicts, and the number of its judged rows.
    place: (usize, u64),
    has_failed: bool,
    has_stopped: bool,
    may_be_truncated: Vec<Arc<str>>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(
        ctx: &'a Context,
        inputs: &[Input],
        pipeline: &Pipeline,
        engine: Arc<Engine>,
        explanation: Option<Explanation>,
        out: Option<VerdictWriter>,
    ) -> Self {
        Self {
            ctx,
            names: inputs.iter().map(|input| input.name.clone()).collect(),
            out,
            stdout: Box::new(ctx.stdout()),
            is_closed: false,
            progress: Progress::new(ctx, inputs.iter().map(Input::len).sum()),
            done: pipeline.done.clone(),
            signal: pipeline.signal.clone(),
            engine,
            workers: pipeline.workers,
            tally: Tally::default(),
            explanation,
            run_hints: None,
            batches: false,
            place: (0, 0),
            has_failed: false,
            has_stopped: false,
            may_be_truncated: vec![],
        }
    }

    /// Sets the file of hints, and whether rows with hints are judged in batches.
    pub(crate) fn set_hints(&mut self, run_hints: Option<RunHints>, batches: bool) {
        (self.run_hints, self.batches) = (run_hints, batches);
    }

    /// Handles the next event.
    pub(crate) fn handle(&mut self, event: Event<Verdicts>) -> Result<ControlFlow<()>, CliError> {
        match event {
            Event::Failed(error) => self.fail(&error)?,
            Event::MayBeTruncated(file) => self.may_be_truncated.push(self.names[file].clone()),
            Event::Done(file, verdicts) => self.verdicts(file, &verdicts)?,
        }
        self.progress.show(self.done.load(Ordering::Relaxed), || {
            let (rows, rejected) = (self.tally.rows, self.tally.reasons.rows());
            format!("{} rows, {} rejected", grouped(rows), grouped(rejected))
        });
        // Without a reader, the run continues only if it writes to files.
        let writes =
            self.out.is_some() || self.run_hints.as_ref().is_some_and(RunHints::is_written);
        self.has_stopped |= self.is_closed && !writes;
        Ok(if self.has_stopped {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    }

    /// Reports an error that makes the run fail, but does not end it.
    pub(crate) fn fail(&mut self, error: &CliError) -> Result<(), CliError> {
        self.has_failed = true;
        let ctx = *self.ctx;
        self.print(|_| {
            ctx.report_error(error);
            Ok(())
        })
    }

    fn verdicts(&mut self, file: usize, verdicts: &Verdicts) -> Result<(), CliError> {
        if self.place.0 != file {
            self.place = (file, 0);
        }
        let first_row = self.place.1 + 1;
        self.place.1 += verdicts.rows;
        let name = self.names[file].clone();
        if let Some(out) = &mut self.out {
            let part = VerdictChunk {
                file: &name,
                first_row,
                verdicts,
            };
            out.write(&part.rows())?;
        }
        if let Some(run_hints) = &mut self.run_hints {
            run_hints.add(verdicts)?;
        }
        self.tally.add(&name, first_row, verdicts);
        if let (Some(explanation), Some(plan)) = (&mut self.explanation, &verdicts.plan) {
            explanation.add(plan);
        }
        if verdicts.rejected.is_empty() {
            return Ok(());
        }
        let json = self.ctx.json;
        self.print(|stdout| {
            for rejected in &verdicts.rejected {
                let rejected = RejectedRow {
                    file: &name,
                    row: first_row + rejected.index,
                    id: rejected.id.as_deref(),
                    reason: rejected.defect.reason(),
                    detail: &rejected.defect.to_string(),
                };
                rejected.write(stdout, json)?;
            }
            Ok(())
        })
    }

    /// Prints without disturbing the progress bar, and flushes. A reader that has gone away is not
    /// an error.
    fn print(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let stdout = &mut self.stdout;
        let print = || write(stdout).and_then(|()| Ok(stdout.flush()?));
        let result = match self.is_closed {
            true => Ok(()),
            false => self.progress.suspend(print),
        };
        match result {
            Err(error) if error.is_broken_pipe() => {
                self.is_closed = true;
                // The rest of the buffer has nowhere to go.
                self.stdout = Box::new(io::sink());
                Ok(())
            }
            other => other,
        }
    }

    /// Completes the table of verdicts and prints the summary.
    pub(crate) fn finish(
        mut self,
        speed: SpeedChoice,
        key_store: Option<StoreFile>,
    ) -> Result<Outcome, CliError> {
        let is_nothing = self.has_failed && self.tally.rows == 0;
        // If no row could be read, no table is written, so that the table of an earlier run stays.
        if let Some(out) = self.out.take().filter(|_| !is_nothing) {
            out.finish()?;
        }
        self.progress.finish();
        let signal = self.signal.load(Ordering::Relaxed);
        // The rows that a file of hints belongs to are known only once all rows have been read.
        let is_whole = signal == 0 && !self.has_failed && !self.has_stopped;
        let mut hints_file = None;
        match self
            .run_hints
            .take()
            .filter(|_| is_whole)
            .map(RunHints::finish)
        {
            Some(Ok(line)) => hints_file = Some(line),
            Some(Err(error)) => {
                self.has_failed = true;
                self.ctx.report_error(&error);
            }
            None => {}
        }
        let tally = std::mem::take(&mut self.tally);
        let mut summary = tally.finish(&self.engine, self.names.len(), self.workers, signal != 0);
        summary.speed = speed;
        summary.hints_file = hints_file;
        summary.false_accepts = self.batches.then_some(FALSE_ACCEPTS);
        summary.key_store = key_store;
        summary.may_be_truncated = self
            .may_be_truncated
            .iter()
            .map(|name| name.to_string())
            .collect();
        let explanation = self.explanation.take();
        summary.plan = explanation.as_ref().map(Explanation::lines);
        let ctx = *self.ctx;
        // If nothing could be read, a summary would only hide that.
        if !ctx.quiet && !is_nothing {
            self.print(|stdout| {
                if ctx.json {
                    return write_json_line(stdout, &summary);
                }
                summary.write(stdout)?;
                explanation.map_or(Ok(()), |explanation| explanation.write(stdout))
            })?;
        }
        Ok(Outcome::of(signal, self.has_failed, summary.rejected))
    }
}
