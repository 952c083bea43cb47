//! `sigmill certs`.

use crate::error::{CliError, Outcome};
use crate::output::Context;

/// The arguments of `sigmill certs`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `sigmill certs`.
pub(crate) fn run(_args: &Args, _ctx: &Context) -> Result<Outcome, CliError> {
    Err(CliError::Usage("sigmill certs: being written".into()))
}
