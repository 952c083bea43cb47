//! `sigmill convert`: converts the signatures of a table to another form, without the private key.

mod rows;

use std::path::PathBuf;
use std::sync::Arc;

use sigmill::Algorithm;
use sigmill::bulk::Engine;

use crate::convert::rows::{Converter, Form, Worker};
use crate::curves;
use crate::encoding::MessageEncoding;
use crate::error::{CliError, Outcome};
use crate::files::{Files, check_exists};
use crate::format::TableFormat;
use crate::output::Context;
use crate::rows::cells::ReadOptions;
use crate::rows::columns::ColumnNames;
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
    #[arg(long, value_name = "NAME", value_parser = curves::parse_algorithm)]
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

/// Runs `sigmill convert`.
pub(crate) fn run(args: &Args, ctx: &Context) -> Result<Outcome, CliError> {
    Files::default()
        .reads("the table to convert", [&args.file])
        .reads("the public key", &args.key)
        .writes("--out", "the converted table", [&args.out])
        .check()?;
    check_exists(&args.file)?;
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
        options: read_options(args)?,
        encoding,
        format,
    });
    let writer = SignedWriter::create(&args.out, format, encoding, COLUMNS.to_vec())?;
    let wanted = converter.options.wanted.clone();
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

fn read_options(args: &Args) -> Result<ReadOptions, CliError> {
    let mut options = ReadOptions::new(args.names.clone(), args.alg, args.key.as_deref())?;
    options.wanted = options.wanted.keeping_messages();
    options.message_encoding = args.message_encoding;
    Ok(options)
}
