//! Generation of X25519 keys.

use std::ffi::{c_int, c_void};
use std::ptr;

use zeroize::Zeroizing;

use crate::abi::*;
use crate::border::{guard, guard_secret};
use crate::dhkem;
use crate::keymgmt::handle_of;
use crate::params::{END, PassedParams, described};
use crate::provider::{Provider, Reason};
use crate::x25519::Key;

/// A key to make and its parameters so far.
struct Generation<'a> {
    provider: &'a Provider,
    selection: c_int,
    /// The input for a derived key, or `None` for a random one.
    ikm: Option<Zeroizing<Vec<u8>>>,
}

impl Generation<'_> {
    /// Sets the parameters. There is only one group.
    fn set(&mut self, params: PassedParams<'_>) -> Option<()> {
        if self.set_all(params).is_none() {
            self.provider.raise(Reason::ParameterInvalid);
            return None;
        }
        Some(())
    }

    fn set_all(&mut self, params: PassedParams<'_>) -> Option<()> {
        if let Some(group) = params.get(OSSL_PKEY_PARAM_GROUP_NAME)
            && !group.text()?.eq_ignore_ascii_case("x25519")
        {
            return None;
        }
        if let Some(properties) = params.get(OSSL_KDF_PARAM_PROPERTIES) {
            // These are for OpenSSL's HKDF, which is not used.
            properties.text()?;
        }
        if let Some(ikm) = params.get(OSSL_PKEY_PARAM_DHKEM_IKM)
            && !ikm.is_empty()
        {
            self.ikm = Some(Zeroizing::new(ikm.octets()?.to_vec()));
        }
        Some(())
    }

    /// Makes the key. If no part is selected, the key is empty; a public part is added later.
    fn key(&self) -> Result<Key, Reason> {
        if self.selection & OSSL_KEYMGMT_SELECT_KEYPAIR == 0 {
            return Ok(Key::default());
        }
        let mut bytes = Zeroizing::new([0; 32]);
        match &self.ikm {
            Some(ikm) => dhkem::derive_private(ikm, &mut bytes).ok_or(Reason::IkmLength)?,
            // Not from the pool for nonces: bytes read ahead would also become the keys of a child
            // process that is not counted as a fork.
            None => getrandom::fill(&mut *bytes).map_err(|_| Reason::NoRandomness)?,
        }
        Ok(Key::of_random(&mut bytes))
    }
}

/// Returns the generation of a handle, or `None` for null.
///
/// # Safety
/// `handle` is null, or came from [`gen_init`] and was not freed, and nobody else uses it
/// meanwhile: OpenSSL's contexts are for one thread at a time.
unsafe fn generation<'a>(handle: *mut c_void) -> Option<&'a mut Generation<'a>> {
    // SAFETY: the caller guarantees this.
    unsafe { handle.cast::<Generation<'a>>().as_mut() }
}

pub(crate) unsafe extern "C" fn gen_init(
    provider: *mut c_void,
    selection: c_int,
    params: *const OsslParam,
) -> *mut c_void {
    guard(ptr::null_mut(), || {
        // SAFETY: it came from `OSSL_provider_init`, and the core ends it after its contexts.
        let Some(provider) = (unsafe { provider.cast::<Provider>().as_ref() }) else {
            return ptr::null_mut();
        };
        let mut generation = Generation {
            provider,
            selection,
            ikm: None,
        };
        // SAFETY: the core passes an array with its end.
        match generation.set(unsafe { PassedParams::new(params) }) {
            Some(()) => Box::into_raw(Box::new(generation)).cast(),
            None => ptr::null_mut(),
        }
    })
}

pub(crate) unsafe extern "C" fn gen_set_params(
    handle: *mut c_void,
    params: *const OsslParam,
) -> c_int {
    guard_secret(0, || {
        // SAFETY: the core got it from us and passes an array with its end.
        let (generation, params) = unsafe { (generation(handle), PassedParams::new(params)) };
        let set = generation.and_then(|generation| generation.set(params));
        set.is_some().into()
    })
}

pub(crate) unsafe extern "C" fn gen_settable_params(
    _: *mut c_void,
    _: *mut c_void,
) -> *const OsslParam {
    static TYPES: &[OsslParam] = &[
        described(OSSL_PKEY_PARAM_GROUP_NAME, OSSL_PARAM_UTF8_STRING),
        described(OSSL_KDF_PARAM_PROPERTIES, OSSL_PARAM_UTF8_STRING),
        described(OSSL_PKEY_PARAM_DHKEM_IKM, OSSL_PARAM_OCTET_STRING),
        END,
    ];
    TYPES.as_ptr()
}

/// Never calls back, as generation is too quick for that.
pub(crate) unsafe extern "C" fn generate(
    handle: *mut c_void,
    _callback: Option<Callback>,
    _argument: *mut c_void,
) -> *mut c_void {
    guard_secret(ptr::null_mut(), || {
        // SAFETY: the core got it from us.
        let Some(generation) = (unsafe { generation(handle) }) else {
            return ptr::null_mut();
        };
        match generation.key() {
            Ok(key) => handle_of(generation.provider, key),
            Err(reason) => {
                generation.provider.raise(reason);
                ptr::null_mut()
            }
        }
    })
}

pub(crate) unsafe extern "C" fn gen_cleanup(handle: *mut c_void) {
    guard((), || {
        if !handle.is_null() {
            // SAFETY: it came from `gen_init`, and the core frees it once.
            drop(unsafe { Box::from_raw(handle.cast::<Generation<'_>>()) });
        }
    });
}
