//! `sigmill cpu`.

use crate::error::{CliError, Outcome};
use crate::output::Context;

/// The arguments of `sigmill cpu`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `sigmill cpu`.
pub(crate) fn run(_args: &Args, _ctx: &Context) -> Result<Outcome, CliError> {
    Err(CliError::Usage("sigmill cpu: being written".into()))
}
