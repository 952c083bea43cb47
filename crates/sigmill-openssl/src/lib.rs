//! Sigmill as a provider of OpenSSL 3: a module that OpenSSL loads because its configuration names
//! it. It verifies and signs with ECDSA and agrees with ECDH and X25519, for programs that know
//! nothing of it.
//!
//! It offers SIGNATURE "ECDSA", KEYEXCH "ECDH" and "X25519", and a KEYMGMT "EC" that only imports.
//! Keys on curves stay with the provider that made or read them; for an operation, the core exports
//! them to this module. Import refuses keys that are not on one of our curves, and the core then
//! uses the key's own provider, so unsupported keys work as before. KEYMGMT "X25519" is complete:
//! this module makes such keys, and TLS gets its group x25519 from here. docs/openssl.md describes
//! how to use the module.
//!
//! The module is not linked with libcrypto. The interface is written by hand (`abi`) and called
//! through the functions that the core passes. So the module works in any OpenSSL 3, even one that
//! is part of a program. Functions that the core does not pass, but that a defect of libcrypto
//! makes necessary, are found at run time (`lookups`).

pub mod abi;
mod border;
mod context;
mod der;
mod dhkem;
mod digest;
mod entropy;
mod exchange;
mod exports;
mod generation;
mod key;
mod keyexch;
mod keymgmt;
mod lookups;
mod object;
mod output;
mod params;
mod provider;
mod replaced;
mod secret;
mod signature;
mod tables;
mod tls_group;
mod x25519;
mod x25519_keymgmt;

use std::ffi::{c_int, c_void};
use std::ptr;

use abi::{
    CoreHandle, Free, GetCapabilities, GetParams, GetReasonStrings, ListParams,
    OSSL_FUNC_PROVIDER_GET_CAPABILITIES, OSSL_FUNC_PROVIDER_GET_PARAMS,
    OSSL_FUNC_PROVIDER_GET_REASON_STRINGS, OSSL_FUNC_PROVIDER_GETTABLE_PARAMS,
    OSSL_FUNC_PROVIDER_QUERY_OPERATION, OSSL_FUNC_PROVIDER_TEARDOWN, OSSL_OP_KEYEXCH,
    OSSL_OP_KEYMGMT, OSSL_OP_SIGNATURE, OSSL_PARAM_INTEGER, OSSL_PARAM_UTF8_PTR,
    OSSL_PROV_PARAM_BUILDINFO, OSSL_PROV_PARAM_NAME, OSSL_PROV_PARAM_STATUS,
    OSSL_PROV_PARAM_VERSION, OsslAlgorithm, OsslDispatch, OsslItem, OsslParam, QueryOperation,
};
use border::guard;
use params::{END, QueriedParams, described};
use provider::{Provider, REASONS};
use tables::{NO_FUNCTION, function};
use tls_group::get_capabilities;

/// The version, with the zero byte that C needs.
const VERSION: &std::ffi::CStr = match std::ffi::CStr::from_bytes_with_nul(
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes(),
) {
    Ok(version) => version,
    Err(_) => panic!("a version has no zero byte"),
};

unsafe extern "C" fn teardown(provider: *mut c_void) {
    guard((), || {
        if !provider.is_null() {
            // SAFETY: it came from `OSSL_provider_init`, and the core ends it once, after
            // everything that refers to it.
            drop(unsafe { Box::from_raw(provider.cast::<Provider>()) });
        }
    });
}

unsafe extern "C" fn gettable_params(_provider: *mut c_void) -> *const OsslParam {
    static TYPES: &[OsslParam] = &[
        described(OSSL_PROV_PARAM_NAME, OSSL_PARAM_UTF8_PTR),
        described(OSSL_PROV_PARAM_VERSION, OSSL_PARAM_UTF8_PTR),
        described(OSSL_PROV_PARAM_BUILDINFO, OSSL_PARAM_UTF8_PTR),
        described(OSSL_PROV_PARAM_STATUS, OSSL_PARAM_INTEGER),
        END,
    ];
    TYPES.as_ptr()
}

unsafe extern "C" fn get_params(_provider: *mut c_void, params: *mut OsslParam) -> c_int {
    guard(0, || {
        // SAFETY: the core passes an array with its end and places for the values.
        let mut params = unsafe { QueriedParams::new(params) };
        let is_answered = params.text(OSSL_PROV_PARAM_NAME, c"sigmill")
            && params.text(OSSL_PROV_PARAM_VERSION, VERSION)
            && params.text(OSSL_PROV_PARAM_BUILDINFO, VERSION)
            && params.number(OSSL_PROV_PARAM_STATUS, 1);
        is_answered.into()
    })
}

unsafe extern "C" fn query_operation(
    provider: *mut c_void,
    operation: c_int,
    no_cache: *mut c_int,
) -> *const OsslAlgorithm {
    if !no_cache.is_null() {
        // SAFETY: the core passes a place for a number.
        unsafe { *no_cache = 0 };
    }
    match operation {
        OSSL_OP_KEYMGMT => keymgmt::ALGORITHMS.as_ptr(),
        OSSL_OP_KEYEXCH => {
            // SAFETY: the core got it from `OSSL_provider_init`; null becomes `None`.
            let provider = unsafe { provider.cast::<Provider>().as_ref() };
            keyexch::algorithms(provider.is_some_and(Provider::has_ecdh))
        }
        OSSL_OP_SIGNATURE => signature::ALGORITHMS.as_ptr(),
        _ => ptr::null(),
    }
}

unsafe extern "C" fn get_reason_strings(_provider: *mut c_void) -> *const OsslItem {
    REASONS.as_ptr()
}

static FUNCTIONS: &[OsslDispatch] = &[
    function(
        OSSL_FUNC_PROVIDER_TEARDOWN,
        teardown as Free as *const c_void,
    ),
    function(
        OSSL_FUNC_PROVIDER_GETTABLE_PARAMS,
        gettable_params as ListParams as *const c_void,
    ),
    function(
        OSSL_FUNC_PROVIDER_GET_PARAMS,
        get_params as GetParams as *const c_void,
    ),
    function(
        OSSL_FUNC_PROVIDER_QUERY_OPERATION,
        query_operation as QueryOperation as *const c_void,
    ),
    function(
        OSSL_FUNC_PROVIDER_GET_REASON_STRINGS,
        get_reason_strings as GetReasonStrings as *const c_void,
    ),
    function(
        OSSL_FUNC_PROVIDER_GET_CAPABILITIES,
        get_capabilities as GetCapabilities as *const c_void,
    ),
    NO_FUNCTION,
];

/// The entry point that OpenSSL calls after it has loaded the module. Returns 1 and the functions
/// of the provider, or 0 if the configuration is wrong, with the reason in the queue of errors.
/// Starts no thread.
///
/// # Safety
/// `functions` is the start of the core's dispatch table, `handle` is that of the core, and the
/// results can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OSSL_provider_init(
    handle: *const CoreHandle,
    functions: *const OsslDispatch,
    own_functions: *mut *const OsslDispatch,
    provider: *mut *mut c_void,
) -> c_int {
    guard(0, || {
        if functions.is_null() || own_functions.is_null() || provider.is_null() {
            return 0;
        }
        // SAFETY: the caller guarantees this.
        match unsafe { Provider::new(handle, functions) } {
            None => 0,
            Some(new) => {
                // SAFETY: the caller guarantees this.
                unsafe {
                    *own_functions = FUNCTIONS.as_ptr();
                    *provider = Box::into_raw(Box::new(new)).cast();
                }
                1
            }
        }
    })
}
