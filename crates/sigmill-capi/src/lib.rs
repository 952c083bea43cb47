//! The C interface of sigmill: `include/sigmill.h`, which is made of these sources, and
//! docs/c.md, which says how it is used.
//!
//! One module a noun. Values live behind handles that only this library looks into and that are
//! never changed, so that threads may share them; results go to the caller's buffers. Every
//! function
//! that does more than return a static runs in `border`, which lets no panic out. There is no
//! context and no last error.

#![deny(unsafe_op_in_unsafe_fn)]
#![allow(
    clippy::missing_safety_doc,
    reason = "what the caller promises is the same for all functions: it stands in `border`"
)]

pub mod agreement;
pub mod arrow;
mod border;
pub mod choice;
pub mod engine;
pub mod error;
pub mod prepared_key;
pub mod recover;
pub mod rows;
pub mod signing_key;
pub mod sizes;
pub mod verifying_key;

use std::ffi::{CStr, c_char};

use error::sigmill_error;

/// The version with the zero byte that C wants.
const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("a version has no zero byte"),
    };

/// The version of the library, "0.1.0". The text is static. Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_version() -> *const c_char {
    VERSION.as_ptr()
}

/// Builds the tables of a curve's generator, which else the first call on that curve does: some
/// milliseconds. They stay until the process ends.
///
/// `curve` is a `sigmill_curve`. Errors: `SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE`. Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_warm_up(curve: u32) -> sigmill_error {
    border::guard(|| {
        sigmill::warm_up(choice::curve(curve)?);
        Ok(())
    })
}

/// What threads share.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<engine::sigmill_engine>();
    is_shared::<prepared_key::sigmill_prepared_key>();
    is_shared::<signing_key::sigmill_signing_key>();
    is_shared::<verifying_key::sigmill_verifying_key>();
};
