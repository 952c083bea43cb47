//! Checks that the operations on secrets are constant-time.
//!
//! `check` marks the secrets of each operation and runs it under Valgrind's memcheck, which reports
//! every branch and every address that depends on them; `.ci/constant-time` builds and runs it on
//! all backends. `dudect` looks for a difference in time instead, on code that Valgrind cannot run.
//! SOUNDNESS.md explains what either result means.

mod check;
mod count;
mod dudect;
mod operations;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Check that operations on secrets are constant-time.
#[derive(Debug, Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run operations under memcheck; needs a build with RUSTFLAGS="--cfg sigmill_ct_check"
    Check(check::Args),
    /// Look for a difference in time between one secret and others; meaningful only in release
    /// builds
    Dudect(dudect::Args),
    /// Count the instructions of ECDH, signing and verification with callgrind; same build as for
    /// check
    Count(count::Args),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Check(args) => check::run(&args),
        Command::Dudect(args) => dudect::run(&args),
        Command::Count(args) => count::run(&args),
    }
}
