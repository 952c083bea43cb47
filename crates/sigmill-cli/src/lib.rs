//! The command `sigmill`: fast verification of files of ECDSA signatures, tokens and certificates.
//!
//! One module per subcommand. `cli` defines the arguments, `output` prints, and `error` holds the
//! errors that end a run early. The program is one call of [`run_command`]. It is a library only so
//! that fuzz targets can reach its readers; it promises no API to others.

mod certs;
mod cli;
mod convert;
mod cpu;
mod curves;
mod demo;
mod ecdh;
mod encoding;
mod error;
mod files;
mod format;
#[doc(hidden)]
pub mod fuzzing;
mod hints;
mod interrupt;
mod judge;
mod jws;
mod keyfile;
mod keygen;
mod memory;
mod openssl_config;
mod options;
mod output;
mod pipeline;
#[cfg_attr(
    not(feature = "transactions"),
    expect(dead_code, reason = "the feature decodes transactions")
)]
mod recover;
mod rows;
mod sample;
mod secret;
mod sign;
mod signed;
mod sink;
mod table;
mod threads;
mod verdicts;
mod verify;
mod written;

use std::panic;
use std::process::ExitCode;
use std::thread;

use crate::cli::{Cli, Command};
use crate::error::{CliError, Outcome};
use crate::output::Context;
use crate::pipeline::READER_THREAD;

/// Runs the command with the arguments of this process and returns its exit code.
pub fn run_command() -> ExitCode {
    let cli = Cli::read().unwrap_or_else(|error| error.exit());
    let ctx = Context::new(&cli.global);
    interrupt::keep_limits_errors();
    keep_reader_panics_quiet();
    match run(&cli, &ctx) {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            ctx.report_error(&error);
            error.exit_code()
        }
    }
}

fn run(cli: &Cli, ctx: &Context) -> Result<Outcome, CliError> {
    memory::exit_where_memory_ends()?;
    sigmill::cpu::check_environment().map_err(|e| CliError::Usage(e.to_string()))?;
    if let Some(
        Command::Verify(_)
        | Command::Jws(_)
        | Command::Certs(_)
        | Command::Recover(_)
        | Command::Sample(_)
        | Command::Sign(_)
        | Command::Convert(_),
    ) = &cli.command
    {
        threads::start(ctx.threads)?;
    }
    match &cli.command {
        None => demo::run(ctx),
        Some(Command::Verify(args)) => verify::run(args, ctx),
        Some(Command::Jws(args)) => jws::run(args, ctx),
        Some(Command::Certs(args)) => certs::run(args, ctx),
        Some(Command::Table(args)) => table::run(args, ctx),
        Some(Command::Sample(args)) => sample::run(args, ctx),
        Some(Command::Keygen(args)) => keygen::run(args, ctx),
        Some(Command::Sign(args)) => sign::run(args, ctx),
        Some(Command::Convert(args)) => convert::run(args, ctx),
        Some(Command::Ecdh(args)) => ecdh::run(args),
        Some(Command::Recover(args)) => recover::run(args, ctx),
        Some(Command::OpensslConfig(args)) => openssl_config::run(args, ctx),
        Some(Command::Cpu(args)) => cpu::run(args, ctx),
    }
}

/// Silences the usual message for a panic of the reading thread. The panic is reported as an error
/// of the file that was being read, so the message would only add noise.
fn keep_reader_panics_quiet() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if thread::current().name() != Some(READER_THREAD) {
            usual(info);
        }
    }));
}
