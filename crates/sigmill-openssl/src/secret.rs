//! The private part of a key on a curve.

use once_cell::race::OnceBox;

use sigmill::agreement::{SharedSecret, diffie_hellman};
use sigmill::keys::{SecretScalar, SigningKey, VerifyingKey};
use sigmill::{AnySigningKey, AnyVerifyingKey, CurveName, curve_list, curves};

macro_rules! on_curves {
    (() $($(#[$doc:meta])* $curve:ident = $feature:literal, $module:ident $properties:tt)*) => {
        /// An integer modulo the order of one of the curves.
        #[derive(Clone, Debug, PartialEq, Eq)]
        enum Scalar {
            $($curve(SecretScalar<curves::$curve>),)*
        }

        impl Scalar {
            fn from_be_bytes(curve: CurveName, bytes: &[u8]) -> Option<Self> {
                match curve {
                    $(CurveName::$curve => {
                        SecretScalar::from_be_bytes(bytes).ok().map(Self::$curve)
                    })*
                    _ => None,
                }
            }

            fn signing_key(&self) -> AnySigningKey {
                match self {
                    $(Self::$curve(scalar) => SigningKey::from(scalar.clone()).into(),)*
                }
            }

            /// Returns the secret shared with a peer on the same curve.
            fn agree(&self, peer: &AnyVerifyingKey) -> Option<SharedSecret> {
                match self {
                    $(Self::$curve(scalar) => {
                        let peer = VerifyingKey::<curves::$curve>::try_from(peer.clone()).ok()?;
                        Some(diffie_hellman(scalar, &peer))
                    })*
                }
            }
        }
    };
}

curve_list! { [on_curves] () }

/// A private key, which signs and agrees. It is wiped when it is dropped.
#[derive(Debug)]
pub(crate) struct Secret {
    scalar: Scalar,
    /// With its public key, which costs a multiplication. The first signature makes it: a key that
    /// only agrees, and is new in each connection, needs none. There is no lock, as the child of a
    /// process that forks could find it held.
    signing: OnceBox<AnySigningKey>,
}

impl Secret {
    /// Reads an integer from 1 to the order minus 1, in as many bytes as the order has. Returns
    /// `None` for others.
    pub(crate) fn from_be_bytes(curve: CurveName, bytes: &[u8]) -> Option<Self> {
        Some(Self {
            scalar: Scalar::from_be_bytes(curve, bytes)?,
            signing: OnceBox::new(),
        })
    }

    /// Returns the key for signing.
    pub(crate) fn signing(&self) -> &AnySigningKey {
        self.signing
            .get_or_init(|| Box::new(self.scalar.signing_key()))
    }

    /// Returns the secret shared with a peer on the same curve, or `None` if it is on another.
    pub(crate) fn agree(&self, peer: &AnyVerifyingKey) -> Option<SharedSecret> {
        self.scalar.agree(peer)
    }
}

/// Compares the integers in constant time; the result is public.
impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.scalar == other.scalar
    }
}
