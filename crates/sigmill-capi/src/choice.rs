//! Numbers that stand for choices. They come from C, so they may have any value. They become enums
//! of Rust only after a check.

use sigmill::{CurveName, HashName, Policy, SignatureFormat};

use crate::border::Outcome;
use crate::error::*;

/// Curves. Files of tables use the same numbers.
#[allow(non_camel_case_types, reason = "the names of C")]
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub enum sigmill_curve {
    /// NIST P-256, also prime256v1 and secp256r1.
    SIGMILL_CURVE_P256 = 1,
    /// NIST P-384, also secp384r1.
    SIGMILL_CURVE_P384 = 2,
    /// secp256k1, the curve of Bitcoin and Ethereum.
    SIGMILL_CURVE_SECP256K1 = 3,
    /// brainpoolP256r1.
    SIGMILL_CURVE_BRAINPOOL_P256R1 = 4,
    /// NIST P-521, also secp521r1.
    SIGMILL_CURVE_P521 = 5,
}

/// Hashes of messages.
#[allow(non_camel_case_types, reason = "the names of C")]
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub enum sigmill_hash {
    /// The usual one of the curve: SHA-384 on P-384, SHA-512 on P-521, otherwise SHA-256.
    SIGMILL_HASH_OF_CURVE = 0,
    /// SHA-256.
    SIGMILL_HASH_SHA256 = 1,
    /// SHA-384.
    SIGMILL_HASH_SHA384 = 2,
    /// SHA-512.
    SIGMILL_HASH_SHA512 = 3,
}

/// Formats of signatures. 0 is not a format, so the caller must choose one.
#[allow(non_camel_case_types, reason = "the names of C")]
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub enum sigmill_format {
    /// ASN.1 DER: a SEQUENCE of two INTEGERs (X.509, TLS, OpenSSL). Strict: each signature has one
    /// encoding.
    SIGMILL_FORMAT_DER = 1,
    /// r and s, one after the other, big-endian, each as long as the order: 32, 48 or 66 bytes
    /// (JWS, WebCrypto, PKCS#11).
    SIGMILL_FORMAT_P1363 = 2,
    /// Read P1363 if the length is exactly that of r and s together, otherwise DER. Write P1363.
    SIGMILL_FORMAT_AUTO = 3,
}

/// Rules in addition to the equation of ECDSA, for signatures to verify and signatures to make: 0,
/// or a sum of these. LOW_S and FRIENDLY exclude each other.
#[allow(non_camel_case_types, reason = "the names of C")]
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub enum sigmill_policy {
    /// Any s, all recovery ids.
    SIGMILL_POLICY_ANY = 0,
    /// s is at most half the order (BIP 62, EIP-2).
    SIGMILL_POLICY_LOW_S = 1,
    /// The one of s and n - s that makes y(R) even, and x(R) = r.
    SIGMILL_POLICY_FRIENDLY = 2,
    /// Only the recovery ids 0 and 1, as in Ethereum.
    SIGMILL_POLICY_PARITY_ONLY = 4,
    /// An engine may judge many rows with hints (with FRIENDLY, also rows without) at once, by one
    /// equation with random weights. A row that is not valid then passes with a probability of at
    /// most 2^-120.
    SIGMILL_POLICY_BATCH = 8,
}

/// The input of a signature.
#[allow(non_camel_case_types, reason = "the names of C")]
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub enum sigmill_input {
    /// A message, which the library hashes.
    SIGMILL_INPUT_MESSAGE = 1,
    /// A digest.
    SIGMILL_INPUT_DIGEST = 2,
}

/// The curves and their numbers.
const CURVES: [(sigmill_curve, CurveName); 5] = {
    use sigmill_curve::*;
    [
        (SIGMILL_CURVE_P256, CurveName::P256),
        (SIGMILL_CURVE_P384, CurveName::P384),
        (SIGMILL_CURVE_SECP256K1, CurveName::Secp256k1),
        (SIGMILL_CURVE_BRAINPOOL_P256R1, CurveName::BrainpoolP256r1),
        (SIGMILL_CURVE_P521, CurveName::P521),
    ]
};

/// Returns the curve of a number.
pub(crate) fn curve(number: u32) -> Outcome<CurveName> {
    let found = CURVES.iter().find(|(curve, _)| *curve as u32 == number);
    found.map_or(Err(SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE), |(_, name)| {
        Ok(*name)
    })
}

/// Returns the number of a curve, or 0 if this interface does not have it.
pub(crate) fn curve_number(name: CurveName) -> u32 {
    let found = CURVES.iter().find(|(_, curve)| *curve == name);
    found.map_or(0, |(curve, _)| *curve as u32)
}

/// Returns the hash of a number, on a curve.
pub(crate) fn hash(number: u32, curve: CurveName) -> Outcome<HashName> {
    use sigmill_hash::*;
    const OF_CURVE: u32 = SIGMILL_HASH_OF_CURVE as u32;
    const SHA256: u32 = SIGMILL_HASH_SHA256 as u32;
    const SHA384: u32 = SIGMILL_HASH_SHA384 as u32;
    const SHA512: u32 = SIGMILL_HASH_SHA512 as u32;
    Ok(match number {
        OF_CURVE => curve.default_algorithm().hash,
        SHA256 => HashName::Sha256,
        SHA384 => HashName::Sha384,
        SHA512 => HashName::Sha512,
        _ => return Err(SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE),
    })
}

/// Returns the format of a number.
pub(crate) fn format(number: u32) -> Outcome<SignatureFormat> {
    use sigmill_format::*;
    const DER: u32 = SIGMILL_FORMAT_DER as u32;
    const P1363: u32 = SIGMILL_FORMAT_P1363 as u32;
    const AUTO: u32 = SIGMILL_FORMAT_AUTO as u32;
    Ok(match number {
        DER => SignatureFormat::Der,
        P1363 => SignatureFormat::P1363,
        AUTO => SignatureFormat::Auto,
        _ => return Err(SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE),
    })
}

/// Returns the policy of a sum of flags.
pub(crate) fn policy(flags: u32) -> Outcome<Policy> {
    use sigmill_policy::*;
    let has = |flag: sigmill_policy| flags & flag as u32 != 0;
    if flags > 0b1111 {
        return Err(SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE);
    }
    let parity_only = has(SIGMILL_POLICY_PARITY_ONLY);
    let policy = match (has(SIGMILL_POLICY_LOW_S), has(SIGMILL_POLICY_FRIENDLY)) {
        (false, false) if parity_only => Policy::ETHEREUM_PRECOMPILE,
        (false, false) => Policy::default(),
        (true, false) if parity_only => Policy::ETHEREUM_TRANSACTION,
        (true, false) => Policy::LOW_S,
        // The id of a friendly signature is 0.
        (false, true) => Policy::FRIENDLY,
        (true, true) => return Err(SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE),
    };
    Ok(policy.with_batch(has(SIGMILL_POLICY_BATCH)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_choices() {
        for number in 1..=5 {
            assert_eq!(curve_number(curve(number).unwrap()), number);
        }
        let refused = Err(SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE);
        assert_eq!(curve(0), refused);
        assert_eq!(curve(6), refused);
        assert_eq!(hash(0, CurveName::P384), Ok(HashName::Sha384));
        assert!(hash(4, CurveName::P384).is_err());
        assert!(format(0).is_err() && format(4).is_err());
        assert_eq!(policy(0), Ok(Policy::default()));
        assert_eq!(policy(5), Ok(Policy::ETHEREUM_TRANSACTION));
        assert_eq!(policy(10), Ok(Policy::FRIENDLY.with_batch(true)));
        assert!([3, 7, 16, 1 << 31].map(policy).iter().all(Result::is_err));
    }
}
