//! `sigmill recover`: the signer of each row of a table, or of each transaction.

mod defect;
mod report;
mod row;
mod transaction;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use clap::ValueEnum;
use sigmill::Policy;
use sigmill::bulk::Engine;

use crate::encoding::TextEncoding;
use crate::error::{CliError, Outcome};
use crate::files::{Files, check_exists};
use crate::format::{STANDARD_STREAM, TableFormat};
use crate::interrupt;
use crate::output::Context;
use crate::pipeline::Pipeline;
use crate::recover::defect::Defect;
use crate::recover::report::Report;
use crate::recover::row::Column as Written;
use crate::recover::worker::{Job, Source, Worker};
use crate::rows::columns::{ColumnNames, Wanted};
use crate::rows::fields::Column;
use crate::rows::source::{Input, StrictEnd};
use crate::signed::KeyShape;
use crate::written::{CellEncoding, TableWriter};

const LONG_ABOUT: &str = "\
Recover signers: the public key on secp256k1 and its Ethereum address, for each row of a table, or \
for each raw signed transaction (--transactions).

A row of a table has a digest of 32 bytes and a signature of 65 bytes: r, s and v. v is 27 or 28, \
or the recovery id, 0 or 1 (also 2 and 3 with --policy any). A transaction is a line in \
hexadecimal, with or without 0x, as in eth_sendRawTransaction: legacy, EIP-155, 2930, 1559, 4844 \
(with or without its blobs) or 7702. The signer of the transaction is recovered, not those of its \
authorizations. Blobs are not judged.

The output has a row for each row of the input, in order: the columns row and id (for transactions \
type, chain_id and hash), key and address. If there is no key, reason and detail take their place. \
Such rows are also printed on standard error as FILE:ROW: ID: REASON: DETAIL, followed by a \
summary. Rows are counted from 1, without blank lines.

Almost every digest and signature yields a key, so a recovered key proves nothing by itself. \
Compare its address with the address that you expect.";

/// Columns that a table of digests and signatures does not have.
const NOT_READ: &[Column] = &[Column::Alg, Column::Key, Column::Message];

/// The arguments of `sigmill recover`.
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT)]
pub(crate) struct Args {
    /// Table or transactions; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// FILE holds raw signed transactions in hexadecimal, one per line
    #[arg(long, conflicts_with = "format")]
    transactions: bool,
    /// Accept only transactions of this chain, and those from before EIP-155, which name no chain
    #[arg(
        long,
        value_name = "NUMBER",
        requires = "transactions",
        conflicts_with = "format"
    )]
    chain_id: Option<u64>,
    /// Format of the table [default: by extension]
    #[arg(long, value_name = "FORMAT")]
    format: Option<TableFormat>,
    /// File to write; - is standard output
    #[arg(long, short, value_name = "FILE", default_value = STANDARD_STREAM)]
    out: PathBuf,
    /// Format of the output [default: by extension; CSV on standard output]
    #[arg(long, value_name = "FORMAT")]
    out_format: Option<TableFormat>,
    /// Rule for accepting s and v [default: transaction for transactions, precompile for tables]
    #[arg(long, value_name = "NAME")]
    policy: Option<PolicyName>,
    /// Format of public keys
    #[arg(long, value_name = "FORMAT", default_value = "sec1")]
    key_format: KeyShape,
    /// Encoding of public keys in the output [default: hex in text formats, binary in column
    /// formats]
    #[arg(long, value_name = "ENCODING")]
    encoding: Option<CellEncoding>,
    #[command(flatten)]
    strict_end: StrictEnd,
    #[command(flatten)]
    names: InputNames,
}

/// Names and encodings of the columns to read.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Columns of a table")]
struct InputNames {
    /// Column of the digest
    #[arg(long, value_name = "NAME", default_value = "digest")]
    digest_column: String,
    /// Column of the signature
    #[arg(long, value_name = "NAME", default_value = "signature")]
    signature_column: String,
    /// Column that names the row in the output (optional in the file)
    #[arg(long, value_name = "NAME", default_value = "id")]
    id_column: String,
    /// Encoding of digests in text columns
    #[arg(long, value_name = "ENCODING", default_value = "auto")]
    digest_encoding: TextEncoding,
    /// Encoding of signatures in text columns
    #[arg(long, value_name = "ENCODING", default_value = "auto")]
    signature_encoding: TextEncoding,
}

/// Rules for accepting signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PolicyName {
    /// Any s and any recovery id, 0 to 3
    Any,
    /// Any s, as in the contract ecrecover and in transactions before Homestead; v is 27 or 28 (or
    /// recovery id 0 or 1)
    Precompile,
    /// s of at most half the order, as in transactions (EIP-2); v as for precompile
    Transaction,
}

impl PolicyName {
    fn policy(self) -> Policy {
        match self {
            Self::Any => Policy::default(),
            Self::Precompile => Policy::ETHEREUM_PRECOMPILE,
            Self::Transaction => Policy::ETHEREUM_TRANSACTION,
        }
    }
}

/// Runs `sigmill recover`.
pub(crate) fn run(args: &Args, ctx: &Context) -> Result<Outcome, CliError> {
    if args.transactions && !cfg!(feature = "transactions") {
        let missing = Defect::TransactionsMissing;
        return Err(CliError::Usage(format!("--transactions: {missing}")));
    }
    // Transactions are read as lines, whatever the lines contain.
    let format = args.transactions.then_some(TableFormat::Jsonl);
    let input = Input::new(&args.file, format.or(args.format))?;
    Files::default()
        .reads("the file to read", [&args.file])
        .writes("--out", "the table of keys", [&args.out])
        .check()?;
    check_exists(&args.file)?;
    let wanted = wanted(&args.names)?;
    let job = Arc::new(job(args, &wanted)?);
    let default_format = (args.out == Path::new(STANDARD_STREAM)).then_some(TableFormat::Csv);
    let out_format = TableFormat::of(
        &args.out,
        args.out_format.or(default_format),
        "--out-format",
    )?;
    let columns = match args.transactions {
        true => Written::OF_TRANSACTIONS,
        false => Written::OF_DIGESTS,
    };
    let writer = TableWriter::create(
        &args.out,
        out_format,
        CellEncoding::of(out_format, args.encoding)?,
        columns.to_vec(),
    )?;
    let pipeline = Pipeline {
        wanted,
        strict_end: args.strict_end,
        workers: ctx.threads,
        signal: interrupt::watch()?,
        done: Arc::new(AtomicU64::new(0)),
    };
    let mut report = Report::new(ctx, &input, &pipeline, writer);
    let worker = || Worker::new(job.clone());
    pipeline.run(vec![input], worker, |event| report.handle(event))?;
    report.finish()
}

/// Reports whether `bytes` is a signed transaction. For fuzz targets.
pub(crate) fn is_transaction(bytes: &[u8]) -> bool {
    transaction::Transaction::read(bytes).is_ok()
}

fn wanted(names: &InputNames) -> Result<Wanted, CliError> {
    let names = ColumnNames {
        id: names.id_column.clone(),
        digest: names.digest_column.clone(),
        signature: names.signature_column.clone(),
        ..ColumnNames::default()
    };
    Wanted::new(names, NOT_READ)
}

fn job(args: &Args, wanted: &Wanted) -> Result<Job, CliError> {
    let (source, policy) = if args.transactions {
        let source = Source::Transactions {
            chain_id: args.chain_id,
        };
        (source, PolicyName::Transaction)
    } else {
        let source = Source::Digests {
            wanted: wanted.clone(),
            digest_encoding: args.names.digest_encoding,
            signature_encoding: args.names.signature_encoding,
        };
        (source, PolicyName::Precompile)
    };
    let engine = Engine::builder().policy(args.policy.unwrap_or(policy).policy());
    Ok(Job {
        source,
        key_shape: args.key_format,
        engine: engine
            .build()
            .map_err(|e| CliError::Internal(e.to_string()))?,
    })
}
