//! KEYMGMT: what keys of all kinds have, and "EC", which has nothing else: its keys are made, read
//! and written by the default provider, and an operation of ours exports them to here. "X25519" is
//! whole (`x25519_keymgmt`).

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::abi::*;
use crate::border::{guard, guard_secret};
use crate::exports::Exports;
use crate::key::Key;
use crate::params::{Asked, Given};
use crate::provider::{Provider, Reason};
use crate::replaced;
use crate::tables::{NO_ALGORITHM, algorithm, function, table};
use crate::x25519_keymgmt::X25519;

/// Keys of one kind, which the core can import.
pub(crate) trait Imported: Sized + Send + Sync + 'static {
    /// The name that the core asks for.
    const NAME: &'static CStr;

    /// Whether keys only come in: then nobody must get ours who wants to make some.
    const IS_IMPORT_ONLY: bool;

    /// What an export may hold.
    const PARAMETERS: &'static [OsslParam];

    /// What may be asked of a key.
    const ANSWERS: &'static [OsslParam];

    /// A key of which nothing is there yet; `None` if there is none such of this kind.
    fn empty() -> Option<Self>;

    /// The algorithm that the keys are for, by the number of the operation.
    fn algorithm(operation: c_int) -> Option<&'static CStr>;

    /// The key that the parameters describe, as far as it was selected; `None` if it is none that
    /// this module speaks of, and the provider that it came from has to judge.
    fn import(selection: c_int, params: Given<'_>) -> Option<Self>;

    /// Whether all parts that are selected are there.
    fn has(&self, selection: c_int) -> bool;

    /// Whether the parts that are selected are the same in both.
    fn matches(&self, other: &Self, selection: c_int) -> bool;

    /// True if both keys have the same parts.
    fn is_same(&self, other: &Self) -> bool;

    /// Answers what is asked for of [`ANSWERS`](Self::ANSWERS).
    fn answer(&self, params: Asked<'_>) -> bool;
}

/// What the core holds of a key.
struct Handle<K> {
    /// Nothing until it is imported.
    key: Option<Arc<K>>,
    /// Whether an `EVP_PKEY` has this key as its own, and not as a copy of another provider's. The
    /// core asks for the sizes of its own keys as soon as it has them, and never for a copy's.
    is_own: AtomicBool,
    provider: *const Provider,
    exports: Exports,
}

impl<K: Imported> Handle<K> {
    fn boxed(provider: *const Provider, key: Option<K>, is_own: bool) -> *mut c_void {
        let handle = Self {
            key: key.map(Arc::new),
            is_own: AtomicBool::new(is_own),
            provider,
            exports: Exports::default(),
        };
        Box::into_raw(Box::new(handle)).cast()
    }
}

/// A new handle of a key that was made here.
pub(crate) fn handle_of<K: Imported>(provider: *const Provider, key: K) -> *mut c_void {
    Handle::boxed(provider, Some(key), true)
}

/// A new handle of what `copy` makes of the key that the core has; null without a key.
///
/// # Safety
/// As [`key_of`].
pub(crate) unsafe fn copy_of<K: Imported>(
    handle: *const c_void,
    copy: impl FnOnce(&K) -> K,
) -> *mut c_void {
    // SAFETY: as the caller says.
    match unsafe { handle_at::<K>(handle) } {
        Some(Handle {
            key: Some(key),
            provider,
            ..
        }) => handle_of(*provider, copy(key)),
        _ => ptr::null_mut(),
    }
}

/// The key that the core has, for an export through a callback; `None` without a key, and where
/// another provider would go on with the key that this one was before ([`Exports`]).
///
/// # Safety
/// As [`key_of`].
pub(crate) unsafe fn key_for_export<K: Imported>(
    handle: *const c_void,
    callback: Callback,
) -> Option<Arc<K>> {
    // SAFETY: as the caller says.
    let handle = unsafe { handle_at::<K>(handle) }?;
    // SAFETY: the core ends a provider after its keys.
    let provider = unsafe { handle.provider.as_ref() };
    let keeps = |callback| provider.is_none_or(|provider| provider.keeps_exports(callback));
    let is_allowed = handle.exports.allow(callback as usize, keeps);
    handle.key.clone().filter(|_| is_allowed)
}

/// # Safety
/// As [`key_of`].
unsafe fn handle_at<'a, K: Imported>(handle: *const c_void) -> Option<&'a Handle<K>> {
    replaced::used();
    // SAFETY: as the caller says.
    unsafe { handle.cast::<Handle<K>>().as_ref() }
}

/// The key that the core has; `None` before it was imported.
///
/// # Safety
/// `handle` is null or came from us for keys of this kind, and was not freed.
pub(crate) unsafe fn key_of<K: Imported>(handle: *const c_void) -> Option<Arc<K>> {
    // SAFETY: as the caller says.
    unsafe { handle_at::<K>(handle) }?.key.clone()
}

/// The key of an operation that the core begins with this handle, in a new context or without one
/// (`is_new`). `None` without a key.
///
/// # Errors
/// If it is not certain which key the program means ([`replaced`]).
///
/// # Safety
/// As [`key_of`].
pub(crate) unsafe fn key_for_operation<K: Imported>(
    handle: *const c_void,
    is_new: bool,
) -> Result<Option<Arc<K>>, Reason> {
    let changed = replaced::take::<K>(is_new);
    // SAFETY: as the caller says.
    let handle = unsafe { handle_at::<K>(handle) };
    let Some((handle, key)) = handle.and_then(|handle| Some((handle, handle.key.clone()?))) else {
        return Ok(None);
    };
    match changed {
        Some(changed) if !handle.is_own.load(Ordering::Relaxed) && !key.is_same(&changed) => {
            Err(Reason::KeyUncertain)
        }
        _ => Ok(Some(key)),
    }
}

unsafe extern "C" fn new<K: Imported>(provider: *mut c_void) -> *mut c_void {
    guard(ptr::null_mut(), || {
        // SAFETY: the core has it from `OSSL_provider_init`, and ends it after its keys.
        let own = unsafe { provider.cast::<Provider>().as_ref() };
        // The core has just asked for us, by which we may have come in front: the sooner that is
        // put right, the fewer threads see it.
        if let Some(provider) = own.filter(|_| K::IS_IMPORT_ONLY) {
            // SAFETY: no properties, and the core calls us.
            unsafe { provider.keep_order(ptr::null()) };
        }
        replaced::interrupted();
        Handle::boxed(provider.cast(), K::empty(), false)
    })
}

/// Another key in place of the one that a handle has. Who shares that one keeps it.
///
/// # Safety
/// As [`key_of`], and nobody else uses the handle meanwhile. Keys that are being changed are for
/// one thread, with OpenSSL's own, too.
pub(crate) unsafe fn replace_key<K: Imported>(handle: *mut c_void, key: K) {
    // SAFETY: as the caller says.
    if let Some(handle) = unsafe { handle.cast::<Handle<K>>().as_mut() } {
        handle.key = Some(Arc::new(key));
        handle.exports.key_changed();
    }
}

/// Makes no key. Whoever asks us to has found us in front, and finds the default provider next
/// time: there may be no operation before, in which it would be put right.
unsafe extern "C" fn no_gen_init(
    provider: *mut c_void,
    _selection: c_int,
    _params: *const OsslParam,
) -> *mut c_void {
    guard(ptr::null_mut(), || {
        // SAFETY: the core has it from `OSSL_provider_init`, and ends it after its keys.
        if let Some(provider) = unsafe { provider.cast::<Provider>().as_ref() } {
            provider.forget_unknown();
            provider.raise(Reason::NoKeysMade);
        }
        ptr::null_mut()
    })
}

unsafe extern "C" fn free<K: Imported>(handle: *mut c_void) {
    guard((), || {
        if !handle.is_null() {
            // SAFETY: it came from us, and the core frees it once.
            let key = unsafe { Box::from_raw(handle.cast::<Handle<K>>()) }.key;
            replaced::freed(handle, key);
        }
    });
}

unsafe extern "C" fn import<K: Imported>(
    handle: *mut c_void,
    selection: c_int,
    params: *const OsslParam,
) -> c_int {
    guard_secret(0, || {
        // SAFETY: the core gives an array with its end.
        let params = unsafe { Given::new(params) };
        let Some(key) = K::import(selection, params) else {
            let is_built = K::IS_IMPORT_ONLY && params.get(OSSL_PKEY_PARAM_EC_ENCODING).is_none();
            // SAFETY: the core has it from us, and ends the provider after its keys.
            let provider =
                unsafe { handle_at::<K>(handle).and_then(|handle| handle.provider.as_ref()) };
            if let Some(provider) = provider.filter(|_| is_built) {
                provider.forget_unknown();
            }
            return 0;
        };
        // SAFETY: it came from us, and nobody else knows it before it is imported.
        unsafe { replace_key(handle, key) };
        replaced::imported(handle);
        1
    })
}

pub(crate) unsafe extern "C" fn import_types<K: Imported>(selection: c_int) -> *const OsslParam {
    if selection & OSSL_KEYMGMT_SELECT_KEYPAIR == 0 {
        return ptr::null();
    }
    K::PARAMETERS.as_ptr()
}

unsafe extern "C" fn has<K: Imported>(handle: *const c_void, selection: c_int) -> c_int {
    // SAFETY: the core has it from us.
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
        let changed = replaced::take::<K>(false);
        // SAFETY: the core has both from us.
        let handles = unsafe { (handle_at::<K>(one), handle_at::<K>(other)) };
        let (Some(one), Some(other)) = handles else {
            return 0;
        };
        let (Some(one_key), Some(other_key)) = (&one.key, &other.key) else {
            return 0;
        };
        let is_certain = |handle: &Handle<K>, key: &K| {
            let is_same = |changed: &Arc<K>| key.is_same(changed);
            handle.is_own.load(Ordering::Relaxed) || changed.as_ref().is_none_or(is_same)
        };
        let are_certain = is_certain(one, one_key) && is_certain(other, other_key);
        (are_certain && one_key.matches(other_key, selection)).into()
    })
}

unsafe extern "C" fn get_params<K: Imported>(handle: *mut c_void, params: *mut OsslParam) -> c_int {
    guard(0, || {
        // SAFETY: the core has it from us, and gives an array with its end, and places.
        let (handle, mut params) = unsafe { (handle_at::<K>(handle), Asked::new(params)) };
        let Some(handle) = handle else {
            return 0;
        };
        if params.has(OSSL_PKEY_PARAM_MAX_SIZE) {
            handle.is_own.store(true, Ordering::Relaxed);
        }
        let key = &handle.key;
        key.as_ref().is_some_and(|key| key.answer(params)).into()
    })
}

unsafe extern "C" fn gettable_params<K: Imported>(_provider: *mut c_void) -> *const OsslParam {
    K::ANSWERS.as_ptr()
}

unsafe extern "C" fn query_operation_name<K: Imported>(operation: c_int) -> *const c_char {
    K::algorithm(operation).map_or(ptr::null(), CStr::as_ptr)
}

/// What keys of every kind have.
pub(crate) const fn functions<K: Imported>() -> [OsslDispatch; 9] {
    [
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
            gettable_params::<K> as ListParams as *const c_void,
        ),
        function(
            OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME,
            query_operation_name::<K> as KeymgmtQueryOperationName as *const c_void,
        ),
    ]
}

static EC: [OsslDispatch; 11] = table(
    functions::<Key>(),
    [function(
        OSSL_FUNC_KEYMGMT_GEN_INIT,
        no_gen_init as KeymgmtGenInit as *const c_void,
    )],
);

/// What is offered. "EC" has no property `provider`, so that nobody who asks for ours, or for none,
/// gets keys from there: `?sigmill.key!=yes` in the configuration says so, too. "X25519" is
/// preferred by its `?provider=sigmill`, as operations are.
pub(crate) static ALGORITHMS: &[OsslAlgorithm] = &[
    algorithm(
        c"EC:id-ecPublicKey:1.2.840.10045.2.1",
        c"sigmill.key=yes",
        &EC,
        c"keys for ECDSA and ECDH by sigmill",
    ),
    algorithm(
        c"X25519:1.3.101.110",
        c"provider=sigmill",
        &X25519,
        c"keys for X25519 by sigmill",
    ),
    NO_ALGORITHM,
];
