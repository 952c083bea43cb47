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
// A group converts points to and from its coordinates.
#![allow(clippy::wrong_self_convention)]
// What nobody uses at all is looked for where every feature is on, and on x86-64, which lanes are
// for.
#![cfg_attr(
    not(all(
        feature = "agreement",
        feature = "all-curves",
        feature = "bulk",
        feature = "hazmat",
        feature = "jwk",
        feature = "pem",
        any(target_arch = "x86_64", feature = "portable-lanes"),
    )),
    allow(
        dead_code,
        unreachable_pub,
        unused_imports,
        unused_macros,
        unused_variables
    )
)]

extern crate alloc;

#[cfg(not(any(
    feature = "brainpool-p256r1",
    feature = "p256",
    feature = "p384",
    feature = "p521",
    feature = "secp256k1",
)))]
compile_error!(
    "sigmill needs the feature of a curve: p256, p384, p521, secp256k1 or brainpool-p256r1"
);

/// What code on secrets needs: masks, wiping, marks for the checker of constant time.
mod ct;

/// What this CPU can do, asked once.
pub mod cpu;
/// What can be wrong with an input: one variant per rule.
mod error;

/// The hashes of messages.
mod hash;

/// Integers without a modulus.
mod limbs;

/// Integers modulo a prime: one contract over width and representation.
mod field;

/// Integers modulo the order of a curve, and the way from a digest to one.
mod scalar;

/// Curves as data, points, and the formulas that add them.
mod curve;

/// Scalars to digits.
mod recode;

/// Digits to points.
mod table;

/// Sums of multiples of points, one file per algorithm.
mod multiply;

/// Between bytes and numbers: points, signatures and keys.
mod encoding;

/// Keys, signatures and their verification.
pub mod ecdsa;

/// Keys, sets of keys and signed tokens as JSON (feature `jwk`).
#[cfg(feature = "jwk")]
pub mod jose;

/// Secret keys and public keys to shared secrets.
#[cfg(feature = "agreement")]
pub mod agreement;

/// Addresses of Ethereum, on secp256k1.
#[cfg(feature = "ethereum")]
pub mod ethereum;

/// Rows of keys, messages and signatures to verdicts.
#[cfg(feature = "bulk")]
pub mod bulk;

/// What keys and the engine are made of, without any promise between versions: for tests, for the
/// bench, and for those who build other things on curves.
#[cfg(feature = "hazmat")]
pub mod hazmat;

/// The curves as types, and the traits by which keys and signatures are generic over them.
pub mod curves {
    #[cfg(feature = "brainpool-p256r1")]
    pub use crate::curve::BrainpoolP256r1;
    #[cfg(feature = "p256")]
    pub use crate::curve::P256;
    #[cfg(feature = "p384")]
    pub use crate::curve::P384;
    #[cfg(feature = "p521")]
    pub use crate::curve::P521;
    #[cfg(feature = "secp256k1")]
    pub use crate::curve::Secp256k1;
    pub use crate::curve::{Domain, NamedCurve};
}

/// The crates whose traits and types keys and generators implement, take or give.
#[cfg(feature = "signing")]
pub use {pkcs8, rand_core};
pub use {signature, spki, zeroize};

#[cfg(feature = "agreement")]
pub use agreement::x25519;
pub use curve::CurveName;
#[cfg(feature = "signing")]
pub use ecdsa::any_signing_key::AnySigningKey;
pub use ecdsa::{
    algorithm::Algorithm,
    any::{AnyPreparedKey, AnyVerifyingKey},
    policy::{LowS, Policy, RecoveryIds, SignatureFormat},
    recovery_id::RecoveryId,
    warm_up::warm_up,
};
pub use encoding::key_purpose::KeyPurpose;
pub use error::Error;
pub use hash::HashName;

/// The types of [`ecdsa`] and [`agreement`] for a curve, under the names that programs want.
macro_rules! types_on {
    ($(#[$attribute:meta])* $module:ident, $curve:ident) => {
        $(#[$attribute])*
        pub mod $module {
            use crate::curve::$curve;

            /// A public key on the curve.
            pub type VerifyingKey = crate::ecdsa::VerifyingKey<$curve>;
            /// A public key on the curve with a table of its multiples.
            pub type PreparedKey = crate::ecdsa::PreparedKey<$curve>;
            /// A private key on the curve, to sign with.
            #[cfg(feature = "signing")]
            pub type SigningKey = crate::ecdsa::SigningKey<$curve>;
            /// A secret integer from 1 to n - 1.
            #[cfg(feature = "signing")]
            pub type SecretScalar = crate::ecdsa::SecretScalar<$curve>;
            /// A secret for one key agreement on the curve.
            #[cfg(feature = "agreement")]
            pub type EphemeralSecret = crate::agreement::EphemeralSecret<$curve>;
            /// A signature on the curve.
            pub type Signature = crate::ecdsa::Signature<$curve>;
        }
    };
}

types_on! {
    /// P-256, also called prime256v1 and secp256r1.
    #[cfg(feature = "p256")]
    p256, P256
}
types_on! {
    /// P-384, also called secp384r1.
    #[cfg(feature = "p384")]
    p384, P384
}
types_on! {
    /// P-521, also called secp521r1.
    #[cfg(feature = "p521")]
    p521, P521
}
types_on! {
    /// secp256k1, the curve of Bitcoin and Ethereum.
    #[cfg(feature = "secp256k1")]
    secp256k1, Secp256k1
}
types_on! {
    /// brainpoolP256r1.
    #[cfg(feature = "brainpool-p256r1")]
    brainpool_p256r1, BrainpoolP256r1
}
