//! The nonces of deterministic signatures (RFC 6979 §3.2; FIPS 186-5 A.3.3).

use alloc::vec::Vec;

use hmac::digest::Output;
use hmac::{EagerHash, Hmac, KeyInit, Mac};
use zeroize::{Zeroize, Zeroizing};

use super::secret_scalar::octets;
use super::{HashName, SecretScalar};
use crate::curve::Curve;
use crate::field::PrimeField as _;

/// Calls `accept` with one nonce after the other until it gives a result.
///
/// The nonces come from HMAC under `hash`, keyed with the private key x, the integer e that the
/// digest of the message stands for, and `entropy`, which may be empty (RFC 6979 §3.6). What they
/// take depends on the lengths of these alone, and on how many nonces are out of range, which says
/// nothing of the others.
pub(super) fn try_nonces<C: Curve, T>(
    curve: C,
    hash: HashName,
    x: &C::ScalarElement,
    e: &C::ScalarElement,
    entropy: &[u8],
    accept: impl FnMut(SecretScalar<C>) -> Option<T>,
) -> T {
    fn try_with<D: EagerHash, C: Curve, T>(
        curve: C,
        x: &C::ScalarElement,
        e: &C::ScalarElement,
        entropy: &[u8],
        accept: impl FnMut(SecretScalar<C>) -> Option<T>,
    ) -> T {
        let mut nonces = Nonces::<C, D>::new(curve);
        nonces.generate(x, e, entropy, accept)
    }
    match hash {
        HashName::Sha256 => try_with::<sha2::Sha256, C, T>(curve, x, e, entropy, accept),
        HashName::Sha384 => try_with::<sha2::Sha384, C, T>(curve, x, e, entropy, accept),
        HashName::Sha512 => try_with::<sha2::Sha512, C, T>(curve, x, e, entropy, accept),
    }
}

/// The first nonce for each private key x and integer e, as [`try_nonces`] has them.
pub(super) fn first_nonces<'a, C: Curve>(
    curve: C,
    hash: HashName,
    rows: impl Iterator<Item = (&'a C::ScalarElement, &'a C::ScalarElement)>,
) -> Vec<SecretScalar<C>> {
    fn first<'a, D: EagerHash, C: Curve>(
        curve: C,
        rows: impl Iterator<Item = (&'a C::ScalarElement, &'a C::ScalarElement)>,
    ) -> Vec<SecretScalar<C>> {
        let mut nonces = Nonces::<C, D>::new(curve);
        rows.map(|(x, e)| nonces.generate(x, e, &[], Some))
            .collect()
    }
    match hash {
        HashName::Sha256 => first::<sha2::Sha256, C>(curve, rows),
        HashName::Sha384 => first::<sha2::Sha384, C>(curve, rows),
        HashName::Sha512 => first::<sha2::Sha512, C>(curve, rows),
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

    /// HMAC_K as far as V || `separator`.
    fn begin(&self, separator: u8) -> Hmac<D> {
        let begun = self.keyed.clone().chain_update(&self.v);
        begun.chain_update([separator])
    }

    /// K = HMAC of what it was begun with and `seed`, V = HMAC_K(V).
    fn rekey(&mut self, mut begun: Hmac<D>, seed: &[&[u8]]) {
        seed.iter().for_each(|part| begun.update(part));
        let mut key = begun.finalize().into_bytes();
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

/// What many nonces have in common.
struct Nonces<'a, C: Curve, D: EagerHash> {
    curve: C,
    /// Steps b and c of RFC 6979 §3.2: V = 01 01 .. 01, K = 00 00 .. 00.
    initial: Generator<D>,
    /// The private key that was the last.
    last: Option<Begun<'a, C, D>>,
}

/// What all nonces of a private key x begin with.
struct Begun<'a, C: Curve, D: EagerHash> {
    x: &'a C::ScalarElement,
    /// int2octets(x).
    octets: Zeroizing<Vec<u8>>,
    /// HMAC_K as far as V || 00 || int2octets(x).
    mac: Hmac<D>,
}

impl<'a, C: Curve, D: EagerHash> Nonces<'a, C, D> {
    fn new(curve: C) -> Self {
        let mut v = Output::<Hmac<D>>::default();
        let keyed = Generator::<D>::keyed(&v);
        v.fill(1);
        Self {
            curve,
            initial: Generator { keyed, v },
            last: None,
        }
    }

    /// The steps of RFC 6979 §3.2 from d on.
    fn generate<T>(
        &mut self,
        x: &'a C::ScalarElement,
        e: &C::ScalarElement,
        entropy: &[u8],
        mut accept: impl FnMut(SecretScalar<C>) -> Option<T>,
    ) -> T {
        let last = self.last.take_if(|last| core::ptr::eq(last.x, x));
        let last = last.unwrap_or_else(|| {
            let octets = octets(self.curve, x);
            let mac = self.initial.begin(0).chain_update(&*octets);
            Begun { x, octets, mac }
        });
        let Begun { octets, mac, .. } = self.last.insert(last);
        // bits2octets(h1), §2.3.4.
        let order = self.curve.scalar_field();
        let mut h1 = [0; 72];
        let h1 = &mut h1[..order.bytes()];
        order.write_be_bytes(e, h1);

        // Steps d and e: K = HMAC_K(V || 00 || int2octets(x) || bits2octets(h1)), V = HMAC_K(V).
        let mut generator = Generator::<D> {
            keyed: self.initial.keyed.clone(),
            v: self.initial.v.clone(),
        };
        generator.rekey(mac.clone(), &[h1, entropy]);
        // Steps f and g: the same with 01.
        generator.rekey(generator.begin(1), &[octets, h1, entropy]);
        // Step h.
        let mut t = Zeroizing::new([0; 3 * 64]);
        loop {
            // Steps h.1 and h.2: T of at least as many bits as n has.
            let mut length = 0;
            while length < order.bytes() {
                generator.step();
                t[length..length + generator.v.len()].copy_from_slice(&generator.v);
                length += generator.v.len();
            }
            // Step h.3: k = bits2int(T), if it is in 1 .. n - 1.
            let k = SecretScalar::from_leftmost_bits(self.curve, &t[..length]);
            if let Some(result) = k.and_then(&mut accept) {
                return result;
            }
            // Else K = HMAC_K(V || 00), V = HMAC_K(V).
            generator.rekey(generator.begin(0), &[]);
        }
    }
}
