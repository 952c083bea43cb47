//! The command line: global options and subcommands.

use std::env;

use clap::{Parser, Subcommand};

use crate::curves;
use crate::options::GlobalArgs;
use crate::output::printable;
use crate::{
    certs, convert, cpu, ecdh, jws, keygen, openssl_config, recover, sample, sign, table, verify,
};

const EXIT_CODES: &str = "\
Exit codes:
  0    every signature that was judged is valid, every row was signed or gave its key
  1    at least one signature or row was rejected
  2    wrong usage, or a file that cannot be read or written
  130  interrupted (143: terminated); what was written until then is complete

Parquet, Arrow, keys and tables of keys appear when they are whole; CSV and JSON Lines are written
in place, line by line. A file that is read is never written.";

fn about() -> String {
    let curves = curves::all();
    format!("Verify ECDSA signatures ({curves}) at speed; sign, and agree on secrets (X25519 too)")
}

fn long_about() -> String {
    let about = about();
    format!(
        "{about}.\n\n\
         Without a subcommand, verifies the small sample that ships with the program."
    )
}

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "sigmill", version, about = about(), long_about = long_about(),
    after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Cli {
    /// Reads the arguments of this process. An error message quotes wrong arguments in printable
    /// form, because a file name that a shell expanded may contain escape sequences.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        Self::try_parse().map_err(|error| {
            let args = env::args_os().map(|arg| printable(&arg.to_string_lossy()).into_owned());
            Self::try_parse_from(args).err().unwrap_or(error)
        })
    }
}

/// The subcommands. Their summaries are attributes, because a doc comment here would hide the
/// longer text of their arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(about = "Verify a table of signatures: JSON Lines, CSV, Parquet or Arrow IPC")]
    Verify(Box<verify::Args>),
    #[command(about = "Verify compact JWS tokens, one a line, with the keys of a JWK set")]
    Jws(jws::Args),
    #[command(about = "Verify every certificate of a PEM bundle whose issuer is in the bundle")]
    Certs(certs::Args),
    #[command(
        about = "Recover public keys and Ethereum addresses from digests and signatures, or \
                 from signed transactions"
    )]
    Recover(recover::Args),
    #[command(about = "Write the multiplication table of a public key")]
    Table(table::Args),
    #[command(
        about = "Write a table of valid, invalid and malformed signatures, for trying out and for \
                 benchmarks"
    )]
    Sample(sample::Args),
    #[command(about = "Make a private key")]
    Keygen(keygen::Args),
    #[command(about = "Sign a table of messages or digests: JSON Lines, CSV, Parquet or Arrow IPC")]
    Sign(Box<sign::Args>),
    #[command(
        about = "Convert the signatures of a table: to friendly ones, which are verified faster, \
                 or back to low s"
    )]
    Convert(Box<convert::Args>),
    #[command(about = "Agree on a secret with the owner of a public key")]
    Ecdh(ecdh::Args),
    #[command(about = "Print a configuration of OpenSSL that has sigmill verify and sign")]
    OpensslConfig(openssl_config::Args),
    #[command(about = "Show what this processor can do and which code is used")]
    Cpu(cpu::Args),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_arguments_do_not_contradict_each_other() {
        super::Cli::command().debug_assert();
    }

    #[test]
    fn help_tells_the_rules() {
        let command = super::Cli::command();
        for (name, rule) in [
            ("verify", "PEM may have text around its one block"),
            ("jws", "a member twice"),
            ("certs", "At most 16 different keys are tried"),
            ("table", "needs --curve"),
        ] {
            let subcommand = command.find_subcommand(name).unwrap();
            let long = subcommand.get_long_about().unwrap().to_string();
            assert!(long.contains(rule), "{name}: {long}");
            assert!(
                !subcommand
                    .get_about()
                    .unwrap()
                    .to_string()
                    .contains("arguments of")
            );
        }
    }
}
