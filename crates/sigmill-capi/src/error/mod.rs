//! Errors: numbers, names and messages.

mod codes;
mod table;

use std::ffi::{CStr, c_char};

pub use codes::sigmill_error;

use crate::border::value_or;

/// Returns the name of an error. It is `Error::reason` of the Rust library: lower case with
/// hyphens, such as "der-truncated". The name of 0 is "ok", and that of a number outside
/// `sigmill_error` is "unnamed".
///
/// The string is static: it never changes, and the caller does not free it. Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_error_name(error: i32) -> *const c_char {
    value_or(c"panic".as_ptr(), || name(error).as_ptr())
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

fn name(error: i32) -> &'static CStr {
    table::row(error).map_or(c"unnamed", |row| row.1)
}

/// Returns the message of an error.
pub(crate) fn message(error: i32) -> &'static CStr {
    table::row(error).map_or(c"error: it has no name in this version", |row| row.2)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Returns the part of the library's source between two strings.
    fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
        let (_, rest) = text.split_once(from).unwrap();
        rest.split_once(to).unwrap().0
    }

    /// Reasons that no function in C returns: other formats of signatures, addresses, names, hints
    /// with points, speeds and files of key stores.
    const NOT_IN_C: &str = "address-checksum address-digit address-length cannot-be-friendly \
        full-signature-coordinate full-signature-length full-signature-not-on-curve \
        full-signature-tag hint-not-on-curve jwk-secret-encoding key-curve-ambiguous \
        recoverable-signature-length speed-out-of-range store-checksum store-curve \
        store-duplicate-key store-magic store-memory store-trailing-data store-truncated \
        store-version unknown-algorithm unknown-curve unknown-signature-format";

    /// Returns the name of a variant in the spelling of reasons.
    fn kebab(variant: &str) -> String {
        let parts = variant
            .char_indices()
            .map(|(i, c)| match (i, c.is_uppercase()) {
                (0, _) | (_, false) => c.to_lowercase().to_string(),
                _ => format!("-{}", c.to_lowercase()),
            });
        parts.collect()
    }

    /// Every reason of the library has a number, in the order of its variants, and the name of that
    /// number, or is in the list of those that C does not need.
    #[test]
    fn all_reasons_of_the_library_have_numbers() {
        let source = include_str!("../../../sigmill/src/error.rs");
        let reasons = between(source, "fn reason", "\n    }\n");
        let reasons: BTreeSet<&str> = reasons.split('"').skip(1).step_by(2).collect();
        let rows = table::of_the_library();
        let named: BTreeSet<&str> = rows.iter().map(|row| row.1.to_str().unwrap()).collect();
        let not_in_c = NOT_IN_C.split_whitespace().collect();
        assert!(named.is_disjoint(&not_in_c));
        assert_eq!(reasons, &named | &not_in_c);
        for (code, name, _) in rows {
            let name = name.to_str().unwrap().replace('-', "_").to_uppercase();
            assert_eq!(format!("{code:?}"), format!("SIGMILL_ERROR_{name}"));
        }
    }

    /// Errors without fields have the same message in C and in Rust.
    #[test]
    fn messages_are_those_of_the_library() {
        let source = include_str!("../../../sigmill/src/error/messages.rs");
        let fixed = between(source, "fn fixed_message", "_ => return None");
        let lines: Vec<&str> = fixed.lines().map(str::trim).collect();
        // A string over several lines ends them with a backslash.
        let joined = lines.join("\n").replace("\\\n", "");
        let of_theirs = joined.split("Error::").skip(1).map(|arm| {
            let variant = arm.split(|c: char| !c.is_alphanumeric()).next().unwrap();
            (kebab(variant), arm.split('"').nth(1).unwrap())
        });
        let rows = table::of_the_library();
        let ours: BTreeSet<&str> = rows.iter().map(|row| row.2.to_str().unwrap()).collect();
        let mut count = 0;
        for (name, message) in of_theirs {
            let is_in_c = !NOT_IN_C.split_whitespace().any(|other| other == name);
            assert_eq!(is_in_c, ours.contains(message), "{name}: {message}");
            count += 1;
        }
        assert!(count > 70, "{count}");
        // The other messages name the same field.
        let error = sigmill::Error::KeyTag { tag: 5 };
        let text = message(sigmill_error::from(error) as i32);
        assert!(error.to_string().starts_with(text.to_str().unwrap()));
    }

    /// Each number has one row, and an unknown number has a name too.
    #[test]
    fn numbers_are_not_used_twice() {
        let source = include_str!("codes.rs");
        let lines = source.lines().map(str::trim);
        let codes = lines.filter(|line| line.starts_with("SIGMILL_"));
        let numbers = codes.filter_map(|line| line.split_once(" = "));
        let numbers: Vec<i32> = numbers
            .map(|(_, number)| number.trim_end_matches(',').parse().unwrap())
            .collect();
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(numbers.len() > 90);
        for &number in &numbers {
            let (code, _, message) = table::row(number).unwrap();
            assert_eq!(*code as i32, number);
            assert!(message.to_str().unwrap().contains([':', ' ']));
        }
        assert!(table::row(-1).is_none() && table::row(99).is_none());
        assert_eq!(name(i32::MAX), c"unnamed");
    }
}
