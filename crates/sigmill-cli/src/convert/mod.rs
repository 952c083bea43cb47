//! `sigmill convert`: converts the signatures of a table to another form, without the private key.

mod rows;

use std::path::PathBuf;
use std::sync::Arc;

use sigmill::bulk::Engine;
use sigmill::{Algorithm, KeyPurpose, SignatureFormat};

use crate::convert::rows::{Converter, Form, Worker};
use crate::encoding::{MessageEncoding, TextEncoding};
use crate::error::{CliError, Outcome};
use crate::files::{Files, check_there};
use crate::format::TableFormat;
use crate::keyfile::{self, KeyCurve};
use crate::output::Context;
use crate::rows::cells::Reading;
use crate::rows::columns::{ColumnNames, Wanted};
use crate::rows::fields::Column;
use crate::rows::source::{Input, StrictEnd};
use crate::sign::report::write_table;
use crate::signed::{COLUMNS, SignedWriter};
use crate::written::CellEncoding;

const LONG_ABOUT: &str = "\
Convert the signatures of a table: JSON Lines, CSV, Parquet or Arrow IPC.

If (r, s) is a valid signature, so is (r, n - s). One of the two is friendly: its point R has an \
even y, so a verifier knows R without a hint. One of the two has a low s, which some ledgers \
require. These two may or may not be the same one.

Each row is verified once. The output has the columns id, alg, key, message, digest and signature, \
which `sigmill verify` reads. Signatures keep their format: DER, or r and s side by side, followed \
by v (27 to 30) if the input had v. Rows that cannot be read, that are not valid or that have no \
such form are reported as FILE:ROW: ID: REASON: DETAIL and left out.";

/// The arguments of `sigmill convert`.
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT)]
pub(crate) struct Args {
    /// Table of signatures; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    to: To,
    /// Format of the table [default: by extension]
    #[arg(long, value_name = "FORMAT")]
    format: Option<TableFormat>,
    /// File to write; - is standard output
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Format of the output [default: by extension]
    #[arg(long, value_name = "FORMAT")]
    out_format: Option<TableFormat>,
    /// Algorithm of every row; the alg column is not read
    #[arg(long, value_name = "NAME", value_parser = parse_algorithm)]
    alg: Option<Algorithm>,
    /// File with the public key of every row, in any encoding; the key column is not read
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Encoding of bytes in the output's columns [default: hex in text formats, binary in column
    /// formats]
    #[arg(long, value_name = "ENCODING")]
    encoding: Option<CellEncoding>,
    /// Encoding of messages in text columns of the input and the output
    #[arg(long, value_name = "ENCODING", default_value = "utf8")]
    message_encoding: MessageEncoding,
    #[command(flatten)]
    strict_end: StrictEnd,
    #[command(flatten)]
    names: ColumnNames,
}

/// The requested form.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct To {
    /// Make y(R) even, so that verification needs no hint
    #[arg(long)]
    friendly: bool,
    /// Make s at most half the order, as some ledgers require
    #[arg(long)]
    low_s: bool,
}

fn parse_algorithm(name: &str) -> Result<Algorithm, String> {
    name.parse().map_err(|e: sigmill::Error| e.to_string())
}

/// Runs `sigmill convert`.
pub(crate) fn run(args: &Args, ctx: &Context) -> Result<Outcome, CliError> {
    Files::default()
        .reads("the table to convert", [&args.file])
        .reads("the public key", &args.key)
        .writes("--out", "the converted table", [&args.out])
        .check()?;
    check_there(&args.file)?;
    let input = Input::new(&args.file, args.format)?;
    let format = TableFormat::of(&args.out, args.out_format, "--out-format")?;
    let encoding = CellEncoding::of(format, args.encoding)?;
    let engine = Engine::builder().build();
    let converter = Arc::new(Converter {
        engine: engine.map_err(|e| CliError::Usage(e.to_string()))?,
        form: match args.to.friendly {
            true => Form::Friendly,
            false => Form::LowS,
        },
        reading: reading(args)?,
        encoding,
        format,
    });
    let writer = SignedWriter::create(&args.out, format, encoding, COLUMNS.to_vec())?;
    let wanted = converter.reading.wanted.clone();
    let worker = || Worker::new(converter.clone());
    write_table(
        ctx,
        input,
        wanted,
        args.strict_end,
        writer,
        "converted",
        worker,
    )
}

fn reading(args: &Args) -> Result<Reading, CliError> {
    let key = args.key.as_deref().map(|path| {
        let known = args.alg.map(|algorithm| KeyCurve::Is(algorithm.curve));
        let curve = known.unwrap_or(KeyCurve::NamedBy("--alg"));
        keyfile::read(path, KeyPurpose::Verify, curve)
    });
    let key = key.transpose()?;
    let without: &[Column] = match (args.alg, &key) {
        (None, None) => &[],
        (Some(_), None) => &[Column::Alg],
        (None, Some(_)) => &[Column::Key],
        (Some(_), Some(_)) => &[Column::Alg, Column::Key],
    };
    Ok(Reading {
        wanted: Wanted::new(args.names.clone(), without)?.keeping_messages(),
        key_encoding: TextEncoding::Auto,
        signature_encoding: TextEncoding::Auto,
        digest_encoding: TextEncoding::Auto,
        message_encoding: args.message_encoding,
        signature_format: SignatureFormat::Auto,
        algorithm: args.alg,
        key: key.map(|key| key.to_public_key_der()),
    })
}
