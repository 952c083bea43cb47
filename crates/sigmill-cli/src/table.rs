//! `sigmill table`: the multiplication table of a public key.

mod json;
mod openssl_c;
mod points;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use data_encoding::HEXLOWER;
use serde::Serialize;
use sigmill::{AnyPreparedKey, CurveName, KeyPurpose};

use crate::curves;
use crate::error::{CliError, Outcome};
use crate::files::Files;
use crate::format::STANDARD_STREAM;
use crate::keyfile::{self, KeyCurve};
use crate::output::{Context, grouped, printable, write_json_line};
use crate::sink::{Manner, Sink};

const LONG_ABOUT: &str = "\
Write the multiplication table of a public key.

With its table, a key verifies without doublings: row i holds j * 2^(W i) * Q for j = 1 to \
2^(W-1), where Q is the key and W the window. A window of 7 bits makes 151,552 bytes for P-256; \
each further bit nearly doubles that.

The file holds the key as SPKI in PEM, as a JWK, or as SPKI in DER or a SEC 1 point in binary, hex \
or base64; it is told apart by content. A SEC 1 point of 33 or 65 bytes needs --curve, as it fits \
every curve of 256 bits.";

/// The arguments of `sigmill table`.
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT)]
pub(crate) struct Args {
    /// Public key; - is standard input
    #[arg(value_name = "KEYFILE")]
    key: PathBuf,
    /// Width of the window, from 1 to 11 bits
    #[arg(long, short, value_name = "BITS", default_value = "7",
        value_parser = clap::value_parser!(u32).range(1..=11))]
    window: u32,
    /// Format of the table
    #[arg(long, short, value_name = "FORMAT")]
    format: Format,
    /// Write to this file [default: standard output]
    #[arg(
        long,
        short,
        value_name = "FILE",
        default_value = STANDARD_STREAM,
        hide_default_value = true
    )]
    out: PathBuf,
    /// Curve that the key must be on [default: the curve that the key names]
    #[arg(long, value_name = "CURVE", value_parser = curves::parse)]
    curve: Option<CurveName>,
}

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// C array in the form of OpenSSL's own table, with coordinates in Montgomery form
    OpensslC,
    /// One JSON object, with coordinates in hex
    Json,
}

/// A description of a table as JSON.
#[derive(Serialize)]
struct TableLine<'a> {
    r#type: &'static str,
    file: &'a str,
    curve: String,
    window: u32,
    rows: usize,
    row_points: usize,
    table_bytes: usize,
    key: String,
    seconds: f64,
}

/// Runs `sigmill table`.
pub(crate) fn run(args: &Args, ctx: &Context) -> Result<Outcome, CliError> {
    let out = args.out.as_path();
    let to_stdout = out == Path::new(STANDARD_STREAM);
    let files = Files::default().reads("the key file", [&args.key]);
    let files = if to_stdout { files } else { files.prints() };
    files.writes("--out", "the table", [&args.out]).check()?;
    let curve = args
        .curve
        .map_or(KeyCurve::NamedBy("--curve"), KeyCurve::Is);
    let verifying_key = keyfile::read(&args.key, KeyPurpose::Verify, curve)?;
    let start = Instant::now();
    // The window has been checked. Any other failure is still reported.
    let prepared = verifying_key
        .prepare_with_window(args.window)
        .map_err(|e| CliError::Usage(e.to_string()))?;
    let elapsed = start.elapsed();
    let mut sink = Sink::create(out, Manner::Whole)?;
    let name = sink.name().to_owned();
    let io_error = |e: io::Error| match e.kind() {
        io::ErrorKind::BrokenPipe => CliError::Stdout(e),
        _ => CliError::io(&*name, e),
    };
    render(&mut sink, &prepared, args.format, io_error)?;
    let is_stdout = sink.is_stdout();
    sink.finish()?;
    if !is_stdout {
        report(out, &prepared, elapsed, ctx)?;
    }
    Ok(Outcome::Clean)
}

fn render(
    out: &mut impl Write,
    key: &AnyPreparedKey,
    format: Format,
    io_error: impl Fn(io::Error) -> CliError,
) -> Result<(), CliError> {
    match format {
        Format::OpensslC => openssl_c::write(out, points::rows(key)),
        Format::Json => json::write(
            out,
            &key.verifying_key().to_sec1_bytes(false),
            points::rows(key),
        ),
    }
    .map_err(io_error)
}

/// Describes the table in the file.
fn report(
    path: &Path,
    key: &AnyPreparedKey,
    elapsed: Duration,
    ctx: &Context,
) -> Result<(), CliError> {
    if ctx.quiet {
        return Ok(());
    }
    let name = keyfile::name(path);
    let rows = points::rows(key);
    let mut out = ctx.stdout();
    if ctx.json {
        write_json_line(
            &mut out,
            &TableLine {
                r#type: "table",
                file: &name,
                curve: key.curve().to_string(),
                window: key.window(),
                rows: rows.len,
                row_points: rows.row_len(),
                table_bytes: key.memory_bytes(),
                key: HEXLOWER.encode(&key.verifying_key().to_sec1_bytes(true)),
                seconds: elapsed.as_secs_f64(),
            },
        )?;
    } else {
        writeln!(
            out,
            "{}: wrote, {}, window {}, {} x {} points, {} bytes in memory, {:.1} ms, key {}",
            printable(&name),
            key.curve(),
            key.window(),
            rows.len,
            rows.row_len(),
            grouped(key.memory_bytes() as u64),
            elapsed.as_secs_f64() * 1e3,
            HEXLOWER.encode(&key.verifying_key().to_sec1_bytes(true)),
        )?;
    }
    out.flush()?;
    Ok(())
}
