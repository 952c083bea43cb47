//! Errors: numbers, names and messages.

mod codes;
mod table;

use std::ffi::{CStr, c_char};

pub use codes::sigmill_error;

use crate::border::value_or;

/// The name of an error: the same as `Error::reason` of the Rust library has, in lower case with
/// hyphens ("der-truncated"). "ok" for 0, and "unnamed" for a number that is none of
/// `sigmill_error`.
///
/// The text is static: it is never freed, and never changes. Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_error_name(error: i32) -> *const c_char {
    value_or(c"panic".as_ptr(), || name(error).as_ptr())
}

/// What an error means, in English: the field, and the rule that it breaks ("signature: r must be
/// at least 1").
///
/// The text is static: it is never freed. It may become clearer in a later version, so programs
/// compare numbers. Thread-safe.
#[unsafe(no_mangle)]
pub extern "C" fn sigmill_error_message(error: i32) -> *const c_char {
    value_or(c"panic".as_ptr(), || message(error).as_ptr())
}

fn name(error: i32) -> &'static CStr {
    table::row(error).map_or(c"unnamed", |row| row.1)
}

/// What an error means.
pub(crate) fn message(error: i32) -> &'static CStr {
    table::row(error).map_or(c"error: it has no name in this version", |row| row.2)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// What the source of the library says between two words.
    fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
        let (_, rest) = text.split_once(from).unwrap();
        rest.split_once(to).unwrap().0
    }

    /// The reasons of what is not in C: other forms of signatures, addresses, names, hints with
    /// points, speeds and files of key stores.
    const NOT_IN_C: &str = "address-checksum address-digit address-length cannot-be-friendly \
        full-signature-coordinate full-signature-length full-signature-not-on-curve \
        full-signature-tag hint-not-on-curve jwk-secret-encoding key-curve-ambiguous \
        recoverable-signature-length speed-out-of-range store-checksum store-entry store-magic \
        store-memory store-trailing-data store-truncated store-version unknown-algorithm \
        unknown-curve unknown-signature-format";

    /// The name of a variant as reasons have it.
    fn kebab(variant: &str) -> String {
        let parts = variant
            .char_indices()
            .map(|(i, c)| match (i, c.is_uppercase()) {
                (0, _) | (_, false) => c.to_lowercase().to_string(),
                _ => format!("-{}", c.to_lowercase()),
            });
        parts.collect()
    }

    /// Every reason of the library is here, in the order of its variants, and named after it, or
    /// known not to be needed.
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

    /// Errors without numbers of their own have the same message here as there.
    #[test]
    fn messages_are_those_of_the_library() {
        let source = include_str!("../../../sigmill/src/error/messages.rs");
        let fixed = between(source, "fn fixed_message", "_ => return None");
        let lines: Vec<&str> = fixed.lines().map(str::trim).collect();
        // Strings over several lines end them with a backslash.
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
        // The others are about the same field.
        let error = sigmill::Error::KeyTag { tag: 5 };
        let text = message(sigmill_error::from(error) as i32);
        assert!(error.to_string().starts_with(text.to_str().unwrap()));
    }

    /// Each number has one row, and what is none has a name too.
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
