//! Conversion between bytes and plain numbers: signatures as DER and P1363, keys as SPKI, PKCS#8,
//! SEC 1 and JWK.
//!
//! These modules know lengths and formats, but no curve arithmetic. A signature is returned as two
//! big-endian magnitudes whose range the caller checks, a key as its curve and its SEC 1 point,
//! which `sec1` decodes.

#[cfg(feature = "jwk")]
pub(crate) mod base64url;
#[cfg(feature = "jwk")]
pub(crate) mod json;
#[cfg(feature = "jwk")]
pub(crate) mod jwk;
#[cfg(feature = "jwk")]
pub(crate) mod jwk_members;
pub(crate) mod key_purpose;
#[cfg(feature = "pem")]
pub(crate) mod pem;
#[cfg(feature = "signing")]
pub(crate) mod private_key;
pub(crate) mod sec1;
pub(crate) mod signature_der;
pub(crate) mod signature_p1363;
pub(crate) mod spki;
