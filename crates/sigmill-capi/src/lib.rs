//! The C interface of sigmill. `include/sigmill.h` is generated from these sources; docs/c.md
//! describes how to use it.
//!
//! Each module covers one noun. Values live behind opaque handles. A handle never changes, so
//! threads may share it. Results go to the caller's buffers. Every function that does more than
//! return a static value runs in `border`, which lets no panic escape. There is no context and no
//! last error.

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
pub mod options;
pub mod prepared_key;
pub mod recover;
pub mod rows;
pub mod signing_key;
pub mod sizes;
pub mod verifying_key;

use std::ffi::{CStr, c_char};

use error::sigmill_error;

/// The version, with the zero byte that C needs.
const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("a version has no zero byte"),
    };

/// Returns the version of the library, such as "0.1.0", as a static string. Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_version() -> *const c_char {
    VERSION.as_ptr()
}

/// Builds the tables of a curve's generator. Otherwise the first call on that curve builds them,
/// which costs some milliseconds. They stay until the process ends.
///
/// `curve` is a `sigmill_curve`. Errors: `SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE`. Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_warm_up(curve: u32) -> sigmill_error {
    border::guard(|| {
        sigmill::warm_up(choice::curve(curve)?);
        Ok(())
    })
}

/// Types that threads may share.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<engine::sigmill_engine>();
    is_shared::<prepared_key::sigmill_prepared_key>();
    is_shared::<signing_key::sigmill_signing_key>();
    is_shared::<verifying_key::sigmill_verifying_key>();
};
