//! Secret inputs, and checks of results.

use std::convert::Infallible;
use std::hint::black_box;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng, TryCryptoRng, TryRng};
use sigmill::hazmat::ct;
use sigmill::hazmat::field::PrimeField;

/// Bytes that are the same in every run, and different for each `seed`.
pub(crate) fn bytes<const N: usize>(seed: u64) -> [u8; N] {
    let mut bytes = [0; N];
    ChaCha20Rng::seed_from_u64(seed).fill_bytes(&mut bytes);
    bytes
}

/// [`bytes`], secret.
pub(crate) fn secret_bytes<const N: usize>(seed: u64) -> [u8; N] {
    ct::classify(&bytes(seed))
}

/// A generator of secrets.
pub(crate) struct SecretRng {
    rng: ChaCha20Rng,
    ones_first: bool,
}

impl SecretRng {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            rng: ChaCha20Rng::seed_from_u64(seed),
            ones_first: false,
        }
    }

    /// A generator whose first string is all ones: above every order.
    pub(crate) fn ones_first(seed: u64) -> Self {
        Self {
            ones_first: true,
            ..Self::new(seed)
        }
    }
}

impl TryRng for SecretRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(ct::classify(&self.rng.next_u32()))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(ct::classify(&self.rng.next_u64()))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        if std::mem::take(&mut self.ones_first) {
            bytes.fill(0xff);
        } else {
            self.rng.fill_bytes(bytes);
        }
        bytes.iter_mut().for_each(|byte| *byte = ct::classify(byte));
        Ok(())
    }
}

impl TryCryptoRng for SecretRng {}

/// An element that depends on `seed`, public.
pub(crate) fn element<F: PrimeField>(field: F, seed: u64) -> F::Element {
    // One byte shorter than the modulus.
    let bytes: [u8; 128] = bytes(seed);
    field
        .from_be_bytes(&bytes[..field.bytes() - 1])
        .expect("a shorter integer is below the modulus")
}

/// A secret element.
pub(crate) fn secret_element<F: PrimeField>(field: F, seed: u64) -> F::Element {
    ct::classify(&element(field, seed))
}

/// Consumes a result that must be secret: the marks have propagated through the whole operation.
///
/// # Panics
/// If the checker considers it public.
#[inline(always)]
pub(crate) fn stays_secret<T: Copy>(value: T) {
    let value = black_box(value);
    assert_eq!(ct::is_secret(&value), Some(true), "the mark is lost");
}

/// Consumes a result that the operation has declared public.
///
/// # Panics
/// If the checker considers any bit of it secret.
#[inline(always)]
pub(crate) fn is_public<T: Copy>(value: T) {
    let value = black_box(value);
    assert_eq!(ct::is_secret(&value), Some(false), "not declared public");
}
