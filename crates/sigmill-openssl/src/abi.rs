//! The names, numbers and structures of OpenSSL's interface for providers (`core_dispatch.h`,
//! `core_names.h`, `core.h`): those of OpenSSL 3.0 and additions of later versions.
//!
//! Everything is written by hand, as the module must build where no header is installed. A test
//! compares it with installed headers (`tests/headers.rs`).

use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_void};

/// A function of any type, in a dispatch table.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct OsslDispatch {
    /// The number of the function; 0 ends a table.
    pub function_id: c_int,
    /// The function, to be called with the type that belongs to its number.
    pub function: *const c_void,
}

/// An algorithm that a provider offers.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct OsslAlgorithm {
    /// Its names, separated by colons; null ends a table.
    pub algorithm_names: *const c_char,
    /// Its properties.
    pub property_definition: *const c_char,
    /// Its functions.
    pub implementation: *const OsslDispatch,
    /// A description for people.
    pub algorithm_description: *const c_char,
}

/// A number with its text, in a table of reasons.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct OsslItem {
    /// The number; 0 ends a table.
    pub id: c_uint,
    /// The text.
    pub ptr: *const c_char,
}

/// A value with its name and type, or a place for a queried value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct OsslParam {
    /// Its name; null ends an array.
    pub key: *const c_char,
    /// Its type, one of `OSSL_PARAM_...`.
    pub data_type: c_uint,
    /// The value or the place for it.
    pub data: *mut c_void,
    /// The length of the value or of the place, in bytes.
    pub data_size: usize,
    /// The length of the value that was written, or would have been.
    pub return_size: usize,
}

// SAFETY: tables of these are read-only and point only to static read-only data.
unsafe impl Sync for OsslDispatch {}
// SAFETY: as above.
unsafe impl Sync for OsslAlgorithm {}
// SAFETY: as above.
unsafe impl Sync for OsslItem {}
// SAFETY: as above; arrays of parameters that can be written are not static.
unsafe impl Sync for OsslParam {}

/// A provider as the core knows it.
pub type CoreHandle = c_void;

/// `OSSL_FUNC_core_get_params_fn`.
pub type CoreGetParams = unsafe extern "C" fn(*const CoreHandle, *mut OsslParam) -> c_int;
/// `OSSL_FUNC_core_get_libctx_fn`.
pub type CoreGetLibctx = unsafe extern "C" fn(*const CoreHandle) -> *mut c_void;
/// `OSSL_FUNC_core_new_error_fn`.
pub type CoreNewError = unsafe extern "C" fn(*const CoreHandle);
/// `OSSL_FUNC_core_set_error_debug_fn`.
pub type CoreSetErrorDebug =
    unsafe extern "C" fn(*const CoreHandle, *const c_char, c_int, *const c_char);
/// `OSSL_FUNC_core_vset_error_fn`. The last argument is a `va_list`, which the module's platforms
/// pass as a pointer. It is read only if there is a format.
pub type CoreVsetError = unsafe extern "C" fn(*const CoreHandle, u32, *const c_char, *mut c_void);

/// `OSSL_FUNC_provider_query_operation_fn`.
pub type QueryOperation =
    unsafe extern "C" fn(*mut c_void, c_int, *mut c_int) -> *const OsslAlgorithm;
/// `OSSL_CALLBACK`: accepts an array of parameters and the argument that its caller passed along.
pub type Callback = unsafe extern "C" fn(*const OsslParam, *mut c_void) -> c_int;
/// `OSSL_FUNC_provider_get_capabilities_fn`.
pub type GetCapabilities =
    unsafe extern "C" fn(*mut c_void, *const c_char, Option<Callback>, *mut c_void) -> c_int;
/// `OSSL_FUNC_provider_get_reason_strings_fn`.
pub type GetReasonStrings = unsafe extern "C" fn(*mut c_void) -> *const OsslItem;

/// Functions with one argument and no result: those that free.
pub type Free = unsafe extern "C" fn(*mut c_void);
/// Functions with one argument and one result: those that make, copy and list.
pub type Make = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
/// `..._get_params_fn`, `..._get_ctx_params_fn`.
pub type GetParams = unsafe extern "C" fn(*mut c_void, *mut OsslParam) -> c_int;
/// `..._set_params_fn`, `..._set_ctx_params_fn`.
pub type SetParams = unsafe extern "C" fn(*mut c_void, *const OsslParam) -> c_int;
/// `..._gettable_params_fn`, `..._settable_params_fn`.
pub type ListParams = unsafe extern "C" fn(*mut c_void) -> *const OsslParam;
/// `..._gettable_ctx_params_fn`, `..._settable_ctx_params_fn`,
/// `OSSL_FUNC_keymgmt_gen_settable_params_fn`.
pub type ListCtxParams = unsafe extern "C" fn(*mut c_void, *mut c_void) -> *const OsslParam;

/// `OSSL_FUNC_keymgmt_gen_init_fn`.
pub type KeymgmtGenInit = unsafe extern "C" fn(*mut c_void, c_int, *const OsslParam) -> *mut c_void;
/// `OSSL_FUNC_keymgmt_gen_fn`.
pub type KeymgmtGen =
    unsafe extern "C" fn(*mut c_void, Option<Callback>, *mut c_void) -> *mut c_void;
/// `OSSL_FUNC_keymgmt_dup_fn`.
pub type KeymgmtDup = unsafe extern "C" fn(*const c_void, c_int) -> *mut c_void;
/// `OSSL_FUNC_keymgmt_has_fn`.
pub type KeymgmtHas = unsafe extern "C" fn(*const c_void, c_int) -> c_int;
/// `OSSL_FUNC_keymgmt_validate_fn`.
pub type KeymgmtValidate = unsafe extern "C" fn(*const c_void, c_int, c_int) -> c_int;
/// `OSSL_FUNC_keymgmt_match_fn`.
pub type KeymgmtMatch = unsafe extern "C" fn(*const c_void, *const c_void, c_int) -> c_int;
/// `OSSL_FUNC_keymgmt_import_fn`.
pub type KeymgmtImport = unsafe extern "C" fn(*mut c_void, c_int, *const OsslParam) -> c_int;
/// `OSSL_FUNC_keymgmt_export_fn`.
pub type KeymgmtExport =
    unsafe extern "C" fn(*mut c_void, c_int, Option<Callback>, *mut c_void) -> c_int;
/// `OSSL_FUNC_keymgmt_import_types_fn`, `..._export_types_fn`.
pub type KeymgmtImportTypes = unsafe extern "C" fn(c_int) -> *const OsslParam;
/// `OSSL_FUNC_keymgmt_query_operation_name_fn`.
pub type KeymgmtQueryOperationName = unsafe extern "C" fn(c_int) -> *const c_char;

/// `OSSL_FUNC_signature_newctx_fn`.
pub type SignatureNewctx = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
/// `OSSL_FUNC_signature_sign_init_fn`, `..._verify_init_fn`, `OSSL_FUNC_keyexch_init_fn`.
pub type SignatureInit = unsafe extern "C" fn(*mut c_void, *mut c_void, *const OsslParam) -> c_int;
/// `OSSL_FUNC_signature_digest_sign_init_fn`, `..._digest_verify_init_fn`.
pub type SignatureDigestInit =
    unsafe extern "C" fn(*mut c_void, *const c_char, *mut c_void, *const OsslParam) -> c_int;
/// `OSSL_FUNC_signature_sign_fn`, `..._digest_sign_fn`.
pub type SignatureSign = unsafe extern "C" fn(
    *mut c_void,
    *mut c_uchar,
    *mut usize,
    usize,
    *const c_uchar,
    usize,
) -> c_int;
/// `OSSL_FUNC_signature_verify_fn`, `..._digest_verify_fn`.
pub type SignatureVerify =
    unsafe extern "C" fn(*mut c_void, *const c_uchar, usize, *const c_uchar, usize) -> c_int;
/// `OSSL_FUNC_signature_digest_sign_update_fn`, `..._verify_update_fn`, `..._verify_final_fn`.
pub type SignatureBytes = unsafe extern "C" fn(*mut c_void, *const c_uchar, usize) -> c_int;
/// `OSSL_FUNC_signature_digest_sign_final_fn`.
pub type SignatureDigestSignFinal =
    unsafe extern "C" fn(*mut c_void, *mut c_uchar, *mut usize, usize) -> c_int;

/// `OSSL_FUNC_keyexch_set_peer_fn`.
pub type KeyexchSetPeer = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;
/// `OSSL_FUNC_keyexch_derive_fn`.
pub type KeyexchDerive =
    unsafe extern "C" fn(*mut c_void, *mut c_uchar, *mut usize, usize) -> c_int;

macro_rules! numbers {
    ($($name:ident: $kind:ty = $value:expr;)*) => {
        $(
            #[allow(missing_docs, reason = "the headers say what it is")]
            pub const $name: $kind = $value;
        )*
        /// All numbers by name, for the comparison with the headers.
        pub const NUMBERS: &[(&str, i64)] = &[$((stringify!($name), $name as i64)),*];
    };
}

numbers! {
    OSSL_FUNC_CORE_GET_PARAMS: c_int = 2;
    OSSL_FUNC_CORE_GET_LIBCTX: c_int = 4;
    OSSL_FUNC_CORE_NEW_ERROR: c_int = 5;
    OSSL_FUNC_CORE_SET_ERROR_DEBUG: c_int = 6;
    OSSL_FUNC_CORE_VSET_ERROR: c_int = 7;
    OSSL_FUNC_PROVIDER_TEARDOWN: c_int = 1024;
    OSSL_FUNC_PROVIDER_GETTABLE_PARAMS: c_int = 1025;
    OSSL_FUNC_PROVIDER_GET_PARAMS: c_int = 1026;
    OSSL_FUNC_PROVIDER_QUERY_OPERATION: c_int = 1027;
    OSSL_FUNC_PROVIDER_GET_REASON_STRINGS: c_int = 1029;
    OSSL_FUNC_PROVIDER_GET_CAPABILITIES: c_int = 1030;
    OSSL_OP_KEYMGMT: c_int = 10;
    OSSL_OP_KEYEXCH: c_int = 11;
    OSSL_OP_SIGNATURE: c_int = 12;
    OSSL_FUNC_KEYMGMT_NEW: c_int = 1;
    OSSL_FUNC_KEYMGMT_GEN_INIT: c_int = 2;
    OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS: c_int = 4;
    OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS: c_int = 5;
    OSSL_FUNC_KEYMGMT_GEN: c_int = 6;
    OSSL_FUNC_KEYMGMT_GEN_CLEANUP: c_int = 7;
    OSSL_FUNC_KEYMGMT_FREE: c_int = 10;
    OSSL_FUNC_KEYMGMT_GET_PARAMS: c_int = 11;
    OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS: c_int = 12;
    OSSL_FUNC_KEYMGMT_SET_PARAMS: c_int = 13;
    OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS: c_int = 14;
    OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME: c_int = 20;
    OSSL_FUNC_KEYMGMT_HAS: c_int = 21;
    OSSL_FUNC_KEYMGMT_VALIDATE: c_int = 22;
    OSSL_FUNC_KEYMGMT_MATCH: c_int = 23;
    OSSL_FUNC_KEYMGMT_IMPORT: c_int = 40;
    OSSL_FUNC_KEYMGMT_IMPORT_TYPES: c_int = 41;
    OSSL_FUNC_KEYMGMT_EXPORT: c_int = 42;
    OSSL_FUNC_KEYMGMT_EXPORT_TYPES: c_int = 43;
    OSSL_FUNC_KEYMGMT_DUP: c_int = 44;
    OSSL_KEYMGMT_SELECT_PRIVATE_KEY: c_int = 1;
    OSSL_KEYMGMT_SELECT_PUBLIC_KEY: c_int = 2;
    OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS: c_int = 4;
    OSSL_KEYMGMT_SELECT_KEYPAIR: c_int = 3;
    OSSL_FUNC_KEYEXCH_NEWCTX: c_int = 1;
    OSSL_FUNC_KEYEXCH_INIT: c_int = 2;
    OSSL_FUNC_KEYEXCH_DERIVE: c_int = 3;
    OSSL_FUNC_KEYEXCH_SET_PEER: c_int = 4;
    OSSL_FUNC_KEYEXCH_FREECTX: c_int = 5;
    OSSL_FUNC_KEYEXCH_DUPCTX: c_int = 6;
    OSSL_FUNC_KEYEXCH_SET_CTX_PARAMS: c_int = 7;
    OSSL_FUNC_KEYEXCH_SETTABLE_CTX_PARAMS: c_int = 8;
    OSSL_FUNC_KEYEXCH_GET_CTX_PARAMS: c_int = 9;
    OSSL_FUNC_KEYEXCH_GETTABLE_CTX_PARAMS: c_int = 10;
    OSSL_FUNC_SIGNATURE_NEWCTX: c_int = 1;
    OSSL_FUNC_SIGNATURE_SIGN_INIT: c_int = 2;
    OSSL_FUNC_SIGNATURE_SIGN: c_int = 3;
    OSSL_FUNC_SIGNATURE_VERIFY_INIT: c_int = 4;
    OSSL_FUNC_SIGNATURE_VERIFY: c_int = 5;
    OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT: c_int = 8;
    OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE: c_int = 9;
    OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL: c_int = 10;
    OSSL_FUNC_SIGNATURE_DIGEST_SIGN: c_int = 11;
    OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT: c_int = 12;
    OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE: c_int = 13;
    OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL: c_int = 14;
    OSSL_FUNC_SIGNATURE_DIGEST_VERIFY: c_int = 15;
    OSSL_FUNC_SIGNATURE_FREECTX: c_int = 16;
    OSSL_FUNC_SIGNATURE_DUPCTX: c_int = 17;
    OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS: c_int = 18;
    OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS: c_int = 19;
    OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS: c_int = 20;
    OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS: c_int = 21;
    OSSL_PARAM_INTEGER: c_uint = 1;
    OSSL_PARAM_UNSIGNED_INTEGER: c_uint = 2;
    OSSL_PARAM_UTF8_STRING: c_uint = 4;
    OSSL_PARAM_OCTET_STRING: c_uint = 5;
    OSSL_PARAM_UTF8_PTR: c_uint = 6;
    OSSL_PARAM_OCTET_PTR: c_uint = 7;
    TLS1_VERSION: c_int = 0x0301;
    DTLS1_VERSION: c_int = 0xfeff;
}

/// `OSSL_PARAM_UNMODIFIED`: the value of `return_size` before a value is written.
pub const OSSL_PARAM_UNMODIFIED: usize = usize::MAX;

macro_rules! names {
    ($($name:ident = $value:expr;)*) => {
        $(
            #[allow(missing_docs, reason = "the headers say what it is")]
            pub const $name: &CStr = $value;
        )*
        /// All names by their macros, for the comparison with the headers.
        pub const NAMES: &[(&str, &CStr)] = &[$((stringify!($name), $value)),*];
    };
}

names! {
    OSSL_PROV_PARAM_NAME = c"name";
    OSSL_PROV_PARAM_VERSION = c"version";
    OSSL_PROV_PARAM_BUILDINFO = c"buildinfo";
    OSSL_PROV_PARAM_STATUS = c"status";
    OSSL_PKEY_PARAM_GROUP_NAME = c"group";
    OSSL_PKEY_PARAM_EC_ENCODING = c"encoding";
    OSSL_PKEY_EC_ENCODING_GROUP = c"named_curve";
    OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS = c"decoded-from-explicit";
    OSSL_PKEY_PARAM_PUB_KEY = c"pub";
    OSSL_PKEY_PARAM_PRIV_KEY = c"priv";
    OSSL_PKEY_PARAM_BITS = c"bits";
    OSSL_PKEY_PARAM_SECURITY_BITS = c"security-bits";
    OSSL_PKEY_PARAM_MAX_SIZE = c"max-size";
    OSSL_PKEY_PARAM_DEFAULT_DIGEST = c"default-digest";
    OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY = c"encoded-pub-key";
    OSSL_PKEY_PARAM_PROPERTIES = c"properties";
    OSSL_PKEY_PARAM_DHKEM_IKM = c"dhkem-ikm";
    OSSL_KDF_PARAM_PROPERTIES = c"properties";
    OSSL_CAPABILITY_TLS_GROUP_NAME = c"tls-group-name";
    OSSL_CAPABILITY_TLS_GROUP_NAME_INTERNAL = c"tls-group-name-internal";
    OSSL_CAPABILITY_TLS_GROUP_ID = c"tls-group-id";
    OSSL_CAPABILITY_TLS_GROUP_ALG = c"tls-group-alg";
    OSSL_CAPABILITY_TLS_GROUP_SECURITY_BITS = c"tls-group-sec-bits";
    OSSL_CAPABILITY_TLS_GROUP_IS_KEM = c"tls-group-is-kem";
    OSSL_CAPABILITY_TLS_GROUP_MIN_TLS = c"tls-min-tls";
    OSSL_CAPABILITY_TLS_GROUP_MAX_TLS = c"tls-max-tls";
    OSSL_CAPABILITY_TLS_GROUP_MIN_DTLS = c"tls-min-dtls";
    OSSL_CAPABILITY_TLS_GROUP_MAX_DTLS = c"tls-max-dtls";
    OSSL_SIGNATURE_PARAM_ALGORITHM_ID = c"algorithm-id";
    OSSL_SIGNATURE_PARAM_DIGEST = c"digest";
    OSSL_SIGNATURE_PARAM_DIGEST_SIZE = c"digest-size";
    OSSL_SIGNATURE_PARAM_PROPERTIES = c"properties";
    OSSL_SIGNATURE_PARAM_NONCE_TYPE = c"nonce-type";
    OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE = c"ecdh-cofactor-mode";
    OSSL_EXCHANGE_PARAM_KDF_TYPE = c"kdf-type";
    OSSL_EXCHANGE_PARAM_KDF_DIGEST = c"kdf-digest";
    OSSL_EXCHANGE_PARAM_KDF_DIGEST_PROPS = c"kdf-digest-props";
    OSSL_EXCHANGE_PARAM_KDF_OUTLEN = c"kdf-outlen";
    OSSL_EXCHANGE_PARAM_KDF_UKM = c"kdf-ukm";
}
