//! `sigmill calibrate`: measures the speed of this machine, for the planner.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sigmill::bulk::{Costs, Speed, calibrate};
use sigmill::{CurveName, cpu};

use crate::error::{CliError, Outcome};
use crate::files::Files;
use crate::keyfile;
use crate::output::{Context, grouped, style, write_json_line};
use crate::sink::{Sink, WriteMode};

const LONG_ABOUT: &str = "\
Measure how fast this machine computes.

A table of multiples makes the rows of a key cheaper and costs time to build; which keys get one, \
and how wide, follows from the number of operations and from how long one takes. `sigmill verify` \
times a few of them when it starts. This command takes longer, and measures memory too, on one \
thread: nothing else should keep the machine busy. `sigmill verify --costs FILE` takes what \
`--out FILE` writes.";

/// The arguments of `sigmill calibrate`.
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT)]
pub(crate) struct Args {
    /// Approximate duration of the measurement
    #[arg(long, value_name = "SECONDS", default_value = "2",
        value_parser = clap::value_parser!(u64).range(0..=3600))]
    seconds: u64,
    /// Also write the result to this file, as one JSON object
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The widest window.
const WIDEST: u32 = 11;

/// The number of rows that a large call judges together.
const MANY: u64 = 2048;

/// The maximum length of a file. A speed needs about a kilobyte.
const MAX_FILE_LEN: u64 = 1 << 16;

/// A speed as JSON, in output and in files.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpeedLine {
    r#type: SpeedType,
    /// The backend that was measured.
    pub(crate) backend: String,
    /// Picoseconds per operation.
    pub(crate) speed: Speed,
}

#[derive(Debug, Serialize, Deserialize)]
enum SpeedType {
    #[serde(rename = "speed")]
    Speed,
}

/// The type that every line of JSON states.
#[derive(Deserialize)]
struct Typed {
    r#type: String,
}

impl SpeedLine {
    /// Reads a file that `sigmill calibrate --out` wrote; `-` is standard input.
    pub(crate) fn read(path: &Path) -> Result<Self, CliError> {
        let bytes = keyfile::read_bytes(path, MAX_FILE_LEN)?;
        serde_json::from_slice(&bytes).map_err(|e| {
            let name = keyfile::name(path);
            match serde_json::from_slice::<Typed>(&bytes) {
                Ok(Typed { r#type }) if r#type == "costs" => CliError::file(
                    name,
                    "it holds the costs of every window, as an earlier sigmill calibrate wrote \
                     them; they now follow from a few numbers: run sigmill calibrate --out again",
                ),
                _ => CliError::file(
                    name,
                    format!("it does not hold the speed that sigmill calibrate writes: {e}"),
                ),
            }
        })
    }
}

/// Returns the name of the backend that this process uses.
fn backend() -> String {
    let used = cpu::backends().into_iter().find(|backend| backend.used);
    used.map_or_else(String::new, |backend| backend.name.to_owned())
}

/// Runs `sigmill calibrate`.
pub(crate) fn run(args: &Args, ctx: &Context) -> Result<Outcome, CliError> {
    Files::default()
        .prints()
        .writes("--out", "the file of what was measured", &args.out)
        .check()?;
    if ctx.wants_progress() {
        writeln!(ctx.stderr(), "measuring for about {} s ...", args.seconds)?;
    }
    let line = SpeedLine {
        r#type: SpeedType::Speed,
        backend: backend(),
        speed: calibrate(Duration::from_secs(args.seconds)),
    };
    if let Some(path) = &args.out {
        let mut text = serde_json::to_vec(&line).map_err(std::io::Error::from)?;
        text.push(b'\n');
        let mut sink = Sink::create(path, WriteMode::Whole)?;
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

fn write_text(out: &mut impl Write, line: &SpeedLine) -> Result<(), CliError> {
    let (bold, dim) = (style::BOLD, style::DIM);
    let speed = &line.speed;
    let costs = Costs::new(*speed).map_err(|e| CliError::Usage(e.to_string()))?;
    writeln!(
        out,
        "{bold}nanoseconds on one thread, backend {}{bold:#}",
        line.backend
    )?;
    for &curve in CurveName::ALL {
        let field = speed.of(curve);
        writeln!(
            out,
            "\n{bold}{curve:<10} {:>12} {:>12} {:>12}{bold:#}",
            "in turn", "product", "square"
        )?;
        let mut times = |what: &str, times: &sigmill::bulk::OperationSpeed| {
            let [turn, product, square] =
                [times.in_turn, times.product, times.square].map(nanoseconds);
            writeln!(out, "  {what:<8} {turn:>12} {product:>12} {square:>12}")
        };
        times("single", &field.single)?;
        if field.lanes > 1 {
            times(&format!("{} lanes", field.lanes), &field.wide)?;
        }
        writeln!(
            out,
            "  {:<8} {:>12}",
            "inverse",
            nanoseconds(field.inversion)
        )?;
        let pays = |rows| {
            costs
                .pays_from(curve, WIDEST, rows)
                .map_or("no number of".to_owned(), grouped)
        };
        writeln!(
            out,
            "  {dim}a key gets a table when it has {} rows in single calls, {} among many{dim:#}",
            pays(1),
            pays(MANY)
        )?;
    }
    let memory = &speed.memory;
    let kibibytes = |bytes: u64| grouped(bytes >> 10);
    writeln!(out, "\n{bold}a point of a table{bold:#}")?;
    writeln!(
        out,
        "  beyond {} KiB {} more, beyond {} KiB {} more",
        kibibytes(memory.second_level_bytes),
        nanoseconds(memory.third_level),
        kibibytes(memory.third_level_bytes),
        nanoseconds(memory.memory),
    )?;
    Ok(())
}

fn nanoseconds(picoseconds: u64) -> String {
    // Exact below 2^53 ps, or two hours.
    format!("{:.1}", picoseconds as f64 / 1000.0)
}
