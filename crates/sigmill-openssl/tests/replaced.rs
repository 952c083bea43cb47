//! Keys that a program changes in place (`replaced.c`), and operations with a property query of the
//! program's own, as in `EVP_DigestSignInit_ex` and `EVP_PKEY_CTX_new_from_pkey` (`queries.c`).
//! Everything works as with the stock library.

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
    let ecdh = place.with_ecdh();
    for config in [Path::new("-"), &place.path("sigmill.cnf"), &ecdh] {
        text(Command::new(&program).arg(config).output().unwrap()).unwrap();
    }
    run_for_leaks(&program, &[&ecdh, Path::new("short")]);
}

/// Keys are made even after an operation with a query that our KEYMGMT "EC" satisfies.
#[test]
fn keys_are_made_whatever_query_an_operation_had() {
    let place = Place::new();
    let Some(program) = program(&place, "queries", &["-lcrypto"]) else {
        return;
    };
    let (sigmill, ecdh) = (place.path("sigmill.cnf"), place.with_ecdh());
    for query in [
        "none",
        "",
        "?x=y",
        "?fips=yes",
        "-sigmill",
        "provider=sigmill",
        "provider=default",
    ] {
        for (config, has_ecdh) in [(Path::new("-"), "no"), (&sigmill, "no"), (&ecdh, "yes")] {
            let output = Command::new(&program)
                .arg(config)
                .args([query, has_ecdh])
                .output()
                .unwrap();
            text(output).unwrap_or_else(|error| panic!("{query:?}: {error}"));
        }
    }
}
