//! KEYMGMT: the functions that all kinds of keys have, and "EC", which has no others. The default
//! provider makes, reads and writes keys "EC", and an operation of ours makes the core export them
//! to this module. "X25519" is complete (`x25519_keymgmt`).

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::abi::*;
use crate::border::{guard, guard_secret};
use crate::exports::Exports;
use crate::key::Key;
use crate::params::{PassedParams, QueriedParams};
use crate::provider::{Provider, Reason};
use crate::replaced;
use crate::tables::{NO_ALGORITHM, algorithm, function, table};
use crate::x25519_keymgmt::X25519;

/// Keys of one kind, which the core can import.
pub(crate) trait Imported: Sized + Send + Sync + 'static {
    /// The name that the core looks up.
    const NAME: &'static CStr;

    /// True if keys are only imported. Then nobody who wants to make a key may find ours.
    const IS_IMPORT_ONLY: bool;

    /// The parameters that an export may have.
    const PARAMETERS: &'static [OsslParam];

    /// The parameters that a key can report.
    const ANSWERS: &'static [OsslParam];

    /// Returns a key without parts, or `None` if this kind has no such key.
    fn empty() -> Option<Self>;

    /// Returns the algorithm of the keys by the number of the operation.
    fn algorithm(operation: c_int) -> Option<&'static CStr>;

    /// Returns the key that the parameters describe, with its selected parts. Returns `None` if
    /// this module does not support the key; then the provider that it came from decides.
    fn import(selection: c_int, params: PassedParams<'_>) -> Option<Self>;

    /// Reports whether all selected parts are present.
    fn has(&self, selection: c_int) -> bool;

    /// Reports whether the selected parts are the same in both.
    fn matches(&self, other: &Self, selection: c_int) -> bool;

    /// Reports whether both keys have the same parts.
    fn is_same(&self, other: &Self) -> bool;

    /// Answers a request for some of [`ANSWERS`](Self::ANSWERS).
    fn answer(&self, params: QueriedParams<'_>) -> bool;
}

/// A key as the core holds it.
struct Handle<K> {
    /// `None` until it is imported.
    key: Option<Arc<K>>,
    /// True if an `EVP_PKEY` holds this key as its own, not as a copy of another provider's. The
    /// core queries the sizes of its own keys as soon as it has them, and never those of a copy.
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

/// Returns a new handle of a key that was made here.
pub(crate) fn handle_of<K: Imported>(provider: *const Provider, key: K) -> *mut c_void {
    Handle::boxed(provider, Some(key), true)
}

/// Returns a new handle of what `copy` makes of the core's key, or null without a key.
///
/// # Safety
/// That of [`key_of`].
pub(crate) unsafe fn copy_of<K: Imported>(
    handle: *const c_void,
    copy: impl FnOnce(&K) -> K,
) -> *mut c_void {
    // SAFETY: the caller guarantees this.
    match unsafe { handle_at::<K>(handle) } {
        Some(Handle {
            key: Some(key),
            provider,
            ..
        }) => handle_of(*provider, copy(key)),
        _ => ptr::null_mut(),
    }
}

/// Returns the core's key for an export through a callback. Returns `None` without a key, and if
/// another provider would continue with the previous value of this key ([`Exports`]).
///
/// # Safety
/// That of [`key_of`].
pub(crate) unsafe fn key_for_export<K: Imported>(
    handle: *const c_void,
    callback: Callback,
) -> Option<Arc<K>> {
    // SAFETY: the caller guarantees this.
    let handle = unsafe { handle_at::<K>(handle) }?;
    // SAFETY: the core ends a provider after its keys.
    let provider = unsafe { handle.provider.as_ref() };
    let keeps = |callback| provider.is_none_or(|provider| provider.keeps_exports(callback));
    let is_allowed = handle.exports.allow(callback as usize, keeps);
    handle.key.clone().filter(|_| is_allowed)
}

/// # Safety
/// That of [`key_of`].
unsafe fn handle_at<'a, K: Imported>(handle: *const c_void) -> Option<&'a Handle<K>> {
    replaced::used();
    // SAFETY: the caller guarantees this.
    unsafe { handle.cast::<Handle<K>>().as_ref() }
}

/// Returns the core's key, or `None` before it was imported.
///
/// # Safety
/// `handle` is null, or came from us for keys of this kind and was not freed.
pub(crate) unsafe fn key_of<K: Imported>(handle: *const c_void) -> Option<Arc<K>> {
    // SAFETY: the caller guarantees this.
    unsafe { handle_at::<K>(handle) }?.key.clone()
}

/// Returns the key of an operation that the core begins with this handle, in a new context or
/// without one (`is_new`). Returns `None` without a key.
///
/// # Errors
/// If it is not certain which key the program means ([`replaced`]).
///
/// # Safety
/// That of [`key_of`].
pub(crate) unsafe fn key_for_operation<K: Imported>(
    handle: *const c_void,
    is_new: bool,
) -> Result<Option<Arc<K>>, Reason> {
    let changed = replaced::take::<K>(is_new);
    // SAFETY: the caller guarantees this.
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
        // SAFETY: it came from `OSSL_provider_init`, and the core ends it after its keys.
        let own = unsafe { provider.cast::<Provider>().as_ref() };
        // The core has just looked us up, which may have put us in front. The sooner that is
        // corrected, the fewer threads see it.
        if let Some(provider) = own.filter(|_| K::IS_IMPORT_ONLY) {
            // SAFETY: there are no properties, and the core calls us.
            unsafe { provider.keep_order(ptr::null()) };
        }
        replaced::interrupted();
        Handle::boxed(provider.cast(), K::empty(), false)
    })
}

/// Replaces the key of a handle. Anyone who shares the old key keeps it.
///
/// # Safety
/// That of [`key_of`], and nobody else uses the handle meanwhile. In OpenSSL, too, keys are changed
/// by one thread only.
pub(crate) unsafe fn replace_key<K: Imported>(handle: *mut c_void, key: K) {
    // SAFETY: the caller guarantees this.
    if let Some(handle) = unsafe { handle.cast::<Handle<K>>().as_mut() } {
        handle.key = Some(Arc::new(key));
        handle.exports.key_changed();
    }
}

/// Makes no key. A caller that reaches this has found us in front. The order is corrected here, so
/// that its next attempt finds the default provider: possibly no operation runs before that.
unsafe extern "C" fn refuse_gen_init(
    provider: *mut c_void,
    _selection: c_int,
    _params: *const OsslParam,
) -> *mut c_void {
    guard(ptr::null_mut(), || {
        // SAFETY: it came from `OSSL_provider_init`, and the core ends it after its keys.
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
        // SAFETY: the core passes an array with its end.
        let params = unsafe { PassedParams::new(params) };
        let Some(key) = K::import(selection, params) else {
            let is_built = K::IS_IMPORT_ONLY && params.get(OSSL_PKEY_PARAM_EC_ENCODING).is_none();
            // SAFETY: the core got it from us, and ends the provider after its keys.
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
    // SAFETY: the core got it from us.
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
        // SAFETY: the core got both from us.
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
        // SAFETY: the core got it from us and passes an array with its end and places for the
        // values.
        let (handle, mut params) = unsafe { (handle_at::<K>(handle), QueriedParams::new(params)) };
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

/// The functions that every kind of keys has.
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
        refuse_gen_init as KeymgmtGenInit as *const c_void,
    )],
);

/// The algorithms that we offer. "EC" has no property `provider`, so nobody who queries our
/// provider or none gets keys from there; `?sigmill.key!=yes` in the configuration has the same
/// effect. "X25519" is preferred by its `?provider=sigmill`, as operations are.
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
