//! `sigmill sign`: a signature for every row of a table of messages or digests.

pub(crate) mod report;
pub(crate) mod rows;

use std::path::PathBuf;
use std::sync::Arc;

use sigmill::{Algorithm, HashName, Policy};

use crate::curves;
use crate::encoding::{MessageEncoding, TextEncoding};
use crate::error::{CliError, Outcome};
use crate::files::{Files, check_exists};
use crate::format::TableFormat;
use crate::output::Context;
use crate::rows::cells::ReadOptions;
use crate::rows::columns::{ColumnNames, Wanted};
use crate::rows::fields::Column;
use crate::rows::source::{Input, StrictEnd};
use crate::secret::Secret;
use crate::sign::report::{SIGNED, write_table};
use crate::sign::rows::{RowSigner, Worker};
use crate::signed::{COLUMNS, KeyShape, SignatureShape, SignedWriter};
use crate::written::CellEncoding;

const LONG_ABOUT: &str = "\
Sign a table of messages or digests: JSON Lines, CSV, Parquet or Arrow IPC.

Each row has a message or a digest, and optionally a name (id). The output has the columns id, \
alg, key, message, digest and signature, which `sigmill verify` reads. Rows that cannot be read \
are reported as FILE:ROW: ID: REASON: DETAIL and left out.

Signatures are deterministic (RFC 6979): the same row always gets the same signature.";

/// Columns that are generated, not read.
const MADE: &[Column] = &[Column::Alg, Column::Key, Column::Signature];

/// The arguments of `sigmill sign`.
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT)]
pub(crate) struct Args {
    /// Table of messages or digests; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Format of the table [default: by extension]
    #[arg(long, value_name = "FORMAT")]
    format: Option<TableFormat>,
    #[arg(long, value_name = "FILE",
        help = format!("The private key: PKCS#8 or SEC 1, PEM or DER, on {}", curves::one_of(&[])))]
    key: PathBuf,
    /// File to write; - is standard output
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Format of the output [default: by extension]
    #[arg(long, value_name = "FORMAT")]
    out_format: Option<TableFormat>,
    /// Hash: sha256, sha384 or sha512 [default: that of the curve]
    #[arg(long, value_name = "NAME", value_parser = parse_hash)]
    hash: Option<HashName>,
    /// Make s at most half the order, as some ledgers require
    #[arg(long)]
    low_s: bool,
    /// Format of signatures
    #[arg(long, value_name = "FORMAT", default_value = "der")]
    signature_format: SignatureShape,
    /// Format of the public key
    #[arg(long, value_name = "FORMAT", default_value = "sec1")]
    key_format: KeyShape,
    /// Encoding of bytes in the output's columns [default: hex in text formats, binary in column
    /// formats]
    #[arg(long, value_name = "ENCODING")]
    encoding: Option<CellEncoding>,
    /// Encoding of digests in text columns of the input
    #[arg(long, value_name = "ENCODING", default_value = "auto")]
    digest_encoding: TextEncoding,
    /// Encoding of messages in text columns of the input and the output
    #[arg(long, value_name = "ENCODING", default_value = "utf8")]
    message_encoding: MessageEncoding,
    #[command(flatten)]
    strict_end: StrictEnd,
    #[command(flatten)]
    names: InputNames,
}

/// Names of the columns to read.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Columns")]
struct InputNames {
    /// Column of the message
    #[arg(long, value_name = "NAME", default_value = "message")]
    message_column: String,
    /// Column of the message's digest
    #[arg(long, value_name = "NAME", default_value = "digest")]
    digest_column: String,
    /// Column that names the row (optional in the file)
    #[arg(long, value_name = "NAME", default_value = "id")]
    id_column: String,
}

fn parse_hash(name: &str) -> Result<HashName, String> {
    let wanted = name.replace('-', "");
    let is_name = |hash: &&HashName| hash.as_str().replace('-', "").eq_ignore_ascii_case(&wanted);
    let found = HashName::ALL.iter().find(is_name).copied();
    found.ok_or_else(|| "must be sha256, sha384 or sha512".into())
}

/// Runs `sigmill sign`.
pub(crate) fn run(args: &Args, ctx: &Context) -> Result<Outcome, CliError> {
    Files::default()
        .reads("the table to sign", [&args.file])
        .reads("the key", [&args.key])
        .writes("--out", "the signed table", [&args.out])
        .check()?;
    check_exists(&args.file)?;
    let input = Input::new(&args.file, args.format)?;
    let format = TableFormat::of(&args.out, args.out_format, "--out-format")?;
    let encoding = CellEncoding::of(format, args.encoding)?;
    let Secret::OnCurve(key) = Secret::read(&args.key)? else {
        return Err(CliError::file(
            args.key.display().to_string(),
            format!(
                "secret key: X25519 cannot sign; use a key on {}",
                curves::one_of(&[])
            ),
        ));
    };
    let default = key.algorithm();
    let algorithm = Algorithm::new(default.curve, args.hash.unwrap_or(default.hash));
    let policy = match args.low_s {
        true => Policy::LOW_S,
        false => Policy::default(),
    };
    let signer = RowSigner {
        key_cell: args.key_format.value(&key.verifying_key()),
        key: key.with_policy(policy),
        algorithm,
        options: read_options(args, algorithm)?,
        encoding,
        format,
        signature_format: args.signature_format.into(),
    };
    let writer = SignedWriter::create(&args.out, format, encoding, COLUMNS.to_vec())?;
    let signer = Arc::new(signer);
    let wanted = signer.options.wanted.clone();
    let worker = || Worker::new(signer.clone());
    write_table(ctx, input, wanted, args.strict_end, writer, SIGNED, worker)
}

fn read_options(args: &Args, algorithm: Algorithm) -> Result<ReadOptions, CliError> {
    let names = ColumnNames {
        id: args.names.id_column.clone(),
        message: args.names.message_column.clone(),
        digest: args.names.digest_column.clone(),
        ..ColumnNames::default()
    };
    Ok(ReadOptions {
        wanted: Wanted::new(names, MADE)?,
        digest_encoding: args.digest_encoding,
        message_encoding: args.message_encoding,
        ..ReadOptions::new(ColumnNames::default(), Some(algorithm), None)?
    })
}
