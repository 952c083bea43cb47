//! `sigmill keygen`: a new private key.

use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;

use crate::curves::one_of_with_aliases;
use crate::error::{CliError, Outcome};
use crate::files::Files;
use crate::keyfile;
use crate::output::{Context, printable, write_json_line};
use crate::secret::write::{Overwrite, check_free, write_pair, write_secret};
use crate::secret::{KeyKind, Secret, SecretFormat};

const LONG_ABOUT: &str = "\
Generate a private key with the operating system's random number generator.

The key is written as PKCS#8 in PEM, which OpenSSL and most other programs read, to a file that \
only its owner can read (mode 0600). Existing files are replaced only with --force.";

/// The arguments of `sigmill keygen`.
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT)]
pub(crate) struct Args {
    #[arg(
        long,
        help = format!("What key: {}", one_of_with_aliases(&["X25519"])),
        alias = "algorithm",
        value_name = "NAME",
        default_value = "P-256"
    )]
    curve: KeyKind,
    /// File for the private key; - is standard output
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Format of the private key
    #[arg(long, alias = "outform", value_name = "FORMAT", default_value = "pem")]
    format: SecretFormat,
    /// Also write the public key to this file: SPKI in PEM, or in DER if the private key is in DER
    #[arg(long, value_name = "FILE")]
    public_out: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
}

/// The result as JSON.
#[derive(Serialize)]
struct KeyLine<'a> {
    r#type: &'static str,
    curve: String,
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    public_file: Option<String>,
}

/// Runs `sigmill keygen`.
pub(crate) fn run(args: &Args, ctx: &Context) -> Result<Outcome, CliError> {
    let public_out = args.public_out.as_deref();
    Files::default()
        .writes("--out", "the file of the private key", [&args.out])
        .writes("--public-out", "the public key", &args.public_out)
        .check()?;
    for path in [Some(args.out.as_path()), public_out].into_iter().flatten() {
        check_free(path, args.overwrite)?;
    }
    let secret = Secret::generate(args.curve).map_err(|e| CliError::Usage(e.to_string()))?;
    let file = secret.to_file(args.format).ok_or_else(|| {
        CliError::Usage(format!(
            "--format: SEC 1 is not available for {}; use pem or der (PKCS#8)",
            args.curve
        ))
    })?;
    let pem = matches!(args.format, SecretFormat::Pem | SecretFormat::Sec1Pem);
    match public_out {
        None => write_secret(&args.out, &file, args.overwrite)?,
        Some(path) => {
            let public = secret.public_file(pem);
            write_pair((&args.out, &file), (path, &public), args.overwrite)?;
        }
    }
    report(args, ctx)?;
    Ok(Outcome::Clean)
}

/// Reports on standard error what was written, because standard output may be the file.
fn report(args: &Args, ctx: &Context) -> Result<(), CliError> {
    if ctx.quiet {
        return Ok(());
    }
    let mut stderr = ctx.stderr();
    let public_file = args.public_out.as_deref().map(keyfile::name);
    if ctx.json {
        return write_json_line(
            &mut stderr,
            &KeyLine {
                r#type: "key",
                curve: args.curve.to_string(),
                file: &args.out.display().to_string(),
                public_file,
            },
        );
    }
    write!(
        stderr,
        "wrote a private key of {} to {}",
        args.curve,
        printable(&args.out.display().to_string())
    )?;
    if let Some(path) = public_file {
        write!(stderr, " and its public key to {}", printable(&path))?;
    }
    writeln!(stderr)?;
    Ok(())
}
