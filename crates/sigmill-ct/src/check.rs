//! Checks of operations under memcheck.

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use sigmill::cpu;
use sigmill::hazmat::ct;

use crate::operations::{self, Operation};

/// Everything ran and nothing was reported.
const CLEAN: u8 = 0;
/// An operation depends on a secret.
const LEAK: u8 = 1;
/// Nothing was checked.
const NOT_CHECKED: u8 = 2;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only the operations whose names contain this; the planted leaks run only this way
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Skip the operations whose names contain this; may be given several times
    #[arg(long, value_name = "TEXT")]
    except: Vec<String>,
    /// Print the names and run nothing
    #[arg(long)]
    list: bool,
}

/// Runs the operations selected by `args`; the exit code reports the result.
pub(crate) fn run(args: &Args) -> ExitCode {
    let operations: Vec<Operation> = operations::all()
        .into_iter()
        .filter(|operation| match &args.only {
            Some(text) => operation.name.contains(text.as_str()),
            None => args.list || !operation.planted,
        })
        .filter(|operation| !args.except.iter().any(|text| operation.name.contains(text)))
        .collect();
    if args.list {
        for operation in &operations {
            println!("{}", operation.name);
        }
        return CLEAN.into();
    }
    if operations.is_empty() {
        eprintln!("no operation has such a name: see --list");
        return NOT_CHECKED.into();
    }
    let Some(mut before) = ct::reported() else {
        eprintln!(
            "nothing was checked: this needs a build with RUSTFLAGS=\"--cfg sigmill_ct_check\" \
             for x86-64, and valgrind --error-limit=no before the command (.ci/constant-time \
             does both)"
        );
        return NOT_CHECKED.into();
    };
    for backend in cpu::backends().iter().filter(|backend| backend.used) {
        println!("backend {}", backend.name);
    }
    let mut leaks = 0;
    for operation in &operations {
        let outcome = panic::catch_unwind(AssertUnwindSafe(&operation.run));
        let after = ct::reported().unwrap_or(usize::MAX);
        let verdict = match (outcome, after - before) {
            (Err(_), _) => "FAILED".to_owned(),
            (Ok(()), 0) => "ok".to_owned(),
            (Ok(()), count) => format!("LEAK: {count} reports"),
        };
        leaks += usize::from(verdict != "ok");
        println!("{:40} {verdict}", operation.name);
        before = after;
    }
    println!("{} operations, {leaks} not constant time", operations.len());
    if leaks == 0 { CLEAN } else { LEAK }.into()
}
