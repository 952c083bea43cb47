//! What libcrypto remembers of its look-ups, and that our KEYMGMT "EC" must not come first there.
//!
//! libcrypto remembers which implementation a look-up has found, by its name, the program's
//! properties and its provider. But who asks for "EC" of any provider gets what was remembered
//! first, whoever's it is (`query_cmp` in its `crypto/property/property.c`). Ours is asked for by
//! its provider alone, before each operation; it only imports, and whoever else got it could make
//! no keys. As a rule the default provider's comes first, because the program has made or read a
//! key with it. When a provider is loaded or unloaded, or the default properties change, libcrypto
//! forgets all look-ups, and the next operation with a key that there is puts ours in front.
//!
//! So each operation looks, by its query, and so does each key that comes in. Where ours is in
//! front, a provider that offers nothing is loaded and unloaded, by which everything is forgotten
//! once more, and all that is ours is asked for as programs do: keys come from the default provider
//! then, and operations from us. (Whoever fell through next would put the default provider's
//! operations in front.) Our KEYMGMT "X25519" makes keys, and is what the default properties ask
//! for: it should come first.

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
/// What a provider begins with, `OSSL_provider_init_fn`.
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

/// What is to come first: kinds of algorithms with their names.
const OURS: [(&CStr, &CStr, &[&CStr]); 3] = [
    (c"EVP_KEYMGMT_fetch", c"EVP_KEYMGMT_free", &[c"X25519"]),
    (c"EVP_SIGNATURE_fetch", c"EVP_SIGNATURE_free", &[c"ECDSA"]),
    (
        c"EVP_KEYEXCH_fetch",
        c"EVP_KEYEXCH_free",
        &[c"X25519", c"ECDH"],
    ),
];
/// What is not.
const KEYS: &CStr = c"EC";

/// So often in a row another thread's operation does not come in between: then ours is what the
/// default properties ask for, or there is no other, and it stays in front.
const MOST_IN_VAIN: u32 = 64;
/// From then on one operation of so many looks.
const SELDOM: u32 = 256;

/// So many queries of the program's own are remembered.
const MOST_QUERIES: usize = 16;

/// The provider that offers nothing. OpenSSL's own, "null", may be loaded by the program already:
/// loading it once more would forget nothing.
const NOTHING: &CStr = c"sigmill-nothing";

unsafe extern "C" fn begin_nothing(
    handle: *const CoreHandle,
    _functions: *const OsslDispatch,
    own_functions: *mut *const OsslDispatch,
    provider: *mut *mut c_void,
) -> c_int {
    static FUNCTIONS: &[OsslDispatch] = &[NO_FUNCTION];
    guard(0, || {
        // SAFETY: libcrypto gives two places; what stands in the second one is never looked at.
        unsafe {
            *own_functions = FUNCTIONS.as_ptr();
            *provider = handle.cast_mut();
        }
        1
    })
}

/// What is needed to put look-ups in order.
#[derive(Debug, Default)]
struct Order {
    /// Whether [`NOTHING`] is known to the library.
    is_nothing_known: bool,
    /// The program's own queries, the last one last: where one look-up puts ours in front, those
    /// of the others are put in order, too.
    queries: Vec<CString>,
}

impl Order {
    /// Remembers a query, if it is one of the program's own.
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
    /// Our provider, as libcrypto has it: the handle of a core is its `OSSL_PROVIDER`.
    own: *const CoreHandle,
    fetch: Fetch,
    get_provider: GetProvider,
    free_keymgmt: FreeFetched,
    /// Those of [`OURS`].
    ours: [(Fetch, FreeFetched); 3],
    new_public: NewPublic,
    is_equal: IsEqual,
    free_key: FreeFetched,
    add_builtin: AddBuiltin,
    try_load: TryLoad,
    unload: Unload,
    set_mark: Mark,
    pop_to_mark: Mark,
    /// The callback that [`keeps_exports`](Self::keeps_exports), once it was asked.
    keeper: OnceBox<Option<Address>>,
    /// How often in a row ours stayed in front, without a query of the program's own and with one.
    in_vain: [AtomicU32; 2],
    /// How often somebody was found whose query is not known.
    unknown: AtomicU32,
    /// Whether there are queries of the program's own.
    has_queries: AtomicBool,
    /// Held while look-ups are put in order, as what two threads have loaded is only unloaded by
    /// the second one.
    order: PerProcess<Mutex<Order>>,
}

// SAFETY: the pointers are only handed back to functions of libcrypto that any thread may call.
unsafe impl Send for Lookups {}
// SAFETY: the same.
unsafe impl Sync for Lookups {}

impl Lookups {
    /// The functions beside `of_core`, a function of the core; `None` where they cannot be found,
    /// as in a program that has its own OpenSSL inside and hides it.
    ///
    /// # Safety
    /// `library` is the context of a libcrypto that has loaded us, `own` the core's handle, and
    /// `of_core` one of its functions.
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
            // SAFETY: functions of that name have these types, in every OpenSSL 3.
            unsafe {
                Some((
                    mem::transmute::<*mut c_void, Fetch>(fetch),
                    mem::transmute::<*mut c_void, FreeFetched>(free),
                ))
            }
        };
        // SAFETY: functions of that name have these types, in every OpenSSL 3.
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

    /// Sees to it that whoever asks for keys "EC" of any provider does not get ours. One look-up,
    /// which is remembered. `properties` are those of the operation: libcrypto remembers look-ups
    /// by each query of the program's own. Whether all look-ups were put in order.
    ///
    /// # Safety
    /// `properties` is null or a string, and the context there is still.
    pub(crate) unsafe fn keep_order(&self, properties: *const c_char) -> bool {
        let query = match properties.is_null() {
            true => c"",
            // SAFETY: as the caller says.
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
        // SAFETY: no arguments.
        unsafe { (self.set_mark)() };
        if self.is_first(query) {
            let mut order = self.order();
            // Another thread may have seen to it meanwhile.
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
        // SAFETY: no arguments; the mark is that from above.
        unsafe { (self.pop_to_mark)() };
        is_restored
    }

    /// The same before an operation that does not say its properties: for all queries that there
    /// were lately.
    pub(crate) fn keep_every_order(&self) {
        let queries = match self.has_queries.load(Ordering::Relaxed) {
            true => self.order().queries.clone(),
            false => Vec::new(),
        };
        for query in iter::once(c"").chain(queries.iter().map(CString::as_c_str)) {
            // SAFETY: a string, and the context of a core that calls us.
            unsafe { self.keep_order(query.as_ptr()) };
        }
    }

    /// Where somebody has found our keys "EC", perhaps by a query that we do not know: the next one
    /// finds the default provider's.
    pub(crate) fn forget_unknown(&self) {
        // SAFETY: no properties, and the context of a core that calls us.
        if unsafe { self.keep_order(ptr::null()) } {
            return;
        }
        let unknown = self.unknown.fetch_add(1, Ordering::Relaxed);
        if unknown >= MOST_IN_VAIN && !unknown.is_multiple_of(SELDOM) {
            return;
        }
        // SAFETY: no arguments; the mark is set before it is popped.
        unsafe {
            (self.set_mark)();
            self.restore(&mut self.order());
            (self.pop_to_mark)();
        }
    }

    fn order(&self) -> MutexGuard<'_, Order> {
        // A thread that panicked has left no more than a provider loaded.
        let order = self.order.get_or_make(Mutex::default);
        order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has libcrypto forget all look-ups, and asks as programs do.
    fn restore(&self, order: &mut Order) {
        self.forget(&mut order.is_nothing_known);
        self.remember(c"");
        for query in &order.queries {
            self.remember(query);
        }
    }

    /// Whether a callback is the one by which libcrypto exports a key for an operation of another
    /// provider, and which keeps the copy. It is found by such an export, the first time.
    pub(crate) fn keeps_exports(&self, callback: Address) -> bool {
        let find = || Box::new(exports::callback_of(|| self.compare_providers()));
        self.keeper
            .get_or_init(find)
            .is_none_or(|keeper| keeper == callback)
    }

    /// Compares a key of ours with one of another provider, to which ours is exported.
    fn compare_providers(&self) {
        let key = |properties: &CStr| {
            let (name, bytes) = (c"X25519".as_ptr(), [9; 32]);
            // SAFETY: the context, strings, and bytes in their length.
            unsafe {
                (self.new_public)(self.library, name, properties.as_ptr(), bytes.as_ptr(), 32)
            }
        };
        // SAFETY: no arguments; keys that are there are compared, and each freed once.
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

    /// Has libcrypto forget all look-ups.
    fn forget(&self, is_known: &mut bool) {
        // SAFETY: the context, strings and a function that begins a provider; fallbacks stay as
        // they are. What was loaded is unloaded, which both forget all look-ups.
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

    /// Asks for keys "EC", which are another's, and for all that is ours, so that it is remembered
    /// first.
    fn remember(&self, query: &CStr) {
        self.is_first(query);
        for ((fetch, free), (_, _, names)) in self.ours.into_iter().zip(OURS) {
            for name in names {
                // SAFETY: the context and strings; what was fetched is freed.
                unsafe {
                    let found = fetch(self.library, name.as_ptr(), query.as_ptr());
                    if !found.is_null() {
                        free(found);
                    }
                }
            }
        }
    }

    /// Whether who asks for [`KEYS`] by a query gets ours.
    fn is_first(&self, query: &CStr) -> bool {
        // SAFETY: the context and strings; what was fetched is freed.
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
