//! The tests of jsonwebtoken 11.

/// Runs before the first test.
#[ctor::ctor(unsafe)]
fn install() {
    let installed = sigmill_jsonwebtoken::v11::provider().install_default();
    assert!(installed.is_ok());
}

include!(concat!(env!("OUT_DIR"), "/v11.rs"));
