use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};

use super::*;

/// The name, the reason and the messages of a variant.
pub(crate) type Entry = (&'static str, &'static str, &'static [&'static str]);

/// Checks that every reason is the variant in kebab case, and that every message names one of
/// `fields` and a rule. No reason and no message occurs twice.
pub(crate) fn check_entries(entries: &[Entry], fields: &[&str]) {
    let reasons: BTreeSet<&str> = entries.iter().map(|entry| entry.1).collect();
    assert_eq!(reasons.len(), entries.len());
    let messages = || entries.iter().flat_map(|entry| entry.2);
    assert_eq!(
        messages().collect::<BTreeSet<_>>().len(),
        messages().count()
    );
    for (variant, reason, messages) in entries {
        let mut kebab = String::new();
        for c in variant.chars() {
            if c.is_ascii_uppercase() && !kebab.is_empty() {
                kebab.push('-');
            }
            kebab.push(c.to_ascii_lowercase());
        }
        assert_eq!(kebab, *reason);
        for message in *messages {
            let (field, rule) = message
                .split_once(": ")
                .unwrap_or_else(|| panic!("{message}"));
            assert!(fields.contains(&field), "{message}");
            assert!(rule.len() > 10, "{message}");
        }
    }
}

#[test]
fn reasons_are_the_variants_and_messages_name_a_field_and_a_rule() {
    let fields = [
        "signature",
        "signature format",
        "digest",
        "input",
        "row",
        "threads",
        "speed",
        "key",
        "secret key",
        "algorithm",
        "curve",
        "window",
        "table",
        "key store",
        "shared secret",
        "recovery id",
        "address",
        "hint",
    ];
    check_entries(Error::ENTRIES, &fields);
}

#[test]
fn a_message_shows_what_was_found() {
    let error = Error::KeyLength {
        expected: 65,
        actual: 64,
    };
    let message = "key: the point must have 65 bytes, not 64";
    assert_eq!(error.to_string(), message);
    let message = "key: the point must begin with 02, 03 or 04, not 05";
    assert_eq!(Error::KeyTag { tag: 5 }.to_string(), message);
}

/// A program in C reads the rules without the fields that a variant carries.
#[test]
fn numbered_rules_name_no_fields() {
    assert_eq!(Error::RULES.len(), Error::ENTRIES.len());
    for rule in Error::RULES.iter().filter(|rule| rule.number.is_some()) {
        assert!(!rule.message.to_str().unwrap().contains('{'), "{rule:?}");
    }
    assert_eq!(Error::RZero.number(), Some(109));
    assert_eq!(Error::CannotBeFriendly.number(), None);
}

#[test]
fn becomes_the_source_of_a_signature_error() {
    let error = signature::Error::from(Error::HighS);
    let source = core::error::Error::source(&error).unwrap();
    assert_eq!(source.to_string(), Error::HighS.to_string());
}

#[test]
fn is_small() {
    assert!(size_of::<Error>() <= 40);
}
