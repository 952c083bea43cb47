//! Children of a process whose threads verify at the moment of the fork (`forks.c`): none waits for
//! a lock that one of them held. `SIGMILL_FORKS` is the number of forks, 300 by default.

mod common;

use std::process::Command;
use std::{env, fs};

use common::{Place, program, text};

/// A child hangs if it needs more than this many seconds, which it does not even on a busy machine.
const SECONDS: &str = "60";

#[test]
fn children_of_a_process_that_verifies_do_not_hang() {
    let place = Place::new();
    let Some(program) = program(&place, "forks", &["-pthread", "-lcrypto"]) else {
        return;
    };
    let forks = env::var("SIGMILL_FORKS").unwrap_or_else(|_| "300".into());
    // Too little memory for all tables, so that write locks are taken too.
    let config = place.path("sigmill.cnf");
    fs::write(&config, common::config("1M", "10")).unwrap();
    for config in ["-", config.to_str().unwrap()] {
        let mut command = Command::new(&program);
        let said = text(command.args([config, &forks, SECONDS]).output().unwrap()).unwrap();
        assert_eq!(said, format!("{forks} forks, 0 hung\n"), "{config}");
    }
}
