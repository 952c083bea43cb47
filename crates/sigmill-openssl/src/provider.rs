//! The provider: what the core is asked for, its configuration, errors, and what verifies.

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

/// The option for the memory of the store of keys.
const KEY_MEMORY: &CStr = c"sigmill_key_memory";
/// The option for the widest window of tables.
const WINDOW: &CStr = c"sigmill_window";

/// The option for agreements by ECDH.
const ECDH: &CStr = c"sigmill_ecdh";

/// The memory for keys and tables unless the configuration says otherwise: some 370 keys on P-256
/// at window 7. A server has a provider in each of its processes.
const DEFAULT_KEY_MEMORY: usize = 64 << 20;

/// The widest window unless the configuration says otherwise.
const DEFAULT_WINDOW: u32 = 10;

/// A provider in a library context of OpenSSL.
#[derive(Debug)]
pub(crate) struct Provider {
    core: Core,
    options: Options,
    /// Where libcrypto's functions can be found.
    lookups: Option<Lookups>,
    /// Made at the first verification: it times the machine for half a millisecond, which a process
    /// that verifies nothing should not wait for, and a process that forks does after it. Without a
    /// lock, which the child of a process that forks could find taken; the engine itself makes what
    /// it locks anew in a child.
    engine: OnceBox<Option<Engine>>,
    entropy: Pool,
}

/// What the configuration asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Options {
    /// In bytes; 0 for no store and no tables.
    key_memory: usize,
    /// 1 to 11 bits.
    window: u32,
    /// Whether ECDH is ours: P-256 is exported for signatures, and could not fall through for an
    /// agreement, by which it loses where keys are new.
    has_ecdh: bool,
}

/// The functions of the core that are used.
#[derive(Clone, Copy, Debug)]
struct Core {
    handle: *const CoreHandle,
    get_params: Option<CoreGetParams>,
    get_libctx: Option<CoreGetLibctx>,
    new_error: Option<CoreNewError>,
    set_error_debug: Option<CoreSetErrorDebug>,
    vset_error: Option<CoreVsetError>,
}

// SAFETY: the handle is an address that is only handed back to functions of the core, which may be
// called by any thread.
unsafe impl Send for Core {}
// SAFETY: the same.
unsafe impl Sync for Core {}

macro_rules! reasons {
    ($($(#[$meta:meta])* $name:ident = $number:literal $text:literal;)*) => {
        /// Why something failed, as it stands in OpenSSL's queue of errors.
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
    /// A signature by a public key.
    PrivateKeyMissing = 2 c"the key has no private part";
    /// Verification by a key that has a private part only.
    PublicKeyMissing = 3 c"the key has no public part";
    /// A hash that we do not know, or cannot hash by.
    DigestUnsupported = 4 c"the digest is not supported by sigmill (but provider=default)";
    /// Another hash than the one that the operation began with.
    DigestNotAllowed = 5 c"the digest cannot be changed now";
    /// A digest of another length than that of its hash.
    DigestLength = 6 c"the digest has the wrong length";
    /// A message before its operation was begun, or after it was ended.
    NotBegun = 7 c"the operation was not begun";
    /// A place that a signature or a secret may not fit.
    OutputTooSmall = 8 c"the buffer for the result is too small";
    /// A parameter of the wrong type, or that makes no sense.
    ParameterInvalid = 9 c"a parameter is not valid";
    /// A deterministic nonce under a hash that the library does not make nonces by.
    NonceTypeUnsupported = 10 c"deterministic nonces need SHA-256, SHA-384 or SHA-512";
    /// The bytes of a signature.
    SignatureMalformed = 11 c"the signature is not a DER sequence of two integers";
    /// The configuration.
    KeyMemoryInvalid = 12 c"sigmill_key_memory must be a number, perhaps with K, M or G";
    /// The configuration.
    WindowInvalid = 13 c"sigmill_window must be a number from 1 to 11";
    /// An agreement between keys on different curves.
    CurvesDiffer = 14 c"the peer's key is on another curve";
    /// An agreement with a point of small order.
    NothingShared = 15 c"there is no secret to share with such a key";
    /// The configuration.
    EcdhInvalid = 16 c"sigmill_ecdh must be yes or no";
    /// A key on a curve that was to be made here.
    NoKeysMade = 17 c"sigmill makes no keys on curves; the next try is the default provider's";
    /// A length to derive.
    DerivedLength = 18 c"kdf-outlen must be from 1 to 2^30 bytes";
    /// A key that was to be derived.
    IkmLength = 19 c"dhkem-ikm must have 32 bytes or more";
    /// A key that was to be made.
    NoRandomness = 20 c"the system has no random bytes";
    /// A key that was changed in place, and is not the one that was known before.
    KeyUncertain = 24 c"the key was changed, and it is not certain which one is meant";
}

impl Core {
    /// # Safety
    /// `functions` begins a dispatch table of the core, with its handle.
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
            // SAFETY: the table reaches as far as its end, which has the number 0.
            let OsslDispatch {
                function_id,
                function,
            } = unsafe { *at };
            // SAFETY: a function has the type that its number says; a null pointer is `None`.
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
        // SAFETY: a function of the core, with its handle. The context is an `OSSL_LIB_CTX` for
        // the libcrypto that gives it, which the function belongs to.
        unsafe {
            Lookups::find(
                get_libctx(self.handle),
                self.handle,
                get_libctx as *const c_void,
            )
        }
    }

    /// An option of the section of the configuration that loads the module. The text is that of
    /// the core, and stays as long as the provider.
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
        // SAFETY: an array of one parameter with its end, and a place for a pointer.
        let is_answered = unsafe { get_params(self.handle, params.as_mut_ptr()) } != 0;
        if !is_answered || text.is_null() {
            return None;
        }
        // SAFETY: what was put there is a string of the core. One that is no UTF-8 is none of ours.
        Some(unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("?"))
    }

    fn raise(&self, reason: Reason, file: &'static CStr, line: c_int) {
        let (Some(new), Some(vset)) = (self.new_error, self.vset_error) else {
            return;
        };
        // SAFETY: the functions of the core, with its handle and static strings; without a format
        // the last argument is not looked at.
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

/// A number of bytes: `67108864`, `65536K`, `64M`, `1G`.
fn bytes(text: &str) -> Option<usize> {
    let (digits, unit) = match text.as_bytes().last()? {
        b'k' | b'K' => (&text[..text.len() - 1], 1 << 10),
        b'm' | b'M' => (&text[..text.len() - 1], 1 << 20),
        b'g' | b'G' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    // A number may have a sign in Rust.
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse::<usize>().ok()?.checked_mul(unit)
}

impl Provider {
    /// Reads the configuration. `None` if there is an error, which was raised.
    ///
    /// # Safety
    /// `functions` begins a dispatch table of the core, with its handle, which stay as they are as
    /// long as the provider.
    pub(crate) unsafe fn new(
        handle: *const CoreHandle,
        functions: *const OsslDispatch,
    ) -> Option<Self> {
        // SAFETY: as the caller says.
        let core = unsafe { Core::new(handle, functions) };
        match Options::read(&core) {
            Ok(options) => Some(Self {
                // SAFETY: as the caller says.
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

    /// Before an operation by keys on curves, with properties: see [`Lookups::keep_order`].
    ///
    /// # Safety
    /// `properties` is null or a string, and the core calls us.
    pub(crate) unsafe fn keep_order(&self, properties: *const c_char) {
        if let Some(lookups) = &self.lookups {
            // SAFETY: as the caller says; the context of a core that calls us is there.
            unsafe { lookups.keep_order(properties) };
        }
    }

    /// The same before an operation whose properties are not told.
    pub(crate) fn keep_every_order(&self) {
        if let Some(lookups) = &self.lookups {
            lookups.keep_every_order();
        }
    }

    /// After our KEYMGMT "EC" was found by who wants keys of its own.
    pub(crate) fn forget_unknown(&self) {
        if let Some(lookups) = &self.lookups {
            lookups.forget_unknown();
        }
    }

    /// Whether a callback for exports, by its address, keeps what it gets: see
    /// [`Lookups::keeps_exports`]. It may, where that cannot be found out.
    pub(crate) fn keeps_exports(&self, callback: usize) -> bool {
        let lookups = self.lookups.as_ref();
        lookups.is_none_or(|lookups| lookups.keeps_exports(callback))
    }

    /// Whether ECDH is ours.
    pub(crate) fn has_ecdh(&self) -> bool {
        self.options.has_ecdh
    }

    /// Random bytes for a nonce; `None` where the system has none.
    pub(crate) fn entropy(&self) -> Option<Entropy> {
        self.entropy.take()
    }

    /// Adds an error to the queue of the thread.
    pub(crate) fn raise(&self, reason: Reason) {
        self.core.raise(reason, c"sigmill", 0);
    }

    /// Verifies a signature in DER of a digest of any length. A key that comes often has a table.
    ///
    /// # Errors
    /// What [`sigmill::AnyVerifyingKey::verify_prehash`] says.
    pub(crate) fn verify(
        &self,
        key: &PublicKey,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<(), Error> {
        // OpenSSL takes no bytes for the number 0, as is one byte that is 0.
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

    /// The engine with its store of keys, if the configuration lets there be one.
    fn engine(&self) -> Option<&Engine> {
        let Options {
            key_memory, window, ..
        } = self.options;
        let build = || {
            let builder = Engine::builder().key_memory(key_memory).window(window);
            // The window was looked at, and no thread is started: so there is no error.
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
