//! X25519: Diffie-Hellman on Curve25519 (RFC 7748).
//!
//! ```
//! use sigmill::agreement::x25519::{PublicKey, StaticSecret};
//!
//! # fn main() -> Result<(), sigmill::Error> {
//! # #[cfg(feature = "std")] {
//! let (alice, bob) = (StaticSecret::generate()?, StaticSecret::generate()?);
//! let (to_bob, to_alice) = (PublicKey::from(&alice), PublicKey::from(&bob));
//! let shared = alice.diffie_hellman(&to_alice)?;
//! assert_eq!(shared.as_bytes(), bob.diffie_hellman(&to_bob)?.as_bytes());
//! # }
//! # Ok(())
//! # }
//! ```
//!
//! All operations run in constant time for all secrets. Secrets are wiped when dropped, compared in
//! constant time, and never printed. Hash a shared secret, with both public keys, before using it
//! as a key (RFC 7748 §7).

use core::fmt;

/// Evaluates an expression with the fastest field of single values.
macro_rules! with_field {
    ($field:ident => $result:expr) => {{
        use $crate::field::c25519::{C25519Field, C25519Portable};
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = $crate::cpu::Adx::detect() {
            let $field = C25519Field::new($crate::field::c25519::C25519Adx::new(proof));
            return $result;
        }
        let $field = C25519Field::new(C25519Portable);
        $result
    }};
}

mod base;
mod many;

pub use many::{diffie_hellman_many, public_keys};
use rand_core::CryptoRng;
use subtle::{Choice, ConstantTimeEq};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::ladder;
use super::ladder_x4::LadderX4;
#[cfg(target_arch = "x86_64")]
use crate::cpu::Ifma;
use crate::ct;
use crate::error::Error;
use crate::field::c25519::{C25519Field, FieldElement, FoldKernel};
use crate::field::{Field, PrimeField};
#[cfg(target_arch = "x86_64")]
use crate::limbs::IfmaQuads;
use crate::limbs::{self, Quads, array_from_fn};

/// The coordinate u = 9 of the base point, as bytes.
pub const X25519_BASEPOINT_BYTES: [u8; 32] = {
    let mut bytes = [0; 32];
    bytes[0] = 9;
    bytes
};

/// The function X25519 of RFC 7748 §5: the u-coordinate of the clamped scalar times the point with
/// coordinate u.
///
/// `scalar` is clamped here, so any 32 bytes are accepted. `u` is little-endian; its top bit is
/// ignored, and values from p on are reduced modulo p. The result is little-endian and below p. It
/// is zero if the point has small order, and *that is not an error here*: [`StaticSecret`] and
/// [`EphemeralSecret`] check for it. Constant time in both.
///
/// Costs 1263 products, 1012 squares, 255 products by a small number and one inversion.
#[must_use]
pub fn x25519(mut scalar: [u8; 32], u: [u8; 32]) -> [u8; 32] {
    ct::wiping_stack(ct::Depth::Deep, || {
        let result = multiply(&scalar, &u);
        scalar.zeroize();
        result
    })
}

/// [`x25519`] for callers that wipe the stack.
fn multiply(scalar: &[u8; 32], u: &[u8; 32]) -> [u8; 32] {
    let (scalar, u) = (Scalar::new(scalar), decode_u(u));
    with_field!(field => {
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = Ifma::detect() {
            return divide(field, &in_quads(IfmaQuads::new(proof), &scalar, &u));
        }
        #[cfg(feature = "portable-lanes")]
        if crate::cpu::wants_portable_lanes() {
            return divide(field, &in_quads(crate::limbs::PortableQuads, &scalar, &u));
        }
        single(field, &scalar, &u)
    })
}

/// One value, four products at a time.
fn in_quads<Q: Quads>(quads: Q, scalar: &Scalar, u: &[u64; 4]) -> Zeroizing<[FieldElement; 2]> {
    let point = quads.run(LadderX4 {
        u,
        bit_differs: |i| scalar.bit_differs(i),
    });
    Zeroizing::new(point.map(FieldElement::from_limbs))
}

/// One value, one product at a time.
fn single<K: FoldKernel>(field: C25519Field<K>, scalar: &Scalar, u: &[u64; 4]) -> [u8; 32] {
    let base = [*u, *FieldElement::ONE.limbs()];
    let point = ladder::multiply(field, &base, |i| scalar.bit_differs(i));
    divide(field, &Zeroizing::new(point.map(FieldElement::from_limbs)))
}

/// X / Z as bytes; zero if Z is zero.
fn divide<K: FoldKernel>(field: C25519Field<K>, [x, z]: &[FieldElement; 2]) -> [u8; 32] {
    let z_inverse = Zeroizing::new(field.invert(z));
    let quotient = Zeroizing::new(field.mul(x, &z_inverse));
    encode(&Zeroizing::new(field.to_integer(&quotient)))
}

/// RFC 7748 §5, decodeUCoordinate: 255 bits, little-endian; the top bit is masked.
fn decode_u(u: &[u8; 32]) -> [u64; 4] {
    let [l0, l1, l2, l3] = decode(u);
    [l0, l1, l2, l3 & u64::MAX >> 1]
}

/// Four limbs of a little-endian string.
fn decode(bytes: &[u8; 32]) -> [u64; 4] {
    let (words, _) = bytes.as_chunks::<8>();
    array_from_fn(|i| u64::from_le_bytes(words[i]))
}

/// The little-endian string of four limbs.
fn encode(limbs: &[u64; 4]) -> [u8; 32] {
    let mut bytes = [0; 32];
    let (words, _) = bytes.as_chunks_mut::<8>();
    for (word, limb) in words.iter_mut().zip(limbs) {
        *word = limb.to_le_bytes();
    }
    bytes
}

/// RFC 7748 §5, decodeScalar25519: bits 0, 1, 2 and 255 are cleared, bit 254 is set.
fn clamp(bytes: &[u8; 32]) -> Zeroizing<[u64; 4]> {
    let mut k = Zeroizing::new(decode(bytes));
    k[0] &= !7;
    k[3] = k[3] & u64::MAX >> 1 | 1 << 62;
    k
}

/// A clamped scalar k, as the bits of k XOR k / 2.
struct Scalar([u64; 4]);

impl Scalar {
    fn new(bytes: &[u8; 32]) -> Self {
        let k = clamp(bytes);
        let half = Zeroizing::new(limbs::shift_right_one(&k, 0));
        Self(array_from_fn(|i| k[i] ^ half[i]))
    }

    /// All ones if bit i of k differs from bit i + 1, otherwise 0.
    #[inline(always)]
    fn bit_differs(&self, i: u32) -> u64 {
        ct::barrier(self.0[i as usize / 64] >> (i % 64) & 1).wrapping_neg()
    }
}

impl Drop for Scalar {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// A public key: the u-coordinate of a point.
///
/// Any 32 bytes are a public key (RFC 7748 §5): the top bit is ignored, and values from p on are
/// reduced modulo p. Two keys are equal if their bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// Returns the 32 bytes, little-endian.
    #[must_use]
    pub const fn to_bytes(&self) -> [u8; 32] {
        self.0
    }

    /// Returns the 32 bytes, little-endian.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for PublicKey {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

/// Conversion of a slice.
///
/// # Errors
/// Returns [`Error::KeyLength`] unless the slice has 32 bytes.
impl TryFrom<&[u8]> for PublicKey {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        let wrong_length = Error::KeyLength {
            expected: 32,
            actual: bytes.len(),
        };
        bytes.try_into().map(Self).map_err(|_| wrong_length)
    }
}

/// The items that both kinds of secret keys share.
macro_rules! secret_key {
    ($name:ident) => {
        impl $name {
            /// Generates a secret key with a random number generator.
            pub fn generate_from_rng<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
                ct::wiping_stack(ct::Depth::Shallow, || {
                    let mut key = Self(Zeroizing::new([0; 32]));
                    rng.fill_bytes(&mut *key.0);
                    key
                })
            }

            /// Generates a secret key with the operating system's generator.
            ///
            /// # Errors
            /// Returns [`Error::RandomnessUnavailable`] if the system cannot supply random bytes.
            #[cfg(feature = "std")]
            pub fn generate() -> Result<Self, Error> {
                ct::wiping_stack(ct::Depth::Shallow, || {
                    let mut key = Self(Zeroizing::new([0; 32]));
                    getrandom::fill(&mut *key.0).map_err(|_| Error::RandomnessUnavailable)?;
                    Ok(key)
                })
            }
        }

        /// Computes the public key: the secret key times the point with u = 9.
        ///
        /// The first call of a process builds a table of multiples of that point, 40 KB. A call
        /// costs some 400 products and an inversion, about a third of an agreement.
        impl From<&$name> for PublicKey {
            fn from(secret: &$name) -> Self {
                // A public key is public, whatever it was computed from.
                ct::wiping_stack(ct::Depth::Deep, || {
                    Self(ct::declassify(&base::public_key(&secret.0)))
                })
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }

        impl ZeroizeOnDrop for $name {}
    };
}

macro_rules! equal_in_constant_time {
    ($name:ident) => {
        impl ConstantTimeEq for $name {
            fn ct_eq(&self, other: &Self) -> Choice {
                self.0.ct_eq(&*other.0)
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.ct_eq(other).into()
            }
        }

        impl Eq for $name {}
    };
}

/// A secret key that can be reused and stored.
///
/// Any 32 bytes are a secret key; they are clamped on use.
#[derive(Clone)]
pub struct StaticSecret(Zeroizing<[u8; 32]>);

secret_key!(StaticSecret);
equal_in_constant_time!(StaticSecret);

impl StaticSecret {
    /// Returns the secret that this key shares with the owner of `their_public`.
    ///
    /// # Errors
    /// Returns [`Error::SharedSecretZero`] if the result is zero. The public key is then a point of
    /// small order, and every secret key would yield the same result (RFC 7748 §6.1).
    pub fn diffie_hellman(&self, their_public: &PublicKey) -> Result<SharedSecret, Error> {
        SharedSecret::agree(&self.0, their_public)
    }

    /// Returns the 32 bytes, unchanged.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 32] {
        *self.0
    }

    /// Returns the 32 bytes, unchanged.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for StaticSecret {
    fn from(bytes: [u8; 32]) -> Self {
        Self(Zeroizing::new(bytes))
    }
}

/// A secret key for one agreement, which consumes it. It cannot be stored.
pub struct EphemeralSecret(Zeroizing<[u8; 32]>);

secret_key!(EphemeralSecret);

impl EphemeralSecret {
    /// Returns the secret that this key shares with the owner of `their_public`.
    ///
    /// # Errors
    /// Returns [`Error::SharedSecretZero`], as [`StaticSecret::diffie_hellman`] does.
    pub fn diffie_hellman(self, their_public: &PublicKey) -> Result<SharedSecret, Error> {
        SharedSecret::agree(&self.0, their_public)
    }
}

/// The secret that two parties share: 32 bytes, never all zero.
#[derive(Clone)]
pub struct SharedSecret(Zeroizing<[u8; 32]>);

impl ZeroizeOnDrop for SharedSecret {}
equal_in_constant_time!(SharedSecret);

impl SharedSecret {
    fn agree(secret: &[u8; 32], their_public: &PublicKey) -> Result<Self, Error> {
        ct::wiping_stack(ct::Depth::Deep, || {
            Self::new(multiply(secret, &their_public.0))
        })
    }

    /// Accepts the result of an agreement, unless it is zero.
    fn new(bytes: [u8; 32]) -> Result<Self, Error> {
        let shared = Self(Zeroizing::new(bytes));
        // The caller learns whether a secret exists. That depends only on the public key.
        let is_zero = ct::declassify(&shared.0.ct_eq(&[0; 32]).unwrap_u8());
        if is_zero == 1 {
            return Err(Error::SharedSecretZero);
        }
        Ok(shared)
    }

    /// Returns the 32 bytes, little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 32] {
        *self.0
    }

    /// Returns the 32 bytes, little-endian.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for SharedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedSecret(..)")
    }
}
