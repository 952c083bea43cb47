//! Output of `sigmill certs`.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use serde::Serialize;
use x509_parser::prelude::X509Certificate;

use super::verdict::Verdict;
use crate::error::{CliError, Outcome};
use crate::output::{Context, grouped, printable, style, write_json_line, write_rejected};

/// The limits of the check, as the summary states them.
const SCOPE: &str =
    "signatures only: dates, names, constraints, purposes and revocation are not judged";

/// Prints certificates and counts them.
pub(super) struct Report<'a> {
    ctx: &'a Context,
    out: Box<dyn Write>,
    file: String,
    list: bool,
    summary: Summary,
}

/// A certificate as JSON.
#[derive(Serialize)]
struct CertificateLine<'a> {
    r#type: &'static str,
    file: &'a str,
    /// Counted from 1.
    position: usize,
    subject: Option<String>,
    verdict: &'static str,
    /// The position of the issuer.
    issuer: Option<usize>,
    algorithm: Option<&'a str>,
    reason: Option<&'static str>,
    detail: Option<String>,
}

/// The summary of a bundle.
#[derive(Default, Serialize)]
struct Summary {
    r#type: &'static str,
    certificates: u64,
    valid: u64,
    rejected: u64,
    not_judged: u64,
    issuer_missing: u64,
    /// Algorithms of the valid certificates.
    valid_algorithms: BTreeMap<String, u64>,
    not_judged_algorithms: BTreeMap<String, u64>,
    reasons: BTreeMap<&'static str, u64>,
    other_pem_blocks: u64,
    /// The number of verified signatures: one for each key that was tried for a certificate.
    verifications: u64,
    seconds: f64,
    scope: &'static str,
}

impl<'a> Report<'a> {
    pub(super) fn new(ctx: &'a Context, file: String, list: bool) -> Self {
        let summary = Summary {
            r#type: "summary",
            scope: SCOPE,
            ..Summary::default()
        };
        Self {
            ctx,
            out: Box::new(ctx.stdout()),
            file,
            list,
            summary,
        }
    }

    /// Adds the verdict on the certificate with this index; `certificate` is `None` if it does not
    /// parse.
    pub(super) fn add(
        &mut self,
        index: usize,
        certificate: Option<&X509Certificate<'_>>,
        verdict: &Verdict,
    ) -> Result<(), CliError> {
        self.summary.add(verdict);
        let is_rejected = matches!(verdict, Verdict::Rejected(_));
        if !is_rejected && !self.list {
            return Ok(());
        }
        let subject = certificate.map(|certificate| certificate.subject().to_string());
        if self.ctx.json {
            let line = CertificateLine::new(&self.file, index, subject, verdict);
            write_json_line(&mut self.out, &line)
        } else {
            self.write_text(index, subject.as_deref(), verdict)
        }
    }

    fn write_text(
        &mut self,
        index: usize,
        subject: Option<&str>,
        verdict: &Verdict,
    ) -> Result<(), CliError> {
        let place = format!("{}:{}", self.file, index + 1);
        let (good, dim) = (style::GOOD, style::DIM);
        let subject = subject.map(|subject| {
            if subject.is_empty() {
                "(no subject)"
            } else {
                subject
            }
        });
        if let Verdict::Rejected(defect) = verdict {
            return write_rejected(
                &mut self.out,
                &place,
                subject,
                defect.reason(),
                &defect.to_string(),
            );
        }
        write!(
            self.out,
            "{}: {}: ",
            printable(&place),
            printable(subject.unwrap_or_default())
        )?;
        match verdict {
            Verdict::Valid { issuer, algorithm } => {
                let by = if *issuer == index {
                    "itself".into()
                } else {
                    format!("{}", issuer + 1)
                };
                writeln!(
                    self.out,
                    "{good}valid{good:#}: {dim}{algorithm}, signed by {by}{dim:#}"
                )?;
            }
            Verdict::NotJudged { algorithm } => {
                writeln!(self.out, "not judged: {dim}{algorithm}{dim:#}")?
            }
            Verdict::IssuerMissing | Verdict::Rejected(_) => {
                writeln!(
                    self.out,
                    "not judged: {dim}the issuer is not in the bundle{dim:#}"
                )?;
            }
        }
        Ok(())
    }

    /// Prints the summary.
    pub(super) fn finish(
        mut self,
        other_pem_blocks: u64,
        verifications: u64,
        elapsed: Duration,
    ) -> Result<Outcome, CliError> {
        self.summary.other_pem_blocks = other_pem_blocks;
        self.summary.verifications = verifications;
        self.summary.seconds = elapsed.as_secs_f64();
        if !self.ctx.quiet {
            if self.ctx.json {
                write_json_line(&mut self.out, &self.summary)?;
            } else {
                self.summary.write(&mut self.out)?;
            }
        }
        self.out.flush()?;
        Ok(Outcome::of(0, false, self.summary.rejected))
    }
}

impl<'a> CertificateLine<'a> {
    fn new(file: &'a str, index: usize, subject: Option<String>, verdict: &'a Verdict) -> Self {
        let mut line = Self {
            r#type: "certificate",
            file,
            position: index + 1,
            subject,
            verdict: "",
            issuer: None,
            algorithm: None,
            reason: None,
            detail: None,
        };
        match verdict {
            Verdict::Valid { issuer, algorithm } => {
                line.verdict = "valid";
                line.issuer = Some(issuer + 1);
                line.algorithm = Some(algorithm);
            }
            Verdict::Rejected(defect) => {
                line.verdict = "rejected";
                line.reason = Some(defect.reason());
                line.detail = Some(defect.to_string());
            }
            Verdict::NotJudged { algorithm } => {
                line.verdict = "not-judged";
                line.algorithm = Some(algorithm);
            }
            Verdict::IssuerMissing => line.verdict = "issuer-missing",
        }
        line
    }
}

impl Summary {
    fn add(&mut self, verdict: &Verdict) {
        self.certificates += 1;
        match verdict {
            Verdict::Valid { algorithm, .. } => {
                self.valid += 1;
                *self.valid_algorithms.entry(algorithm.clone()).or_default() += 1;
            }
            Verdict::Rejected(defect) => {
                self.rejected += 1;
                *self.reasons.entry(defect.reason()).or_default() += 1;
            }
            Verdict::NotJudged { algorithm } => {
                self.not_judged += 1;
                *self
                    .not_judged_algorithms
                    .entry(algorithm.clone())
                    .or_default() += 1;
            }
            Verdict::IssuerMissing => self.issuer_missing += 1,
        }
    }

    fn write(&self, out: &mut impl Write) -> Result<(), CliError> {
        let (good, bad, bold, dim) = (style::GOOD, style::BAD, style::BOLD, style::DIM);
        let rejected_style = if self.rejected > 0 { bad } else { good };
        writeln!(
            out,
            "{bold}{} certificates{bold:#} in {:.1} ms: {good}{} valid{good:#}, \
             {rejected_style}{} rejected{rejected_style:#}, {} not judged",
            grouped(self.certificates),
            self.seconds * 1e3,
            grouped(self.valid),
            grouped(self.rejected),
            grouped(self.not_judged + self.issuer_missing),
        )?;
        let mut line = |what: &str, count: u64, name: &str| {
            writeln!(out, "  {what:10} {:>7}  {name}", grouped(count))
        };
        for (algorithm, &count) in &self.valid_algorithms {
            line("valid", count, algorithm)?;
        }
        for (reason, &count) in &self.reasons {
            line("rejected", count, reason)?;
        }
        for (algorithm, &count) in &self.not_judged_algorithms {
            line("not judged", count, algorithm)?;
        }
        if self.issuer_missing > 0 {
            line(
                "not judged",
                self.issuer_missing,
                "the issuer is not in the bundle",
            )?;
        }
        if self.other_pem_blocks > 0 {
            line(
                "skipped",
                self.other_pem_blocks,
                "PEM blocks other than certificates",
            )?;
        }
        writeln!(out, "{dim}{SCOPE}{dim:#}")?;
        Ok(())
    }
}
