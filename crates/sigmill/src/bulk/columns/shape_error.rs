//! Errors in the shape of columns.

use core::fmt;

/// The field of a row that a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Field {
    /// The algorithms.
    Algorithm,
    /// The keys.
    Key,
    /// The messages or digests.
    Input,
    /// The signatures.
    Signature,
    /// The hints.
    Hint,
}

/// Columns that do not form rows. The message names the field and the rule.
///
/// This covers only the shape of columns. A fault in the bytes of a row is the verdict of that row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeError {
    field: Option<Field>,
    reason: &'static str,
    message: String,
}

impl ShapeError {
    pub(super) fn new(reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            field: None,
            reason,
            message: message.into(),
        }
    }

    /// Creates an error in the column of a field.
    pub(super) fn of(field: Field, reason: &'static str, rule: impl fmt::Display) -> Self {
        Self {
            field: Some(field),
            ..Self::new(reason, format!("{field}: {rule}"))
        }
    }

    /// Returns the field of the column; `None` if no single field is at fault or known.
    #[must_use]
    pub const fn field(&self) -> Option<Field> {
        self.field
    }

    /// Returns a short code for the rule, in lower case with hyphens. It stays the same between
    /// versions.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        self.reason
    }
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for ShapeError {}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Algorithm => "algorithm",
            Self::Key => "key",
            Self::Input => "input",
            Self::Signature => "signature",
            Self::Hint => "hint",
        })
    }
}
