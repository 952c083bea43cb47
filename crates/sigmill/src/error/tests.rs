use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};

use super::*;

/// Every variant. `reason` has no wildcard arm, so a variant missing there does not compile; one
/// missing here makes the count fail.
const ALL: &[Error] = &[
    Error::SignatureLength {
        expected: 64,
        actual: 63,
    },
    Error::DerTruncated,
    Error::DerTrailingData,
    Error::DerTag,
    Error::DerLength,
    Error::DerIntegerEmpty,
    Error::DerIntegerNegative,
    Error::DerIntegerNotMinimal,
    Error::DerIntegerTooLong,
    Error::RZero,
    Error::ROutOfRange,
    Error::SZero,
    Error::SOutOfRange,
    Error::HighS,
    Error::NotFriendly,
    Error::CannotBeFriendly,
    Error::FullSignatureLength {
        expected: 65,
        actual: 64,
    },
    Error::FullSignatureTag { tag: 5 },
    Error::FullSignatureCoordinate,
    Error::FullSignatureNotOnCurve,
    Error::SignatureMismatch,
    Error::DigestEmpty,
    Error::RecoveryIdOutOfRange,
    Error::RecoveryIdReduced,
    Error::RecoveryXOutOfRange,
    Error::RecoveryNotOnCurve,
    Error::RecoveredInfinity,
    Error::RecoverableSignatureLength {
        expected: 65,
        actual: 64,
    },
    Error::RecoveryByteOutOfRange { v: 29 },
    Error::AddressLength { actual: 39 },
    Error::AddressDigit { position: 3 },
    Error::AddressChecksum,
    Error::KeyNull,
    Error::InputNull,
    Error::SignatureNull,
    Error::NotJudged,
    Error::KeyEmpty,
    Error::KeyLength {
        expected: 65,
        actual: 64,
    },
    Error::KeyTag { tag: 5 },
    Error::KeyXOutOfRange,
    Error::KeyYOutOfRange,
    Error::KeyNotOnCurve,
    Error::KeyIsInfinity,
    Error::KeyCurveMismatch {
        expected: CurveName::P256,
        actual: CurveName::P384,
    },
    Error::KeyEncodingUnknown,
    Error::KeyCurveAmbiguous,
    Error::SecretLength {
        expected: 32,
        actual: 31,
    },
    Error::SecretZero,
    Error::SecretOutOfRange,
    Error::PrivateKeyMalformed,
    Error::PrivateKeyTrailingData,
    Error::PrivateKeyAlgorithmNotEc,
    Error::PrivateKeyCurveMissing,
    Error::PrivateKeyCurveNotNamed,
    Error::PrivateKeyCurveUnknown,
    Error::PrivateKeyCurvesDiffer,
    Error::PrivateKeyPublicMismatch,
    Error::PrivateKeyPemLabel,
    Error::SpkiMalformed,
    Error::SpkiTrailingData,
    Error::SpkiAlgorithmNotEc,
    Error::SpkiParametersMissing,
    Error::SpkiParametersNotNamedCurve,
    Error::SpkiCurveUnknown,
    Error::SpkiUnusedBits,
    Error::PemMalformed,
    Error::PemLabel,
    Error::PemSeveralBlocks,
    Error::JwkMalformed,
    Error::JwkMemberTwice,
    Error::JwkMemberMissing { member: "x" },
    Error::JwkKeyType,
    Error::JwkCurveUnknown,
    Error::JwkUse,
    Error::JwkKeyOperations,
    Error::JwkAlgorithm,
    Error::JwkCoordinateEncoding { coordinate: "x" },
    Error::JwkCoordinateLength {
        coordinate: "y",
        expected: 32,
        actual: 31,
    },
    Error::JwkSecretEncoding,
    Error::RandomnessUnavailable,
    Error::SharedSecretZero,
    Error::HintNotOnCurve,
    Error::SharedInfinity,
    Error::UnknownAlgorithm,
    Error::UnknownCurve,
    Error::UnknownSignatureFormat,
    Error::WindowOutOfRange { window: 12 },
    Error::ThreadsNotStarted,
    Error::SpeedOutOfRange,
    Error::StoreMagic,
    Error::StoreVersion,
    Error::StoreTruncated,
    Error::StoreCurve,
    Error::StoreDuplicateKey,
    Error::StoreChecksum,
    Error::StoreTrailingData,
    Error::StoreMemory {
        needed: 2,
        available: 1,
    },
];

#[test]
fn every_reason_is_kebab_case_and_its_own() {
    let reasons: BTreeSet<&str> = ALL.iter().map(Error::reason).collect();
    assert_eq!(reasons.len(), ALL.len());
    for reason in reasons {
        assert!(
            reason
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
            "{reason}"
        );
    }
}

#[test]
fn every_message_names_a_field_and_a_rule() {
    let messages: BTreeSet<String> = ALL.iter().map(ToString::to_string).collect();
    assert_eq!(messages.len(), ALL.len());
    for error in ALL {
        let message = error.to_string();
        let (field, rule) = message
            .split_once(": ")
            .unwrap_or_else(|| panic!("{message}"));
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
        assert!(fields.contains(&field), "{message}");
        assert!(rule.len() > 10, "{message}");
        assert_ne!(message, error.reason());
    }
}

#[test]
fn the_reason_is_the_variant_in_kebab_case() {
    for error in ALL {
        let debug = alloc::format!("{error:?}");
        let variant = debug.split([' ', '{']).next().unwrap();
        let mut kebab = String::new();
        for c in variant.chars() {
            if c.is_ascii_uppercase() && !kebab.is_empty() {
                kebab.push('-');
            }
            kebab.push(c.to_ascii_lowercase());
        }
        assert_eq!(kebab, error.reason());
    }
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
