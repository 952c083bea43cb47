//! `sigmill sample`: a table of valid, invalid and malformed signatures.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::ValueEnum;
use rayon::prelude::*;
use serde::Serialize;
use sigmill::CurveName;
use sigmill_sample::{Choices, Expected, KeyEncoding, Malformed, Row, RowMaker};

use crate::curves;
use crate::error::{CliError, Outcome};
use crate::files::Files;
use crate::format::TableFormat;
use crate::interrupt;
use crate::output::{Context, grouped, printable, style, write_json_line};
use crate::rows::fields::Column;
use crate::signed::{KeyShape, SignatureShape, SignedRow, SignedWriter, Value};
use crate::written::CellEncoding;

const LONG_ABOUT: &str = "\
Write a sample table of signatures, for experiments and benchmarks.

The same options produce the same file. The id of each row states its kind and its row number N: \
valid-N, invalid-N (well formed, but the message, the key or the signature was changed) or \
malformed-N (a broken signature, key, algorithm or row). Signatures are deterministic (RFC 6979).";

/// Rows generated at a time.
const CHUNK_ROWS: u64 = 2048;

/// Rows signed in one call. They share its inversions, and a chunk has enough of them for every
/// thread.
const TOGETHER: usize = 512;

/// The arguments of `sigmill sample`.
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT)]
pub(crate) struct Args {
    /// Number of rows
    #[arg(long, value_name = "N")]
    rows: u64,
    /// Number of keys that sign them
    #[arg(long, value_name = "K", default_value = "16",
        value_parser = clap::value_parser!(u32).range(1..))]
    keys: u32,
    /// File to write; - is standard output
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Format of the file [default: by extension]
    #[arg(long, value_name = "FORMAT")]
    format: Option<TableFormat>,
    #[arg(
        long,
        value_name = "CURVE",
        default_value = "P-256",
        value_delimiter = ',',
        value_parser = curves::parse,
        help = format!("Curve: {}; several are used in turn", curves::one_of(&[])),
    )]
    curve: Vec<CurveName>,
    /// Distribution of signatures over keys
    #[arg(long, value_name = "HOW", default_value = "uniform")]
    distribution: Distribution,
    /// Share of invalid rows, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = parse_share)]
    invalid: f64,
    /// Share of malformed rows, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = parse_share)]
    malformed: f64,
    /// Seed from which keys, messages and choices are derived
    #[arg(long, value_name = "S", default_value = "0")]
    seed: u64,
    #[command(flatten)]
    shape: Shape,
}

/// Form of the rows.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Shape of the rows")]
struct Shape {
    /// Signed input: the message, or its digest
    #[arg(long, value_name = "WHAT", default_value = "message")]
    input: InputShape,
    /// Format of signatures
    #[arg(long, value_name = "FORMAT", default_value = "der")]
    signature_format: SignatureShape,
    /// Format of keys
    #[arg(long, value_name = "FORMAT", default_value = "sec1")]
    key_format: KeyShape,
    /// Encoding of bytes in columns [default: hex in text formats, binary in column formats]
    #[arg(long, value_name = "ENCODING")]
    encoding: Option<CellEncoding>,
}

/// The signed input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum InputShape {
    /// The message
    Message,
    /// Its digest
    Digest,
}

/// The distribution of signatures over keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Distribution {
    /// Every key equally often
    Uniform,
    /// The k-th key 1/k times as often as the first
    Zipf,
}

fn parse_share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("must be a number from 0 to 1".into()),
    }
}

impl Args {
    /// Converts the arguments to choices for the generator.
    fn choices(&self, format: TableFormat, encoding: CellEncoding) -> Choices {
        let mut defects = Malformed::VALUES.to_vec();
        if encoding != CellEncoding::Binary {
            defects.push(Malformed::BadEncoding);
        }
        if format == TableFormat::Jsonl {
            defects.push(Malformed::Truncated);
        }
        Choices {
            curves: self.curve.clone(),
            keys: self.keys,
            distribution: match self.distribution {
                Distribution::Uniform => sigmill_sample::Distribution::Uniform,
                Distribution::Zipf => sigmill_sample::Distribution::Zipf,
            },
            invalid: self.invalid,
            malformed: self.malformed,
            defects,
            seed: self.seed,
            are_digests: self.shape.input == InputShape::Digest,
            key_encoding: match self.shape.key_format {
                KeyShape::Sec1 => KeyEncoding::Sec1,
                KeyShape::Sec1Compressed => KeyEncoding::Sec1Compressed,
                KeyShape::Spki => KeyEncoding::Spki,
                KeyShape::Pem => KeyEncoding::Pem,
            },
            format: self.shape.signature_format.into(),
        }
    }
}

/// Generates the rows with these indices, in order, on all cores.
fn rows(maker: &RowMaker<'_>, indices: Range<u64>) -> Vec<Row> {
    let starts: Vec<u64> = indices.clone().step_by(TOGETHER).collect();
    let end = |start: u64| indices.end.min(start + TOGETHER as u64);
    let rows = starts.into_par_iter();
    rows.flat_map_iter(|start| maker.rows(start..end(start)))
        .collect()
}

/// Converts a generated row to a row to write.
fn signed(row: Row, choices: &Choices) -> SignedRow {
    let text = |bytes| Value::Text(String::from_utf8(bytes).expect("it is ASCII"));
    let key = |key| match choices.key_encoding {
        KeyEncoding::Pem => text(key),
        _ => Value::Bytes(key),
    };
    let (message, digest) = match choices.are_digests {
        true => (None, Some(Value::Bytes(row.input))),
        false => (Some(text(row.input)), None),
    };
    let is = |defect| row.expected == Expected::Malformed(defect);
    SignedRow {
        id: Some(Value::Text(row.id)),
        alg: Some(Value::Text(row.alg)),
        key: row.key.map(key),
        message,
        digest,
        signature: match is(Malformed::BadEncoding) {
            true => Some(Value::Text("no digits!".into())),
            false => row.signature.map(Value::Bytes),
        },
        is_truncated: is(Malformed::Truncated),
    }
}

/// The summary of what was written.
#[derive(Debug, Default, Serialize)]
struct Written {
    rows: u64,
    valid: u64,
    invalid: u64,
    malformed: u64,
    keys: u32,
    interrupted: bool,
}

/// Runs `sigmill sample`.
pub(crate) fn run(args: &Args, ctx: &Context) -> Result<Outcome, CliError> {
    if args.invalid + args.malformed > 1.0 {
        return Err(CliError::Usage(
            "sum of --invalid and --malformed must be at most 1".into(),
        ));
    }
    Files::default()
        .writes("--out", "the sample", [&args.out])
        .check()?;
    let format = TableFormat::of(&args.out, args.format, "--format")?;
    let encoding = CellEncoding::of(format, args.shape.encoding)?;
    let choices = args.choices(format, encoding);
    let signal = interrupt::watch()?;
    let is_interrupted = || signal.load(Ordering::Relaxed) != 0;
    let input = match args.shape.input {
        InputShape::Message => Column::Message,
        InputShape::Digest => Column::Digest,
    };
    let columns = vec![
        Column::Id,
        Column::Alg,
        Column::Key,
        input,
        Column::Signature,
    ];
    let mut writer = SignedWriter::create(&args.out, format, encoding, columns)?;
    let mut written = Written {
        keys: args.keys,
        ..Written::default()
    };
    let keys = (0..choices.key_count())
        .into_par_iter()
        .map(|number| (!is_interrupted()).then(|| choices.key(number)))
        .collect::<Option<_>>();
    let maker = keys.map(|keys| RowMaker::new(&choices, keys));
    let mut first = 0;
    while let Some(maker) = &maker
        && first < args.rows
        && !is_interrupted()
    {
        let end = args.rows.min(first + CHUNK_ROWS);
        let rows = rows(maker, first..end);
        for row in &rows {
            match row.expected {
                Expected::Valid => written.valid += 1,
                Expected::Invalid => written.invalid += 1,
                Expected::Malformed(_) => written.malformed += 1,
            }
        }
        let rows = rows.into_iter().map(|row| signed(row, &choices));
        writer.write(&rows.collect::<Vec<_>>())?;
        written.rows = end;
        first = end;
    }
    writer.finish()?;
    let signal = signal.load(Ordering::Relaxed);
    written.interrupted = signal != 0;
    report(ctx, args, &written)?;
    Ok(match signal {
        0 => Outcome::Clean,
        signal => Outcome::Interrupted(u8::try_from(signal).unwrap_or(u8::MAX)),
    })
}

/// Reports on standard error what was written, because standard output may be the file.
fn report(ctx: &Context, args: &Args, written: &Written) -> Result<(), CliError> {
    use std::io::Write;
    let mut stderr = ctx.stderr();
    if ctx.quiet {
        return Ok(());
    }
    if ctx.json {
        return write_json_line(&mut stderr, written);
    }
    if written.interrupted {
        let (bad, until) = (style::BAD, "partial output");
        writeln!(stderr, "{bad}interrupted{bad:#}: {until}")?;
    }
    let curves: Vec<String> = args.curve.iter().map(ToString::to_string).collect();
    writeln!(
        stderr,
        "wrote {} rows to {}: {} valid, {} invalid, {} malformed; {} keys on {}",
        grouped(written.rows),
        printable(&args.out.display().to_string()),
        grouped(written.valid),
        grouped(written.invalid),
        grouped(written.malformed),
        grouped(u64::from(written.keys)),
        curves.join(", "),
    )?;
    Ok(())
}
