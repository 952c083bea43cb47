//! Fast ECDSA on P-256, P-384, P-521, secp256k1 and brainpoolP256r1; ECDH on them, and X25519.
//!
//! ```
//! use sigmill::p256::{Signature, VerifyingKey};
//!
//! # fn main() -> Result<(), sigmill::Error> {
//! # let pem = "-----BEGIN PUBLIC KEY-----\n\
//! # MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYP7UuiVanTHJYet0xjVtaMBJuJI7\n\
//! # Yfps5mliLmDyn7Z5A/4QCLi8maQa6elWKLxk8vGyDC1+n1F3o8KU1EYimQ==\n\
//! # -----END PUBLIC KEY-----\n";
//! # let bytes: Vec<u8> = (0..64).map(|i| u8::from_str_radix(&concat!(
//! #     "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
//! #     "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
//! # )[2 * i..2 * i + 2], 16).unwrap()).collect();
//! let key = VerifyingKey::from_public_key_pem(pem)?;
//! let signature = Signature::from_p1363(&bytes)?;
//! key.verify(b"sample", &signature)?;
//!
//! // A key that comes back: 148 KiB for a table, and each verification is several times faster.
//! let prepared = key.prepare();
//! prepared.verify(b"sample", &signature)?;
//! # Ok(())
//! # }
//! ```
//!
//! The modules stand in the order of the layers: each uses only those above it. [`ecdsa`] is the
//! face that most programs want; [`p256`] and its like name its types for a curve, and
//! [`AnyVerifyingKey`] and [`AnySigningKey`] take a curve that is known at run time only. The
//! layers below it are public for those who build other things on curves; what ends in `_vartime`
//! must not see a secret.

#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Lanes are for x86-64 and for tests. On other CPUs nobody asks for a good part of the crate; what
// nobody uses at all, builds for x86-64 tell.
#![cfg_attr(
    not(any(target_arch = "x86_64", feature = "portable-lanes")),
    allow(dead_code, unused_imports, reason = "no code of lanes is asked for")
)]

extern crate alloc;

/// What code on secrets needs: masks, wiping, marks for the checker of constant time.
pub mod ct;

/// What this CPU can do, asked once.
pub mod cpu;
/// What can be wrong with an input: one variant per rule.
mod error;

/// The hashes of messages.
mod hash;

/// Integers without a modulus.
pub mod limbs;

/// Integers modulo a prime: one contract over width and representation.
pub mod field;

/// Integers modulo the order of a curve, and the way from a digest to one.
pub mod scalar;

/// Curves as data, points, and the formulas that add them.
pub mod curve;

/// Scalars to digits.
pub mod recode;

/// Digits to points.
pub mod table;

/// Sums of multiples of points, one file per algorithm.
pub mod multiply;

/// Between bytes and numbers: points, signatures and keys.
mod encoding;

/// Keys, signatures and their verification.
pub mod ecdsa;

/// Secret keys and public keys to shared secrets.
pub mod agreement;

/// Addresses of Ethereum, on secp256k1.
#[cfg(feature = "ethereum")]
pub mod ethereum;

/// Rows of keys, messages and signatures to verdicts.
#[cfg(feature = "std")]
pub mod bulk;

/// The crates whose traits keys and generators implement or take.
pub use {pkcs8, rand_core, signature};

pub use agreement::x25519;
pub use curve::CurveName;
pub use ecdsa::{
    Algorithm, AnyPreparedKey, AnySigningKey, AnyVerifyingKey, LowS, Policy, RecoveryId,
    RecoveryIds, SignatureFormat,
};
// For the command, which reads sets of keys and headers of tokens by the same rule.
#[doc(hidden)]
pub use encoding::json::Unambiguous;
pub use encoding::key_purpose::KeyPurpose;
pub use error::Error;
pub use hash::HashName;

/// The types of [`ecdsa`] and [`agreement`] for a curve, under the names that programs want.
macro_rules! types_on {
    ($(#[$doc:meta])* $module:ident, $curve:ident) => {
        $(#[$doc])*
        pub mod $module {
            use crate::curve::$curve;

            /// A public key on the curve.
            pub type VerifyingKey = crate::ecdsa::VerifyingKey<$curve>;
            /// A public key on the curve with a table of its multiples.
            pub type PreparedKey = crate::ecdsa::PreparedKey<$curve>;
            /// A private key on the curve, to sign with.
            pub type SigningKey = crate::ecdsa::SigningKey<$curve>;
            /// A secret integer from 1 to n - 1.
            pub type SecretScalar = crate::ecdsa::SecretScalar<$curve>;
            /// A secret for one key agreement on the curve.
            pub type EphemeralSecret = crate::agreement::EphemeralSecret<$curve>;
            /// A signature on the curve.
            pub type Signature = crate::ecdsa::Signature<$curve>;
        }
    };
}

/// Keys on a curve that has a row as keys whose curve is known at run time only.
macro_rules! into_any {
    ($curve:ident) => {
        impl From<ecdsa::VerifyingKey<curve::$curve>> for AnyVerifyingKey {
            fn from(key: ecdsa::VerifyingKey<curve::$curve>) -> Self {
                Self::from(key.named(curve::NamedPrime::of(curve::$curve)))
            }
        }

        impl From<ecdsa::PreparedKey<curve::$curve>> for AnyPreparedKey {
            fn from(key: ecdsa::PreparedKey<curve::$curve>) -> Self {
                Self::from(key.named(curve::NamedPrime::of(curve::$curve)))
            }
        }

        impl From<ecdsa::SigningKey<curve::$curve>> for AnySigningKey {
            fn from(key: ecdsa::SigningKey<curve::$curve>) -> Self {
                ct::wiping_stack(ct::Depth::Shallow, || {
                    Self::from(key.named(curve::NamedPrime::of(curve::$curve)))
                })
            }
        }
    };
}

types_on! {
    /// P-256, also called prime256v1 and secp256r1.
    p256, P256
}
types_on! {
    /// secp256k1, the curve of Bitcoin and Ethereum.
    secp256k1, Secp256k1
}
types_on! {
    /// brainpoolP256r1.
    brainpool_p256r1, BrainpoolP256r1
}
into_any!(BrainpoolP256r1);
types_on! {
    /// P-384, also called secp384r1.
    p384, P384
}
into_any!(P384);
types_on! {
    /// P-521, also called secp521r1.
    p521, P521
}
into_any!(P521);
