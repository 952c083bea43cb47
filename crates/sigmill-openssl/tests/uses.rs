//! Calls that sign and verify in any order (`uses.c`) are answered as by the stock library.
//! Messages are begun and begun again (`EVP_DigestVerifyInit`), come in parts, and are signed or
//! verified in one call (`EVP_DigestSign`, `EVP_DigestVerify`).

mod common;

use std::process::Command;

use common::{Place, program, text};

#[test]
fn calls_in_any_order_are_answered_as_by_the_stock_library() {
    let place = Place::new();
    let Some(program) = program(&place, "uses", &["-lcrypto"]) else {
        return;
    };
    let config = place.path("sigmill.cnf");
    text(Command::new(program).arg(config).output().unwrap()).unwrap();
}
