//! Macros that generate an enum of errors from a list with one entry per rule.

/// Generates an enum of errors with its reasons and messages. An entry is a variant, its reason and
/// its message. A second message, if any, is for readers of `Display`: it may name the fields. The
/// message is the first line of the variant's documentation.
///
/// `pub enum Error or Other(Source);` adds a variant for an error of another type, which keeps its
/// reason and message.
macro_rules! errors {
    (@show $f:ident, $message:literal) => { write!($f, $message) };
    (@show $f:ident, $rule:literal, $message:literal) => { write!($f, $message) };
    (
        $(#[$meta:meta])*
        pub enum $name:ident $(or $(#[doc = $other_doc:literal])* $other:ident($source:ty))?;
        $(
            $(#[doc = $doc:literal])*
            $variant:ident $({
                $($(#[doc = $field_doc:literal])* $field:ident: $type:ty,)*
            })? => $reason:literal, $rule:literal $(, $message:literal)?;
        )*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $name {
            $(
                #[doc = concat!(" `", $rule, "`\n\n")]
                $(#[doc = $doc])*
                $variant $({ $($(#[doc = $field_doc])* $field: $type,)* })?,
            )*
            $($(#[doc = $other_doc])* $other($source),)?
        }

        impl $name {
            /// Returns a short code for the rule, in lower case with hyphens. It stays the same
            /// between versions.
            #[must_use]
            pub const fn reason(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $reason,)*
                    $(Self::$other(error) => error.reason(),)?
                }
            }

            /// The name, the reason and the messages of every variant.
            #[cfg(test)]
            pub(crate) const ENTRIES: &'static [$crate::error::tests::Entry] =
                &[$((stringify!($variant), $reason, &[$rule $(, $message)?])),*];
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self {
                    $(Self::$variant $({ $($field),* })? => {
                        errors!(@show f, $rule $(, $message)?)
                    })*
                    $(Self::$other(error) => error.fmt(f),)?
                }
            }
        }

        impl core::error::Error for $name {}
    };
}

/// Does the same, and lists the rules for the C interface. `Variant = 100 => ...` gives a rule its
/// number there, which is never used again for another. Its first message names no fields. A rule
/// without a number is one that no function in C checks.
macro_rules! numbered_errors {
    (@number) => { None };
    (@number $number:literal) => { Some($number) };
    (
        $(#[$meta:meta])*
        pub enum $name:ident;
        $(
            $(#[doc = $doc:literal])*
            $variant:ident $({ $($fields:tt)* })? $(= $number:literal)?
                => $reason:literal, $rule:literal $(, $message:literal)?;
        )*
    ) => {
        errors! {
            $(#[$meta])*
            pub enum $name;
            $(
                $(#[doc = $doc])*
                $variant $({ $($fields)* })? => $reason, $rule $(, $message)?;
            )*
        }

        impl $name {
            #[doc(hidden)]
            pub const RULES: &'static [Rule] = &[$(Rule {
                number: numbered_errors!(@number $($number)?),
                reason: c_text(concat!($reason, "\0")),
                message: c_text(concat!($rule, "\0")),
                docs: &[$($doc),*],
            }),*];

            #[doc(hidden)]
            #[must_use]
            pub const fn number(&self) -> Option<i32> {
                match self {
                    $(Self::$variant { .. } => numbered_errors!(@number $($number)?),)*
                }
            }
        }
    };
}

pub(crate) use {errors, numbered_errors};
