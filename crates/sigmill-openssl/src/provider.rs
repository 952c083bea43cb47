//! The provider: functions of the core, configuration, errors, and the engine that verifies.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::{mem, ptr};

use once_cell::race::OnceBox;
use sigmill::bulk::{Engine, Input, Row};
use sigmill::{Algorithm, Error, SignatureFormat};

use crate::abi::{
    CoreGetLibctx, CoreGetParams, CoreHandle, CoreNewError, CoreSetErrorDebug, CoreVsetError,
    OSSL_FUNC_CORE_GET_LIBCTX, OSSL_FUNC_CORE_GET_PARAMS, OSSL_FUNC_CORE_NEW_ERROR,
    OSSL_FUNC_CORE_SET_ERROR_DEBUG, OSSL_FUNC_CORE_VSET_ERROR, OSSL_PARAM_UNMODIFIED,
    OSSL_PARAM_UTF8_PTR, OsslDispatch, OsslItem, OsslParam,
};
use crate::entropy::{Entropy, Pool};
use crate::key::PublicKey;
use crate::lookups::Lookups;
use crate::params::END;

/// The option for the memory of the key store.
const KEY_MEMORY: &CStr = c"sigmill_key_memory";
/// The option for the widest window of tables.
const WINDOW: &CStr = c"sigmill_window";

/// The option that enables ECDH.
const ECDH: &CStr = c"sigmill_ecdh";

/// The default memory for keys and tables: some 370 keys on P-256 at window 7. A server has a
/// provider in each of its processes.
const DEFAULT_KEY_MEMORY: usize = 64 << 20;

/// The default for the widest window.
const DEFAULT_WINDOW: u32 = 10;

/// A provider in a library context of OpenSSL.
#[derive(Debug)]
pub(crate) struct Provider {
    core: Core,
    options: Options,
    /// The functions of libcrypto, if they can be found.
    lookups: Option<Lookups>,
    /// Made at the first verification. It times the machine for half a millisecond: a process that
    /// verifies nothing should not wait for that, and a process that forks does it after the fork.
    /// There is no lock, as the child of a process that forks could find it held; the engine itself
    /// recreates its locks in a child.
    engine: OnceBox<Option<Engine>>,
    entropy: Pool,
}

/// The options of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Options {
    /// In bytes; 0 for no store and no tables.
    key_memory: usize,
    /// 1 to 11 bits.
    window: u32,
    /// True if ECDH is ours. Keys on P-256 are exported for signatures and could not fall through
    /// for an agreement, which is slower with new keys.
    has_ecdh: bool,
}

/// The functions of the core that we use.
#[derive(Clone, Copy, Debug)]
struct Core {
    handle: *const CoreHandle,
    get_params: Option<CoreGetParams>,
    get_libctx: Option<CoreGetLibctx>,
    new_error: Option<CoreNewError>,
    set_error_debug: Option<CoreSetErrorDebug>,
    vset_error: Option<CoreVsetError>,
}

// SAFETY: the handle is an address that is only passed back to functions of the core, which any
// thread may call.
unsafe impl Send for Core {}
// SAFETY: as above.
unsafe impl Sync for Core {}

macro_rules! reasons {
    ($($(#[$meta:meta])* $name:ident = $number:literal $text:literal;)*) => {
        /// The reason of a failure in OpenSSL's queue of errors.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub(crate) enum Reason {
            $($(#[$meta])* $name = $number,)*
        }

        /// All reasons as text.
        pub(crate) static REASONS: &[OsslItem] = &[
            $(OsslItem { id: $number, ptr: $text.as_ptr() },)*
            OsslItem { id: 0, ptr: ptr::null() },
        ];
    };
}

reasons! {
    /// An operation without a key.
    KeyMissing = 1 c"no key was set";
    /// Signing with a public key.
    PrivateKeyMissing = 2 c"the key has no private part";
    /// Verification with a key that has only a private part.
    PublicKeyMissing = 3 c"the key has no public part";
    /// A hash that is unknown here, or that we cannot compute.
    DigestUnsupported = 4 c"the digest is not supported by sigmill (it is by provider=default)";
    /// Another hash than that of the operation in progress.
    DigestNotAllowed = 5 c"the digest cannot be changed now";
    /// A digest whose length is not that of its hash.
    DigestLength = 6 c"the digest has the wrong length";
    /// A message before its operation began, or after it ended.
    NotBegun = 7 c"the operation was not initialized";
    /// A buffer that may be too small for a signature or a secret.
    OutputTooSmall = 8 c"the buffer for the result is too small";
    /// A parameter of the wrong type or with a meaningless value.
    ParameterInvalid = 9 c"invalid parameter";
    /// A deterministic nonce with a hash that the library has no nonces for.
    NonceTypeUnsupported = 10 c"deterministic nonces need SHA-256, SHA-384 or SHA-512";
    /// Bytes that are not a signature.
    SignatureMalformed = 11 c"the signature is not a DER sequence of two integers";
    /// A wrong option of the configuration.
    KeyMemoryInvalid = 12 c"sigmill_key_memory must be a number, optionally with K, M or G";
    /// A wrong option of the configuration.
    WindowInvalid = 13 c"sigmill_window must be a number from 1 to 11";
    /// An agreement between keys on different curves.
    CurvesDiffer = 14 c"the peer's key is on another curve";
    /// An agreement with a point of small order.
    NothingShared = 15 c"no shared secret exists with this key";
    /// A wrong option of the configuration.
    EcdhInvalid = 16 c"sigmill_ecdh must be yes or no";
    /// A key on a curve that the program wanted from us.
    NoKeysMade = 17 c"sigmill generates no keys on curves; the default provider tries next";
    /// A length of a derived secret.
    DerivedLength = 18 c"kdf-outlen must be from 1 to 2^30 bytes";
    /// The input for a derived key.
    IkmLength = 19 c"dhkem-ikm must have 32 bytes or more";
    /// No random bytes for a new key.
    NoRandomness = 20 c"the system has no random bytes";
    /// A key that was changed in place and differs from the known one.
    KeyUncertain = 24 c"the key was changed in place and is ambiguous";
}

impl Core {
    /// # Safety
    /// `functions` is the start of the core's dispatch table, and `handle` is that of the core.
    unsafe fn new(handle: *const CoreHandle, functions: *const OsslDispatch) -> Self {
        let mut core = Self {
            handle,
            get_params: None,
            get_libctx: None,
            new_error: None,
            set_error_debug: None,
            vset_error: None,
        };
        let mut at = functions;
        loop {
            // SAFETY: the table extends to its end, an entry with the number 0.
            let OsslDispatch {
                function_id,
                function,
            } = unsafe { *at };
            // SAFETY: a function has the type that its number states; a null pointer becomes
            // `None`.
            unsafe {
                match function_id {
                    0 => return core,
                    OSSL_FUNC_CORE_GET_PARAMS => {
                        core.get_params =
                            mem::transmute::<*const c_void, Option<CoreGetParams>>(function);
                    }
                    OSSL_FUNC_CORE_GET_LIBCTX => {
                        core.get_libctx =
                            mem::transmute::<*const c_void, Option<CoreGetLibctx>>(function);
                    }
                    OSSL_FUNC_CORE_NEW_ERROR => {
                        core.new_error =
                            mem::transmute::<*const c_void, Option<CoreNewError>>(function);
                    }
                    OSSL_FUNC_CORE_SET_ERROR_DEBUG => {
                        core.set_error_debug =
                            mem::transmute::<*const c_void, Option<CoreSetErrorDebug>>(function);
                    }
                    OSSL_FUNC_CORE_VSET_ERROR => {
                        core.vset_error =
                            mem::transmute::<*const c_void, Option<CoreVsetError>>(function);
                    }
                    _ => {}
                }
            }
            at = at.wrapping_add(1);
        }
    }

    /// # Safety
    /// The functions are those of the core.
    unsafe fn lookups(&self) -> Option<Lookups> {
        let get_libctx = self.get_libctx?;
        // SAFETY: a function of the core, called with its handle. The context is an `OSSL_LIB_CTX`
        // of the libcrypto that the function belongs to.
        unsafe {
            Lookups::find(
                get_libctx(self.handle),
                self.handle,
                get_libctx as *const c_void,
            )
        }
    }

    /// Returns an option in the section of the configuration that loads the module. The text
    /// belongs to the core and stays as long as the provider.
    fn option(&self, name: &'static CStr) -> Option<&str> {
        let get_params = self.get_params?;
        let mut text: *const c_char = ptr::null();
        let mut params = [
            OsslParam {
                key: name.as_ptr(),
                data_type: OSSL_PARAM_UTF8_PTR,
                data: (&raw mut text).cast(),
                data_size: size_of_val(&text),
                return_size: OSSL_PARAM_UNMODIFIED,
            },
            END,
        ];
        // SAFETY: the array has one parameter and its end, with a place for a pointer.
        let is_answered = unsafe { get_params(self.handle, params.as_mut_ptr()) } != 0;
        if !is_answered || text.is_null() {
            return None;
        }
        // SAFETY: the core has put a string there. Text that is not UTF-8 matches no option.
        Some(unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("?"))
    }

    fn raise(&self, reason: Reason, file: &'static CStr, line: c_int) {
        let (Some(new), Some(vset)) = (self.new_error, self.vset_error) else {
            return;
        };
        // SAFETY: the functions of the core, called with its handle and static strings; without a
        // format the last argument is not read.
        unsafe {
            new(self.handle);
            if let Some(set_debug) = self.set_error_debug {
                set_debug(self.handle, file.as_ptr(), line, c"sigmill".as_ptr());
            }
            let reason: c_uint = reason as u32;
            vset(self.handle, reason, ptr::null(), ptr::null_mut());
        }
    }
}

impl Options {
    fn read(core: &Core) -> Result<Self, Reason> {
        let key_memory = match core.option(KEY_MEMORY) {
            None => DEFAULT_KEY_MEMORY,
            Some(text) => bytes(text).ok_or(Reason::KeyMemoryInvalid)?,
        };
        let window = match core.option(WINDOW) {
            None => DEFAULT_WINDOW,
            Some(text) => {
                let window = text.parse().ok().filter(|bits| (1..=11).contains(bits));
                window.ok_or(Reason::WindowInvalid)?
            }
        };
        let has_ecdh = match core.option(ECDH) {
            None | Some("no") => false,
            Some("yes") => true,
            Some(_) => return Err(Reason::EcdhInvalid),
        };
        Ok(Self {
            key_memory,
            window,
            has_ecdh,
        })
    }
}

/// Returns a number of bytes: `67108864`, `65536K`, `64M`, `1G`.
fn bytes(text: &str) -> Option<usize> {
    let (digits, unit) = match text.as_bytes().last()? {
        b'k' | b'K' => (&text[..text.len() - 1], 1 << 10),
        b'm' | b'M' => (&text[..text.len() - 1], 1 << 20),
        b'g' | b'G' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    // Rust's `parse` would accept a sign.
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse::<usize>().ok()?.checked_mul(unit)
}

impl Provider {
    /// Reads the configuration. Returns `None` after an error, which it has raised.
    ///
    /// # Safety
    /// `functions` is the start of the core's dispatch table, and `handle` is that of the core.
    /// Both stay valid as long as the provider.
    pub(crate) unsafe fn new(
        handle: *const CoreHandle,
        functions: *const OsslDispatch,
    ) -> Option<Self> {
        // SAFETY: the caller guarantees this.
        let core = unsafe { Core::new(handle, functions) };
        match Options::read(&core) {
            Ok(options) => Some(Self {
                // SAFETY: the caller guarantees this.
                lookups: unsafe { core.lookups() },
                core,
                options,
                engine: OnceBox::new(),
                entropy: Pool::new(),
            }),
            Err(reason) => {
                core.raise(reason, c"provider.rs", line!() as c_int);
                None
            }
        }
    }

    /// [`Lookups::keep_order`] before an operation with keys on curves.
    ///
    /// # Safety
    /// `properties` is null or a string, and the core calls us.
    pub(crate) unsafe fn keep_order(&self, properties: *const c_char) {
        if let Some(lookups) = &self.lookups {
            // SAFETY: the caller guarantees this; the context of a core that calls us exists.
            unsafe { lookups.keep_order(properties) };
        }
    }

    /// [`Lookups::keep_every_order`] before an operation that does not pass its properties.
    pub(crate) fn keep_every_order(&self) {
        if let Some(lookups) = &self.lookups {
            lookups.keep_every_order();
        }
    }

    /// [`Lookups::forget_unknown`] after a caller that wants to make keys has found our KEYMGMT
    /// "EC".
    pub(crate) fn forget_unknown(&self) {
        if let Some(lookups) = &self.lookups {
            lookups.forget_unknown();
        }
    }

    /// Returns true if the export callback at this address keeps what it gets: see
    /// [`Lookups::keeps_exports`]. Returns true if that cannot be found out.
    pub(crate) fn keeps_exports(&self, callback: usize) -> bool {
        let lookups = self.lookups.as_ref();
        lookups.is_none_or(|lookups| lookups.keeps_exports(callback))
    }

    /// Returns true if ECDH is ours.
    pub(crate) fn has_ecdh(&self) -> bool {
        self.options.has_ecdh
    }

    /// Returns random bytes for a nonce, or `None` if the system has none.
    pub(crate) fn entropy(&self) -> Option<Entropy> {
        self.entropy.take()
    }

    /// Adds an error to the thread's queue.
    pub(crate) fn raise(&self, reason: Reason) {
        self.core.raise(reason, c"sigmill", 0);
    }

    /// Verifies a signature in DER of a digest of any length. A key that returns often gets a
    /// table.
    ///
    /// # Errors
    /// Those of [`sigmill::AnyVerifyingKey::verify_prehash`].
    pub(crate) fn verify(
        &self,
        key: &PublicKey,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<(), Error> {
        // OpenSSL reads an empty digest as the number 0, the same as one zero byte.
        let digest = if digest.is_empty() { &[0] } else { digest };
        let Some(engine) = self.engine() else {
            let format = SignatureFormat::Der;
            return key.key.verify_prehash(digest, signature, format);
        };
        engine.verify_row(&Row::new(
            Algorithm::new(key.key.curve(), key.key.algorithm().hash),
            &key.point,
            Input::Digest(digest),
            signature,
            SignatureFormat::Der,
        ))
    }

    /// Returns the engine with its key store, unless the configuration forbids it.
    fn engine(&self) -> Option<&Engine> {
        let Options {
            key_memory, window, ..
        } = self.options;
        let build = || {
            let builder = Engine::builder().key_memory(key_memory).window(window);
            // The window was checked and no thread is started, so no error is possible.
            Box::new((key_memory > 0).then(|| builder.build().ok()).flatten())
        };
        self.engine.get_or_init(build).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_a_number_with_a_unit_or_not() {
        assert_eq!(bytes("67108864"), Some(64 << 20));
        assert_eq!(bytes("64M"), bytes("65536k"));
        assert_eq!((bytes("1G"), bytes("0")), (Some(1 << 30), Some(0)));
        for wrong in [
            "",
            "M",
            "-1",
            "+1",
            "1.5M",
            "64MiB",
            "99999999999999999999",
            "20000000000G",
        ] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
    }
}
