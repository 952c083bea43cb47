//! `sigmill verify`: a verdict for every row of a table of signatures.

pub(crate) mod explain;
pub(crate) mod hints;
pub(crate) mod key_store;
mod report;
pub(crate) mod summary;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use sigmill::bulk::Engine;
use sigmill::{Algorithm, KeyPurpose, LowS, Policy, SignatureFormat};

use crate::calibrate::SpeedLine;
use crate::encoding::{MessageEncoding, TextEncoding};
use crate::error::{CliError, Outcome};
use crate::files::{Files, check_there};
use crate::format::TableFormat;
use crate::interrupt;
use crate::judge::{Extras, Judge};
use crate::keyfile::{self, KeyCurve};
use crate::memory;
use crate::output::Context;
use crate::pipeline::{Event, Pipeline};
use crate::rows::cells::Reading;
use crate::rows::columns::{ColumnNames, Wanted};
use crate::rows::fields::Column;
use crate::rows::source::{Input, StrictEnd};
use crate::verdicts::{Column as Written, VerdictWriter};
use crate::verify::explain::Explanation;
use crate::verify::hints::HintArgs;
use crate::verify::key_store::StoreFile;
use crate::verify::report::Report;
use crate::verify::summary::CostsOrigin;
use crate::written::CellEncoding;

const LONG_ABOUT: &str = "\
Verify a table of signatures: JSON Lines, CSV, Parquet or Arrow IPC.

Each row has an algorithm (alg), a public key (key), a signature (signature), what was signed \
(message, or its digest), and perhaps a name (id). Each gets a verdict: valid, or rejected with \
the field and the rule it breaks. A row that cannot be read is rejected too. Rejected rows are \
printed as FILE:ROW: ID: REASON: DETAIL, rows counted from 1 (blank lines and the header of a CSV \
file do not count); a summary follows.

Keys are SEC 1 points, SPKI in DER or PEM, or JWKs, told apart by content. PEM may have text \
around its one block. A JWK must be for this by its use, key_ops and alg, where it has them. Text \
columns hold keys, signatures and digests in hex, base64 or base64url, and messages as they are \
(see --message-encoding); binary columns hold bytes.

A key with enough rows gets a table of its multiples, which makes each of them cheaper; it is kept \
for later rows as long as it is among the hottest that --key-memory has room for. The summary says \
what was chosen, --explain what it cost.

An archive that is verified again is faster the second time: --write-hints FILE notes half a byte \
for each row, and --hints FILE reads it. On curves of 256 bits a signature may be 65 bytes, r, s \
and v (0 to 3, or 27 to 30), unless it has to be DER; v is such a hint. No hint, right or wrong, \
changes a verdict; the batches that --hints allows err as --batch says.";

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
    #[arg(long, value_name = "NAME", value_parser = parse_algorithm)]
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
    effort: Effort,
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
#[command(next_help_heading = "Effort")]
struct Effort {
    /// Memory for recurring keys and their tables, in MiB, allocated as needed; at most the
    /// machine's memory [default: 256]
    #[arg(long, value_name = "MIB")]
    key_memory: Option<usize>,
    /// Width of the widest tables, from 1 to 11 bits [default: 10]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(1..=11))]
    window: Option<u32>,
    /// Speed of this machine, as written by `sigmill calibrate --out FILE`; it decides which keys
    /// get tables [default: measured in a millisecond]
    #[arg(long, value_name = "FILE")]
    costs: Option<PathBuf>,
    /// Load the keys that came most from this file, if it exists, and save them there at the end
    #[arg(long, value_name = "FILE")]
    key_store: Option<PathBuf>,
}

fn parse_algorithm(name: &str) -> Result<Algorithm, String> {
    name.parse()
        .map_err(|e: sigmill::Error| format!("{e}; ES256, ES256K, P-384-SHA256 are examples"))
}

fn parse_signature_format(name: &str) -> Result<SignatureFormat, String> {
    name.parse().map_err(|e: sigmill::Error| e.to_string())
}

/// Runs `sigmill verify`.
pub(crate) fn run(args: &Args, ctx: &Context) -> Result<Outcome, CliError> {
    let effort = &args.effort;
    Files::default()
        .reads("one of the files to verify", &args.files)
        .reads("the public key", &args.key)
        .reads("the file of costs", &effort.costs)
        .reads("the file of hints", &args.hints.hints)
        .prints()
        .writes(
            "--write-hints",
            "the file of hints",
            &args.hints.write_hints,
        )
        .writes("--key-store", "the key store", &effort.key_store)
        .writes("--out", "the table of verdicts", &args.out)
        .check()?;
    let inputs = inputs(args)?;
    let reading = Arc::new(reading(args)?);
    let (engine, costs) = engine(args)?;
    let missing = args.files.iter().map(|path| check_there(path));
    let missing: Vec<CliError> = missing.filter_map(Result::err).collect();
    if missing.len() == inputs.len() {
        // Nothing to judge: no summary, and files written by earlier runs stay.
        missing.iter().for_each(|error| ctx.report_error(error));
        return Ok(Outcome::Failed);
    }
    let signal = interrupt::watch()?;
    let given = args.hints.open(ctx.threads, &signal)?;
    let mut store_file = match &effort.key_store {
        Some(path) => Some(StoreFile::load(path, engine.key_store())?),
        None => None,
    };
    // Last, open the files that may replace those of an earlier run as soon as they are opened.
    let sidecar = args.hints.sidecar(given.as_ref())?;
    let out = match &args.out {
        Some(path) => Some(create_out(path, args)?),
        None => None,
    };
    let engine = Arc::new(engine);
    let extras = Extras {
        ids: out.is_some(),
        plans: args.explain,
        hints: args.hints.write_hints.is_some(),
        signatures: sidecar.is_some(),
    };
    let pipeline = Pipeline {
        wanted: reading.wanted.clone(),
        strict_end: args.strict_end,
        workers: ctx.threads,
        signal,
        done: Arc::new(AtomicU64::new(0)),
    };
    let explained = args.explain.then(Explanation::default);
    let mut report = Report::new(ctx, &inputs, &pipeline, engine.clone(), explained, out);
    report.follow(sidecar, batches(args));
    let judge = || Judge::new(engine.clone(), reading.clone(), extras).with_hints(given.clone());
    pipeline.run(inputs, judge, |event| report.take(event))?;
    if let Some(file) = &mut store_file
        && let Err(error) = file.save(engine.key_store())
    {
        report.take(Event::Failed(error))?;
    }
    report.finish(costs, store_file)
}

fn inputs(args: &Args) -> Result<Vec<Input>, CliError> {
    args.files
        .iter()
        .map(|path| Input::new(path, args.format))
        .collect()
}

fn reading(args: &Args) -> Result<Reading, CliError> {
    let key = args.key.as_deref().map(|path| {
        // The algorithm's curve decides; no curve is guessed.
        let known = args.alg.map(|algorithm| KeyCurve::Is(algorithm.curve));
        let curve = known.unwrap_or(KeyCurve::NamedBy("--alg"));
        keyfile::read(path, KeyPurpose::Verify, curve)
    });
    let key = key.transpose()?;
    let default = args.encodings.encoding;
    let without: &[Column] = match (args.alg, &key) {
        (None, None) => &[],
        (Some(_), None) => &[Column::Alg],
        (None, Some(_)) => &[Column::Key],
        (Some(_), Some(_)) => &[Column::Alg, Column::Key],
    };
    let names = ColumnNames {
        hint: args.hints.hint_column.clone(),
        ..args.names.clone()
    };
    Ok(Reading {
        wanted: Wanted::new(names, without)?,
        key_encoding: args.encodings.key_encoding.unwrap_or(default),
        signature_encoding: args.encodings.signature_encoding.unwrap_or(default),
        digest_encoding: args.encodings.digest_encoding.unwrap_or(default),
        message_encoding: args.encodings.message_encoding,
        signature_format: args.signature_format,
        algorithm: args.alg,
        // The DER names the curve, so that rows of another algorithm are rejected for a mismatch.
        key: key.map(|key| key.to_public_key_der()),
    })
}

/// Returns true if rows with hints are judged in batches.
fn batches(args: &Args) -> bool {
    args.hints.batch || args.hints.hints.is_some() || args.hints.hint_column.is_some()
}

fn engine(args: &Args) -> Result<(Engine, CostsOrigin), CliError> {
    let mut builder = Engine::builder();
    if let Some(mebibytes) = args.effort.key_memory {
        builder = builder.key_memory(key_memory(mebibytes)?);
    }
    if let Some(window) = args.effort.window {
        builder = builder.window(window);
    }
    let mut policy = Policy::default().with_batch(batches(args));
    if args.require_low_s {
        policy = policy.with_low_s(LowS::Required);
    }
    builder = builder.policy(policy);
    let Some(path) = &args.effort.costs else {
        let engine = builder
            .build()
            .map_err(|e| CliError::Usage(e.to_string()))?;
        return Ok((engine, CostsOrigin::Measured));
    };
    let line = SpeedLine::read(path)?;
    let name = keyfile::name(path);
    let engine = builder
        .speed(line.speed)
        .build()
        .map_err(|e| CliError::file(&*name, e.to_string()))?;
    let origin = CostsOrigin::File {
        file: name,
        backend: line.backend,
    };
    Ok((engine, origin))
}

/// Returns `--key-memory` in bytes. It is allocated as needed, and may not exceed the machine's
/// memory.
fn key_memory(mebibytes: usize) -> Result<usize, CliError> {
    if let Some(most) = memory::of_machine().filter(|&most| mebibytes as u64 > most) {
        return Err(CliError::Usage(format!(
            "--key-memory {mebibytes}: it must not be more than the machine has, which is {most} \
             MiB"
        )));
    }
    Ok(mebibytes.saturating_mul(1 << 20))
}

fn create_out(path: &Path, args: &Args) -> Result<VerdictWriter, CliError> {
    let format = TableFormat::of(path, args.out_format, "--out-format")?;
    VerdictWriter::create(path, format, CellEncoding::Hex, Written::ALL.to_vec())
}
