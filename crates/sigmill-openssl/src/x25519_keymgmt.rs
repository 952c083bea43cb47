//! KEYMGMT "X25519": its functions in addition to import, which make the keys ours from the
//! beginning. The default provider's decoders and encoders read and write them, by import and
//! export.

use std::ffi::{c_int, c_void};
use std::ptr;

use crate::abi::*;
use crate::border::{guard, guard_secret};
use crate::generation::{gen_cleanup, gen_init, gen_set_params, gen_settable_params, generate};
use crate::keymgmt::{copy_of, functions, import_types, key_for_export, key_of, replace_key};
use crate::params::{END, PassedParams, described, given};
use crate::tables::{function, table};
use crate::x25519::Key;

unsafe extern "C" fn dup(handle: *const c_void, selection: c_int) -> *mut c_void {
    guard_secret(ptr::null_mut(), || {
        // SAFETY: the core got it from us.
        unsafe { copy_of(handle, |key: &Key| key.copy(selection)) }
    })
}

unsafe extern "C" fn validate(handle: *const c_void, selection: c_int, _kind: c_int) -> c_int {
    guard(0, || {
        // SAFETY: the core got it from us.
        let key = unsafe { key_of::<Key>(handle) };
        key.is_some_and(|key| key.is_valid(selection)).into()
    })
}

/// Exports the public part, whichever is selected, as OpenSSL does, and the private one if it is
/// selected. The callback gets the key's own bytes: no copy is made here. Parameters alone are an
/// empty array, so that keys of two providers can be compared in them; OpenSSL exports none.
unsafe extern "C" fn export(
    handle: *mut c_void,
    selection: c_int,
    callback: Option<Callback>,
    argument: *mut c_void,
) -> c_int {
    guard_secret(0, || {
        let is_selected = |parts| selection & parts != 0;
        let Some(callback) = callback else {
            return 0;
        };
        // SAFETY: the core got it from us.
        let Some(key) = (unsafe { key_for_export::<Key>(handle, callback) }) else {
            return 0;
        };
        let mut params = [END; 3];
        if is_selected(OSSL_KEYMGMT_SELECT_KEYPAIR) {
            let public = key.public_bytes();
            params[0] = given(OSSL_PKEY_PARAM_PUB_KEY, OSSL_PARAM_OCTET_STRING, public);
        } else if !is_selected(OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS) {
            return 0;
        }
        if is_selected(OSSL_KEYMGMT_SELECT_PRIVATE_KEY)
            && let Some(secret) = key.secret_bytes()
        {
            params[1] = given(OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PARAM_OCTET_STRING, secret);
        }
        // SAFETY: the callback and its argument are the core's. It reads the array and its values,
        // which exist until it returns.
        unsafe { callback(params.as_ptr(), argument) }
    })
}

/// Sets a public part. The private one does not belong to it and is dropped.
unsafe extern "C" fn set_params(handle: *mut c_void, params: *const OsslParam) -> c_int {
    guard_secret(0, || {
        // SAFETY: the core passes an array with its end.
        let params = unsafe { PassedParams::new(params) };
        if let Some(public) = params.get(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY) {
            let Some(key) = public.octets().and_then(Key::of_public) else {
                return 0;
            };
            // SAFETY: the core got it from us and changes it in one thread.
            unsafe { replace_key(handle, key) };
        }
        // These are for OpenSSL's look-ups, which do not concern our functions.
        let properties = params.get(OSSL_PKEY_PARAM_PROPERTIES);
        properties.is_none_or(|value| value.text().is_some()).into()
    })
}

unsafe extern "C" fn settable_params(_provider: *mut c_void) -> *const OsslParam {
    static TYPES: &[OsslParam] = &[
        described(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, OSSL_PARAM_OCTET_STRING),
        described(OSSL_PKEY_PARAM_PROPERTIES, OSSL_PARAM_UTF8_STRING),
        END,
    ];
    TYPES.as_ptr()
}

pub(crate) static X25519: [OsslDispatch; 21] = table(
    functions::<Key>(),
    [
        function(
            OSSL_FUNC_KEYMGMT_GEN_INIT,
            gen_init as KeymgmtGenInit as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS,
            gen_set_params as SetParams as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS,
            gen_settable_params as ListCtxParams as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYMGMT_GEN,
            generate as KeymgmtGen as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYMGMT_GEN_CLEANUP,
            gen_cleanup as Free as *const c_void,
        ),
        function(OSSL_FUNC_KEYMGMT_DUP, dup as KeymgmtDup as *const c_void),
        function(
            OSSL_FUNC_KEYMGMT_VALIDATE,
            validate as KeymgmtValidate as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYMGMT_EXPORT,
            export as KeymgmtExport as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYMGMT_EXPORT_TYPES,
            import_types::<Key> as KeymgmtImportTypes as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYMGMT_SET_PARAMS,
            set_params as SetParams as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS,
            settable_params as ListParams as *const c_void,
        ),
    ],
);
