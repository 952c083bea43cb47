//! The tests of jsonwebtoken 10.

extern crate jsonwebtoken_10 as jsonwebtoken;

/// Runs before the first test.
#[ctor::ctor(unsafe)]
fn install() {
    let installed = sigmill_jsonwebtoken::v10::provider().install_default();
    assert!(installed.is_ok());
}

include!(concat!(env!("OUT_DIR"), "/v10.rs"));
