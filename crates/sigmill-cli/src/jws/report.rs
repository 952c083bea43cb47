//! Output of `sigmill jws`.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

use indicatif::ProgressBar;
use serde::Serialize;
use sigmill::bulk::Engine;

use super::keys::Keys;
use super::token::Rejected;
use crate::error::{CliError, Outcome};
use crate::output::{Context, grouped, progress_bar, style, write_json_line, write_rejected};

/// The limits of the check, as the summary states them.
const SCOPE: &str = "signatures only: claims (exp, nbf, aud, iss, ...) are not judged";

/// Prints rejected tokens and counts all tokens.
pub(super) struct Report<'a> {
    ctx: &'a Context,
    out: Box<dyn Write>,
    bar: Option<ProgressBar>,
    file: String,
    start: Instant,
    tokens: u64,
    reasons: BTreeMap<&'static str, Reason>,
}

/// The tokens rejected for one reason.
#[derive(Serialize)]
struct Reason {
    tokens: u64,
    first_line: u64,
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
    reasons: BTreeMap<&'static str, Reason>,
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
            bar: ctx.wants_progress().then(|| progress_bar(len)),
            file,
            start: Instant::now(),
            tokens: 0,
            reasons: BTreeMap::new(),
        }
    }

    /// Adds the verdicts on the tokens in the next `bytes` bytes of the file, each with its line.
    pub(super) fn take(
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
            let reason = self
                .reasons
                .entry(rejected.error.reason())
                .or_insert(Reason {
                    tokens: 0,
                    first_line: line,
                });
            reason.tokens += 1;
        }
        let (ctx, out, file) = (self.ctx, &mut self.out, &self.file);
        let print = || -> Result<(), CliError> {
            for (line, rejected) in rejected {
                write_line(ctx, out, file, line, rejected)?;
            }
            // Flush, so that these verdicts are on record, however the run ends.
            Ok(out.flush()?)
        };
        match &self.bar {
            Some(bar) => {
                bar.inc(bytes);
                bar.set_message(format!("{} tokens", grouped(self.tokens)));
                if has_rejected {
                    bar.suspend(print)
                } else {
                    Ok(())
                }
            }
            None if has_rejected => print(),
            None => Ok(()),
        }
    }

    /// Prints the summary.
    pub(super) fn finish(
        mut self,
        keys: &Keys,
        engine: &Engine,
        threads: usize,
    ) -> Result<Outcome, CliError> {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        let seconds = self.start.elapsed().as_secs_f64().max(1e-9);
        let rejected = self.reasons.values().map(|reason| reason.tokens).sum();
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
            seconds,
            // Exact below 2^53 tokens.
            tokens_per_second: (self.tokens as f64 / seconds).round(),
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
                summary.write(&mut self.out)?;
            }
        }
        self.out.flush()?;
        Ok(if rejected > 0 {
            Outcome::Rejected
        } else {
            Outcome::Clean
        })
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
    fn write(&self, out: &mut impl Write) -> Result<(), CliError> {
        let (good, bad, bold, dim) = (style::GOOD, style::BAD, style::BOLD, style::DIM);
        let paint = if self.rejected > 0 { bad } else { good };
        writeln!(
            out,
            "{bold}{} tokens in {:.2} s: {} tokens/s{bold:#} on {} thread{}",
            grouped(self.tokens),
            self.seconds,
            grouped(self.tokens_per_second as u64),
            self.threads,
            if self.threads == 1 { "" } else { "s" },
        )?;
        writeln!(out, "  valid     {good}{:>12}{good:#}", grouped(self.valid))?;
        writeln!(
            out,
            "  rejected  {paint}{:>12}{paint:#}",
            grouped(self.rejected)
        )?;
        for (code, reason) in &self.reasons {
            writeln!(
                out,
                "            {:>12}  {code} {dim}(first: line {}){dim:#}",
                grouped(reason.tokens),
                grouped(reason.first_line)
            )?;
        }
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
