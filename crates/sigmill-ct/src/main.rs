//! Checks that the operations on secrets take constant time.
//!
//! `check` marks the secrets of each operation and runs it under Valgrind's memcheck, which
//! reports every branch and every address that depends on them; `.ci/constant-time` builds and
//! runs it on all backends. `dudect` looks for a difference in time instead, on code that
//! Valgrind cannot run. SOUNDNESS.md says what either means.

mod check;
mod operations;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Check that operations on secrets take constant time.
#[derive(Debug, Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run operations under memcheck; needs a build with RUSTFLAGS="--cfg sigmill_ct_check"
    Check(check::Args),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Check(args) => check::run(&args),
    }
}
