//! What a bare `sigmill` does.

use crate::error::{CliError, Outcome};
use crate::output::Context;

/// Runs the main job on the sample that ships with the program.
pub(crate) fn run(_ctx: &Context) -> Result<Outcome, CliError> {
    Err(CliError::Usage("being written".into()))
}
