//! `sigmill certs`: verifies the certificates of a bundle against their issuers in the same bundle.

mod bundle;
mod issuers;
mod judge;
mod report;
mod verdict;

use std::path::PathBuf;
use std::time::Instant;

use sigmill::bulk::Engine;

use crate::certs::bundle::Bundle;
use crate::certs::judge::Parsed;
use crate::certs::report::Report;
use crate::certs::verdict::Verdict;
use crate::curves;
use crate::error::{CliError, Outcome};
use crate::files::Files;
use crate::keyfile;
use crate::output::Context;

/// The maximum length of a bundle, which is read as a whole. The largest published bundles (all
/// certificates of the web's roots) have a few megabytes.
const MAX_BUNDLE_LEN: u64 = 1 << 30;

fn long_about() -> String {
    let curves = curves::all();
    format!(
        "\
Verify every certificate of a PEM bundle whose issuer is in the bundle, including self-signed \
roots.

Only ECDSA with SHA-256, SHA-384 or SHA-512 on {curves} is verified. Other certificates are \
counted by algorithm and not judged. An issuer is a certificate whose subject equals the issuer \
name of the other certificate byte by byte. If the issuer has a key identifier and the other \
certificate names one, these must be equal. If several certificates match, one of them must have \
signed. At most 16 different keys are tried per certificate: its own key and those with the right \
key identifier first. If there are more keys and none of these 16 signed, the certificate is \
rejected.

A block with a missing or damaged BEGIN line is rejected. Text between blocks is skipped.

Only signatures are verified: dates, names, constraints, purposes and revocation are not judged."
    )
}

/// The arguments of `sigmill certs`.
#[derive(Debug, clap::Args)]
#[command(long_about = long_about())]
pub(crate) struct Args {
    /// Certificates in PEM; - is standard input
    #[arg(value_name = "BUNDLE")]
    bundle: PathBuf,
    /// Print a line for every certificate, not only for rejected ones
    #[arg(long, short)]
    list: bool,
}

/// Runs `sigmill certs`.
pub(crate) fn run(args: &Args, ctx: &Context) -> Result<Outcome, CliError> {
    Files::default()
        .reads("the bundle", [&args.bundle])
        .prints()
        .check()?;
    let name = keyfile::name(&args.bundle);
    let text = keyfile::read_bytes(&args.bundle, MAX_BUNDLE_LEN)?;
    let start = Instant::now();
    let bundle = Bundle::read(&text);
    if bundle.certificates.is_empty() {
        return Err(CliError::file(name, "no PEM certificate found"));
    }
    let certificates = parse(&bundle);
    let engine = Engine::builder()
        .build()
        .map_err(|e| CliError::Internal(e.to_string()))?;
    let verdicts = judge::judge(&certificates, &engine);
    let mut report = Report::new(ctx, name, args.list);
    for (index, (certificate, verdict)) in certificates.iter().zip(&verdicts).enumerate() {
        report.add(index, certificate.as_ref().ok(), verdict)?;
    }
    let stats = engine.stats();
    report.finish(
        bundle.other_blocks,
        stats.fresh + stats.prepared,
        start.elapsed(),
    )
}

fn parse(bundle: &Bundle) -> Vec<Parsed<'_>> {
    let ders = bundle.certificates.iter();
    ders.map(|der| match der {
        Ok(der) => bundle::parse(der),
        Err(defect) => Err(defect.clone()),
    })
    .collect()
}

/// Returns the number of certificates in a bundle, unreadable ones included, and the number of
/// valid ones. For fuzz targets.
pub(crate) fn count_valid(text: &[u8], engine: &Engine) -> (usize, usize) {
    let bundle = Bundle::read(text);
    let verdicts = judge::judge(&parse(&bundle), engine);
    let valid = verdicts
        .iter()
        .filter(|verdict| matches!(verdict, Verdict::Valid { .. }));
    (verdicts.len(), valid.count())
}
