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
  0    all judged signatures are valid, or all rows were signed, converted or recovered
  1    at least one signature or row was rejected
  2    wrong usage, or a file that cannot be read or written
  130  interrupted (143: terminated); files written so far are complete

Parquet, Arrow, key and table files appear only once complete. CSV and JSON Lines are written
in place, line by line. Input files are never overwritten.";

fn about() -> String {
    let curves = curves::all();
    format!("Fast ECDSA verification and signing ({curves}), ECDH and X25519")
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
    #[command(about = "Write the table of multiples of a public key")]
    Table(table::Args),
    #[command(about = "Write a sample table of valid, invalid and malformed signatures")]
    Sample(sample::Args),
    #[command(about = "Generate a private key")]
    Keygen(keygen::Args),
    #[command(about = "Sign a table of messages or digests: JSON Lines, CSV, Parquet or Arrow IPC")]
    Sign(Box<sign::Args>),
    #[command(
        about = "Convert the signatures of a table to friendly form (faster to verify) or to low s"
    )]
    Convert(Box<convert::Args>),
    #[command(about = "Compute a shared secret with a public key (ECDH, X25519)")]
    Ecdh(ecdh::Args),
    #[command(about = "Print an OpenSSL configuration that loads sigmill as a provider")]
    OpensslConfig(openssl_config::Args),
    #[command(about = "Show the CPU's features and the backend in use")]
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
            ("jws", "repeated member"),
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
