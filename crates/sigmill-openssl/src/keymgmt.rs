//! KEYMGMT: keys come in, and nothing else. They are made, read and written by the default
//! provider, which has them; an operation of ours exports them to here.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use crate::abi::*;
use crate::border::guard;
use crate::key::Key;
use crate::params::{Asked, END, Given, described};
use crate::provider::{Provider, Reason};
use crate::tables::{NO_ALGORITHM, NO_FUNCTION, algorithm, function};
use crate::x25519::Key as X25519Key;

/// Keys of one kind, which the core exports to here.
pub(crate) trait Imported: Sized + 'static {
    /// The name that the core asks for.
    const NAME: &'static CStr;

    /// What an export may hold.
    const PARAMETERS: &'static [OsslParam];

    /// The algorithm that the keys are for, by the number of the operation.
    fn algorithm(operation: c_int) -> Option<&'static CStr>;

    /// The key that the parameters describe, as far as it was selected; `None` if it is none that
    /// this module speaks of, and the provider that it came from has to judge.
    fn import(selection: c_int, params: Given<'_>) -> Option<Self>;

    /// Whether all parts that are selected are there.
    fn has(&self, selection: c_int) -> bool;

    /// Whether the parts that are selected are the same in both.
    fn matches(&self, other: &Self, selection: c_int) -> bool;

    /// Answers what is asked for of [`ANSWERS`].
    fn answer(&self, params: Asked<'_>) -> bool;
}

/// What the core holds of a key: nothing until it is imported.
type Handle<K> = Option<Arc<K>>;

/// The key that the core has; `None` before it was imported.
///
/// # Safety
/// `handle` is null or came from [`new`] for keys of this kind, and was not freed.
pub(crate) unsafe fn key_of<K: Imported>(handle: *const c_void) -> Option<Arc<K>> {
    // SAFETY: as the caller says.
    unsafe { handle.cast::<Handle<K>>().as_ref() }?.clone()
}

unsafe extern "C" fn new<K: Imported>(provider: *mut c_void) -> *mut c_void {
    guard(ptr::null_mut(), || {
        // The core has just asked for us, by which we may have come in front: the sooner that is
        // put right, the fewer threads see it.
        // SAFETY: the core has it from `OSSL_provider_init`, and ends it after its keys.
        if let Some(provider) = unsafe { provider.cast::<Provider>().as_ref() } {
            // SAFETY: no properties, and the core calls us.
            unsafe { provider.keep_order(K::NAME, ptr::null()) };
        }
        Box::into_raw(Box::new(Handle::<K>::None)).cast()
    })
}

/// Makes no key. Whoever asks us to has found us in front, and finds the default provider next
/// time: there may be no operation before, in which it would be put right.
unsafe extern "C" fn gen_init<K: Imported>(
    provider: *mut c_void,
    _selection: c_int,
    _params: *const OsslParam,
) -> *mut c_void {
    guard(ptr::null_mut(), || {
        // SAFETY: the core has it from `OSSL_provider_init`, and ends it after its keys.
        if let Some(provider) = unsafe { provider.cast::<Provider>().as_ref() } {
            // SAFETY: no properties, and the core calls us.
            unsafe { provider.keep_order(K::NAME, ptr::null()) };
            provider.raise(Reason::NoKeysMade);
        }
        ptr::null_mut()
    })
}

unsafe extern "C" fn free<K: Imported>(handle: *mut c_void) {
    guard((), || {
        if !handle.is_null() {
            // SAFETY: it came from `new`, and the core frees it once.
            drop(unsafe { Box::from_raw(handle.cast::<Handle<K>>()) });
        }
    });
}

unsafe extern "C" fn import<K: Imported>(
    handle: *mut c_void,
    selection: c_int,
    params: *const OsslParam,
) -> c_int {
    guard(0, || {
        // SAFETY: it came from `new`, and nobody else knows it before it is imported.
        let Some(handle) = (unsafe { handle.cast::<Handle<K>>().as_mut() }) else {
            return 0;
        };
        // SAFETY: the core gives an array with its end.
        *handle = K::import(selection, unsafe { Given::new(params) }).map(Arc::new);
        handle.is_some().into()
    })
}

unsafe extern "C" fn import_types<K: Imported>(selection: c_int) -> *const OsslParam {
    const EITHER: c_int = OSSL_KEYMGMT_SELECT_PRIVATE_KEY | OSSL_KEYMGMT_SELECT_PUBLIC_KEY;
    if selection & EITHER == 0 {
        return ptr::null();
    }
    K::PARAMETERS.as_ptr()
}

unsafe extern "C" fn has<K: Imported>(handle: *const c_void, selection: c_int) -> c_int {
    // SAFETY: the core has it from `new`.
    guard(0, || match unsafe { key_of::<K>(handle) } {
        Some(key) => key.has(selection).into(),
        None => 0,
    })
}

unsafe extern "C" fn matches<K: Imported>(
    one: *const c_void,
    other: *const c_void,
    selection: c_int,
) -> c_int {
    guard(0, || {
        // SAFETY: the core has both from `new`.
        match unsafe { (key_of::<K>(one), key_of::<K>(other)) } {
            (Some(one), Some(other)) => one.matches(&other, selection).into(),
            _ => 0,
        }
    })
}

unsafe extern "C" fn get_params<K: Imported>(handle: *mut c_void, params: *mut OsslParam) -> c_int {
    guard(0, || {
        // SAFETY: the core has it from `new`, and gives an array with its end, and places.
        let (key, params) = unsafe { (key_of::<K>(handle), Asked::new(params)) };
        key.is_some_and(|key| key.answer(params)).into()
    })
}

/// What may be asked of a key.
pub(crate) static ANSWERS: &[OsslParam] = &[
    described(OSSL_PKEY_PARAM_BITS, OSSL_PARAM_INTEGER),
    described(OSSL_PKEY_PARAM_SECURITY_BITS, OSSL_PARAM_INTEGER),
    described(OSSL_PKEY_PARAM_MAX_SIZE, OSSL_PARAM_INTEGER),
    described(OSSL_PKEY_PARAM_DEFAULT_DIGEST, OSSL_PARAM_UTF8_STRING),
    END,
];

unsafe extern "C" fn gettable_params(_provider: *mut c_void) -> *const OsslParam {
    ANSWERS.as_ptr()
}

unsafe extern "C" fn query_operation_name<K: Imported>(operation: c_int) -> *const c_char {
    K::algorithm(operation).map_or(ptr::null(), CStr::as_ptr)
}

const fn functions<K: Imported>() -> [OsslDispatch; 11] {
    [
        function(
            OSSL_FUNC_KEYMGMT_GEN_INIT,
            gen_init::<K> as KeymgmtGenInit as *const c_void,
        ),
        function(OSSL_FUNC_KEYMGMT_NEW, new::<K> as Make as *const c_void),
        function(OSSL_FUNC_KEYMGMT_FREE, free::<K> as Free as *const c_void),
        function(
            OSSL_FUNC_KEYMGMT_HAS,
            has::<K> as KeymgmtHas as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYMGMT_MATCH,
            matches::<K> as KeymgmtMatch as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYMGMT_IMPORT,
            import::<K> as KeymgmtImport as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYMGMT_IMPORT_TYPES,
            import_types::<K> as KeymgmtImportTypes as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYMGMT_GET_PARAMS,
            get_params::<K> as GetParams as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS,
            gettable_params as ListParams as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME,
            query_operation_name::<K> as KeymgmtQueryOperationName as *const c_void,
        ),
        NO_FUNCTION,
    ]
}

static EC: [OsslDispatch; 11] = functions::<Key>();
static X25519: [OsslDispatch; 11] = functions::<X25519Key>();

/// What is offered. It has no property `provider`, so that nobody who asks for ours, or for none,
/// gets keys from here: `?sigmill.key!=yes` in the configuration says so, too.
pub(crate) static ALGORITHMS: &[OsslAlgorithm] = &[
    algorithm(
        c"EC:id-ecPublicKey:1.2.840.10045.2.1",
        c"sigmill.key=yes",
        &EC,
        c"keys for ECDSA and ECDH by sigmill",
    ),
    algorithm(
        c"X25519:1.3.101.110",
        c"sigmill.key=yes",
        &X25519,
        c"keys for X25519 by sigmill",
    ),
    NO_ALGORITHM,
];
