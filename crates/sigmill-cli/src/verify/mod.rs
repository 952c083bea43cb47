//! `sigmill verify`.

use crate::error::{CliError, Outcome};
use crate::output::Context;

/// The arguments of `sigmill verify`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `sigmill verify`.
pub(crate) fn run(_args: &Args, _ctx: &Context) -> Result<Outcome, CliError> {
    Err(CliError::Usage("sigmill verify: being written".into()))
}
