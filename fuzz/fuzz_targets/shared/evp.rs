//! OpenSSL's `EVP_*` in two library contexts: one as it is, and one with the provider. The provider
//! is linked instead of loaded, so that the fuzzer sees its code.

use std::ffi::{CStr, c_char, c_int, c_long, c_uchar, c_void};
use std::ptr;

use openssl_sys::{
    ERR_clear_error, EVP_DigestSign, EVP_DigestUpdate, EVP_DigestVerify, EVP_DigestVerifyFinal,
    EVP_MD_CTX, EVP_MD_CTX_copy_ex, EVP_MD_CTX_free, EVP_MD_CTX_new, EVP_PKEY, EVP_PKEY_CTX,
    EVP_PKEY_CTX_free, EVP_PKEY_CTX_set_params, EVP_PKEY_free, EVP_PKEY_is_a, EVP_PKEY_sign,
    EVP_PKEY_sign_init, EVP_PKEY_verify, EVP_PKEY_verify_init, OSSL_LIB_CTX, OSSL_LIB_CTX_new,
    OSSL_PARAM, OSSL_PARAM_construct_end, OSSL_PROVIDER, i2d_PUBKEY,
};

#[path = "agreement.rs"]
mod agreement;

pub(crate) use agreement::Derivation;

/// The configuration that the command prints, for a provider that is linked.
const CONFIG: &str = "openssl_conf = all\n\
    [all]\nproviders = providers\nalg_section = algorithms\n\
    [providers]\ndefault = active\nsigmill = ours\n\
    [active]\nactivate = 1\n\
    [ours]\nactivate = 1\nsigmill_ecdh = yes\n\
    [algorithms]\ndefault_properties = ?provider=sigmill,?sigmill.key!=yes\n";

/// The entry point of a provider.
type Init = unsafe extern "C" fn(
    *const sigmill_openssl::abi::CoreHandle,
    *const sigmill_openssl::abi::OsslDispatch,
    *mut *const sigmill_openssl::abi::OsslDispatch,
    *mut *mut c_void,
) -> c_int;

/// Functions that decode DER, and functions that begin to sign or verify a message.
type Decode = unsafe extern "C" fn(
    *mut *mut EVP_PKEY,
    *mut *const c_uchar,
    c_long,
    *mut OSSL_LIB_CTX,
    *const c_char,
) -> *mut EVP_PKEY;
type Begin = unsafe extern "C" fn(
    *mut EVP_MD_CTX,
    *mut *mut EVP_PKEY_CTX,
    *const c_char,
    *mut OSSL_LIB_CTX,
    *const c_char,
    *mut EVP_PKEY,
    *const OSSL_PARAM,
) -> c_int;

// Functions that openssl-sys does not have.
unsafe extern "C" {
    fn OSSL_PROVIDER_add_builtin(
        library: *mut OSSL_LIB_CTX,
        name: *const c_char,
        init: Init,
    ) -> c_int;
    fn OSSL_PROVIDER_get0_name(provider: *const OSSL_PROVIDER) -> *const c_char;
    fn OSSL_PROVIDER_available(library: *mut OSSL_LIB_CTX, name: *const c_char) -> c_int;
    fn OSSL_LIB_CTX_load_config(library: *mut OSSL_LIB_CTX, file: *const c_char) -> c_int;
    fn EVP_PKEY_CTX_get0_provider(operation: *const EVP_PKEY_CTX) -> *const OSSL_PROVIDER;
    fn EVP_PKEY_CTX_new_from_pkey(
        library: *mut OSSL_LIB_CTX,
        key: *mut EVP_PKEY,
        query: *const c_char,
    ) -> *mut EVP_PKEY_CTX;
    fn EVP_PKEY_set_utf8_string_param(
        key: *mut EVP_PKEY,
        name: *const c_char,
        value: *const c_char,
    ) -> c_int;
    fn EVP_PKEY_CTX_dup(operation: *const EVP_PKEY_CTX) -> *mut EVP_PKEY_CTX;
    fn OSSL_PARAM_construct_utf8_string(
        key: *const c_char,
        text: *mut c_char,
        size: usize,
    ) -> OSSL_PARAM;
    fn d2i_PUBKEY_ex(
        key: *mut *mut EVP_PKEY,
        der: *mut *const c_uchar,
        length: c_long,
        library: *mut OSSL_LIB_CTX,
        query: *const c_char,
    ) -> *mut EVP_PKEY;
    fn d2i_AutoPrivateKey_ex(
        key: *mut *mut EVP_PKEY,
        der: *mut *const c_uchar,
        length: c_long,
        library: *mut OSSL_LIB_CTX,
        query: *const c_char,
    ) -> *mut EVP_PKEY;
    fn EVP_DigestVerifyInit_ex(
        context: *mut EVP_MD_CTX,
        operation: *mut *mut EVP_PKEY_CTX,
        hash: *const c_char,
        library: *mut OSSL_LIB_CTX,
        query: *const c_char,
        key: *mut EVP_PKEY,
        params: *const OSSL_PARAM,
    ) -> c_int;
    fn EVP_DigestSignInit_ex(
        context: *mut EVP_MD_CTX,
        operation: *mut *mut EVP_PKEY_CTX,
        hash: *const c_char,
        library: *mut OSSL_LIB_CTX,
        query: *const c_char,
        key: *mut EVP_PKEY,
        params: *const OSSL_PARAM,
    ) -> c_int;
}

/// A library context that is never freed.
pub(crate) struct Library(*mut OSSL_LIB_CTX);

// SAFETY: library contexts may be used by any thread.
unsafe impl Send for Library {}
// SAFETY: the same.
unsafe impl Sync for Library {}

/// The answer of an operation: 1, 0, less for a failure; and whether our provider gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// 1, 0 or -1; -2 if the operation could not begin.
    pub(crate) verdict: i8,
    pub(crate) is_ours: bool,
}

/// A failure before the operation.
const REFUSED: Answer = Answer {
    verdict: -2,
    is_ours: false,
};

fn answer(returned: c_int, operation: *const EVP_PKEY_CTX) -> Answer {
    // SAFETY: the operation is alive; the provider that it names lives as long as the library
    // context.
    let is_ours = unsafe {
        let provider = EVP_PKEY_CTX_get0_provider(operation);
        !provider.is_null() && CStr::from_ptr(OSSL_PROVIDER_get0_name(provider)) == c"sigmill"
    };
    Answer {
        verdict: returned.clamp(-1, 1) as i8,
        is_ours,
    }
}

/// A key of a library.
pub(crate) struct Key<'a> {
    key: *mut EVP_PKEY,
    library: &'a Library,
}

impl Drop for Key<'_> {
    fn drop(&mut self) {
        // SAFETY: it is ours, and freed once.
        unsafe {
            EVP_PKEY_free(self.key);
            ERR_clear_error();
        }
    }
}

/// The state of a message that is being hashed.
struct Message(*mut EVP_MD_CTX);

impl Drop for Message {
    fn drop(&mut self) {
        // SAFETY: it is ours, and freed once.
        unsafe { EVP_MD_CTX_free(self.0) };
    }
}

/// An operation on a digest.
struct Operation(*mut EVP_PKEY_CTX);

impl Drop for Operation {
    fn drop(&mut self) {
        // SAFETY: it is ours, and freed once.
        unsafe { EVP_PKEY_CTX_free(self.0) };
    }
}

impl Library {
    /// OpenSSL as it is.
    pub(crate) fn stock() -> Self {
        // SAFETY: no arguments.
        let library = unsafe { OSSL_LIB_CTX_new() };
        assert!(!library.is_null());
        Self(library)
    }

    /// OpenSSL with the provider, configured as by `sigmill openssl-config --ecdh`.
    pub(crate) fn with_sigmill() -> Self {
        let library = Self::stock();
        let file = std::env::temp_dir().join(format!("sigmill-fuzz-{}.cnf", std::process::id()));
        std::fs::write(&file, CONFIG).expect("a file in the directory for temporary ones");
        let path = file.to_str().expect("a path in UTF-8").to_owned() + "\0";
        // SAFETY: the library context is alive, the texts end, and the function is a provider's.
        unsafe {
            let init = sigmill_openssl::OSSL_provider_init as Init;
            let name = c"sigmill".as_ptr();
            assert_eq!(OSSL_PROVIDER_add_builtin(library.0, name, init), 1);
            assert_eq!(OSSL_LIB_CTX_load_config(library.0, path.as_ptr().cast()), 1);
            assert_eq!(OSSL_PROVIDER_available(library.0, name), 1);
        }
        std::fs::remove_file(file).expect("it was written");
        library
    }

    /// Reads a key on some curve from DER, public (SPKI) or private.
    pub(crate) fn key(&self, der: &[u8], is_private: bool) -> Option<Key<'_>> {
        let decode: Decode = if is_private {
            d2i_AutoPrivateKey_ex
        } else {
            d2i_PUBKEY_ex
        };
        let (mut at, length) = (der.as_ptr(), der.len() as c_long);
        // SAFETY: the bytes have this length, and the library context is alive.
        let key = unsafe { decode(ptr::null_mut(), &mut at, length, self.0, ptr::null()) };
        let key = (!key.is_null()).then_some(Key { key, library: self })?;
        // SAFETY: the key is alive, and the text ends.
        (unsafe { EVP_PKEY_is_a(key.key, c"EC".as_ptr()) } == 1).then_some(key)
    }
}

impl Key<'_> {
    /// Returns the public key as DER.
    pub(crate) fn spki(&self) -> Vec<u8> {
        // SAFETY: the key is alive, and the output has the size that was passed.
        unsafe {
            let length = i2d_PUBKEY(self.key, ptr::null_mut());
            let mut der = vec![0; usize::try_from(length).expect("a length")];
            let mut at = der.as_mut_ptr();
            assert_eq!(i2d_PUBKEY(self.key, &mut at), length);
            der
        }
    }

    /// Sets explicit parameters, and returns the public key as DER.
    pub(crate) fn explicit_spki(&self) -> Vec<u8> {
        let (name, value) = (c"encoding".as_ptr(), c"explicit".as_ptr());
        // SAFETY: the key is alive, and the texts end.
        assert_eq!(
            unsafe { EVP_PKEY_set_utf8_string_param(self.key, name, value) },
            1
        );
        self.spki()
    }

    fn begin(&self, begin: Begin, hash: &CStr) -> Option<(Message, *mut EVP_PKEY_CTX)> {
        let mut operation = ptr::null_mut();
        // SAFETY: all are alive, and the text ends.
        unsafe {
            let message = Message(EVP_MD_CTX_new());
            let (library, none) = (self.library.0, ptr::null());
            let (hash, params) = (hash.as_ptr(), ptr::null());
            let begun = begin(
                message.0,
                &mut operation,
                hash,
                library,
                none,
                self.key,
                params,
            );
            (begun == 1).then_some((message, operation))
        }
    }

    /// Verifies a message: whole, in parts, or in parts of which a copy gets the rest.
    pub(crate) fn verify(
        &self,
        hash: &CStr,
        parts: &[&[u8]],
        to_copy: bool,
        signature: &[u8],
    ) -> Answer {
        let Some((message, operation)) = self.begin(EVP_DigestVerifyInit_ex, hash) else {
            return REFUSED;
        };
        let signature = (signature.as_ptr(), signature.len());
        // SAFETY: all are alive, and the bytes have the lengths that were passed.
        unsafe {
            if let [whole] = parts {
                let (data, length) = (whole.as_ptr(), whole.len());
                let verdict = EVP_DigestVerify(message.0, signature.0, signature.1, data, length);
                return answer(verdict, operation);
            }
            let mut now = message.0;
            let copy = Message(EVP_MD_CTX_new());
            for (i, part) in parts.iter().enumerate() {
                if i == 1 && to_copy && EVP_MD_CTX_copy_ex(copy.0, message.0) == 1 {
                    now = copy.0;
                }
                if EVP_DigestUpdate(now, part.as_ptr().cast(), part.len()) != 1 {
                    return answer(-1, operation);
                }
            }
            let verdict = EVP_DigestVerifyFinal(now, signature.0, signature.1);
            answer(verdict, operation)
        }
    }

    /// Signs a message. The output has `space` bytes.
    pub(crate) fn sign(&self, hash: &CStr, message: &[u8], space: usize) -> (Answer, Vec<u8>) {
        let Some((context, operation)) = self.begin(EVP_DigestSignInit_ex, hash) else {
            return (REFUSED, vec![]);
        };
        let (mut signature, mut length) = (vec![0; space], space);
        // SAFETY: all are alive, and the bytes and the output have the lengths that were passed.
        let signed = unsafe {
            let (place, data) = (signature.as_mut_ptr(), message.as_ptr());
            EVP_DigestSign(context.0, place, &mut length, data, message.len())
        };
        if signed == 1 {
            signature.truncate(length);
        }
        (answer(signed, operation), signature)
    }

    /// Begins an operation on a digest, of a named hash or without one.
    fn operation(
        &self,
        init: unsafe extern "C" fn(*mut EVP_PKEY_CTX) -> c_int,
        hash: Option<&CStr>,
    ) -> Option<Operation> {
        // SAFETY: all are alive, and the text ends and lives until it was read.
        unsafe {
            let key = EVP_PKEY_CTX_new_from_pkey(self.library.0, self.key, ptr::null());
            let operation = (!key.is_null()).then_some(Operation(key))?;
            if init(operation.0) != 1 {
                return None;
            }
            if let Some(hash) = hash {
                let text = hash.as_ptr().cast_mut();
                let params = [
                    OSSL_PARAM_construct_utf8_string(c"digest".as_ptr(), text, 0),
                    OSSL_PARAM_construct_end(),
                ];
                if EVP_PKEY_CTX_set_params(operation.0, params.as_ptr()) != 1 {
                    return None;
                }
            }
            Some(operation)
        }
    }

    /// Verifies a digest, by the operation or by a copy of it.
    pub(crate) fn verify_digest(
        &self,
        hash: Option<&CStr>,
        digest: &[u8],
        to_copy: bool,
        signature: &[u8],
    ) -> Answer {
        let Some(mut operation) = self.operation(EVP_PKEY_verify_init, hash) else {
            return REFUSED;
        };
        // SAFETY: all are alive, and the bytes have the lengths that were passed.
        unsafe {
            if to_copy {
                let copy = EVP_PKEY_CTX_dup(operation.0);
                if copy.is_null() {
                    return answer(-1, operation.0);
                }
                operation = Operation(copy);
            }
            let (place, length) = (signature.as_ptr(), signature.len());
            let verdict =
                EVP_PKEY_verify(operation.0, place, length, digest.as_ptr(), digest.len());
            answer(verdict, operation.0)
        }
    }

    /// Signs a digest. The output has `space` bytes.
    pub(crate) fn sign_digest(
        &self,
        hash: Option<&CStr>,
        digest: &[u8],
        space: usize,
    ) -> (Answer, Vec<u8>) {
        let Some(operation) = self.operation(EVP_PKEY_sign_init, hash) else {
            return (REFUSED, vec![]);
        };
        let (mut signature, mut length) = (vec![0; space], space);
        // SAFETY: all are alive, and the bytes and the output have the lengths that were passed.
        let signed = unsafe {
            let (place, data) = (signature.as_mut_ptr(), digest.as_ptr());
            EVP_PKEY_sign(operation.0, place, &mut length, data, digest.len())
        };
        if signed == 1 {
            signature.truncate(length);
        }
        (answer(signed, operation.0), signature)
    }
}
