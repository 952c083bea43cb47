//! `sigmill cpu`: lists the backends of this machine, and the one in use.

use std::io::Write;

use serde::Serialize;
use sigmill::cpu::{self, Backend};

use crate::error::{CliError, Outcome};
use crate::output::{Context, style, write_json_line};

/// The arguments of `sigmill cpu`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Environment:
  SIGMILL_CPU  the best backend that may be used: portable, adx, fma, avx512f, ifma, or auto
               (the default); or, in builds for tests, portable-lanes")]
pub(crate) struct Args {}

/// A backend as JSON.
#[derive(Serialize)]
struct BackendLine {
    r#type: &'static str,
    name: &'static str,
    description: &'static str,
    available: bool,
    used: bool,
    why: &'static str,
}

impl From<Backend> for BackendLine {
    fn from(backend: Backend) -> Self {
        Self {
            r#type: "backend",
            name: backend.name,
            description: backend.description,
            available: backend.available,
            used: backend.used,
            why: backend.why,
        }
    }
}

/// Runs `sigmill cpu`.
pub(crate) fn run(_args: &Args, ctx: &Context) -> Result<Outcome, CliError> {
    cpu::check_environment().map_err(|e| CliError::Usage(e.to_string()))?;
    let mut out = ctx.stdout();
    for backend in cpu::backends() {
        if ctx.json {
            write_json_line(&mut out, &BackendLine::from(backend))?;
        } else {
            write_text(&mut out, &backend)?;
        }
    }
    out.flush()?;
    Ok(Outcome::Clean)
}

fn write_text(out: &mut impl Write, backend: &Backend) -> Result<(), CliError> {
    let Backend {
        name,
        description,
        why,
        ..
    } = backend;
    let (mark, word) = match (backend.used, backend.available) {
        (true, _) => (style::GOOD, "used"),
        (false, true) => (style::DIM, "not used"),
        (false, false) => (style::DIM, "not available"),
    };
    writeln!(
        out,
        "{name:10} {mark}{word:13}{mark:#}  {description} ({why})"
    )?;
    Ok(())
}
