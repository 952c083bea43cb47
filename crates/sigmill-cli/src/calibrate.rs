//! `sigmill calibrate`: what things cost on this machine, for the planner.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sigmill::bulk::{Costs, calibrate};
use sigmill::{CurveName, cpu};

use crate::error::{CliError, Outcome};
use crate::files::Files;
use crate::keyfile;
use crate::output::{Context, grouped, style, write_json_line};
use crate::sink::{Manner, Sink};

const LONG_ABOUT: &str = "\
Measure what verification costs on this machine.

A table of multiples makes the rows of a key cheaper and costs time to build; which keys get one, \
and how wide, is decided by costs. Those of a reference machine are built in. This command \
measures them here, on one thread: nothing else should keep the machine busy. `sigmill verify \
--costs FILE` takes what `--out FILE` writes.";

/// The arguments of `sigmill calibrate`.
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT)]
pub(crate) struct Args {
    /// Measure for about so long in all
    #[arg(long, value_name = "SECONDS", default_value = "10",
        value_parser = clap::value_parser!(u64).range(0..=3600))]
    seconds: u64,
    /// Also write the costs to this file, as one JSON object
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The widest window there is.
const WIDEST: u32 = 11;

/// The number of costs that are measured: for each curve a row without table, and for each window a
/// row and a table.
const MEASURED: u32 = CurveName::ALL.len() as u32 * (1 + 2 * WIDEST);

/// A file of costs is a kilobyte long.
const MAX_FILE_LEN: u64 = 1 << 16;

/// Costs as JSON, here and in files.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CostsLine {
    r#type: CostsType,
    /// The code that ran while they were measured.
    pub(crate) backend: String,
    /// Nanoseconds, a row or a table each.
    pub(crate) costs: Costs,
}

#[derive(Debug, Serialize, Deserialize)]
enum CostsType {
    #[serde(rename = "costs")]
    Costs,
}

impl CostsLine {
    /// Reads a file that `sigmill calibrate --out` wrote; `-` is standard input.
    pub(crate) fn read(path: &Path) -> Result<Self, CliError> {
        let bytes = keyfile::read_bytes(path, MAX_FILE_LEN)?;
        serde_json::from_slice(&bytes).map_err(|e| {
            CliError::file(
                keyfile::name(path),
                format!("it does not hold the costs that sigmill calibrate writes: {e}"),
            )
        })
    }
}

/// The name of the code that this process uses.
fn backend() -> String {
    let used = cpu::backends().into_iter().find(|backend| backend.used);
    used.map_or_else(String::new, |backend| backend.name.to_owned())
}

/// Runs `sigmill calibrate`.
pub(crate) fn run(args: &Args, ctx: &Context) -> Result<Outcome, CliError> {
    Files::default()
        .prints()
        .writes("--out", "the file of costs", &args.out)
        .check()?;
    if ctx.wants_progress() {
        writeln!(ctx.stderr(), "measuring for about {} s ...", args.seconds)?;
    }
    let line = CostsLine {
        r#type: CostsType::Costs,
        backend: backend(),
        costs: calibrate(Duration::from_secs(args.seconds) / MEASURED),
    };
    if let Some(path) = &args.out {
        let mut text = serde_json::to_vec(&line).map_err(std::io::Error::from)?;
        text.push(b'\n');
        let mut sink = Sink::create(path, Manner::Whole)?;
        let written = sink.write_whole(&text);
        written.map_err(|e| CliError::io(sink.name(), e))?;
        sink.finish()?;
    }
    let mut out = ctx.stdout();
    if ctx.json {
        write_json_line(&mut out, &line)?;
    } else if !ctx.quiet {
        write_text(&mut out, &line)?;
    }
    out.flush()?;
    Ok(Outcome::Clean)
}

fn write_text(out: &mut impl Write, line: &CostsLine) -> Result<(), CliError> {
    let (bold, dim) = (style::BOLD, style::DIM);
    writeln!(
        out,
        "{bold}costs in microseconds{bold:#} on one thread, backend {}",
        line.backend
    )?;
    for &curve in CurveName::ALL {
        let costs = line.costs.of(curve);
        writeln!(
            out,
            "\n{bold}{curve:<10} {:>10} {:>12}{bold:#}",
            "a row", "the table"
        )?;
        writeln!(out, "  {:<9} {:>9}", "fresh", microseconds(costs.fresh))?;
        for (window, (&row, &build)) in
            (1..=costs.prepared.len()).zip(costs.prepared.iter().zip(&costs.build))
        {
            let (row, build) = (microseconds(row), microseconds(build));
            writeln!(
                out,
                "  {:<9} {row:>9} {build:>12}",
                format!("window {window}")
            )?;
        }
        if let Some(rows) = costs.pays_from(WIDEST) {
            writeln!(
                out,
                "  {dim}a key gets a table when it has {} rows{dim:#}",
                grouped(rows)
            )?;
        }
    }
    Ok(())
}

fn microseconds(nanoseconds: u64) -> String {
    // Exact below 2^53 ns, a hundred days.
    format!("{:.1}", nanoseconds as f64 / 1000.0)
}
