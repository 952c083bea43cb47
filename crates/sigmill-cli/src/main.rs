//! The command `sigmill`: verify files of ECDSA signatures, tokens and certificates at speed.
//!
//! One module per subcommand. `cli` is what the user may type, `output` what the user gets to see,
//! `error` what ends a run early.

mod certs;
mod cli;
mod cpu;
mod demo;
mod error;
mod jws;
mod keyfile;
mod output;
mod sample;
mod table;
mod verify;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};
use crate::output::Context;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let ctx = Context::new(&cli.global);
    let result = match &cli.command {
        None => demo::run(&ctx),
        Some(Command::Verify(args)) => verify::run(args, &ctx),
        Some(Command::Jws(args)) => jws::run(args, &ctx),
        Some(Command::Certs(args)) => certs::run(args, &ctx),
        Some(Command::Table(args)) => table::run(args, &ctx),
        Some(Command::Sample(args)) => sample::run(args, &ctx),
        Some(Command::Cpu(args)) => cpu::run(args, &ctx),
    };
    match result {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            ctx.report_error(&error);
            error.exit_code()
        }
    }
}
