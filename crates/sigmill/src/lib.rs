//! Fast ECDSA on P-256, P-384, P-521, secp256k1 and brainpoolP256r1; signing, ECDH and X25519 in
//! constant time.
//!
//! sigmill is for programs that verify many signatures: gateways that check tokens from a few
//! issuers, ledgers that check blocks or recover senders, archives and monitors that check millions
//! of stored signatures. A key that is used again gets a table of its multiples. Many signatures
//! verified at once share inversions. AVX2 with FMA verifies four of them side by side, AVX-512
//! eight.
//!
//! # Verify
//!
//! ```
//! use sigmill::p256::{Signature, VerifyingKey};
//!
//! fn check(pem: &str, message: &[u8], der: &[u8]) -> Result<(), sigmill::Error> {
//!     let key = VerifyingKey::from_public_key_pem(pem)?;
//!     key.verify(message, &Signature::from_der(der)?)
//! }
//! # let key = sigmill::p256::SigningKey::generate()?;
//! # check(&key.verifying_key().to_public_key_pem(), b"sample", &key.sign(b"sample").to_der())?;
//! # Ok::<(), sigmill::Error>(())
//! ```
//!
//! [`p256`] and the modules of the other curves name the types of [`keys`] and [`ecdsa`] for one
//! curve. If the curve is known only at run time, use [`AnyVerifyingKey`] and [`AnySigningKey`].
//!
//! # Prepare a key for many verifications
//!
//! A table on P-256 occupies 148 KiB and makes each verification several times faster.
//!
//! ```
//! # use sigmill::p256::{Signature, SigningKey, VerifyingKey};
//! # let key = SigningKey::generate()?;
//! # let (key, signatures) = (*key.verifying_key(), [key.sign(b"1"), key.sign(b"2")]);
//! let prepared = key.prepare();
//! prepared.verify(b"1", &signatures[0])?;
//! prepared.verify(b"2", &signatures[1])?;
//! # Ok::<(), sigmill::Error>(())
//! ```
//!
//! # Verify many signatures at once
//!
//! An [`Engine`](bulk::Engine) remembers keys, builds tables for those that return, and verifies
//! columns of rows. Each row gets the same verdict as a single call.
//!
//! ```
//! # #[cfg(all(feature = "bulk", feature = "p256"))] {
//! use sigmill::Algorithm;
//! use sigmill::bulk::{Column, Engine, Inputs, Rows, Signatures};
//!
//! # let key = sigmill::p256::SigningKey::generate()?;
//! # let keys = [key.verifying_key().to_sec1_bytes(false), vec![4; 65]].concat();
//! # let digests = [[7; 32], [8; 32]].concat();
//! # let signature = key.sign_prehash(&[7; 32])?.to_p1363();
//! # let signatures = [&signature[..], &signature].concat();
//! let rows = Rows::new(
//!     Algorithm::ES256,
//!     Column::fixed(&keys, 65),
//!     Inputs::Digests(Column::fixed(&digests, 32)),
//!     Signatures::P1363(Column::fixed(&signatures, 64)),
//! )?;
//! let verdicts = Engine::builder().threads(2).build()?.verify(&rows);
//! assert_eq!((verdicts.valid(), verdicts.rejected()), (1, 1));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Columns may be Arrow arrays (feature `arrow`):
//!
//! ```
//! # #[cfg(feature = "arrow")] {
//! use arrow_array::BinaryArray;
//! use sigmill::bulk::Column;
//!
//! let keys = BinaryArray::from_iter_values([[4; 65], [5; 65]]);
//! let keys = Column::from_arrow(&keys)?;
//! # let _ = keys;
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Tokens
//!
//! ```
//! # #[cfg(feature = "jwk")] {
//! use sigmill::jose::{self, JwkSet};
//!
//! /// The claims of a token, if its signature is one of a key in the set.
//! fn claims(token: &str, keys: &JwkSet) -> Result<Vec<u8>, jose::Error> {
//!     Ok(jose::verify_compact(token, keys)?.into_payload())
//! }
//! # let keys = JwkSet::from_json(r#"{"keys":[]}"#)?;
//! # assert!(claims("eyJhbGciOiJFUzI1NiJ9.e30.AA", &keys).is_err());
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Sign
//!
//! ```
//! use sigmill::p256::SigningKey;
//!
//! let key = SigningKey::generate()?;
//! let signature = key.sign(b"an order").to_der();
//! let pem = key.to_pkcs8_pem();
//! # assert_eq!(SigningKey::from_pkcs8_pem(&pem)?.sign(b"an order").to_der(), signature);
//! # Ok::<(), sigmill::Error>(())
//! ```
//!
//! # Agree on a secret
//!
//! ECDH uses the key types of ECDSA. X25519 has its own types, because its keys are 32 bytes.
//!
//! ```
//! # #[cfg(feature = "agreement")] {
//! use sigmill::{agreement::x25519, p256};
//!
//! # let peer = *p256::SigningKey::generate()?.verifying_key();
//! let secret = p256::EphemeralSecret::generate()?;
//! let send = secret.public_key().to_sec1_bytes(true);
//! let shared = secret.diffie_hellman(&peer);
//!
//! # let peer = x25519::PublicKey::from(&x25519::StaticSecret::generate()?);
//! let secret = x25519::EphemeralSecret::generate()?;
//! let send = x25519::PublicKey::from(&secret);
//! let shared = secret.diffie_hellman(&peer)?;
//! # }
//! # Ok::<(), sigmill::Error>(())
//! ```
//!
//! # Ethereum
//!
//! ```
//! # #[cfg(feature = "ethereum")] {
//! use sigmill::ethereum::Address;
//! use sigmill::secp256k1::{Signature, VerifyingKey};
//!
//! /// Who signed: r, s and v over a digest of 32 bytes.
//! fn sender(digest: &[u8; 32], rsv: &[u8; 65]) -> Result<Address, sigmill::Error> {
//!     let (signature, id) = Signature::from_rsv(rsv)?;
//!     let key = VerifyingKey::recover_from_prehash(digest, &signature, id)?;
//!     Ok(Address::of(&key))
//! }
//! # assert!(sender(&[1; 32], &[0; 65]).is_err());
//! # }
//! ```
//!
//! # Features
//!
//! | feature | what it adds | default |
//! |---|---|---|
//! | `p256`, `p384`, `p521`, `secp256k1`, `brainpool-p256r1` | curves; at least one | `p256` |
//! | `all-curves` | all five curves | |
//! | `signing` | private keys: signatures, PKCS#8, SEC 1 | yes |
//! | `pem` | keys in PEM | yes |
//! | `std` | random keys from the operating system, environment variable `SIGMILL_CPU` | yes |
//! | `wasm_js` | `std` in a browser: random numbers from JavaScript | |
//! | `agreement` | ECDH and ECMQV, each also with a certificate; X25519; enables `signing` | |
//! | `bulk` | the engine for many rows and its store of keys; enables `std` | |
//! | `arrow` | Arrow arrays as columns of the engine; enables `bulk` | |
//! | `jwk` | JSON Web Keys, JWK sets and compact tokens ([`jose`]) | |
//! | `ethereum` | addresses; enables `secp256k1` | |
//! | `hazmat` | the layers below, with no stability promise between versions | |
//! | `portable-lanes`, `comparisons` | code that only tests and measurements run | |
//!
//! A key or an algorithm on a curve whose feature is off is rejected as unknown.
//!
//! Without `std` the crate is `no_std` with `alloc`, and secrets come from a generator that the
//! caller passes. `wasm32-unknown-unknown` has no operating system to supply random numbers; there,
//! the feature `wasm_js` gets them from JavaScript. WASI supplies them itself.
//!
//! # The first call
//!
//! Every process builds the tables of a curve's generator when it first needs them. That costs some
//! milliseconds. A server can call [`warm_up`] before it accepts requests.
//!
//! # Stack
//!
//! With `std` on Unix (x86, x86-64, AArch64, 64-bit RISC-V), a single call needs at most 24 KiB of
//! its caller's stack, and a call on many rows at most 48 KiB. The rest is on the library's own
//! stack, one for each calling thread. If the system has no memory for that stack, the process
//! ends, as it does when an allocation fails. On other targets, calls run on the caller's stack:
//! allow 128 KiB, or 1 MiB in code that is not optimised.
//!
//! # Errors and constant time
//!
//! Every rule that an input can break is a variant of [`Error`]. [`Error::reason`] returns a code
//! for the rule that stays the same between versions. Operations on secrets run in constant time.
//! Functions whose names end in `_vartime` are for public values only.

#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Documentation also names items of other features. Links are checked with all these features on.
#![cfg_attr(
    not(all(
        feature = "agreement",
        feature = "all-curves",
        feature = "bulk",
        feature = "jwk",
        feature = "pem",
        feature = "std",
    )),
    allow(rustdoc::broken_intra_doc_links)
)]
// Methods of a group convert points from and to its coordinates.
#![allow(clippy::wrong_self_convention)]
// Unused code is reported only with every feature on, and only on x86-64, which the lanes are for.
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

// The modules are in the order of the layers. Each uses only those above it.

/// The stack that operations run on.
mod stack;

/// Tools for code on secrets: masks, wiping, marks for the constant-time checker.
mod ct;

/// Features of this CPU, detected once.
pub mod cpu;
/// Errors of inputs: one entry per rule.
mod error;

/// Hashes of messages.
mod hash;

/// Integers without a modulus.
mod limbs;

/// Integers modulo a prime: one contract over width and representation.
mod field;

/// Integers modulo the order of a curve, and the conversion of a digest to one.
mod scalar;

/// Curves as data, points, and the formulas that add them.
mod curve;

/// Conversion of scalars to digits.
mod recode;

/// Tables that map digits to points.
mod table;

/// Sums of multiples of points, one file per algorithm.
mod multiply;

/// Conversion between bytes and numbers: points, signatures and keys.
mod encoding;

/// ECDSA: signatures, and the steps that sign, verify and recover.
pub mod ecdsa;

/// Public and private keys, typed by curve.
pub mod keys;

/// Keys, sets of keys and signed tokens as JSON (feature `jwk`).
#[cfg(feature = "jwk")]
pub mod jose;

/// Key agreement: shared secrets from secret and public keys.
#[cfg(feature = "agreement")]
pub mod agreement;

/// Ethereum addresses, on secp256k1.
#[cfg(feature = "ethereum")]
pub mod ethereum;

/// Verification of many rows of keys, messages and signatures.
#[cfg(feature = "bulk")]
pub mod bulk;

/// The parts that keys and the engine consist of, with no stability promise between versions. For
/// tests, the bench, and programs that build other things on curves.
#[cfg(feature = "hazmat")]
pub mod hazmat;

/// The curves as types, and the traits that make keys and signatures generic over them.
pub mod curves {
    pub use crate::curve::{Domain, NamedCurve};

    macro_rules! export_types {
        (() $($(#[$doc:meta])* $curve:ident = $feature:literal, $module:ident $properties:tt)*) => {
            $(
                #[cfg(feature = $feature)]
                pub use crate::curve::$curve;
            )*
        };
    }

    crate::curve_list! { [export_types] () }
}

/// Crates whose traits and types appear in the interface of keys and generators.
#[cfg(feature = "signing")]
pub use {pkcs8, rand_core};
pub use {signature, spki, zeroize};

pub use curve::CurveName;
pub use ecdsa::{
    algorithm::Algorithm, hint::Hint, policy::Policy, recovery_id::RecoveryId,
    signature_format::SignatureFormat,
};
pub use encoding::key_purpose::KeyPurpose;
pub use error::Error;
pub use hash::{HashName, MessageDigest};
pub use keys::{
    any::{AnyPreparedKey, AnyVerifyingKey},
    options::{Input, VerifyOptions},
    warm_up::warm_up,
};
#[cfg(feature = "signing")]
pub use keys::{any_signing_key::AnySigningKey, options::SignOptions};
// For the crates of this repository; no stability promise between versions.
#[doc(hidden)]
pub use {error::Rule, stack::on_own_stack};

/// The types of [`keys`], [`ecdsa`] and [`agreement`] for one curve, under short names.
macro_rules! types_on {
    (() $($(#[$doc:meta])* $curve:ident = $feature:literal, $module:ident $properties:tt)*) => {$(
        $(#[$doc])*
        #[cfg(feature = $feature)]
        pub mod $module {
            use crate::curve::$curve;

            /// A public key on the curve.
            pub type VerifyingKey = crate::keys::VerifyingKey<$curve>;
            /// A public key on the curve with a table of its multiples.
            pub type PreparedKey = crate::keys::PreparedKey<$curve>;
            /// A private key on the curve, for signing.
            #[cfg(feature = "signing")]
            pub type SigningKey = crate::keys::SigningKey<$curve>;
            /// A secret integer from 1 to n - 1.
            #[cfg(feature = "signing")]
            pub type SecretScalar = crate::keys::SecretScalar<$curve>;
            /// A secret for one key agreement on the curve.
            #[cfg(feature = "agreement")]
            pub type EphemeralSecret = crate::agreement::EphemeralSecret<$curve>;
            /// A signature on the curve.
            pub type Signature = crate::ecdsa::Signature<$curve>;
        }
    )*};
}

curve_list! { [types_on] () }
