//! `sigmill verify`: a verdict for every row of a table of signatures.

pub(crate) mod explain;
pub(crate) mod hints;
pub(crate) mod key_store;
mod report;
pub(crate) mod summary;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use sigmill::bulk::{Engine, Speed};
use sigmill::{Algorithm, Policy, SignatureFormat};

use crate::curves;
use crate::encoding::{MessageEncoding, TextEncoding};
use crate::error::{CliError, Outcome};
use crate::files::{Files, check_exists};
use crate::format::TableFormat;
use crate::interrupt;
use crate::judge::{Extras, Judge};
use crate::memory;
use crate::output::Context;
use crate::pipeline::Pipeline;
use crate::rows::cells::ReadOptions;
use crate::rows::columns::ColumnNames;
use crate::rows::source::{Input, StrictEnd};
use crate::verdicts::{Column as Written, VerdictWriter};
use crate::verify::explain::Explanation;
use crate::verify::hints::HintArgs;
use crate::verify::key_store::StoreFile;
use crate::verify::report::Report;
use crate::verify::summary::SpeedChoice;
use crate::written::CellEncoding;

const LONG_ABOUT: &str = "\
Verify a table of signatures: JSON Lines, CSV, Parquet or Arrow IPC.

Each row has an algorithm (alg), a public key (key), a signature (signature), the signed message \
(message) or its digest (digest), and optionally a name (id). Each row gets a verdict: valid, or \
rejected with the field and the rule that it breaks. Rows that cannot be read are rejected too. \
Rejected rows are printed as FILE:ROW: ID: REASON: DETAIL, followed by a summary. Rows are counted \
from 1, without blank lines and without the header of a CSV file.

Keys are SEC 1 points, SPKI in DER or PEM, or JWKs; the format is detected. PEM may have text \
around its one block. A JWK must allow verification by its members use, key_ops and alg, if \
present. Text columns hold keys, signatures and digests in hex, base64 or base64url, and messages \
as they are (see --message-encoding). Binary columns hold bytes.

A key with enough rows gets a table of its multiples, which makes each row cheaper. Tables are \
kept for later rows; if --key-memory is full, those of the most frequent keys stay. The summary \
states what was chosen, and --explain what it cost.

If an archive is verified more than once, hints make the later runs faster: --write-hints FILE \
writes half a byte per row, and --hints FILE reads it. On curves of 256 bits a signature may have \
65 bytes, r, s and v (0 to 3, or 27 to 30), unless DER is required; v is also a hint. No hint, \
right or wrong, changes a verdict. Batches, which --hints allows, have the error probability \
stated at --batch.";

/// The arguments of `sigmill verify`.
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT)]
pub(crate) struct Args {
    /// Tables of signatures; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Format of the files [default: by extension]
    #[arg(long, value_name = "FORMAT")]
    format: Option<TableFormat>,
    /// Write a table of verdicts, one per row: file, row, id, valid, reason, detail
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Format of the table of verdicts [default: by extension]
    #[arg(long, value_name = "FORMAT", requires = "out")]
    out_format: Option<TableFormat>,
    /// Also print how the rows were verified: strategies, tables, estimated and actual cost
    #[arg(long)]
    explain: bool,
    /// Algorithm of every row; the alg column is not read
    #[arg(long, value_name = "NAME", value_parser = curves::parse_algorithm)]
    alg: Option<Algorithm>,
    /// File with the public key of every row, in any encoding; the key column is not read. A bare
    /// SEC 1 point is taken to be on the curve of --alg
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Accept s only up to half the order, as some ledgers do
    #[arg(long)]
    require_low_s: bool,
    /// Format of signatures. auto: r and s side by side if the length fits, otherwise strict DER. v
    /// may follow r and s of 32 bytes each (see --batch)
    #[arg(long, value_name = "FORMAT", default_value = "auto",
        value_parser = parse_signature_format)]
    signature_format: SignatureFormat,
    #[command(flatten)]
    strict_end: StrictEnd,
    #[command(flatten)]
    names: ColumnNames,
    #[command(flatten)]
    hints: HintArgs,
    #[command(flatten)]
    encodings: Encodings,
    #[command(flatten)]
    resources: Resources,
}

/// Encodings of bytes in text columns.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Encodings of text columns")]
struct Encodings {
    /// Encoding of keys (except PEM and JWK), signatures and digests
    #[arg(long, value_name = "ENCODING", default_value = "auto")]
    encoding: TextEncoding,
    /// Encoding of keys, if different
    #[arg(long, value_name = "ENCODING")]
    key_encoding: Option<TextEncoding>,
    /// Encoding of signatures, if different
    #[arg(long, value_name = "ENCODING")]
    signature_encoding: Option<TextEncoding>,
    /// Encoding of digests, if different
    #[arg(long, value_name = "ENCODING")]
    digest_encoding: Option<TextEncoding>,
    /// Encoding of messages
    #[arg(long, value_name = "ENCODING", default_value = "utf8")]
    message_encoding: MessageEncoding,
}

/// The share of the machine that a run uses.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Resources")]
struct Resources {
    /// Memory for recurring keys and their tables, in MiB, allocated as needed; at most the
    /// machine's memory [default: 256]
    #[arg(long, value_name = "MIB")]
    key_memory: Option<usize>,
    /// Width of the widest tables, from 1 to 11 bits [default: 10]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(1..=11))]
    window: Option<u32>,
    /// Speed of the machine, which decides which keys get tables
    #[arg(long, value_name = "SPEED", default_value = "measured")]
    speed: SpeedChoice,
    /// Load the most frequent keys from this file, if it exists, and save them there at the end
    #[arg(long, value_name = "FILE")]
    key_store: Option<PathBuf>,
}

fn parse_signature_format(name: &str) -> Result<SignatureFormat, String> {
    name.parse().map_err(|e: sigmill::Error| e.to_string())
}

/// Runs `sigmill verify`.
pub(crate) fn run(args: &Args, ctx: &Context) -> Result<Outcome, CliError> {
    let resources = &args.resources;
    Files::default()
        .reads("an input file", &args.files)
        .reads("the public key", &args.key)
        .reads("the file of hints", &args.hints.hints)
        .prints()
        .writes(
            "--write-hints",
            "the file of hints",
            &args.hints.write_hints,
        )
        .writes("--key-store", "the key store", &resources.key_store)
        .writes("--out", "the table of verdicts", &args.out)
        .check()?;
    let inputs = inputs(args)?;
    let options = Arc::new(read_options(args)?);
    let engine = engine(args)?;
    let missing = args.files.iter().map(|path| check_exists(path));
    let missing: Vec<CliError> = missing.filter_map(Result::err).collect();
    if missing.len() == inputs.len() {
        // Nothing to judge: no summary, and files written by earlier runs stay.
        missing.iter().for_each(|error| ctx.report_error(error));
        return Ok(Outcome::Failed);
    }
    let signal = interrupt::watch()?;
    let given = args.hints.open(ctx.threads, &signal)?;
    let mut store_file = match &resources.key_store {
        Some(path) => Some(StoreFile::load(path, engine.key_store())?),
        None => None,
    };
    // Last, open the files that may replace those of an earlier run as soon as they are opened.
    let run_hints = args.hints.for_run(given.as_ref())?;
    let out = match &args.out {
        Some(path) => Some(create_out(path, args)?),
        None => None,
    };
    let engine = Arc::new(engine);
    let extras = Extras {
        ids: out.is_some(),
        plans: args.explain,
        hints: args.hints.write_hints.is_some(),
        signatures: run_hints.is_some(),
    };
    let pipeline = Pipeline {
        wanted: options.wanted.clone(),
        strict_end: args.strict_end,
        workers: ctx.threads,
        signal,
        done: Arc::new(AtomicU64::new(0)),
    };
    let explained = args.explain.then(Explanation::default);
    let mut report = Report::new(ctx, &inputs, &pipeline, engine.clone(), explained, out);
    report.set_hints(run_hints, batches(args));
    let judge = || Judge::new(engine.clone(), options.clone(), extras).with_hints(given.clone());
    pipeline.run(inputs, judge, |event| report.handle(event))?;
    if let Some(file) = &mut store_file
        && let Err(error) = file.save(engine.key_store())
    {
        report.fail(&error)?;
    }
    report.finish(resources.speed, store_file)
}

fn inputs(args: &Args) -> Result<Vec<Input>, CliError> {
    args.files
        .iter()
        .map(|path| Input::new(path, args.format))
        .collect()
}

fn read_options(args: &Args) -> Result<ReadOptions, CliError> {
    let names = ColumnNames {
        hint: args.hints.hint_column.clone(),
        ..args.names.clone()
    };
    let encodings = &args.encodings;
    Ok(ReadOptions {
        key_encoding: encodings.key_encoding.unwrap_or(encodings.encoding),
        signature_encoding: encodings.signature_encoding.unwrap_or(encodings.encoding),
        digest_encoding: encodings.digest_encoding.unwrap_or(encodings.encoding),
        message_encoding: encodings.message_encoding,
        signature_format: args.signature_format,
        ..ReadOptions::new(names, args.alg, args.key.as_deref())?
    })
}

/// Returns true if rows with hints are judged in batches.
fn batches(args: &Args) -> bool {
    args.hints.batch || args.hints.hints.is_some() || args.hints.hint_column.is_some()
}

fn engine(args: &Args) -> Result<Engine, CliError> {
    let mut builder = Engine::builder();
    if let Some(mebibytes) = args.resources.key_memory {
        builder = builder.key_memory(key_memory(mebibytes)?);
    }
    if let Some(window) = args.resources.window {
        builder = builder.window(window);
    }
    let policy = match args.require_low_s {
        true => Policy::LOW_S,
        false => Policy::default(),
    };
    builder = builder.policy(policy.with_batch(batches(args)));
    if args.resources.speed == SpeedChoice::Fixed {
        builder = builder.speed(Speed::Fixed);
    }
    builder.build().map_err(|e| CliError::Usage(e.to_string()))
}

/// Returns `--key-memory` in bytes. It is allocated as needed, and may not exceed the machine's
/// memory.
fn key_memory(mebibytes: usize) -> Result<usize, CliError> {
    if let Some(most) = memory::of_machine().filter(|&most| mebibytes as u64 > most) {
        return Err(CliError::Usage(format!(
            "--key-memory {mebibytes}: must be at most the machine's memory, {most} MiB"
        )));
    }
    Ok(mebibytes.saturating_mul(1 << 20))
}

fn create_out(path: &Path, args: &Args) -> Result<VerdictWriter, CliError> {
    let format = TableFormat::of(path, args.out_format, "--out-format")?;
    VerdictWriter::create(path, format, CellEncoding::Hex, Written::ALL.to_vec())
}
