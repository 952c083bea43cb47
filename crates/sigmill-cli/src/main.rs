//! The command `sigmill`.

use std::process::ExitCode;

fn main() -> ExitCode {
    sigmill_cli::run_command()
}
