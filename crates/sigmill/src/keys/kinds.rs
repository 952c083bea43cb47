//! The kinds of curves that code is compiled for. Every enumeration of keys has one variant for
//! each. Only the macros of this file name the variants.

/// Defines a type for keys of any kind, around an enumeration with a variant for each kind of
/// curve.
macro_rules! any_key {
    (
        $(#[doc = $doc:literal])*
        #[derive($($derive:ident),*)]
        $any:ident($kinds:ident of $one:ident)
    ) => {
        $(#[doc = $doc])*
        #[derive($($derive),*)]
        pub struct $any(pub(crate) $kinds);

        #[derive($($derive),*)]
        pub(crate) enum $kinds {
            #[cfg(feature = "p256")]
            P256($one<$crate::curve::P256>),
            #[cfg(feature = "secp256k1")]
            Secp256k1($one<$crate::curve::Secp256k1>),
            /// Another curve over a prime of four limbs.
            #[cfg(feature = "brainpool-p256r1")]
            Prime4($one<$crate::curve::NamedPrime<4, 5>>),
            /// A curve over a prime of six limbs.
            #[cfg(feature = "p384")]
            Prime6($one<$crate::curve::NamedPrime<6, 8>>),
            /// A curve over a prime of nine limbs.
            #[cfg(feature = "p521")]
            Prime9($one<$crate::curve::NamedPrime<9, 11>>),
        }
    };
}

/// Evaluates the same expression for any kind of curve that a key is on.
macro_rules! for_any {
    ($kinds:ident, $value:expr, $key:ident => $result:expr) => {
        match &$value.0 {
            #[cfg(feature = "p256")]
            $kinds::P256($key) => $result,
            #[cfg(feature = "secp256k1")]
            $kinds::Secp256k1($key) => $result,
            #[cfg(feature = "brainpool-p256r1")]
            $kinds::Prime4($key) => $result,
            #[cfg(feature = "p384")]
            $kinds::Prime6($key) => $result,
            #[cfg(feature = "p521")]
            $kinds::Prime9($key) => $result,
        }
    };
}

/// Converts a key of one kind to a key of any kind ([`From`], which uses the given expression), and
/// back ([`OfKind`]).
macro_rules! conversions {
    ($any:ident($kinds:ident of $one:ident), $key:ident => $taken:expr) => {
        conversions! {
            $any($kinds of $one), $key => $taken;
            #[cfg(feature = "p256")]
            P256: $crate::curve::P256,
            #[cfg(feature = "secp256k1")]
            Secp256k1: $crate::curve::Secp256k1,
            #[cfg(feature = "brainpool-p256r1")]
            Prime4: $crate::curve::NamedPrime<4, 5>,
            #[cfg(feature = "p384")]
            Prime6: $crate::curve::NamedPrime<6, 8>,
            #[cfg(feature = "p521")]
            Prime9: $crate::curve::NamedPrime<9, 11>,
        }
    };
    (
        $any:ident($kinds:ident of $one:ident), $key:ident => $taken:expr;
        $(#[$feature:meta] $kind:ident: $domain:ty,)*
    ) => {$(
        #[$feature]
        impl From<$one<$domain>> for $any {
            fn from($key: $one<$domain>) -> Self {
                Self($kinds::$kind($taken))
            }
        }

        #[$feature]
        impl $crate::keys::OfKind<$one<$domain>> for $any {
            fn of_kind(&self) -> Option<&$one<$domain>> {
                match &self.0 {
                    $kinds::$kind(key) => Some(key),
                    #[allow(unreachable_patterns, reason = "there may be one kind only")]
                    _ => None,
                }
            }
        }
    )*};
}

pub(crate) use for_any;
pub(super) use {any_key, conversions};

/// A value in an enumeration with a variant for each kind of curve.
pub(crate) trait OfKind<T> {
    /// Returns the value if it is of this kind.
    fn of_kind(&self) -> Option<&T>;
}
