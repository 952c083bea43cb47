//! `sigmill jws`.

use crate::error::{CliError, Outcome};
use crate::output::Context;

/// The arguments of `sigmill jws`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `sigmill jws`.
pub(crate) fn run(_args: &Args, _ctx: &Context) -> Result<Outcome, CliError> {
    Err(CliError::Usage("sigmill jws: being written".into()))
}
