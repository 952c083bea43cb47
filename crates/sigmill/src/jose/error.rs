//! Errors of tokens and of key sets.

use alloc::string::String;

use crate::Algorithm;
use crate::error::errors;

/// The maximum length of a token in bytes: 1 MiB. Servers reject headers of a hundredth of this.
pub const MAX_TOKEN_LEN: usize = 1 << 20;

errors! {
    /// The rule that a token or a key set breaks. The message names the part and the rule.
    ///
    /// ```
    /// use sigmill::jose::Error;
    ///
    /// let message = "header: alg \"none\" means that there is no signature";
    /// assert_eq!(Error::AlgNone.to_string(), message);
    /// assert_eq!(Error::AlgNone.reason(), "alg-none");
    /// ```
    pub enum Error or
    /// The signature is r and s in full length, and the key's signature of this token.
    Signature(crate::Error);

    /// No object outside the keys repeats a member.
    KeySetJson {
        /// The message of the JSON reader.
        detail: String,
    } => "key-set-json",
        "key set: it must be a JSON object with an array of keys: {detail}";

    /// The limit is [`MAX_TOKEN_LEN`].
    TokenTooLong => "token-too-long", "token: it must not be longer than {MAX_TOKEN_LEN} bytes";
    TokenParts {
        /// The number of parts found.
        actual: usize,
    } => "token-parts", "token: it must have three parts with dots between them, not {actual}";
    /// RFC 7516 §3.1.
    TokenEncrypted => "token-encrypted",
        "token: it is encrypted (a JWE of five parts), not signed";
    HeaderEncoding => "header-encoding", "header: it must be base64url without padding";
    /// The object is in UTF-8 and repeats no member. The members that matter have the types of
    /// RFC 7515 §4.1.
    HeaderJson {
        /// The message of the JSON reader.
        detail: String,
    } => "header-json", "header: it must be one JSON object: {detail}";
    /// An extension in crit must be understood (RFC 7515 §4.1.11).
    HeaderCrit => "header-crit", "header: crit names extensions, and none is supported";
    /// RFC 7797 §3.
    HeaderB64 => "header-b64",
        "header: b64 must not be false: an unencoded payload is not supported";
    AlgMissing => "alg-missing", "header: alg must not be missing";
    /// RFC 7518 §3.6.
    AlgNone => "alg-none", "header: alg \"none\" means that there is no signature";
    /// The algorithm must be ES256, ES384, ES512 or ES256K.
    AlgUnsupported {
        /// The algorithm that the header names.
        alg: String,
    } => "alg-unsupported", "header: alg {alg:?} is not supported";
    KidUnknown => "kid-unknown", "header: no key of the set has this kid";
    KidAmbiguous {
        /// The number of such keys.
        matches: usize,
        /// The algorithm that the header names.
        algorithm: Algorithm,
    } => "kid-ambiguous", "header: {matches} keys of the set have this kid and fit alg {algorithm}";
    KidMissing {
        /// The number of such keys.
        matches: usize,
        /// The algorithm that the header names.
        algorithm: Algorithm,
    } => "kid-missing",
        "header: kid must be given, as {matches} keys of the set fit alg {algorithm}";
    KeyMissing {
        /// The algorithm that the header names.
        algorithm: Algorithm,
    } => "key-missing", "header: no key of the set fits alg {algorithm}";
    /// The kid names the key.
    AlgMismatch {
        /// The algorithm that the header names.
        algorithm: Algorithm,
        /// The algorithm of the key.
        key_algorithm: Algorithm,
    } => "alg-mismatch",
        "header: alg {algorithm} does not fit the key, which is for {key_algorithm}";
    /// The kid names the key.
    KeyUnusable {
        /// The type or purpose of the key: "kty RSA", "use enc".
        what: String,
    } => "key-unusable", "key: it cannot verify signatures here: {what}";
    /// The kid names the key.
    KeyMalformed {
        /// The rule that it breaks.
        rule: String,
    } => "key-malformed", "key: it is malformed: {rule}";
    PayloadEncoding => "payload-encoding", "payload: it must be base64url without padding";
    SignatureEncoding => "signature-encoding",
        "signature: it must be base64url without padding";
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::*;
    use crate::error::tests::check_entries;

    #[test]
    fn messages_name_a_part_and_reasons_are_the_variants() {
        let parts = ["key set", "token", "header", "payload", "signature", "key"];
        check_entries(Error::ENTRIES, &parts);
        // The library's errors about signatures stay unchanged.
        let error = Error::Signature(crate::Error::RZero);
        assert_eq!(error.to_string(), crate::Error::RZero.to_string());
        assert_eq!(error.reason(), "r-zero");
    }
}
