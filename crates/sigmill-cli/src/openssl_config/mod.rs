//! `sigmill openssl-config`: prints a configuration with which OpenSSL loads sigmill.

mod place;
mod reader;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::error::{CliError, Outcome};
use crate::output::Context;
use place::Place;
use reader::Configuration;

/// A configuration without an include, with placeholders for the arguments.
const TEMPLATE: &str = include_str!("template.cnf");

/// The file name that cargo gives the module.
const MODULE: &str = "libsigmill_openssl.so";

/// Places of the system's OpenSSL configuration.
const SYSTEM_FILES: &[&str] = &[
    "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/openssl.cnf",
    "/usr/local/ssl/openssl.cnf",
];

/// A comment in the output, before the include.
const HEADER: &str = "\
# The lines above set names that the included file lacks; the lines below add to it. Print this
# configuration again when that file changes.
[default]
";

/// The file in which Linux reports whether the machine is in FIPS mode.
const FIPS_MODE: &str = "/proc/sys/crypto/fips_enabled";

/// The arguments of `sigmill openssl-config`.
#[derive(Debug, clap::Args)]
#[command(long_about = "\
Print an OpenSSL 3 configuration that loads sigmill as a provider, for the environment variable \
OPENSSL_CONF.

Programs that use the configuration sign and verify ECDSA with sigmill on P-256, P-384, P-521, \
secp256k1 and brainpoolP256r1, and agree by X25519 with it. Everything else works as before. Build \
the module with `cargo build --release -p sigmill-openssl`; docs/openssl.md has the details.

The output includes the system's configuration and adds to its providers and default properties. \
All existing settings remain in effect. A configuration that cannot be extended is an error. Print \
the configuration again whenever the system's configuration changes.")]
pub(crate) struct Args {
    /// Module to load [default: libsigmill_openssl.so next to this program, otherwise sigmill.so
    /// from OpenSSL's folder of modules]
    #[arg(long, value_name = "FILE")]
    module: Option<PathBuf>,
    /// Configuration to include and add to [default: the system's, if one exists]
    #[arg(long, value_name = "FILE", conflicts_with = "no_include")]
    include: Option<PathBuf>,
    /// Include no configuration
    #[arg(long)]
    no_include: bool,
    /// Memory for keys and their tables, in MiB per process; 0 for none
    #[arg(
        long,
        value_name = "MIB",
        default_value_t = 64,
        value_parser = clap::value_parser!(u32).range(..=1 << 20)
    )]
    key_memory: u32,
    /// Widest window of the tables, from 1 to 11 bits
    #[arg(
        long,
        value_name = "BITS",
        default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(1..=11)
    )]
    window: u32,
    /// Also use sigmill for ECDH. This is faster on P-384 and brainpoolP256r1, but slower for new
    /// keys on P-256 and P-521, as in TLS
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
            // A file that cannot be accessed becomes an error when it is read.
            .find(|file| file.try_exists().unwrap_or(true)),
    };
    if let (None, false, Some(other)) =
        (&args.include, args.no_include, env::var_os("OPENSSL_CONF"))
    {
        ctx.report_warning(&format!(
            "OPENSSL_CONF: {} is not included; use --include to extend it",
            other.display()
        ));
    }
    if include.is_none() && !args.no_include {
        ctx.report_warning(&format!(
            "no system configuration found (tried {}); name one with --include",
            SYSTEM_FILES.join(", ")
        ));
    }
    let (text, demands_fips) = match include {
        Some(file) => {
            let refused = |rule| CliError::file(file.to_string_lossy(), rule);
            if is_standard_output(&file) {
                let rule = "standard output is this file, which the shell has emptied; write to \
                            another one";
                return Err(refused(rule.into()));
            }
            let place = Place::of(&Configuration::read(&file)?).map_err(refused)?;
            for note in &place.notes {
                ctx.report_warning(&format!("{}: {note}", file.display()));
            }
            (added(&place, value(&file)?), place.demands_fips)
        }
        None => (TEMPLATE.to_owned(), false),
    };
    if !demands_fips && fs::read(FIPS_MODE).is_ok_and(|mode| mode.starts_with(b"1")) {
        let rule = "the machine is in FIPS mode; default properties that prefer sigmill would \
                    replace those of the system";
        return Err(CliError::file(FIPS_MODE, rule));
    }
    let text = text
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

/// Reports whether standard output is this file. A shell has then already emptied it.
#[cfg(unix)]
fn is_standard_output(file: &Path) -> bool {
    use std::os::{fd::AsFd as _, unix::fs::MetadataExt as _};
    let printed = io::stdout().as_fd().try_clone_to_owned();
    let printed = printed.and_then(|fd| fs::File::from(fd).metadata());
    let (Ok(printed), Ok(file)) = (printed, fs::metadata(file)) else {
        return false;
    };
    (printed.dev(), printed.ino()) == (file.dev(), file.ino())
}

#[cfg(not(unix))]
fn is_standard_output(_: &Path) -> bool {
    false
}

/// Returns the template with an `included` file, and its lines in the sections that the file uses.
///
/// Lines before the include set names that the file lacks. If the file later sets them, its lines
/// replace these. Lines after the include add to those of the file.
fn added(place: &Place, included: &str) -> String {
    let mut template = TEMPLATE.trim_end().to_owned();
    for (ours, theirs) in [
        ("sigmill_init", &place.init),
        ("sigmill_providers", &place.providers),
        ("sigmill_algorithms", &place.algorithms),
    ] {
        if let Some(theirs) = theirs {
            template = template.replace(ours, theirs);
        }
    }
    let parts: Vec<&str> = template.split("\n\n").collect();
    let [names, init, providers, default, provider, algorithms] = parts[..] else {
        unreachable!("the template has six parts");
    };
    let mut lines = vec![without(names, "openssl_conf", place.init.is_some())];
    let init = without(init, "providers", place.providers.is_some());
    let init = without(&init, "alg_section", place.algorithms.is_some());
    if init.contains('\n') {
        lines.push(init);
    }
    let mut behind = None;
    match &place.properties {
        None => lines.push(algorithms.into()),
        Some(old) => {
            // A variable without a value would be an error. No algorithm has this property.
            let (section, _) = algorithms.split_once("?provider").unwrap_or_default();
            lines.push(format!("{section}?sigmill.none=yes"));
            let mut more = match old.trim() {
                "" => algorithms.into(),
                _ => algorithms.replace("?provider", "${default_properties},?provider"),
            };
            if let Some(mode) = place.fips_mode {
                more += if mode {
                    "\nfips_mode = yes"
                } else {
                    "\nfips_mode = no"
                };
            }
            behind = Some(more);
        }
    }
    lines.push(format!("{HEADER}.include = {included}"));
    lines.push(without(providers, "default", !place.needs_default));
    if place.needs_default {
        lines.push(default.into());
    }
    lines.push(provider.into());
    lines.extend(behind);
    lines.join("\n\n") + "\n"
}

/// Returns a part of the template. If `go` is set, lines that begin with `start` are left out.
fn without(part: &str, start: &str, go: bool) -> String {
    let lines = part.lines().filter(|line| !go || !line.starts_with(start));
    lines.collect::<Vec<_>>().join("\n")
}

fn beside_this_program() -> Option<PathBuf> {
    let module = env::current_exe().ok()?.with_file_name(MODULE);
    module.exists().then_some(module)
}

/// Returns the absolute path, because programs that read the configuration run in other folders.
fn absolute(file: &Path) -> Result<PathBuf, CliError> {
    std::path::absolute(file).map_err(|e| CliError::io(file.to_string_lossy(), e))
}

/// Returns a path for use in a configuration, where some characters have a special meaning.
fn value(file: &Path) -> Result<&str, CliError> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:~= ".contains(c);
    let text = file
        .to_str()
        .filter(|text| text.chars().all(is_plain) && text.trim() == *text);
    text.ok_or_else(|| {
        let name = file.to_string_lossy();
        CliError::Usage(format!(
            "{name}: file name has characters that an OpenSSL configuration cannot hold"
        ))
    })
}
