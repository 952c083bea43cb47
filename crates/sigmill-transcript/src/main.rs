//! Hashes of sigmill's results for fixed inputs: they must be the same on every CPU.
//!
//! ```text
//! sigmill-transcript print      a line for each section, `name sha256`; the last one for all
//! sigmill-transcript write DIR  files of key stores, and their hashes
//! sigmill-transcript read DIR   loads the files that another CPU wrote, and verifies with them
//! sigmill-transcript backends   the backends that this CPU has
//! ```
//!
//! `.ci/other-cpus` builds it for other CPUs, runs it there, and compares the results. Its output
//! does not depend on the time, the number of threads or the CPU's features; `SIGMILL_CPU` selects
//! the backend as everywhere.

mod agreement;
mod bulk;
mod defects;
mod encodings;
mod files;
mod inputs;
mod recovery;
mod transcript;
mod verdicts;

use std::path::Path;
use std::process::ExitCode;

use sigmill::cpu;

use crate::inputs::Inputs;
use crate::transcript::Transcript;

const USAGE: &str = "usage: sigmill-transcript print | write DIR | read DIR | backends";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("sigmill-transcript: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<(), String> {
    cpu::check_environment().map_err(|error| error.to_string())?;
    match arguments {
        ["print"] => {
            print!("{}", transcript());
            Ok(())
        }
        ["write", folder] => files::write(Path::new(folder)),
        ["read", folder] => {
            let count = files::read(Path::new(folder))?;
            println!("{count} files are as this CPU writes them");
            Ok(())
        }
        ["backends"] => {
            for backend in cpu::backends() {
                if backend.available {
                    println!("{}", backend.name);
                }
            }
            Ok(())
        }
        _ => Err(USAGE.into()),
    }
}

/// Everything, section by section.
fn transcript() -> Transcript {
    let mut transcript = Transcript::default();
    let inputs = Inputs::of_every_curve();
    for inputs in &inputs {
        encodings::sections(&mut transcript, inputs);
        verdicts::sections(&mut transcript, inputs);
    }
    recovery::sections(&mut transcript);
    agreement::sections(&mut transcript);
    bulk::sections(&mut transcript, &inputs);
    defects::sections(&mut transcript, &inputs);
    files::section(&mut transcript, &inputs);
    transcript
}
