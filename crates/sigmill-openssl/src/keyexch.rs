//! KEYEXCH "ECDH" and "X25519".

use std::ffi::{c_int, c_uchar, c_void};
use std::sync::Arc;
use std::{ptr, slice};

use crate::abi::*;
use crate::border::{guard, guard_secret};
use crate::exchange::{Agrees, Exchange};
use crate::key::Key;
use crate::keymgmt::key_for_operation;
use crate::params::{END, PassedParams, QueriedParams, described};
use crate::provider::Provider;
use crate::replaced;
use crate::tables::{NO_ALGORITHM, NO_FUNCTION, algorithm, function};
use crate::x25519::Key as X25519Key;

/// Returns the agreement of a handle, or `None` for null.
///
/// # Safety
/// `handle` is null, or came from [`newctx`] or [`dupctx`] for keys of this kind and was not freed,
/// and nobody else uses it meanwhile: OpenSSL's contexts are for one thread at a time.
unsafe fn exchange<'a, K: Agrees>(handle: *mut c_void) -> Option<&'a mut Exchange<'a, K>> {
    // SAFETY: the caller guarantees this.
    unsafe { handle.cast::<Exchange<'a, K>>().as_mut() }
}

fn status(done: Option<()>) -> c_int {
    done.is_some().into()
}

unsafe extern "C" fn newctx<K: Agrees>(provider: *mut c_void) -> *mut c_void {
    guard(ptr::null_mut(), || {
        // SAFETY: it came from `OSSL_provider_init`, and the core ends it after its contexts.
        match unsafe { provider.cast::<Provider>().as_ref() } {
            Some(provider) => {
                if K::IS_IMPORT_ONLY {
                    provider.keep_every_order();
                }
                replaced::context_made();
                Box::into_raw(Box::new(Exchange::<K>::new(provider))).cast()
            }
            None => ptr::null_mut(),
        }
    })
}

unsafe extern "C" fn freectx<K: Agrees>(handle: *mut c_void) {
    guard((), || {
        if !handle.is_null() {
            // SAFETY: it came from `newctx` or `dupctx`, and the core frees it once.
            drop(unsafe { Box::from_raw(handle.cast::<Exchange<'_, K>>()) });
            replaced::interrupted();
        }
    });
}

unsafe extern "C" fn dupctx<K: Agrees>(handle: *mut c_void) -> *mut c_void {
    // SAFETY: the core got it from us.
    guard(ptr::null_mut(), || match unsafe { exchange::<K>(handle) } {
        Some(exchange) => Box::into_raw(Box::new(exchange.clone())).cast(),
        None => ptr::null_mut(),
    })
}

/// Gives an agreement the key of a handle: our own, in a new context, or the peer's.
///
/// # Safety
/// That of [`exchange`] and of [`key_for_operation`].
unsafe fn take_key<'a, K: Agrees>(
    handle: *mut c_void,
    key: *mut c_void,
    is_own: bool,
    take: impl FnOnce(&mut Exchange<'a, K>, Option<Arc<K>>) -> Option<()>,
) -> c_int {
    // SAFETY: the caller guarantees this.
    let Some(exchange) = (unsafe { exchange::<K>(handle) }) else {
        return 0;
    };
    // SAFETY: as above.
    match unsafe { key_for_operation(key, is_own) } {
        Ok(key) => status(take(exchange, key)),
        Err(reason) => {
            exchange.provider().raise(reason);
            0
        }
    }
}

unsafe extern "C" fn init<K: Agrees>(
    handle: *mut c_void,
    key: *mut c_void,
    params: *const OsslParam,
) -> c_int {
    guard(0, || {
        // SAFETY: the core got both from us and passes an array with its end.
        unsafe {
            let params = PassedParams::new(params);
            take_key::<K>(handle, key, true, |exchange, key| {
                exchange.begin(key, params)
            })
        }
    })
}

unsafe extern "C" fn set_peer<K: Agrees>(handle: *mut c_void, peer: *mut c_void) -> c_int {
    guard(0, || {
        // SAFETY: the core got both from us.
        unsafe { take_key::<K>(handle, peer, false, Exchange::set_peer) }
    })
}

unsafe extern "C" fn derive<K: Agrees>(
    handle: *mut c_void,
    first: *mut c_uchar,
    length: *mut usize,
    size: usize,
) -> c_int {
    guard_secret(0, || {
        // SAFETY: the core got the agreement from us and passes a place for the length.
        let (exchange, length) = unsafe { (exchange::<K>(handle), length.as_mut()) };
        let (Some(exchange), Some(length)) = (exchange, length) else {
            return 0;
        };
        let Some(result_len) = exchange.result_len((!first.is_null()).then_some(size)) else {
            return 0;
        };
        if !first.is_null() {
            let Some(shared) = exchange.shared() else {
                return 0;
            };
            // SAFETY: the buffer has `size` bytes, and the result is not longer. The buffer may be
            // uninitialised, so it is set to zero first.
            let place = unsafe {
                first.write_bytes(0, result_len);
                slice::from_raw_parts_mut(first, result_len)
            };
            if exchange.fill(&shared, place).is_none() {
                return 0;
            }
        }
        *length = result_len;
        1
    })
}

unsafe extern "C" fn get_ctx_params<K: Agrees>(
    handle: *mut c_void,
    params: *mut OsslParam,
) -> c_int {
    guard(0, || {
        // SAFETY: the core got it from us and passes an array of places with its end.
        let (exchange, params) = unsafe { (exchange::<K>(handle), QueriedParams::new(params)) };
        exchange.is_some_and(|exchange| exchange.get(params)).into()
    })
}

unsafe extern "C" fn set_ctx_params<K: Agrees>(
    handle: *mut c_void,
    params: *const OsslParam,
) -> c_int {
    guard(0, || {
        // SAFETY: the core got it from us and passes an array with its end.
        let (exchange, params) = unsafe { (exchange::<K>(handle), PassedParams::new(params)) };
        status(exchange.and_then(|exchange| exchange.set(params)))
    })
}

unsafe extern "C" fn gettable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const OsslParam {
    static TYPES: &[OsslParam] = &[
        described(
            OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE,
            OSSL_PARAM_INTEGER,
        ),
        described(OSSL_EXCHANGE_PARAM_KDF_TYPE, OSSL_PARAM_UTF8_STRING),
        described(OSSL_EXCHANGE_PARAM_KDF_DIGEST, OSSL_PARAM_UTF8_STRING),
        described(OSSL_EXCHANGE_PARAM_KDF_OUTLEN, OSSL_PARAM_UNSIGNED_INTEGER),
        described(OSSL_EXCHANGE_PARAM_KDF_UKM, OSSL_PARAM_OCTET_PTR),
        END,
    ];
    TYPES.as_ptr()
}

unsafe extern "C" fn settable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const OsslParam {
    static TYPES: &[OsslParam] = &[
        described(
            OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE,
            OSSL_PARAM_INTEGER,
        ),
        described(OSSL_EXCHANGE_PARAM_KDF_TYPE, OSSL_PARAM_UTF8_STRING),
        described(OSSL_EXCHANGE_PARAM_KDF_DIGEST, OSSL_PARAM_UTF8_STRING),
        described(OSSL_EXCHANGE_PARAM_KDF_DIGEST_PROPS, OSSL_PARAM_UTF8_STRING),
        described(OSSL_EXCHANGE_PARAM_KDF_OUTLEN, OSSL_PARAM_UNSIGNED_INTEGER),
        described(OSSL_EXCHANGE_PARAM_KDF_UKM, OSSL_PARAM_OCTET_STRING),
        END,
    ];
    TYPES.as_ptr()
}

/// The functions that every kind of agreement has.
const fn functions<K: Agrees>() -> [OsslDispatch; 7] {
    [
        function(
            OSSL_FUNC_KEYEXCH_NEWCTX,
            newctx::<K> as Make as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYEXCH_FREECTX,
            freectx::<K> as Free as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYEXCH_DUPCTX,
            dupctx::<K> as Make as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYEXCH_INIT,
            init::<K> as SignatureInit as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYEXCH_SET_PEER,
            set_peer::<K> as KeyexchSetPeer as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYEXCH_DERIVE,
            derive::<K> as KeyexchDerive as *const c_void,
        ),
        NO_FUNCTION,
    ]
}

/// Without parameters, as OpenSSL's own.
static X25519: [OsslDispatch; 7] = functions::<X25519Key>();

static ECDH: [OsslDispatch; 11] = {
    let [newctx, freectx, dupctx, init, set_peer, derive, end] = functions::<Key>();
    [
        newctx,
        freectx,
        dupctx,
        init,
        set_peer,
        derive,
        function(
            OSSL_FUNC_KEYEXCH_SET_CTX_PARAMS,
            set_ctx_params::<Key> as SetParams as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYEXCH_SETTABLE_CTX_PARAMS,
            settable_ctx_params as ListCtxParams as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYEXCH_GET_CTX_PARAMS,
            get_ctx_params::<Key> as GetParams as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYEXCH_GETTABLE_CTX_PARAMS,
            gettable_ctx_params as ListCtxParams as *const c_void,
        ),
        end,
    ]
};

/// The algorithms that we offer, preferred by `?provider=sigmill` in the configuration.
static WITH_ECDH: [OsslAlgorithm; 3] = [
    algorithm(c"ECDH", c"provider=sigmill", &ECDH, c"ECDH by sigmill"),
    algorithm(
        c"X25519:1.3.101.110",
        c"provider=sigmill",
        &X25519,
        c"X25519 by sigmill",
    ),
    NO_ALGORITHM,
];

/// Returns the algorithms that we offer, with ECDH or without.
pub(crate) fn algorithms(has_ecdh: bool) -> *const OsslAlgorithm {
    WITH_ECDH[usize::from(!has_ecdh)..].as_ptr()
}
