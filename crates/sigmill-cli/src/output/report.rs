//! Parts of the reports of all subcommands: progress, rejected rows by reason, and speed.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::{Context, grouped, plural, printable, style};
use crate::error::CliError;

/// A progress bar, if a person is watching.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Creates a bar for input of `total` bytes, or of unknown length.
    pub(crate) fn new(ctx: &Context, total: Option<u64>) -> Self {
        let bar = || {
            let (bar, template) = match total {
                Some(total) => (
                    ProgressBar::new(total),
                    "{bar:30} {percent:>3} %  {msg}  {eta} left",
                ),
                None => (ProgressBar::new_spinner(), "{spinner} {bytes}  {msg}"),
            };
            // It moves while no result arrives, too.
            bar.enable_steady_tick(Duration::from_millis(100));
            let style = ProgressStyle::with_template(template);
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        };
        Self(ctx.wants_progress().then(bar))
    }

    /// Shows that `bytes` bytes have been read.
    pub(crate) fn show(&self, bytes: u64, message: impl FnOnce() -> String) {
        if let Some(bar) = &self.0 {
            bar.set_position(bytes);
            bar.set_message(message());
        }
    }

    /// Prints without disturbing the bar.
    pub(crate) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// Rejected rows, by reason.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub(crate) struct Reasons(BTreeMap<&'static str, Reason>);

/// The rows rejected for one reason.
#[derive(Debug, Serialize)]
struct Reason {
    rows: u64,
    /// The place of the first one.
    first_file: String,
    first_row: u64,
}

impl Reasons {
    /// Counts a row.
    pub(crate) fn add(&mut self, reason: &'static str, file: &str, row: u64) {
        let reason = self.0.entry(reason).or_insert_with(|| Reason {
            rows: 0,
            first_file: file.to_owned(),
            first_row: row,
        });
        reason.rows += 1;
    }

    /// Returns the number of rejected rows.
    pub(crate) fn rows(&self) -> u64 {
        self.0.values().map(|reason| reason.rows).sum()
    }

    /// Writes the number of accepted rows under `label`, that of rejected rows, and each reason.
    pub(crate) fn write(
        &self,
        out: &mut dyn Write,
        label: &str,
        accepted: u64,
    ) -> Result<(), CliError> {
        let (good, bad, dim) = (style::GOOD, style::BAD, style::DIM);
        let rejected = self.rows();
        let paint = if rejected > 0 { bad } else { good };
        let (accepted, rejected) = (grouped(accepted), grouped(rejected));
        writeln!(out, "  {label:<9} {good}{accepted:>12}{good:#}")?;
        writeln!(out, "  rejected  {paint}{rejected:>12}{paint:#}")?;
        for (code, reason) in &self.0 {
            writeln!(
                out,
                "            {:>12}  {code} {dim}(first: {}:{}){dim:#}",
                grouped(reason.rows),
                printable(&reason.first_file),
                reason.first_row
            )?;
        }
        Ok(())
    }
}

/// The speed of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speed {
    pub(crate) seconds: f64,
    /// Rows per second.
    pub(crate) rate: f64,
}

impl Speed {
    /// Returns the speed of a run that began at `start` and has processed `rows` rows.
    pub(crate) fn since(start: Instant, rows: u64) -> Self {
        let seconds = start.elapsed().as_secs_f64().max(1e-9);
        // Exact below 2^53 rows.
        let rate = (rows as f64 / seconds).round();
        Self { seconds, rate }
    }

    /// Writes the first line of a summary. `noun` is the plural for rows.
    pub(crate) fn write(
        self,
        out: &mut dyn Write,
        rows: u64,
        noun: &str,
        threads: usize,
    ) -> Result<(), CliError> {
        let bold = style::BOLD;
        writeln!(
            out,
            "{bold}{} {noun} in {:.2} s: {} {noun}/s{bold:#} on {}",
            grouped(rows),
            self.seconds,
            grouped(self.rate as u64),
            plural(threads as u64, "thread"),
        )?;
        Ok(())
    }
}
