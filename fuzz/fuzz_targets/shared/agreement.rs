//! Agreements through `EVP_PKEY_derive`.

use std::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use std::ptr;

use openssl_sys::{
    ERR_clear_error, EVP_PKEY, EVP_PKEY_CTX, EVP_PKEY_CTX_set_params, EVP_PKEY_derive,
    EVP_PKEY_derive_init, EVP_PKEY_derive_set_peer, OSSL_LIB_CTX, OSSL_PARAM,
    OSSL_PARAM_construct_end,
};

use super::{
    Answer, EVP_PKEY_CTX_dup, EVP_PKEY_CTX_new_from_pkey, Key, Library,
    OSSL_PARAM_construct_utf8_string, Operation, REFUSED, answer,
};

unsafe extern "C" {
    fn EVP_PKEY_new_raw_private_key_ex(
        library: *mut OSSL_LIB_CTX,
        kind: *const c_char,
        query: *const c_char,
        key: *const c_uchar,
        length: usize,
    ) -> *mut EVP_PKEY;
    fn EVP_PKEY_new_raw_public_key_ex(
        library: *mut OSSL_LIB_CTX,
        kind: *const c_char,
        query: *const c_char,
        key: *const c_uchar,
        length: usize,
    ) -> *mut EVP_PKEY;
    fn OSSL_PARAM_construct_size_t(key: *const c_char, number: *mut usize) -> OSSL_PARAM;
    fn OSSL_PARAM_construct_octet_string(
        key: *const c_char,
        bytes: *mut c_void,
        size: usize,
    ) -> OSSL_PARAM;
}

/// A derivation from a shared secret by X9.63.
pub(crate) struct Derivation<'a> {
    pub(crate) hash: &'a CStr,
    pub(crate) length: usize,
    pub(crate) info: &'a [u8],
}

impl Library {
    /// Returns a key of X25519, if the bytes have the length of one.
    pub(crate) fn x25519(&self, bytes: &[u8], is_private: bool) -> Option<Key<'_>> {
        let make = if is_private {
            EVP_PKEY_new_raw_private_key_ex
        } else {
            EVP_PKEY_new_raw_public_key_ex
        };
        let (name, none) = (c"X25519".as_ptr(), ptr::null());
        // SAFETY: the bytes have this length, the text ends, and the library context is alive.
        let key = unsafe { make(self.0, name, none, bytes.as_ptr(), bytes.len()) };
        (!key.is_null()).then_some(Key { key, library: self })
    }
}

impl Key<'_> {
    /// Returns the secret shared with a peer, or the value derived from it, by the operation or by
    /// a copy of it. The output has `space` bytes.
    pub(crate) fn agree(
        &self,
        peer: &Key<'_>,
        derivation: Option<&Derivation<'_>>,
        space: usize,
        to_copy: bool,
    ) -> (Answer, Vec<u8>) {
        let refused = (REFUSED, vec![]);
        // SAFETY: all are alive, the texts end, the values that parameters name live until they
        // were read, and the output has the size that was passed.
        unsafe {
            ERR_clear_error();
            let operation = EVP_PKEY_CTX_new_from_pkey(self.library.0, self.key, ptr::null());
            if operation.is_null() {
                return refused;
            }
            let mut operation = Operation(operation);
            if EVP_PKEY_derive_init(operation.0) != 1 {
                return refused;
            }
            if let Some(derivation) = derivation
                && set(operation.0, derivation) != 1
            {
                return refused;
            }
            if EVP_PKEY_derive_set_peer(operation.0, peer.key) != 1 {
                return (answer(-1, operation.0), vec![]);
            }
            if to_copy {
                let copy = EVP_PKEY_CTX_dup(operation.0);
                if copy.is_null() {
                    return refused;
                }
                operation = Operation(copy);
            }
            let (mut secret, mut length) = (vec![0; space], space);
            let derived = EVP_PKEY_derive(operation.0, secret.as_mut_ptr(), &mut length);
            let is_derived = derived == 1;
            secret.truncate(if is_derived { length } else { 0 });
            // Failures have several numbers.
            (answer(if is_derived { 1 } else { -1 }, operation.0), secret)
        }
    }
}

/// # Safety
/// The operation is alive.
unsafe fn set(operation: *mut EVP_PKEY_CTX, derivation: &Derivation<'_>) -> c_int {
    let mut length = derivation.length;
    let text = |text: &CStr| text.as_ptr().cast_mut();
    let info = derivation.info.as_ptr().cast_mut().cast();
    // SAFETY: as the caller promises; texts end, and all values live until they were read.
    unsafe {
        let params = [
            OSSL_PARAM_construct_utf8_string(c"kdf-type".as_ptr(), text(c"X963KDF"), 0),
            OSSL_PARAM_construct_utf8_string(c"kdf-digest".as_ptr(), text(derivation.hash), 0),
            OSSL_PARAM_construct_size_t(c"kdf-outlen".as_ptr(), &mut length),
            OSSL_PARAM_construct_octet_string(c"kdf-ukm".as_ptr(), info, derivation.info.len()),
            OSSL_PARAM_construct_end(),
        ];
        EVP_PKEY_CTX_set_params(operation, params.as_ptr())
    }
}
