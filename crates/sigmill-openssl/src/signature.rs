//! SIGNATURE "ECDSA".

use std::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use std::sync::Arc;
use std::{ptr, slice};

use crate::abi::*;
use crate::border::{guard, guard_secret};
use crate::context::{Context, Verdict};
use crate::key::Key;
use crate::keymgmt::key_for_operation;
use crate::output::Output;
use crate::params::{END, PassedParams, QueriedParams, described};
use crate::provider::Provider;
use crate::replaced;
use crate::tables::{NO_ALGORITHM, NO_FUNCTION, algorithm, function};

/// The result of a verifier that could not judge.
const FAILED: c_int = -1;

/// Returns the caller's bytes, none for null.
///
/// # Safety
/// `first` is null, or `length` bytes begin there, unchanged for the lifetime.
unsafe fn bytes<'a>(first: *const c_uchar, length: usize) -> &'a [u8] {
    if first.is_null() {
        return &[];
    }
    // SAFETY: the caller guarantees this.
    unsafe { slice::from_raw_parts(first, length) }
}

/// Returns the operation of a handle, or `None` for null.
///
/// # Safety
/// `handle` is null, or came from [`newctx`] or [`dupctx`] and was not freed, and nobody else uses
/// it meanwhile: OpenSSL's contexts are for one thread at a time.
unsafe fn context<'a>(handle: *mut c_void) -> Option<&'a mut Context<'a>> {
    // SAFETY: the caller guarantees this.
    unsafe { handle.cast::<Context<'a>>().as_mut() }
}

fn status(done: Option<()>) -> c_int {
    done.is_some().into()
}

fn verdict(verdict: Verdict) -> c_int {
    match verdict {
        Verdict::Valid => 1,
        Verdict::Invalid => 0,
        Verdict::Failed => FAILED,
    }
}

unsafe extern "C" fn newctx(provider: *mut c_void, properties: *const c_char) -> *mut c_void {
    guard(ptr::null_mut(), || {
        // SAFETY: it came from `OSSL_provider_init`, and the core ends it after its contexts.
        match unsafe { provider.cast::<Provider>().as_ref() } {
            Some(provider) => {
                // SAFETY: the core passes a string or null.
                unsafe { provider.keep_order(properties) };
                replaced::context_made();
                Box::into_raw(Box::new(Context::new(provider))).cast()
            }
            None => ptr::null_mut(),
        }
    })
}

unsafe extern "C" fn freectx(handle: *mut c_void) {
    guard((), || {
        if !handle.is_null() {
            // SAFETY: it came from `newctx` or `dupctx`, and the core frees it once.
            drop(unsafe { Box::from_raw(handle.cast::<Context<'_>>()) });
            replaced::interrupted();
        }
    });
}

unsafe extern "C" fn dupctx(handle: *mut c_void) -> *mut c_void {
    // SAFETY: the core got it from us.
    guard(ptr::null_mut(), || match unsafe { context(handle) } {
        Some(context) => Box::into_raw(Box::new(context.clone())).cast(),
        None => ptr::null_mut(),
    })
}

/// Begins an operation with the key of a handle, or without one.
///
/// # Safety
/// That of [`context`] and of [`key_for_operation`].
unsafe fn begin<'a>(
    handle: *mut c_void,
    key: *mut c_void,
    begin: impl FnOnce(&mut Context<'a>, Option<Arc<Key>>) -> Option<()>,
) -> c_int {
    // SAFETY: the caller guarantees this.
    let Some(context) = (unsafe { context(handle) }) else {
        return 0;
    };
    // SAFETY: as above.
    match unsafe { key_for_operation(key, context.is_new()) } {
        Ok(key) => status(begin(context, key)),
        Err(reason) => {
            context.provider().raise(reason);
            0
        }
    }
}

unsafe extern "C" fn init(
    handle: *mut c_void,
    key: *mut c_void,
    params: *const OsslParam,
) -> c_int {
    guard(0, || {
        // SAFETY: the core got both from us and passes an array with its end.
        unsafe {
            let params = PassedParams::new(params);
            begin(handle, key, |context, key| context.begin(key, params))
        }
    })
}

unsafe extern "C" fn digest_init(
    handle: *mut c_void,
    hash: *const c_char,
    key: *mut c_void,
    params: *const OsslParam,
) -> c_int {
    guard(0, || {
        // SAFETY: a name is a string.
        let hash = (!hash.is_null()).then(|| unsafe { CStr::from_ptr(hash) });
        // A name that is not text is not that of a hash.
        let hash = hash.map(|name| name.to_str().unwrap_or("?"));
        // SAFETY: the core got both from us and passes an array with its end.
        unsafe {
            let params = PassedParams::new(params);
            begin(handle, key, |context, key| {
                context.begin_message(hash, key, params)
            })
        }
    })
}

unsafe extern "C" fn update(handle: *mut c_void, first: *const c_uchar, length: usize) -> c_int {
    guard(0, || {
        // SAFETY: the core got the context from us and passes valid bytes.
        let (context, bytes) = unsafe { (context(handle), bytes(first, length)) };
        status(context.and_then(|context| context.update(bytes)))
    })
}

/// Writes a signature of a message into a buffer, or only the length of the longest one.
///
/// # Safety
/// The context and the places are those of a call of the core.
unsafe fn fill_signature(
    handle: *mut c_void,
    output: Output,
    max_len: impl FnOnce(&mut Context<'_>, bool) -> Option<usize>,
    sign: impl FnOnce(&mut Context<'_>) -> Option<Vec<u8>>,
) -> c_int {
    // SAFETY: the caller guarantees this.
    unsafe {
        let Some(context) = context(handle) else {
            return 0;
        };
        let (max_len, provider) = (max_len(context, output.first.is_null()), context.provider());
        let raise = |reason| provider.raise(reason);
        status(output.fill(raise, max_len, || sign(context)))
    }
}

unsafe extern "C" fn sign(
    handle: *mut c_void,
    first: *mut c_uchar,
    length: *mut usize,
    size: usize,
    digest: *const c_uchar,
    digest_len: usize,
) -> c_int {
    guard_secret(0, || {
        let output = Output {
            first,
            length,
            size,
        };
        // SAFETY: the core got the context from us and passes valid bytes and places.
        unsafe {
            let digest = bytes(digest, digest_len);
            let max_len = |context: &mut Context<'_>, _| context.max_signature_len();
            fill_signature(handle, output, max_len, |context| context.sign(digest))
        }
    })
}

fn message_signature_len(context: &mut Context<'_>, is_query: bool) -> Option<usize> {
    context.max_message_signature_len(is_query)
}

unsafe extern "C" fn digest_sign_final(
    handle: *mut c_void,
    first: *mut c_uchar,
    length: *mut usize,
    size: usize,
) -> c_int {
    guard_secret(0, || {
        let output = Output {
            first,
            length,
            size,
        };
        // SAFETY: the core got the context from us and passes valid places.
        unsafe {
            fill_signature(handle, output, message_signature_len, |context| {
                context.sign_message()
            })
        }
    })
}

unsafe extern "C" fn digest_sign(
    handle: *mut c_void,
    first: *mut c_uchar,
    length: *mut usize,
    size: usize,
    message: *const c_uchar,
    message_len: usize,
) -> c_int {
    guard_secret(0, || {
        let output = Output {
            first,
            length,
            size,
        };
        // SAFETY: the core got the context from us and passes valid bytes and places.
        unsafe {
            if !first.is_null() && update(handle, message, message_len) == 0 {
                return 0;
            }
            fill_signature(handle, output, message_signature_len, |context| {
                context.sign_so_far()
            })
        }
    })
}

unsafe extern "C" fn verify(
    handle: *mut c_void,
    signature: *const c_uchar,
    signature_len: usize,
    digest: *const c_uchar,
    digest_len: usize,
) -> c_int {
    guard(FAILED, || {
        // SAFETY: the core got the context from us and passes valid bytes.
        let (signature, digest) =
            unsafe { (bytes(signature, signature_len), bytes(digest, digest_len)) };
        // SAFETY: as above.
        match unsafe { context(handle) } {
            Some(context) => verdict(context.verify(digest, signature)),
            None => FAILED,
        }
    })
}

unsafe extern "C" fn digest_verify_final(
    handle: *mut c_void,
    signature: *const c_uchar,
    signature_len: usize,
) -> c_int {
    guard(FAILED, || {
        // SAFETY: the core got the context from us and passes valid bytes.
        let (context, signature) = unsafe { (context(handle), bytes(signature, signature_len)) };
        match context {
            Some(context) => verdict(context.verify_message(signature)),
            None => FAILED,
        }
    })
}

unsafe extern "C" fn digest_verify(
    handle: *mut c_void,
    signature: *const c_uchar,
    signature_len: usize,
    message: *const c_uchar,
    message_len: usize,
) -> c_int {
    guard(FAILED, || {
        // SAFETY: the core got the context from us and passes valid bytes.
        unsafe {
            if update(handle, message, message_len) == 0 {
                return FAILED;
            }
            let signature = bytes(signature, signature_len);
            match context(handle) {
                Some(context) => verdict(context.verify_so_far(signature)),
                None => FAILED,
            }
        }
    })
}

unsafe extern "C" fn get_ctx_params(handle: *mut c_void, params: *mut OsslParam) -> c_int {
    guard(0, || {
        // SAFETY: the core got the context from us and passes an array of places with its end.
        let (context, params) = unsafe { (context(handle), QueriedParams::new(params)) };
        context.is_some_and(|context| context.get(params)).into()
    })
}

unsafe extern "C" fn set_ctx_params(handle: *mut c_void, params: *const OsslParam) -> c_int {
    guard(0, || {
        // SAFETY: the core got the context from us and passes an array with its end.
        let (context, params) = unsafe { (context(handle), PassedParams::new(params)) };
        status(context.and_then(|context| context.set(params)))
    })
}

unsafe extern "C" fn gettable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const OsslParam {
    static TYPES: &[OsslParam] = &[
        described(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, OSSL_PARAM_OCTET_STRING),
        described(
            OSSL_SIGNATURE_PARAM_DIGEST_SIZE,
            OSSL_PARAM_UNSIGNED_INTEGER,
        ),
        described(OSSL_SIGNATURE_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING),
        END,
    ];
    TYPES.as_ptr()
}

unsafe extern "C" fn settable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const OsslParam {
    static TYPES: &[OsslParam] = &[
        described(OSSL_SIGNATURE_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING),
        described(OSSL_SIGNATURE_PARAM_PROPERTIES, OSSL_PARAM_UTF8_STRING),
        described(
            OSSL_SIGNATURE_PARAM_DIGEST_SIZE,
            OSSL_PARAM_UNSIGNED_INTEGER,
        ),
        described(OSSL_SIGNATURE_PARAM_NONCE_TYPE, OSSL_PARAM_UNSIGNED_INTEGER),
        END,
    ];
    TYPES.as_ptr()
}

const INIT: *const c_void = init as SignatureInit as *const c_void;
const DIGEST_INIT: *const c_void = digest_init as SignatureDigestInit as *const c_void;
const UPDATE: *const c_void = update as SignatureBytes as *const c_void;

static FUNCTIONS: &[OsslDispatch] = &[
    function(
        OSSL_FUNC_SIGNATURE_NEWCTX,
        newctx as SignatureNewctx as *const c_void,
    ),
    function(
        OSSL_FUNC_SIGNATURE_FREECTX,
        freectx as Free as *const c_void,
    ),
    function(OSSL_FUNC_SIGNATURE_DUPCTX, dupctx as Make as *const c_void),
    function(OSSL_FUNC_SIGNATURE_SIGN_INIT, INIT),
    function(
        OSSL_FUNC_SIGNATURE_SIGN,
        sign as SignatureSign as *const c_void,
    ),
    function(OSSL_FUNC_SIGNATURE_VERIFY_INIT, INIT),
    function(
        OSSL_FUNC_SIGNATURE_VERIFY,
        verify as SignatureVerify as *const c_void,
    ),
    function(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, DIGEST_INIT),
    function(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE, UPDATE),
    function(
        OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL,
        digest_sign_final as SignatureDigestSignFinal as *const c_void,
    ),
    function(
        OSSL_FUNC_SIGNATURE_DIGEST_SIGN,
        digest_sign as SignatureSign as *const c_void,
    ),
    function(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, DIGEST_INIT),
    function(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE, UPDATE),
    function(
        OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL,
        digest_verify_final as SignatureBytes as *const c_void,
    ),
    function(
        OSSL_FUNC_SIGNATURE_DIGEST_VERIFY,
        digest_verify as SignatureVerify as *const c_void,
    ),
    function(
        OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS,
        get_ctx_params as GetParams as *const c_void,
    ),
    function(
        OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS,
        gettable_ctx_params as ListCtxParams as *const c_void,
    ),
    function(
        OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS,
        set_ctx_params as SetParams as *const c_void,
    ),
    function(
        OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS,
        settable_ctx_params as ListCtxParams as *const c_void,
    ),
    NO_FUNCTION,
];

/// The algorithms that we offer, preferred by `?provider=sigmill` in the configuration.
pub(crate) static ALGORITHMS: &[OsslAlgorithm] = &[
    algorithm(
        c"ECDSA",
        c"provider=sigmill",
        FUNCTIONS,
        c"ECDSA by sigmill",
    ),
    NO_ALGORITHM,
];
