//! The look-ups that libcrypto caches, and why our KEYMGMT "EC" must not come first in them.
//!
//! libcrypto caches the implementation that a look-up finds by its name, the program's properties
//! and its provider. But a look-up of "EC" from any provider returns the one that was cached first,
//! whichever provider it belongs to (`query_cmp` in its `crypto/property/property.c`). Before each
//! operation, libcrypto looks ours up by its provider alone. Ours only imports; anyone else who got
//! it could make no keys. Usually the default provider's comes first, because the program has made
//! or read a key with it. When a provider is loaded or unloaded, or the default properties change,
//! libcrypto drops the whole cache, and the next operation with an existing key puts ours in front.
//!
//! So each operation checks this with its query, and so does each key that is imported. If ours is
//! in front, we load and unload a provider that offers nothing, which drops the cache once more.
//! Then we look up everything that is ours as programs do: keys then come from the default
//! provider, and operations from us. (Otherwise the next key that falls through would put the
//! default provider's operations in front.) Our KEYMGMT "X25519" makes keys, and the default
//! properties select it: it should come first.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{iter, mem, ptr};

use once_cell::race::OnceBox;
use sigmill::bulk::PerProcess;

use crate::abi::{CoreHandle, OsslDispatch};
use crate::border::guard;
use crate::exports::{self, Address};
use crate::object::Object;
use crate::tables::NO_FUNCTION;

/// `EVP_KEYMGMT_fetch`, `EVP_SIGNATURE_fetch`, `EVP_KEYEXCH_fetch`.
type Fetch = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;
/// `EVP_KEYMGMT_get0_provider`.
type GetProvider = unsafe extern "C" fn(*const c_void) -> *const CoreHandle;
/// `EVP_KEYMGMT_free`, `EVP_SIGNATURE_free`, `EVP_KEYEXCH_free`.
type FreeFetched = unsafe extern "C" fn(*mut c_void);
/// `EVP_PKEY_new_raw_public_key_ex`.
type NewPublic = unsafe extern "C" fn(
    *mut c_void,
    *const c_char,
    *const c_char,
    *const u8,
    usize,
) -> *mut c_void;
/// `EVP_PKEY_eq`.
type IsEqual = unsafe extern "C" fn(*const c_void, *const c_void) -> c_int;
/// `OSSL_PROVIDER_try_load`.
type TryLoad = unsafe extern "C" fn(*mut c_void, *const c_char, c_int) -> *mut c_void;
/// The entry point of a provider, `OSSL_provider_init_fn`.
type Init = unsafe extern "C" fn(
    *const CoreHandle,
    *const OsslDispatch,
    *mut *const OsslDispatch,
    *mut *mut c_void,
) -> c_int;
/// `OSSL_PROVIDER_add_builtin`.
type AddBuiltin = unsafe extern "C" fn(*mut c_void, *const c_char, Init) -> c_int;
/// `OSSL_PROVIDER_unload`.
type Unload = unsafe extern "C" fn(*mut c_void) -> c_int;
/// `ERR_set_mark`, `ERR_pop_to_mark`.
type Mark = unsafe extern "C" fn() -> c_int;

/// Algorithms whose implementation here should come first: their kinds and names.
const OURS: [(&CStr, &CStr, &[&CStr]); 3] = [
    (c"EVP_KEYMGMT_fetch", c"EVP_KEYMGMT_free", &[c"X25519"]),
    (c"EVP_SIGNATURE_fetch", c"EVP_SIGNATURE_free", &[c"ECDSA"]),
    (
        c"EVP_KEYEXCH_fetch",
        c"EVP_KEYEXCH_free",
        &[c"X25519", c"ECDH"],
    ),
];
/// Keys whose implementation here must not come first.
const KEYS: &CStr = c"EC";

/// If ours stays in front this many times in a row, no other thread's operation is the cause: the
/// default properties select it, or no other exists, and it stays in front.
const MOST_IN_VAIN: u32 = 64;
/// After that, only one operation in this many checks.
const SELDOM: u32 = 256;

/// The number of the program's own queries that are remembered.
const MOST_QUERIES: usize = 16;

/// The name of a provider that offers nothing. The program may have loaded OpenSSL's own, "null";
/// loading that again would not drop the cache.
const NOTHING: &CStr = c"sigmill-nothing";

unsafe extern "C" fn begin_nothing(
    handle: *const CoreHandle,
    _functions: *const OsslDispatch,
    own_functions: *mut *const OsslDispatch,
    provider: *mut *mut c_void,
) -> c_int {
    static FUNCTIONS: &[OsslDispatch] = &[NO_FUNCTION];
    guard(0, || {
        // SAFETY: libcrypto passes two places; it never reads what the second one points to.
        unsafe {
            *own_functions = FUNCTIONS.as_ptr();
            *provider = handle.cast_mut();
        }
        1
    })
}

/// State for putting look-ups in order.
#[derive(Debug, Default)]
struct Order {
    /// True if libcrypto knows [`NOTHING`].
    is_nothing_known: bool,
    /// The program's own queries, the latest one last. If one look-up puts ours in front, the
    /// look-ups by the others are put in order as well.
    queries: Vec<CString>,
}

impl Order {
    /// Remembers a query if it is one of the program's own.
    fn add(&mut self, query: &CStr) {
        if query.is_empty() || self.queries.iter().any(|known| **known == *query) {
            return;
        }
        if self.queries.len() == MOST_QUERIES {
            self.queries.remove(0);
        }
        self.queries.push(query.into());
    }
}

/// The functions of the libcrypto that has loaded the module, and its context.
#[derive(Debug)]
pub(crate) struct Lookups {
    /// An `OSSL_LIB_CTX`.
    library: *mut c_void,
    /// Our provider in libcrypto: the handle of a core is its `OSSL_PROVIDER`.
    own: *const CoreHandle,
    fetch: Fetch,
    get_provider: GetProvider,
    free_keymgmt: FreeFetched,
    /// The functions for [`OURS`].
    ours: [(Fetch, FreeFetched); 3],
    new_public: NewPublic,
    is_equal: IsEqual,
    free_key: FreeFetched,
    add_builtin: AddBuiltin,
    try_load: TryLoad,
    unload: Unload,
    set_mark: Mark,
    pop_to_mark: Mark,
    /// The callback of [`keeps_exports`](Self::keeps_exports), once it was called.
    keeper: OnceBox<Option<Address>>,
    /// The number of times in a row that ours stayed in front, without a query of the program's own
    /// and with one.
    in_vain: [AtomicU32; 2],
    /// The number of callers whose query is not known.
    unknown: AtomicU32,
    /// True if there are queries of the program's own.
    has_queries: AtomicBool,
    /// Held while look-ups are put in order: if two threads load a provider, only the second one
    /// unloads it.
    order: PerProcess<Mutex<Order>>,
}

// SAFETY: the pointers are only passed to functions of libcrypto that any thread may call.
unsafe impl Send for Lookups {}
// SAFETY: as above.
unsafe impl Sync for Lookups {}

impl Lookups {
    /// Finds the functions in the object of `of_core`, a function of the core. Returns `None` if
    /// they cannot be found, as in a program that contains its own OpenSSL and hides it.
    ///
    /// # Safety
    /// `library` is the context of a libcrypto that has loaded us, `own` is the core's handle, and
    /// `of_core` is one of its functions.
    pub(crate) unsafe fn find(
        library: *mut c_void,
        own: *const CoreHandle,
        of_core: *const c_void,
    ) -> Option<Self> {
        if library.is_null() {
            return None;
        }
        let object = Object::of(of_core)?;
        let kind = |(fetch, free, _): (&CStr, &CStr, &[&CStr])| {
            let (fetch, free) = (object.get(fetch)?, object.get(free)?);
            // SAFETY: functions with these names have these types in every OpenSSL 3.
            unsafe {
                Some((
                    mem::transmute::<*mut c_void, Fetch>(fetch),
                    mem::transmute::<*mut c_void, FreeFetched>(free),
                ))
            }
        };
        // SAFETY: functions with these names have these types in every OpenSSL 3.
        unsafe {
            Some(Self {
                library,
                own,
                fetch: mem::transmute::<*mut c_void, Fetch>(object.get(c"EVP_KEYMGMT_fetch")?),
                get_provider: mem::transmute::<*mut c_void, GetProvider>(
                    object.get(c"EVP_KEYMGMT_get0_provider")?,
                ),
                free_keymgmt: mem::transmute::<*mut c_void, FreeFetched>(
                    object.get(c"EVP_KEYMGMT_free")?,
                ),
                ours: [kind(OURS[0])?, kind(OURS[1])?, kind(OURS[2])?],
                new_public: mem::transmute::<*mut c_void, NewPublic>(
                    object.get(c"EVP_PKEY_new_raw_public_key_ex")?,
                ),
                is_equal: mem::transmute::<*mut c_void, IsEqual>(object.get(c"EVP_PKEY_eq")?),
                free_key: mem::transmute::<*mut c_void, FreeFetched>(object.get(c"EVP_PKEY_free")?),
                add_builtin: mem::transmute::<*mut c_void, AddBuiltin>(
                    object.get(c"OSSL_PROVIDER_add_builtin")?,
                ),
                try_load: mem::transmute::<*mut c_void, TryLoad>(
                    object.get(c"OSSL_PROVIDER_try_load")?,
                ),
                unload: mem::transmute::<*mut c_void, Unload>(object.get(c"OSSL_PROVIDER_unload")?),
                set_mark: mem::transmute::<*mut c_void, Mark>(object.get(c"ERR_set_mark")?),
                pop_to_mark: mem::transmute::<*mut c_void, Mark>(object.get(c"ERR_pop_to_mark")?),
                keeper: OnceBox::new(),
                in_vain: Default::default(),
                unknown: AtomicU32::new(0),
                has_queries: AtomicBool::new(false),
                order: PerProcess::new(),
            })
        }
    }

    /// Ensures that a look-up of keys "EC" from any provider does not return ours. Costs one
    /// look-up, which is cached. `properties` are those of the operation, as libcrypto caches
    /// look-ups by each query of the program's own. Returns true if all look-ups were put in order.
    ///
    /// # Safety
    /// `properties` is null or a string, and the context still exists.
    pub(crate) unsafe fn keep_order(&self, properties: *const c_char) -> bool {
        let query = match properties.is_null() {
            true => c"",
            // SAFETY: the caller guarantees this.
            false => unsafe { CStr::from_ptr(properties) },
        };
        let in_vain = &self.in_vain[usize::from(!query.is_empty())];
        let is_seldom = in_vain.load(Ordering::Relaxed) >= MOST_IN_VAIN;
        if is_seldom
            && !in_vain
                .fetch_add(1, Ordering::Relaxed)
                .is_multiple_of(SELDOM)
        {
            return false;
        }
        let mut is_restored = false;
        // SAFETY: the function has no arguments.
        unsafe { (self.set_mark)() };
        if self.is_first(query) {
            let mut order = self.order();
            // Another thread may have done it meanwhile.
            if self.is_first(query) {
                order.add(query);
                self.has_queries
                    .store(!order.queries.is_empty(), Ordering::Relaxed);
                self.restore(&mut order);
                is_restored = true;
                if !self.is_first(query) {
                    in_vain.store(0, Ordering::Relaxed);
                } else if !is_seldom {
                    in_vain.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        // SAFETY: the function has no arguments, and the mark is the one set above.
        unsafe { (self.pop_to_mark)() };
        is_restored
    }

    /// [`keep_order`](Self::keep_order) before an operation that does not pass its properties: for
    /// all recent queries.
    pub(crate) fn keep_every_order(&self) {
        let queries = match self.has_queries.load(Ordering::Relaxed) {
            true => self.order().queries.clone(),
            false => Vec::new(),
        };
        for query in iter::once(c"").chain(queries.iter().map(CString::as_c_str)) {
            // SAFETY: the pointer is a string, and the context is that of a core that calls us.
            unsafe { self.keep_order(query.as_ptr()) };
        }
    }

    /// Puts look-ups in order after a caller has found our keys "EC", perhaps by an unknown query.
    /// The next caller finds the default provider's.
    pub(crate) fn forget_unknown(&self) {
        // SAFETY: there are no properties, and the context is that of a core that calls us.
        if unsafe { self.keep_order(ptr::null()) } {
            return;
        }
        let unknown = self.unknown.fetch_add(1, Ordering::Relaxed);
        if unknown >= MOST_IN_VAIN && !unknown.is_multiple_of(SELDOM) {
            return;
        }
        // SAFETY: the functions have no arguments, and the mark is set before it is popped.
        unsafe {
            (self.set_mark)();
            self.restore(&mut self.order());
            (self.pop_to_mark)();
        }
    }

    fn order(&self) -> MutexGuard<'_, Order> {
        // A thread that panicked has at most left a provider loaded.
        let order = self.order.get_or_make(Mutex::default);
        order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes libcrypto drop its cache, and then looks up as programs do.
    fn restore(&self, order: &mut Order) {
        self.forget(&mut order.is_nothing_known);
        self.remember(c"");
        for query in &order.queries {
            self.remember(query);
        }
    }

    /// Returns true if this is the callback by which libcrypto exports a key for an operation of
    /// another provider. That callback keeps the copy. The first call finds it by such an export.
    pub(crate) fn keeps_exports(&self, callback: Address) -> bool {
        let find = || Box::new(exports::callback_of(|| self.compare_providers()));
        self.keeper
            .get_or_init(find)
            .is_none_or(|keeper| keeper == callback)
    }

    /// Compares a key of ours with one of another provider, which makes libcrypto export ours to
    /// that provider.
    fn compare_providers(&self) {
        let key = |properties: &CStr| {
            let (name, bytes) = (c"X25519".as_ptr(), [9; 32]);
            // SAFETY: the arguments are the context, strings, and bytes with their length.
            unsafe {
                (self.new_public)(self.library, name, properties.as_ptr(), bytes.as_ptr(), 32)
            }
        };
        // SAFETY: the marks have no arguments; only keys that exist are compared, and each is freed
        // once.
        unsafe {
            (self.set_mark)();
            let (ours, other) = (key(c"provider=sigmill"), key(c"provider!=sigmill"));
            if !ours.is_null() && !other.is_null() {
                (self.is_equal)(ours, other);
            }
            (self.free_key)(ours);
            (self.free_key)(other);
            (self.pop_to_mark)();
        }
    }

    /// Makes libcrypto drop its cache of look-ups.
    fn forget(&self, is_known: &mut bool) {
        // SAFETY: the arguments are the context, strings and the entry point of a provider;
        // fallbacks stay as they are. The provider that was loaded is unloaded. Both drop the
        // cache.
        unsafe {
            if !*is_known {
                let added = (self.add_builtin)(self.library, NOTHING.as_ptr(), begin_nothing);
                *is_known = added == 1;
            }
            let nothing = (self.try_load)(self.library, NOTHING.as_ptr(), 1);
            if !nothing.is_null() {
                (self.unload)(nothing);
            }
        }
    }

    /// Looks up keys "EC", which belong to another provider, and everything that is ours, so that
    /// these are cached first.
    fn remember(&self, query: &CStr) {
        self.is_first(query);
        for ((fetch, free), (_, _, names)) in self.ours.into_iter().zip(OURS) {
            for name in names {
                // SAFETY: the arguments are the context and strings; the result is freed.
                unsafe {
                    let found = fetch(self.library, name.as_ptr(), query.as_ptr());
                    if !found.is_null() {
                        free(found);
                    }
                }
            }
        }
    }

    /// Returns true if a look-up of [`KEYS`] by a query returns ours.
    fn is_first(&self, query: &CStr) -> bool {
        // SAFETY: the arguments are the context and strings; the result is freed.
        unsafe {
            let found = (self.fetch)(self.library, KEYS.as_ptr(), query.as_ptr());
            if found.is_null() {
                return false;
            }
            let is_ours = ptr::eq((self.get_provider)(found), self.own);
            (self.free_keymgmt)(found);
            is_ours
        }
    }
}
