//! The TLS group that belongs to our keys. libssl takes a group from the provider that offers its
//! keys. As X25519 keys are ours, we describe the group with the default provider's values.

use std::ffi::{CStr, c_char, c_int, c_void};

use crate::abi::*;
use crate::border::guard;
use crate::params::{END, given};

/// The number of x25519 in TLS (RFC 8446 §4.2.7).
const X25519_ID: u32 = 0x001d;
/// No upper limit for versions.
const NO_MAXIMUM: c_int = 0;

static X25519: &[OsslParam] = &[
    text(OSSL_CAPABILITY_TLS_GROUP_NAME, c"x25519"),
    text(OSSL_CAPABILITY_TLS_GROUP_NAME_INTERNAL, c"X25519"),
    text(OSSL_CAPABILITY_TLS_GROUP_ALG, c"X25519"),
    unsigned(OSSL_CAPABILITY_TLS_GROUP_ID, &[X25519_ID]),
    unsigned(OSSL_CAPABILITY_TLS_GROUP_SECURITY_BITS, &[128]),
    unsigned(OSSL_CAPABILITY_TLS_GROUP_IS_KEM, &[0]),
    signed(OSSL_CAPABILITY_TLS_GROUP_MIN_TLS, &[TLS1_VERSION]),
    signed(OSSL_CAPABILITY_TLS_GROUP_MAX_TLS, &[NO_MAXIMUM]),
    signed(OSSL_CAPABILITY_TLS_GROUP_MIN_DTLS, &[DTLS1_VERSION]),
    signed(OSSL_CAPABILITY_TLS_GROUP_MAX_DTLS, &[NO_MAXIMUM]),
    END,
];

const fn text(name: &'static CStr, value: &'static CStr) -> OsslParam {
    given(name, OSSL_PARAM_UTF8_STRING, value.to_bytes_with_nul())
}

const fn unsigned(name: &'static CStr, value: &'static [u32; 1]) -> OsslParam {
    given(name, OSSL_PARAM_UNSIGNED_INTEGER, value)
}

const fn signed(name: &'static CStr, value: &'static [c_int; 1]) -> OsslParam {
    given(name, OSSL_PARAM_INTEGER, value)
}

/// Passes everything that we have of a capability to the callback. Returns 0 if we have nothing.
pub(crate) unsafe extern "C" fn get_capabilities(
    _provider: *mut c_void,
    capability: *const c_char,
    callback: Option<Callback>,
    argument: *mut c_void,
) -> c_int {
    guard(0, || {
        let Some(callback) = callback.filter(|_| !capability.is_null()) else {
            return 0;
        };
        // SAFETY: the core passes a string.
        let capability = unsafe { CStr::from_ptr(capability) };
        if !capability.to_bytes().eq_ignore_ascii_case(b"TLS-GROUP") {
            return 0;
        }
        // SAFETY: the callback and its argument are the core's; it reads an array with its end.
        (unsafe { callback(X25519.as_ptr(), argument) } != 0).into()
    })
}
