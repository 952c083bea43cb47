//! `sigmill openssl-config`: the configuration by which OpenSSL loads sigmill.

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::{CliError, Outcome};
use crate::output::Context;

/// What is printed, with places for what the arguments say.
const TEMPLATE: &str = include_str!("template.cnf");

/// The module as cargo names it.
const MODULE: &str = "libsigmill_openssl.so";

/// Where systems have their configuration of OpenSSL.
const SYSTEM_FILES: &[&str] = &[
    "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/openssl.cnf",
    "/usr/local/ssl/openssl.cnf",
];

/// The arguments of `sigmill openssl-config`.
#[derive(Debug, clap::Args)]
#[command(long_about = "\
Print a configuration of OpenSSL 3 with sigmill as a provider, for the environment variable \
OPENSSL_CONF.

Programs that use it then verify and sign by ECDSA with sigmill, on P-256, P-384, P-521, secp256k1 \
and brainpoolP256r1, agree by X25519, and do all else as before. The module comes from \
`cargo build --release -p sigmill-openssl`; docs/openssl.md has the rest.")]
pub(crate) struct Args {
    /// The module [default: libsigmill_openssl.so beside this program, else sigmill.so, which
    /// OpenSSL looks for among its modules]
    #[arg(long, value_name = "FILE")]
    module: Option<PathBuf>,
    /// A configuration that this one adds to [default: the system's, if there is one]
    #[arg(long, value_name = "FILE", conflicts_with = "no_include")]
    include: Option<PathBuf>,
    /// Add to no configuration
    #[arg(long)]
    no_include: bool,
    /// The memory for keys and their tables, in MiB, of each process; 0 for none
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 64,
        value_parser = clap::value_parser!(u32).range(..=1 << 20)
    )]
    key_memory: u32,
    /// The widest window of the tables, 1 to 11 bits
    #[arg(
        long,
        value_name = "BITS",
        default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(1..=11)
    )]
    window: u32,
    /// Agree by ECDH, too: a gain on P-384 and brainpoolP256r1; on P-256 and P-521 new keys, as TLS
    /// has them, take longer
    #[arg(long)]
    ecdh: bool,
}

/// Runs `sigmill openssl-config`.
pub(crate) fn run(args: &Args, ctx: &Context) -> Result<Outcome, CliError> {
    let module = match &args.module {
        Some(module) => absolute(module)?,
        None => beside_this_program().unwrap_or_else(|| "sigmill.so".into()),
    };
    let include = match &args.include {
        Some(file) => Some(absolute(file)?),
        None if args.no_include => None,
        None => SYSTEM_FILES
            .iter()
            .map(PathBuf::from)
            .find(|file| file.exists()),
    };
    let mut text = String::new();
    if let Some(file) = include {
        text = format!(".include = {}\n\n", value(&file)?);
    }
    text += &TEMPLATE
        .replace("@module@", value(&module)?)
        .replace("@key_memory@", &format!("{}M", args.key_memory))
        .replace("@window@", &args.window.to_string())
        .replace("@ecdh@", if args.ecdh { "yes" } else { "no" });
    let mut out = ctx.stdout();
    let name = "standard output";
    out.write_all(text.as_bytes())
        .map_err(|e| CliError::io(name, e))?;
    out.flush().map_err(|e| CliError::io(name, e))?;
    Ok(Outcome::Clean)
}

fn beside_this_program() -> Option<PathBuf> {
    let module = env::current_exe().ok()?.with_file_name(MODULE);
    module.exists().then_some(module)
}

/// The file by its whole path: the configuration is read by programs that run elsewhere.
fn absolute(file: &Path) -> Result<PathBuf, CliError> {
    std::path::absolute(file).map_err(|e| CliError::io(file.to_string_lossy(), e))
}

/// A path as it may stand in a configuration, where some characters mean something.
fn value(file: &Path) -> Result<&str, CliError> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:~= ".contains(c);
    let text = file
        .to_str()
        .filter(|text| text.chars().all(is_plain) && text.trim() == *text);
    text.ok_or_else(|| {
        let name = file.to_string_lossy();
        CliError::Usage(format!(
            "{name}: a configuration of OpenSSL cannot name such a file"
        ))
    })
}
