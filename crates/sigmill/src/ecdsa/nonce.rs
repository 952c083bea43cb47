//! The nonces of deterministic signatures (RFC 6979 §3.2; FIPS 186-5 A.3.3).

use alloc::vec::Vec;

use zeroize::Zeroizing;

use super::hmac_drbg::{AnyHmacDrbg, MOST};
use crate::curve::Curve;
use crate::field::PrimeField as _;
use crate::hash::HashName;
use crate::scalar;

/// Calls `accept` with successive nonces until it returns a result.
///
/// The nonces come from HMAC with `hash`, keyed with the private key x, the integer e that
/// represents the message digest, and `entropy`, which may be empty (RFC 6979 §3.6). The time
/// depends only on the lengths of these inputs and on the number of nonces that are out of range,
/// which reveals nothing about the others.
pub(crate) fn try_nonces<C: Curve, T>(
    curve: C,
    hash: HashName,
    x: &C::ScalarElement,
    e: &C::ScalarElement,
    entropy: &[u8],
    accept: impl FnMut(Zeroizing<C::ScalarElement>) -> Option<T>,
) -> T {
    Nonces::new(curve, hash).generate(x, e, entropy, accept)
}

/// Returns the first nonce of [`try_nonces`] for each private key x and integer e.
pub(crate) fn first_nonces<C: Curve>(
    curve: C,
    hash: HashName,
    rows: &[(&C::ScalarElement, C::ScalarElement)],
) -> Vec<Zeroizing<C::ScalarElement>> {
    let mut nonces = Nonces::new(curve, hash);
    let mut first = Vec::with_capacity(rows.len());
    for (x, e) in rows {
        first.push(nonces.generate(x, e, &[], Some));
    }
    first
}

/// The state that many nonces share.
struct Nonces<'a, C: Curve> {
    curve: C,
    strings: AnyHmacDrbg,
    /// The private key of the previous nonce.
    last: Option<&'a C::ScalarElement>,
}

impl<'a, C: Curve> Nonces<'a, C> {
    fn new(curve: C, hash: HashName) -> Self {
        Self {
            curve,
            strings: AnyHmacDrbg::new(hash),
            last: None,
        }
    }

    /// Runs the steps of RFC 6979 §3.2 from step d.
    fn generate<T>(
        &mut self,
        x: &'a C::ScalarElement,
        e: &C::ScalarElement,
        entropy: &[u8],
        mut accept: impl FnMut(Zeroizing<C::ScalarElement>) -> Option<T>,
    ) -> T {
        let strings = self.strings.generator();
        if !self.last.is_some_and(|last| core::ptr::eq(last, x)) {
            strings.set_key(scalar::octets(self.curve.scalar_field(), x));
            self.last = Some(x);
        }
        // bits2octets(h1), §2.3.4.
        let order = self.curve.scalar_field();
        let mut h1 = [0; 72];
        let h1 = &mut h1[..order.bytes()];
        order.write_be_bytes(e, h1);
        strings.begin(h1, entropy);
        // Step h.
        let mut t = Zeroizing::new([0; MOST]);
        loop {
            // Steps h.1 and h.2: T has at least as many bits as n.
            let length = strings.fill(&mut t, order.bytes());
            // Step h.3: k = bits2int(T), if it is in 1 .. n - 1.
            let k = scalar::nonzero_from_leftmost_bits(order, &t[..length]);
            if let Some(result) = k.and_then(&mut accept) {
                return result;
            }
            strings.reject();
        }
    }
}
