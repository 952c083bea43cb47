//! `sigmill table`.

use crate::error::{CliError, Outcome};
use crate::output::Context;

/// The arguments of `sigmill table`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Runs `sigmill table`.
pub(crate) fn run(_args: &Args, _ctx: &Context) -> Result<Outcome, CliError> {
    Err(CliError::Usage("sigmill table: being written".into()))
}
