//! The nonces of deterministic signatures (RFC 6979 §3.2; FIPS 186-5 A.3.3).

use alloc::vec;

use hmac::digest::Output;
use hmac::{EagerHash, Hmac, KeyInit, Mac};
use zeroize::{Zeroize, Zeroizing};

use super::{HashName, SecretScalar};
use crate::curve::Curve;
use crate::field::PrimeField as _;
use crate::scalar;

/// Calls `accept` with one nonce after the other until it gives a result.
///
/// The nonces come from HMAC under `hash`, keyed with the private key x, the digest h1 of the
/// message, and `entropy`, which may be empty (RFC 6979 §3.6). What they take depends on the lengths
/// of these alone, and on how many nonces are out of range, which says nothing of the others.
pub(super) fn try_nonces<C: Curve, T>(
    hash: HashName,
    x: &SecretScalar<C>,
    h1: &[u8],
    entropy: &[u8],
    accept: impl FnMut(SecretScalar<C>) -> Option<T>,
) -> T {
    match hash {
        HashName::Sha256 => generate::<C, sha2::Sha256, T>(x, h1, entropy, accept),
        HashName::Sha384 => generate::<C, sha2::Sha384, T>(x, h1, entropy, accept),
        HashName::Sha512 => generate::<C, sha2::Sha512, T>(x, h1, entropy, accept),
    }
}

/// A key of HMAC with the value V that it is applied to.
///
/// The two blocks that HMAC begins with depend on the key alone: they are hashed once a key.
struct Generator<D: EagerHash> {
    keyed: Hmac<D>,
    v: Output<Hmac<D>>,
}

impl<D: EagerHash> Generator<D> {
    fn keyed(key: &[u8]) -> Hmac<D> {
        match Hmac::new_from_slice(key) {
            Ok(keyed) => keyed,
            Err(_) => unreachable!("HMAC takes keys of any length"),
        }
    }

    /// V = HMAC_K(V).
    fn step(&mut self) {
        self.v = self
            .keyed
            .clone()
            .chain_update(&self.v)
            .finalize()
            .into_bytes();
    }

    /// K = HMAC_K(V || `separator` || `seed`), V = HMAC_K(V).
    fn rekey(&mut self, separator: u8, seed: &[&[u8]]) {
        let mut mac = self.keyed.clone();
        mac.update(&self.v);
        mac.update(&[separator]);
        seed.iter().for_each(|part| mac.update(part));
        let mut key = mac.finalize().into_bytes();
        self.keyed = Self::keyed(&key);
        key.as_mut_slice().zeroize();
        self.step();
    }
}

impl<D: EagerHash> Drop for Generator<D> {
    fn drop(&mut self) {
        self.v.as_mut_slice().zeroize();
    }
}

/// The steps of RFC 6979 §3.2; a is h1 from the start.
fn generate<C: Curve, D: EagerHash, T>(
    x: &SecretScalar<C>,
    h1: &[u8],
    entropy: &[u8],
    mut accept: impl FnMut(SecretScalar<C>) -> Option<T>,
) -> T {
    let order = C::scalar_field();
    let x = x.to_be_bytes();
    // bits2octets(h1), §2.3.4.
    let mut h1_octets = vec![0; SecretScalar::<C>::BYTES];
    order.write_be_bytes(&scalar::from_digest(order, h1), &mut h1_octets);
    let seed: [&[u8]; 3] = [&x, &h1_octets, entropy];

    // Steps b and c: V = 01 01 .. 01, K = 00 00 .. 00.
    let mut v = Output::<Hmac<D>>::default();
    let zeros = v.clone();
    v.fill(1);
    let keyed = Generator::<D>::keyed(&zeros);
    let mut generator = Generator::<D> { keyed, v };
    // Steps d and e: K = HMAC_K(V || 00 || int2octets(x) || bits2octets(h1)), V = HMAC_K(V).
    generator.rekey(0, &seed);
    // Steps f and g: the same with 01.
    generator.rekey(1, &seed);
    // Step h.
    let mut t = Zeroizing::new([0; 3 * 64]);
    loop {
        // Steps h.1 and h.2: T of at least as many bits as n has.
        let mut length = 0;
        while length < SecretScalar::<C>::BYTES {
            generator.step();
            t[length..length + generator.v.len()].copy_from_slice(&generator.v);
            length += generator.v.len();
        }
        // Step h.3: k = bits2int(T), if it is in 1 .. n - 1.
        let k = SecretScalar::from_leftmost_bits(&t[..length]);
        if let Some(result) = k.and_then(&mut accept) {
            return result;
        }
        // Else K = HMAC_K(V || 00), V = HMAC_K(V).
        generator.rekey(0, &[]);
    }
}
