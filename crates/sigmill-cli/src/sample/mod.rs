//! `sigmill sample`.

use crate::error::{CliError, Outcome};
use crate::output::Context;

/// The arguments of `sigmill sample`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `sigmill sample`.
pub(crate) fn run(_args: &Args, _ctx: &Context) -> Result<Outcome, CliError> {
    Err(CliError::Usage("sigmill sample: being written".into()))
}
