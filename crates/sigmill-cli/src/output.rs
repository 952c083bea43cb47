//! Output for the user: standard output, colours, errors.

mod printable;
mod report;

use std::io::{self, BufWriter, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

use crate::error::CliError;
use crate::options::{ColorWhen, GlobalArgs};
use crate::output::printable::{Printable, printable_char};
use crate::threads;

pub(crate) use crate::output::printable::{printable, printable_lines};
pub(crate) use crate::output::report::{Progress, Reasons, Speed};

/// The styles of the output. They reach only streams that want colour; [`Context::stdout`] strips
/// them otherwise.
pub(crate) mod style {
    use anstyle::{AnsiColor, Style};

    /// A valid signature, a passed check.
    pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
    /// A rejected signature.
    pub(crate) const BAD: Style = AnsiColor::Red.on_default();
    /// The word `error`.
    pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
    /// A heading.
    pub(crate) const BOLD: Style = Style::new().bold();
    /// An aside.
    pub(crate) const DIM: Style = Style::new().dimmed();
}

/// The form of this run's output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// Print only rejected items and errors.
    pub(crate) quiet: bool,
    /// Print one JSON object per line instead of text.
    pub(crate) json: bool,
    /// The number of worker threads.
    pub(crate) threads: usize,
    colour: ColorChoice,
}

impl Context {
    /// Creates the context that the global options request.
    pub(crate) fn new(args: &GlobalArgs) -> Self {
        let colour = match args.color {
            ColorWhen::Auto => ColorChoice::Auto,
            ColorWhen::Always => ColorChoice::Always,
            ColorWhen::Never => ColorChoice::Never,
        };
        Self {
            quiet: args.quiet,
            json: args.json,
            threads: threads::count(args.threads),
            colour,
        }
    }

    /// Returns standard output, buffered, without colours where they are not wanted. Flush it
    /// before the run ends: an error of a write (a broken pipe too) must reach the exit code, and
    /// is lost on drop.
    pub(crate) fn stdout(&self) -> impl Write + use<> {
        let stream = AutoStream::new(io::stdout(), self.colour);
        Printable::new(BufWriter::with_capacity(1 << 16, stream), self.json)
    }

    /// Returns standard error, without colours where they are not wanted.
    pub(crate) fn stderr(&self) -> impl Write + use<> {
        Printable::new(AutoStream::new(io::stderr(), self.colour), self.json)
    }

    /// Returns true if a progress bar is wanted: a person is watching and did not request silence.
    pub(crate) fn wants_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// Prints `error: ...` on standard error. Prints nothing if the reader of standard output has
    /// gone away.
    pub(crate) fn report_error(&self, error: &CliError) {
        if !error.is_broken_pipe() {
            let style = style::ERROR;
            // If standard error is closed too, nothing can be done.
            let message = error.to_string();
            let message = printable(&message);
            let _ = writeln!(self.stderr(), "{style}error:{style:#} {message}");
        }
    }

    /// Prints `warning: ...` on standard error.
    pub(crate) fn report_warning(&self, message: &str) {
        let style = style::BOLD;
        // If standard error is closed, nothing can be done.
        let _ = writeln!(
            self.stderr(),
            "{style}warning:{style:#} {}",
            printable(message)
        );
    }
}

/// Writes one JSON object and a line break.
pub(crate) fn write_json_line(
    out: &mut (impl Write + ?Sized),
    value: &impl Serialize,
) -> Result<(), CliError> {
    serde_json::to_writer(&mut *out, value).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(())
}

/// A row that is not in the file that is written, and why. As JSON it has the type "rejected".
#[derive(Serialize)]
#[serde(tag = "type", rename = "rejected")]
pub(crate) struct RejectedRow<'a> {
    pub(crate) file: &'a str,
    pub(crate) row: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<&'a str>,
    pub(crate) reason: &'a str,
    pub(crate) detail: &'a str,
}

impl RejectedRow<'_> {
    /// Writes a line of text or of JSON.
    pub(crate) fn write(
        &self,
        out: &mut (impl Write + ?Sized),
        json: bool,
    ) -> Result<(), CliError> {
        if json {
            return write_json_line(out, self);
        }
        let place = format!("{}:{}", self.file, self.row);
        write_rejected(out, &place, self.id, self.reason, self.detail)
    }
}

/// The length at which text output truncates an id. JSON holds all of it.
const MAX_SHOWN_ID: usize = 80;

/// Writes `PLACE: ID: REASON: DETAIL`, without characters that could mislead on a terminal.
pub(crate) fn write_rejected(
    out: &mut (impl Write + ?Sized),
    place: &str,
    id: Option<&str>,
    reason: &str,
    detail: &str,
) -> Result<(), CliError> {
    let (bad, dim) = (style::BAD, style::DIM);
    let mut line = format!("{}: ", printable(place));
    if let Some(id) = id {
        let mut shown = id.chars();
        line.extend(shown.by_ref().take(MAX_SHOWN_ID).map(printable_char));
        line.push_str(if shown.next().is_some() {
            "...: "
        } else {
            ": "
        });
    }
    writeln!(
        out,
        "{line}{bad}{}{bad:#}: {dim}{}{dim:#}",
        printable(reason),
        printable(detail)
    )?;
    Ok(())
}

/// The line of a summary about a file that may be truncated.
pub(crate) fn may_be_truncated(file: &str) -> String {
    let bad = style::BAD;
    format!(
        "{bad}may be truncated{bad:#}: {} ended without an end mark, or without a line break",
        printable(file)
    )
}

/// Formats a number with its noun: `1 row`, `2,000 rows`.
pub(crate) fn plural(number: u64, noun: &str) -> String {
    format!(
        "{} {noun}{}",
        grouped(number),
        if number == 1 { "" } else { "s" }
    )
}

/// Formats `1234567` as `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
