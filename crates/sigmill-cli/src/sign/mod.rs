//! `sigmill sign`: every row of a table of messages or digests gets a signature.

mod rows;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use serde::Serialize;
use sigmill::{Algorithm, HashName, LowS, Policy, SignatureFormat};

use crate::encoding::{MessageEncoding, TextEncoding};
use crate::error::{CliError, Outcome};
use crate::format::{TableFormat, is_same_file};
use crate::output::{Context, RejectedRow, grouped, write_json_line};
use crate::rows::Chunk;
use crate::rows::cells::Reading;
use crate::rows::columns::{ColumnNames, Wanted};
use crate::rows::fields::Column;
use crate::rows::source::{self, ChunkTaker, End, Input, StrictEnd};
use crate::secret::{KeyKind, Secret};
use crate::sign::rows::{RowSigner, Signed};
use crate::signed::{CellEncoding, KeyShape, SignatureShape, SignedWriter};
use crate::verify::summary::may_be_cut_off;

const LONG_ABOUT: &str = "\
Sign a table of messages or digests: JSON Lines, CSV, Parquet or Arrow IPC.

Each row has a message or its digest, and perhaps a name (id). The output has the columns id, alg, key, message, digest and
signature, and `sigmill verify` reads it. A row that cannot be read is reported as FILE:ROW: ID: REASON: DETAIL and left out.

Signatures are deterministic (RFC 6979): the same row gets the same signature again.";

/// The columns that are made, not read.
const MADE: &[Column] = &[Column::Alg, Column::Key, Column::Signature];

/// The arguments of `sigmill sign`.
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT)]
pub(crate) struct Args {
    /// The table of messages or digests; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The format of the file [default: by extension]
    #[arg(long, value_name = "FORMAT")]
    format: Option<TableFormat>,
    /// The private key: PKCS#8 or SEC 1, PEM or DER, on P-256, P-384 or secp256k1
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The file to write; - is standard output
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// The format of that file [default: by extension]
    #[arg(long, value_name = "FORMAT")]
    out_format: Option<TableFormat>,
    /// The hash: sha256, sha384 or sha512 [default: that of the curve]
    #[arg(long, value_name = "NAME", value_parser = parse_hash)]
    hash: Option<HashName>,
    /// Make s at most half the order, as some ledgers require
    #[arg(long)]
    low_s: bool,
    /// How signatures are encoded
    #[arg(long, value_name = "FORMAT", default_value = "der")]
    signature_format: SignatureShape,
    /// How the public key is encoded
    #[arg(long, value_name = "FORMAT", default_value = "sec1")]
    key_format: KeyShape,
    /// How columns that are written hold bytes [default: hex in text formats, binary in column formats]
    #[arg(long, value_name = "ENCODING")]
    encoding: Option<CellEncoding>,
    /// How text columns that are read hold digests
    #[arg(long, value_name = "ENCODING", default_value = "auto")]
    digest_encoding: TextEncoding,
    /// How text columns hold messages, read and written
    #[arg(long, value_name = "ENCODING", default_value = "utf8")]
    message_encoding: MessageEncoding,
    #[command(flatten)]
    strict_end: StrictEnd,
    #[command(flatten)]
    names: InputNames,
}

/// The names of the columns that are read.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Columns")]
struct InputNames {
    /// The column of the message
    #[arg(long, value_name = "NAME", default_value = "message")]
    message_column: String,
    /// The column of the message's digest
    #[arg(long, value_name = "NAME", default_value = "digest")]
    digest_column: String,
    /// The column that names the row (optional in the file)
    #[arg(long, value_name = "NAME", default_value = "id")]
    id_column: String,
}

fn parse_hash(name: &str) -> Result<HashName, String> {
    let wanted = name.replace('-', "");
    let is_name = |hash: &&HashName| hash.as_str().replace('-', "").eq_ignore_ascii_case(&wanted);
    let found = HashName::ALL.iter().find(is_name).copied();
    found.ok_or_else(|| "it must be sha256, sha384 or sha512".into())
}

/// What was done.
#[derive(Debug, Default, Serialize)]
struct Summary {
    r#type: &'static str,
    rows: u64,
    signed: u64,
    rejected: u64,
    may_be_cut_off: bool,
}

/// Runs `sigmill sign`.
pub(crate) fn run(args: &Args, ctx: &Context) -> Result<Outcome, CliError> {
    let input = Input::new(&args.file, args.format)?;
    let format = TableFormat::of(&args.out, args.out_format, "--out-format")?;
    let encoding = CellEncoding::of(format, args.encoding)?;
    for (what, path) in [("the key", &args.key), ("the table to sign", &args.file)] {
        if is_same_file(path, &args.out) {
            return Err(CliError::Usage(format!(
                "--out {}: this is {what}",
                args.out.display()
            )));
        }
    }
    let secret = Secret::read(&args.key)?;
    let KeyKind::Curve(curve) = secret.kind() else {
        return Err(CliError::file(
            args.key.display().to_string(),
            "secret key: a key of X25519 does not sign; P-256, P-384 and secp256k1 do",
        ));
    };
    let algorithm = Algorithm {
        curve,
        hash: args.hash.unwrap_or(curve.default_algorithm().hash),
    };
    let policy = Policy {
        low_s: if args.low_s {
            LowS::Required
        } else {
            LowS::Optional
        },
        ..Policy::default()
    };
    let signer = RowSigner {
        secret: secret.with_policy(policy),
        algorithm,
        reading: reading(args, algorithm)?,
        encoding,
        signature_format: args.signature_format,
        key: None,
    }
    .with_key(args.key_format);
    let columns = [
        Column::Id,
        Column::Alg,
        Column::Key,
        Column::Message,
        Column::Digest,
        Column::Signature,
    ];
    let writer = SignedWriter::create(&args.out, format, encoding, columns.to_vec())?;
    let mut run = Run {
        ctx,
        name: &input.name,
        signer,
        csv: Default::default(),
        writer,
        summary: Summary {
            r#type: "summary",
            ..Summary::default()
        },
        error: None,
    };
    let wanted = run.signer.reading.wanted.clone();
    // The readers of binary formats are other people's; should one of them panic on a damaged file,
    // that file is at fault.
    let read = catch_unwind(AssertUnwindSafe(|| {
        source::read(&input, &wanted, &Arc::new(AtomicU64::new(0)), &mut run)
    }))
    .unwrap_or_else(|_| Err(CliError::file(&*input.name, "the file is damaged")));
    run.finish(read.and_then(|end| args.strict_end.check(&input, end)))
}

fn reading(args: &Args, algorithm: Algorithm) -> Result<Reading, CliError> {
    let names = ColumnNames {
        id: args.names.id_column.clone(),
        message: args.names.message_column.clone(),
        digest: args.names.digest_column.clone(),
        ..ColumnNames::default()
    };
    Ok(Reading {
        wanted: Wanted::new(names, MADE)?,
        key_encoding: TextEncoding::Auto,
        signature_encoding: TextEncoding::Auto,
        digest_encoding: args.digest_encoding,
        message_encoding: args.message_encoding,
        signature_format: SignatureFormat::Auto,
        algorithm: Some(algorithm),
        key: None,
    })
}

/// Takes chunks, signs and writes them.
struct Run<'a> {
    ctx: &'a Context,
    name: &'a str,
    signer: RowSigner,
    csv: crate::rows::csv::CsvParser,
    writer: SignedWriter,
    summary: Summary,
    error: Option<CliError>,
}

impl ChunkTaker for Run<'_> {
    fn take(&mut self, chunk: Chunk) -> bool {
        if let Err(error) = self.chunk(&chunk) {
            self.error = Some(error);
        }
        self.error.is_none()
    }

    fn is_hungry(&self) -> bool {
        false
    }
}

impl Run<'_> {
    fn chunk(&mut self, chunk: &Chunk) -> Result<(), CliError> {
        let Signed {
            rows,
            rejected,
            signed,
        } = self
            .signer
            .sign(chunk, &mut self.csv)
            .map_err(CliError::Internal)?;
        self.writer.write(&signed)?;
        for (index, id, defect) in rejected {
            let row = self.summary.rows + index + 1;
            self.report(row, id.as_deref(), defect.reason(), &defect.to_string())?;
            self.summary.rejected += 1;
        }
        self.summary.rows += rows;
        self.summary.signed += signed.len() as u64;
        Ok(())
    }

    /// Says on standard error what was left out: standard output may be the file.
    fn report(
        &self,
        row: u64,
        id: Option<&str>,
        reason: &str,
        detail: &str,
    ) -> Result<(), CliError> {
        let rejected = RejectedRow {
            file: self.name,
            row,
            id,
            reason,
            detail,
        };
        rejected.write(&mut self.ctx.stderr(), self.ctx.json)
    }

    fn finish(mut self, read: Result<End, CliError>) -> Result<Outcome, CliError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        // What has been signed is kept, whatever came behind it.
        self.writer.finish()?;
        self.summary.may_be_cut_off = matches!(read, Ok(End::MayBeCutOff));
        let mut stderr = self.ctx.stderr();
        if self.ctx.json {
            write_json_line(&mut stderr, &self.summary)?;
        } else if !self.ctx.quiet {
            let Summary {
                rows,
                signed,
                rejected,
                ..
            } = self.summary;
            use std::io::Write;
            writeln!(
                stderr,
                "{}: {} rows, {} signed, {} rejected",
                self.name,
                grouped(rows),
                grouped(signed),
                grouped(rejected)
            )?;
            if self.summary.may_be_cut_off {
                writeln!(stderr, "  {}", may_be_cut_off(self.name))?;
            }
        }
        read?;
        Ok(if self.summary.rejected == 0 {
            Outcome::Clean
        } else {
            Outcome::Rejected
        })
    }
}
