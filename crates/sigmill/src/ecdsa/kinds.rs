//! The kinds of curves that code is compiled for: one variant each in every enumeration of keys.
//! Nothing but the macros of this file names the variants.

/// An enumeration of keys, with a variant for each kind of curve.
macro_rules! enumeration {
    ($(#[$attribute:meta])* $any:ident of $one:ident) => {
        $(#[$attribute])*
        #[non_exhaustive]
        pub enum $any {
            /// A key on P-256.
            P256($one<$crate::curve::P256>),
            /// A key on secp256k1.
            Secp256k1($one<$crate::curve::Secp256k1>),
            /// A key on another curve over a prime of four limbs: brainpoolP256r1.
            Prime4($one<$crate::curve::NamedPrime<4, 5>>),
            /// A key on a curve over a prime of six limbs: P-384.
            Prime6($one<$crate::curve::NamedPrime<6, 8>>),
            /// A key on a curve over a prime of nine limbs: P-521.
            Prime9($one<$crate::curve::NamedPrime<9, 11>>),
        }
    };
}

/// The same expression for whichever kind of curve a key is on.
macro_rules! for_any {
    ($any:ident, $value:expr, $key:ident => $result:expr) => {
        match $value {
            $any::P256($key) => $result,
            $any::Secp256k1($key) => $result,
            $any::Prime4($key) => $result,
            $any::Prime6($key) => $result,
            $any::Prime9($key) => $result,
        }
    };
}

/// A key of one kind as a key of any kind ([`From`], which takes it by the expression given), and
/// back ([`OfKind`]).
macro_rules! conversions {
    ($any:ident of $one:ident, $key:ident => $taken:expr) => {
        conversions!(
            $any of $one, $key => $taken;
            P256: $crate::curve::P256,
            Secp256k1: $crate::curve::Secp256k1,
            Prime4: $crate::curve::NamedPrime<4, 5>,
            Prime6: $crate::curve::NamedPrime<6, 8>,
            Prime9: $crate::curve::NamedPrime<9, 11>,
        );
    };
    ($any:ident of $one:ident, $key:ident => $taken:expr; $($kind:ident: $domain:ty,)*) => {$(
        impl From<$one<$domain>> for $any {
            fn from($key: $one<$domain>) -> Self {
                Self::$kind($taken)
            }
        }

        impl $crate::ecdsa::OfKind<$one<$domain>> for $any {
            fn of_kind(&self) -> Option<&$one<$domain>> {
                match self {
                    Self::$kind(key) => Some(key),
                    _ => None,
                }
            }
        }
    )*};
}

pub(crate) use for_any;
pub(super) use {conversions, enumeration};

/// What is in an enumeration with a variant for each kind of curve.
pub(crate) trait OfKind<T> {
    /// It, if it is of this kind.
    fn of_kind(&self) -> Option<&T>;
}
