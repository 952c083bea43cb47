//! The kinds of curves that code is compiled for. Every enumeration of keys has one variant for
//! each. Only the macros of this file name the variants.

/// The list of kinds. Calls a macro with the given arguments and a row for each kind: the variant,
/// the condition for it, and the type of its domain parameters.
macro_rules! kind_list {
    ([$($callback:tt)*] $arguments:tt) => {
        $($callback)*! {
            $arguments
            P256 if feature = "p256": $crate::curve::P256,
            Secp256k1 if feature = "secp256k1": $crate::curve::Secp256k1,
            // Other curves over primes of four, six and nine limbs.
            Prime4 if feature = "brainpool-p256r1": $crate::curve::NamedPrime<4, 5>,
            Prime6 if feature = "p384": $crate::curve::NamedPrime<6, 8>,
            Prime9 if feature = "p521": $crate::curve::NamedPrime<9, 11>,
        }
    };
}

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

        $crate::keys::kind_list! {
            [$crate::keys::kinds::any_key] (#[derive($($derive),*)] $any($kinds of $one))
        }
    };
    (
        (#[$derive:meta] $any:ident($kinds:ident of $one:ident))
        $($kind:ident if $condition:meta: $domain:ty,)*
    ) => {
        #[$derive]
        pub(crate) enum $kinds {
            $(
                #[cfg($condition)]
                $kind($one<$domain>),
            )*
        }

        $(
            #[cfg($condition)]
            impl $crate::keys::OfKind<$one<$domain>> for $any {
                fn from_kind(key: $one<$domain>) -> Self {
                    Self($kinds::$kind(key))
                }

                fn of_kind(&self) -> Option<&$one<$domain>> {
                    match &self.0 {
                        $kinds::$kind(key) => Some(key),
                        #[allow(unreachable_patterns, reason = "there may be one kind only")]
                        _ => None,
                    }
                }
            }
        )*
    };
}

/// Evaluates the same expression for any kind of curve that a key is on.
macro_rules! for_any {
    ($kinds:ident, $value:expr, $key:ident => $result:expr) => {
        $crate::keys::kind_list! {
            [$crate::keys::for_any] ($kinds, $value, $key => $result)
        }
    };
    (
        ($kinds:ident, $value:expr, $key:ident => $result:expr)
        $($kind:ident if $condition:meta: $domain:ty,)*
    ) => {
        match &$value.0 {
            $(
                #[cfg($condition)]
                $kinds::$kind($key) => $result,
            )*
        }
    };
}

pub(super) use any_key;
pub(crate) use {for_any, kind_list};

/// A value in an enumeration with a variant for each kind of curve.
pub trait OfKind<T> {
    /// Wraps a value. A copy may remain on the stack.
    fn from_kind(value: T) -> Self;

    /// Returns the value if it is of this kind.
    fn of_kind(&self) -> Option<&T>;
}
