//! Output of `sigmill jws`.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

use serde::Serialize;
use sigmill::bulk::Engine;

use super::keys::Keys;
use super::token::Rejected;
use crate::error::{CliError, Outcome};
use crate::output::{
    Context, Progress, Reasons, Speed, grouped, style, write_json_line, write_rejected,
};

/// The limits of the check, as the summary states them.
const SCOPE: &str = "signatures only: claims (exp, nbf, aud, iss, ...) are not judged";

/// Prints rejected tokens and counts all tokens.
pub(super) struct Report<'a> {
    ctx: &'a Context,
    out: Box<dyn Write>,
    progress: Progress,
    file: String,
    /// The number of bytes that have been read.
    bytes: u64,
    start: Instant,
    tokens: u64,
    reasons: Reasons,
}

/// A rejected token as JSON.
#[derive(Serialize)]
struct RejectedLine<'a> {
    r#type: &'static str,
    file: &'a str,
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    kid: Option<&'a str>,
    reason: &'static str,
    detail: String,
}

/// The summary of a file.
#[derive(Serialize)]
struct Summary {
    r#type: &'static str,
    tokens: u64,
    valid: u64,
    rejected: u64,
    reasons: Reasons,
    usable_keys: usize,
    unusable_keys: BTreeMap<String, u64>,
    seconds: f64,
    tokens_per_second: f64,
    threads: usize,
    /// Signatures verified without a table of their key, and with one.
    fresh: u64,
    prepared: u64,
    tables: u64,
    scope: &'static str,
}

impl<'a> Report<'a> {
    /// Creates a report; `len` is the length of the file in bytes, if known.
    pub(super) fn new(ctx: &'a Context, file: String, len: Option<u64>) -> Self {
        Self {
            ctx,
            out: Box::new(ctx.stdout()),
            progress: Progress::new(ctx, len),
            file,
            bytes: 0,
            start: Instant::now(),
            tokens: 0,
            reasons: Reasons::default(),
        }
    }

    /// Adds the verdicts on the tokens in the next `bytes` bytes of the file, each with its line.
    pub(super) fn add(
        &mut self,
        verdicts: &[(u64, Result<(), Rejected>)],
        bytes: u64,
    ) -> Result<(), CliError> {
        self.tokens += verdicts.len() as u64;
        let rejected = verdicts
            .iter()
            .filter_map(|(line, verdict)| Some((*line, verdict.as_ref().err()?)));
        let mut has_rejected = false;
        for (line, rejected) in rejected.clone() {
            has_rejected = true;
            let reason = rejected.error.reason();
            self.reasons.add(reason, &self.file, line);
        }
        let (ctx, out, file) = (self.ctx, &mut self.out, &self.file);
        let print = || -> Result<(), CliError> {
            for (line, rejected) in rejected {
                write_line(ctx, out, file, line, rejected)?;
            }
            // Flush, so that these verdicts are on record, however the run ends.
            Ok(out.flush()?)
        };
        self.bytes += bytes;
        let message = || format!("{} tokens", grouped(self.tokens));
        self.progress.show(self.bytes, message);
        match has_rejected {
            true => self.progress.suspend(print),
            false => Ok(()),
        }
    }

    /// Prints the summary.
    pub(super) fn finish(
        mut self,
        keys: &Keys,
        engine: &Engine,
        threads: usize,
    ) -> Result<Outcome, CliError> {
        self.progress.finish();
        let speed = Speed::since(self.start, self.tokens);
        let rejected = self.reasons.rows();
        let stats = engine.stats();
        let unusable = keys.set.unusable();
        let unusable = unusable.map(|(what, count)| (what.to_owned(), count));
        let summary = Summary {
            r#type: "summary",
            tokens: self.tokens,
            valid: self.tokens - rejected,
            rejected,
            reasons: self.reasons,
            usable_keys: keys.set.keys().len(),
            unusable_keys: unusable.collect(),
            seconds: speed.seconds,
            tokens_per_second: speed.rate,
            threads,
            fresh: stats.fresh,
            prepared: stats.prepared,
            tables: stats.tables_built,
            scope: SCOPE,
        };
        if !self.ctx.quiet {
            if self.ctx.json {
                write_json_line(&mut self.out, &summary)?;
            } else {
                summary.write(&mut self.out, speed)?;
            }
        }
        self.out.flush()?;
        Ok(Outcome::of(0, false, rejected))
    }
}

fn write_line(
    ctx: &Context,
    out: &mut impl Write,
    file: &str,
    line: u64,
    rejected: &Rejected,
) -> Result<(), CliError> {
    let Rejected { kid, error } = rejected;
    let (kid, reason, detail) = (kid.as_deref(), error.reason(), error.to_string());
    if ctx.json {
        let line = RejectedLine {
            r#type: "rejected",
            file,
            line,
            kid,
            reason,
            detail,
        };
        write_json_line(out, &line)
    } else {
        write_rejected(out, &format!("{file}:{line}"), kid, reason, &detail)
    }
}

impl Summary {
    fn write(&self, out: &mut dyn Write, speed: Speed) -> Result<(), CliError> {
        let dim = style::DIM;
        speed.write(out, self.tokens, "tokens", self.threads)?;
        self.reasons.write(out, "valid", self.valid)?;
        writeln!(out, "  keys      {:>12}", grouped(self.usable_keys as u64))?;
        for (what, &count) in &self.unusable_keys {
            let what = crate::output::printable(what);
            writeln!(out, "  ignored   {:>12}  {what}", grouped(count))?;
        }
        writeln!(
            out,
            "  prepared  {:>12}  {dim}with a table of the key; {} without{dim:#}",
            grouped(self.prepared),
            grouped(self.fresh)
        )?;
        writeln!(out, "{dim}{SCOPE}{dim:#}")?;
        Ok(())
    }
}
