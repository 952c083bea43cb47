//! `sigmill jws`: verifies compact tokens with the keys of a JWK set.

mod keys;
mod report;
mod token;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sigmill::bulk::Engine;
use sigmill::jose::Error;

use crate::error::{CliError, Outcome};
use crate::files::Files;
use crate::format::STANDARD_STREAM;
use crate::jws::keys::Keys;
use crate::jws::report::Report;
use crate::jws::token::Rejected;
use crate::keyfile;
use crate::output::Context;
use crate::rows::text::{Piece, TextKind, TextReader};

/// The maximum length of a JWK set: room for some thousand keys.
const MAX_JWKS_LEN: u64 = 16 << 20;

const LONG_ABOUT: &str = "\
Verify compact JWS tokens (JWTs), one per line, with the keys of a JWK set.

A token names its algorithm (alg: ES256, ES384, ES512 or ES256K) and its key (kid). The key must \
be for that algorithm, by its curve and by its members alg, use and key_ops if present. Exactly \
one key must have the kid. A token without kid uses the only key that fits its algorithm, if there \
is exactly one. Tokens with crit, with b64 set to false or with any other algorithm (including \
\"none\") are rejected. Keys of other types are ignored and counted. Malformed keys are reported \
and counted, and a token that names one is rejected.

Headers and keys must be unambiguous JSON: a repeated member in any object, or text that is not \
Unicode, is rejected.

Only signatures are verified: claims (exp, nbf, aud, iss, ...) are not judged.

Rejected tokens are printed as FILE:LINE: KID: REASON: DETAIL, followed by a summary. Blank lines \
are skipped.";

/// The arguments of `sigmill jws`.
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT)]
pub(crate) struct Args {
    /// Tokens, one per line; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// JWK set; - is standard input
    #[arg(long, value_name = "FILE")]
    jwks: PathBuf,
}

/// Runs `sigmill jws`.
pub(crate) fn run(args: &Args, ctx: &Context) -> Result<Outcome, CliError> {
    Files::default()
        .reads("the tokens", [&args.file])
        .reads("the keys", [&args.jwks])
        .prints()
        .check()?;
    let keys = read_jwks(&args.jwks)?;
    for rule in keys.malformed() {
        ctx.report_warning(&format!("{}: {rule}", keyfile::name(&args.jwks)));
    }
    let name = keyfile::name(&args.file);
    let io_error = |e| CliError::io(name.as_str(), e);
    let (source, len) = open(&args.file).map_err(io_error)?;
    let internal = |e: &dyn std::fmt::Display| CliError::Internal(e.to_string());
    let engine = Engine::builder().build().map_err(|e| internal(&e))?;

    let mut reader = TextReader::new(source, TextKind::Lines).map_err(io_error)?;
    let mut report = Report::new(ctx, name.clone(), len);
    let mut lines = 0;
    // Judge what has arrived so far: a person may be typing tokens.
    while let Some(piece) = reader.next_piece(|| true).map_err(io_error)? {
        match piece {
            Piece::Records(text) => {
                let tokens = tokens(&text, &mut lines);
                let verdicts = judge(&tokens, &keys, &engine, ctx.threads);
                report.add(&verdicts, text.len() as u64)?;
            }
            // A line too long to be kept.
            Piece::Defect(_) => {
                lines += 1;
                let rejected = Rejected {
                    kid: None,
                    error: Error::TokenTooLong,
                };
                report.add(&[(lines, Err(rejected))], 0)?;
            }
        }
    }
    report.finish(&keys, &engine, ctx.threads)
}

/// Reports whether each token of `text` is valid under the JWK set `jwks`. For fuzz targets.
pub(crate) fn judge_text(jwks: &str, text: &[u8], engine: &Engine) -> Result<Vec<bool>, String> {
    let keys = Keys::read(jwks)?;
    let tokens = tokens(text, &mut 0);
    let verdicts = token::judge(tokens.iter().map(|(_, token)| *token), &keys, engine);
    Ok(verdicts.iter().map(Result::is_ok).collect())
}

fn read_jwks(path: &Path) -> Result<Keys, CliError> {
    let defect = |message: String| CliError::file(keyfile::name(path), message);
    let bytes = keyfile::read_bytes(path, MAX_JWKS_LEN)?;
    let text = str::from_utf8(&bytes).map_err(|_| defect("must be UTF-8".into()))?;
    Keys::read(text).map_err(defect)
}

/// Opens the source of tokens, and returns its length if it is a file.
fn open(path: &Path) -> io::Result<(Box<dyn Read>, Option<u64>)> {
    if path == Path::new(STANDARD_STREAM) {
        return Ok((Box::new(io::stdin()), None));
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok((Box::new(file), metadata.is_file().then_some(metadata.len())))
}

/// Splits whole lines into tokens, each with its line number; `lines` continues the count.
fn tokens<'a>(text: &'a [u8], lines: &mut u64) -> Vec<(u64, &'a [u8])> {
    text.split_inclusive(|&byte| byte == b'\n')
        .filter_map(|line| {
            *lines += 1;
            let token = line.trim_ascii();
            (!token.is_empty()).then_some((*lines, token))
        })
        .collect()
}

/// The maximum number of tokens that a thread judges at a time.
const MOST_TOKENS: usize = 2048;

/// The minimum number. Fewer are not worth waking another thread.
const FEWEST_TOKENS: usize = 64;

fn judge(
    tokens: &[(u64, &[u8])],
    keys: &Keys,
    engine: &Engine,
    threads: usize,
) -> Vec<(u64, Result<(), Rejected>)> {
    let share = tokens.len().div_ceil(threads);
    tokens
        .par_chunks(share.clamp(FEWEST_TOKENS, MOST_TOKENS))
        .flat_map_iter(|tokens| {
            let verdicts = token::judge(tokens.iter().map(|(_, token)| *token), keys, engine);
            tokens.iter().map(|(line, _)| *line).zip(verdicts)
        })
        .collect()
}
