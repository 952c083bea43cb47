//! Keys that a program changes in place, and operations with a property query of the program's own
//! (`replaced.c`, `queries.c`): all is as with the stock library.

mod common;

use std::path::Path;
use std::process::Command;

use common::{Place, program, run_for_leaks, text};

#[test]
fn a_key_that_is_changed_in_place_is_the_new_key() {
    let place = Place::new();
    let Some(program) = program(&place, "replaced", &["-pthread", "-lcrypto"]) else {
        return;
    };
    for config in [Path::new("-"), &place.path("sigmill.cnf")] {
        text(Command::new(&program).arg(config).output().unwrap()).unwrap();
    }
    run_for_leaks(&program, &[&place.with_ecdh()]);
}
