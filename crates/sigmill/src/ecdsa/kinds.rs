//! The kinds of curves that code is compiled for: one variant each in every enumeration of keys.
//! Nothing but the macros of this file names the variants.

/// The same expression for whichever kind of curve a key is on.
macro_rules! for_any {
    ($any:ident, $value:expr, $key:ident => $result:expr) => {
        match $value {
            $any::P256($key) => $result,
            $any::P384($key) => $result,
            $any::Secp256k1($key) => $result,
        }
    };
}

/// A key of one kind as a key of any kind ([`From`], which takes it by the expression given), and
/// back ([`OfKind`]).
macro_rules! conversions {
    ($any:ident of $one:ident, $key:ident => $taken:expr) => {
        conversions!($any of $one, $key => $taken; P256, P384, Secp256k1);
    };
    ($any:ident of $one:ident, $key:ident => $taken:expr; $($kind:ident),*) => {$(
        impl From<$one<$crate::curve::$kind>> for $any {
            fn from($key: $one<$crate::curve::$kind>) -> Self {
                Self::$kind($taken)
            }
        }

        impl $crate::ecdsa::OfKind<$one<$crate::curve::$kind>> for $any {
            fn of_kind(&self) -> Option<&$one<$crate::curve::$kind>> {
                match self {
                    Self::$kind(key) => Some(key),
                    _ => None,
                }
            }
        }
    )*};
}

pub(super) use conversions;
pub(crate) use for_any;

/// What is in an enumeration with a variant for each kind of curve.
pub(crate) trait OfKind<T> {
    /// It, if it is of this kind.
    fn of_kind(&self) -> Option<&T>;
}
