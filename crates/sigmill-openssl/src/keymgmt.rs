//! KEYMGMT "EC": keys come in, and nothing else. They are made, read and written by the default
//! provider, which has them; an operation of ours exports them to here.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use crate::abi::*;
use crate::border::guard;
use crate::key::Key;
use crate::params::{Asked, END, Given, described};

/// What the core holds of a key: nothing until it is imported.
type Handle = Option<Arc<Key>>;

/// The key that the core has; `None` before it was imported.
///
/// # Safety
/// `handle` is null or came from [`new`] and was not freed.
pub(crate) unsafe fn key_of(handle: *const c_void) -> Option<Arc<Key>> {
    // SAFETY: as the caller says.
    unsafe { handle.cast::<Handle>().as_ref() }?.clone()
}

unsafe extern "C" fn new(_provider: *mut c_void) -> *mut c_void {
    guard(ptr::null_mut(), || {
        Box::into_raw(Box::new(Handle::None)).cast()
    })
}

unsafe extern "C" fn free(handle: *mut c_void) {
    guard((), || {
        if !handle.is_null() {
            // SAFETY: it came from `new`, and the core frees it once.
            drop(unsafe { Box::from_raw(handle.cast::<Handle>()) });
        }
    });
}

unsafe extern "C" fn import(
    handle: *mut c_void,
    selection: c_int,
    params: *const OsslParam,
) -> c_int {
    guard(0, || {
        // SAFETY: it came from `new`, and nobody else knows it before it is imported.
        let Some(handle) = (unsafe { handle.cast::<Handle>().as_mut() }) else {
            return 0;
        };
        // SAFETY: the core gives an array with its end.
        *handle = Key::import(selection, unsafe { Given::new(params) }).map(Arc::new);
        handle.is_some().into()
    })
}

unsafe extern "C" fn import_types(selection: c_int) -> *const OsslParam {
    const EITHER: c_int = OSSL_KEYMGMT_SELECT_PRIVATE_KEY | OSSL_KEYMGMT_SELECT_PUBLIC_KEY;
    static TYPES: &[OsslParam] = &[
        described(OSSL_PKEY_PARAM_GROUP_NAME, OSSL_PARAM_UTF8_STRING),
        described(OSSL_PKEY_PARAM_EC_ENCODING, OSSL_PARAM_UTF8_STRING),
        described(
            OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS,
            OSSL_PARAM_INTEGER,
        ),
        described(OSSL_PKEY_PARAM_PUB_KEY, OSSL_PARAM_OCTET_STRING),
        described(OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PARAM_UNSIGNED_INTEGER),
        END,
    ];
    if selection & EITHER == 0 {
        return ptr::null();
    }
    TYPES.as_ptr()
}

unsafe extern "C" fn has(handle: *const c_void, selection: c_int) -> c_int {
    // SAFETY: the core has it from `new`.
    guard(0, || match unsafe { key_of(handle) } {
        Some(key) => key.has(selection).into(),
        None => 0,
    })
}

unsafe extern "C" fn matches(one: *const c_void, other: *const c_void, selection: c_int) -> c_int {
    // SAFETY: the core has both from `new`.
    guard(0, || match unsafe { (key_of(one), key_of(other)) } {
        (Some(one), Some(other)) => one.matches(&other, selection).into(),
        _ => 0,
    })
}

unsafe extern "C" fn get_params(handle: *mut c_void, params: *mut OsslParam) -> c_int {
    guard(0, || {
        // SAFETY: the core has it from `new`.
        let Some(key) = (unsafe { key_of(handle) }) else {
            return 0;
        };
        // SAFETY: the core gives an array with its end, and places.
        let mut params = unsafe { Asked::new(params) };
        let is_answered = params.number(OSSL_PKEY_PARAM_BITS, key.curve().order_bits())
            && params.number(OSSL_PKEY_PARAM_SECURITY_BITS, key.security_bits())
            && params.number(OSSL_PKEY_PARAM_MAX_SIZE, key.max_signature_len() as u32)
            // That of OpenSSL on every curve.
            && params.text(OSSL_PKEY_PARAM_DEFAULT_DIGEST, c"SHA256");
        is_answered.into()
    })
}

unsafe extern "C" fn gettable_params(_provider: *mut c_void) -> *const OsslParam {
    static TYPES: &[OsslParam] = &[
        described(OSSL_PKEY_PARAM_BITS, OSSL_PARAM_INTEGER),
        described(OSSL_PKEY_PARAM_SECURITY_BITS, OSSL_PARAM_INTEGER),
        described(OSSL_PKEY_PARAM_MAX_SIZE, OSSL_PARAM_INTEGER),
        described(OSSL_PKEY_PARAM_DEFAULT_DIGEST, OSSL_PARAM_UTF8_STRING),
        END,
    ];
    TYPES.as_ptr()
}

unsafe extern "C" fn query_operation_name(operation: c_int) -> *const c_char {
    match operation {
        OSSL_OP_SIGNATURE => c"ECDSA".as_ptr(),
        _ => ptr::null(),
    }
}

const fn function(function_id: c_int, function: *const c_void) -> OsslDispatch {
    OsslDispatch {
        function_id,
        function,
    }
}

static FUNCTIONS: &[OsslDispatch] = &[
    function(OSSL_FUNC_KEYMGMT_NEW, new as Make as *const c_void),
    function(OSSL_FUNC_KEYMGMT_FREE, free as Free as *const c_void),
    function(OSSL_FUNC_KEYMGMT_HAS, has as KeymgmtHas as *const c_void),
    function(
        OSSL_FUNC_KEYMGMT_MATCH,
        matches as KeymgmtMatch as *const c_void,
    ),
    function(
        OSSL_FUNC_KEYMGMT_IMPORT,
        import as KeymgmtImport as *const c_void,
    ),
    function(
        OSSL_FUNC_KEYMGMT_IMPORT_TYPES,
        import_types as KeymgmtImportTypes as *const c_void,
    ),
    function(
        OSSL_FUNC_KEYMGMT_GET_PARAMS,
        get_params as GetParams as *const c_void,
    ),
    function(
        OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS,
        gettable_params as ListParams as *const c_void,
    ),
    function(
        OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME,
        query_operation_name as KeymgmtQueryOperationName as *const c_void,
    ),
    function(0, ptr::null()),
];

/// What is offered. It has no property `provider`, so that nobody who asks for ours, or for none,
/// gets keys from here: `?sigmill.key!=yes` in the configuration says so, too.
pub(crate) static ALGORITHMS: &[OsslAlgorithm] = &[
    OsslAlgorithm {
        algorithm_names: c"EC:id-ecPublicKey:1.2.840.10045.2.1".as_ptr(),
        property_definition: c"sigmill.key=yes".as_ptr(),
        implementation: FUNCTIONS.as_ptr(),
        algorithm_description: c"keys for ECDSA by sigmill".as_ptr(),
    },
    OsslAlgorithm {
        algorithm_names: ptr::null(),
        property_definition: ptr::null(),
        implementation: ptr::null(),
        algorithm_description: ptr::null(),
    },
];
