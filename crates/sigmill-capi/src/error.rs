//! Errors: numbers, names and messages.
//!
//! The numbers are part of the ABI, so no number is ever reused. Rules of inputs stand in the
//! library's table, `sigmill::Error`. Defects of calls stand here.

use std::ffi::{CStr, c_char};

use sigmill::{Error, Rule};

use crate::border::value_or;

macro_rules! errors_of_calls {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident = $number:literal => $reason:literal, $message:literal;
    )*) => {
        /// The result of a function. In C it is an enum, which `tests/header.rs` generates.
        // cbindgen does not see a type inside a macro.
        #[allow(non_camel_case_types, reason = "the names of C")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(transparent)]
        pub struct sigmill_error(pub i32);

        $($(#[doc = $doc])* pub const $name: sigmill_error = sigmill_error($number);)*

        const ERRORS_OF_CALLS: &[Rule] = &[$(Rule {
            number: Some($number),
            reason: $reason,
            message: $message,
            docs: &[$($doc),*],
        }),*];
    };
}

errors_of_calls! {
    /// Success; for a signature: it is valid.
    SIGMILL_OK = 0 => c"ok", c"all is well";
    /// The library panicked, which is a bug in it. Do not use anything that the call has written.
    SIGMILL_ERROR_PANIC = 1 => c"panic",
        c"library: a defect of sigmill ended the call; please report it";
    /// A pointer that must not be NULL is NULL.
    SIGMILL_ERROR_NULL_POINTER = 2 => c"null-pointer",
        c"argument: a pointer that must not be NULL is";
    /// A number that stands for a curve, hash, format, policy or kind of input is not in its list.
    SIGMILL_ERROR_ARGUMENT_OUT_OF_RANGE = 3 => c"argument-out-of-range",
        c"argument: a number that stands for a choice is none of the list";
    /// A length, or the extent of a length and a stride, is more than `PTRDIFF_MAX`; or the
    /// signatures of several rows have stride 0.
    SIGMILL_ERROR_LENGTH_OUT_OF_RANGE = 4 => c"length-out-of-range",
        c"argument: a length is more than half of all addresses";
    /// The buffer for the result is too small. Its length variable receives the number of bytes
    /// needed.
    SIGMILL_ERROR_BUFFER_TOO_SMALL = 5 => c"buffer-too-small",
        c"argument: the buffer for the result is too small";
    /// The PEM or JSON text must be UTF-8.
    SIGMILL_ERROR_TEXT_NOT_UTF8 = 6 => c"text-not-utf8", c"argument: the text must be UTF-8";
    /// There is not enough memory for so many rows.
    SIGMILL_ERROR_MEMORY_UNAVAILABLE = 7 => c"memory-unavailable",
        c"memory: there is not enough for so many rows";
    /// The columns do not form rows.
    SIGMILL_ERROR_ROWS_SHAPE = 8 => c"rows-shape", c"rows: the columns do not make rows";
    /// An Arrow schema or array was released, or one of the two is missing.
    SIGMILL_ERROR_ARROW_RELEASED = 9 => c"arrow-released",
        c"arrow: the schema or the array was released";
    /// The format of the rows must be a struct, and that of a column bytes or text.
    SIGMILL_ERROR_ARROW_FORMAT = 10 => c"arrow-format",
        c"arrow: the format of a column must be bytes or text, and rows a struct";
    /// A column is missing or occurs twice, or the rows have both messages and digests.
    SIGMILL_ERROR_ARROW_COLUMNS = 11 => c"arrow-columns",
        c"arrow: the rows must have one column key, message or digest, and signature each";
    /// Schema and array must have the same number of children, and a column of bytes none.
    SIGMILL_ERROR_ARROW_CHILDREN = 12 => c"arrow-children",
        c"arrow: schema and array must have the same number of children";
    /// The number of buffers does not match the format, or a required buffer is NULL.
    SIGMILL_ERROR_ARROW_BUFFERS = 13 => c"arrow-buffers",
        c"arrow: a column has another number of buffers than its format demands";
    /// A length or offset is negative or too large, or a column is shorter than the rows.
    SIGMILL_ERROR_ARROW_LENGTH = 14 => c"arrow-length",
        c"arrow: a length or an offset is negative, too large, or beyond the values";
    /// A whole row is null.
    SIGMILL_ERROR_ARROW_NULLS = 15 => c"arrow-nulls", c"arrow: a row must not be null as a whole";
    /// An error of the library that has no number in this interface.
    SIGMILL_ERROR_UNNAMED = 16 => c"unnamed",
        c"error: it has no name in this version of the interface";
}

impl From<Error> for sigmill_error {
    fn from(error: Error) -> Self {
        error.number().map_or(SIGMILL_ERROR_UNNAMED, sigmill_error)
    }
}

/// Returns the name of an error. It is `Error::reason` of the Rust library: lower case with
/// hyphens, such as "der-truncated". The name of 0 is "ok", and that of a number outside
/// `sigmill_error` is "unnamed".
///
/// The string is static: it never changes, and the caller does not free it. Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_error_name(error: i32) -> *const c_char {
    value_or(c"panic".as_ptr(), || {
        rule(error).map_or(c"unnamed", |rule| rule.reason).as_ptr()
    })
}

/// Returns the message of an error in English: the field and the rule that it breaks, such as
/// "signature: r must be at least 1".
///
/// The string is static: the caller does not free it. The message may become clearer in a later
/// version, so programs compare numbers. Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_error_message(error: i32) -> *const c_char {
    value_or(c"panic".as_ptr(), || message(error).as_ptr())
}

/// Returns the message of an error.
pub(crate) fn message(error: i32) -> &'static CStr {
    rule(error).map_or(c"error: it has no name in this version", |rule| {
        rule.message
    })
}

fn rule(error: i32) -> Option<&'static Rule> {
    rules().find(|rule| rule.number == Some(error))
}

/// Returns all rules that have a number, in its order.
#[doc(hidden)]
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let rules = ERRORS_OF_CALLS.iter().chain(Error::RULES);
    rules.filter(|rule| rule.number.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of all numbers; each run begins with its first number. Programs contain these
    /// numbers: new ones come in, but none changes.
    const ABI: &str = "\
        0: ok panic null-pointer argument-out-of-range length-out-of-range buffer-too-small \
        text-not-utf8 memory-unavailable rows-shape arrow-released arrow-format arrow-columns \
        arrow-children arrow-buffers arrow-length arrow-nulls unnamed \
        100: signature-length der-truncated der-trailing-data der-tag der-length \
        der-integer-empty der-integer-negative der-integer-not-minimal der-integer-too-long \
        r-zero r-out-of-range s-zero s-out-of-range high-s not-friendly \
        116: signature-mismatch digest-empty \
        123: recovery-byte-out-of-range recovery-id-out-of-range recovery-id-reduced \
        recovery-x-out-of-range recovery-not-on-curve recovered-infinity \
        132: key-null input-null signature-null not-judged key-empty key-length key-tag \
        key-x-out-of-range key-y-out-of-range key-not-on-curve key-is-infinity \
        key-curve-mismatch key-encoding-unknown \
        146: secret-length secret-zero secret-out-of-range private-key-malformed \
        private-key-trailing-data private-key-algorithm-not-ec private-key-curve-missing \
        private-key-curve-not-named private-key-curve-unknown private-key-curves-differ \
        private-key-public-mismatch private-key-pem-label spki-malformed spki-trailing-data \
        spki-algorithm-not-ec spki-parameters-missing spki-parameters-not-named-curve \
        spki-curve-unknown spki-unused-bits pem-malformed pem-label pem-several-blocks \
        jwk-malformed jwk-member-twice jwk-member-missing jwk-key-type jwk-curve-unknown jwk-use \
        jwk-key-operations jwk-algorithm jwk-coordinate-encoding jwk-coordinate-length \
        179: randomness-unavailable shared-secret-zero \
        182: shared-infinity \
        186: window-out-of-range threads-not-started";

    #[test]
    fn numbers_are_those_of_the_abi() {
        let mut rules = rules();
        let mut number = 0;
        for word in ABI.split_whitespace() {
            if let Some(first) = word.strip_suffix(':') {
                number = first.parse().unwrap();
                continue;
            }
            let rule = rules.next().unwrap();
            assert_eq!(rule.number, Some(number));
            assert_eq!(rule.reason.to_str(), Ok(word));
            assert_eq!(message(number), rule.message);
            number += 1;
        }
        assert!(rules.next().is_none());
    }

    #[test]
    fn a_rule_without_a_number_is_unnamed() {
        assert_eq!(sigmill_error::from(Error::RZero), sigmill_error(109));
        assert_eq!(
            sigmill_error::from(Error::UnknownCurve),
            SIGMILL_ERROR_UNNAMED
        );
        assert!(rule(-1).is_none() && rule(99).is_none() && rule(i32::MAX).is_none());
    }
}
