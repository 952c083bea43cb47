//! Conversion of a digest to the integer e.

#[cfg(feature = "signing")]
use alloc::{vec, vec::Vec};

#[cfg(feature = "signing")]
use zeroize::{Zeroize, Zeroizing};

use crate::field::{Limbs, PrimeField};
use crate::{ct, limbs};

/// The leftmost bits of a string, the same number as n has, as an integer (bits2int of RFC 6979
/// §2.3.2). A shorter string is read whole.
///
/// The time depends only on the length of the string.
pub fn from_leftmost_bits<S: PrimeField>(order: S, bytes: &[u8]) -> S::Integer {
    let used = &bytes[..bytes.len().min(order.bytes())];
    let mut integer = S::Integer::ZERO;
    let fits = limbs::read_be_bytes(used, integer.as_mut());
    debug_assert!(fits, "no more bytes than the order has");
    let excess = (8 * used.len() as u32).saturating_sub(order.bits());
    if excess > 0 {
        // Fewer than eight bits, because the string is truncated to the bytes of n.
        let mut above = 0;
        for limb in integer.as_mut().iter_mut().rev() {
            let shifted = *limb >> excess | above;
            above = *limb << (64 - excess);
            *limb = shifted;
        }
    }
    integer
}

/// Creates a secret scalar from the leftmost bits of a string, up to the bit length of n. Returns
/// `None` if the value is not in 1 .. n - 1.
///
/// The range check may leak its result: a value out of range is discarded, and reveals nothing
/// about the next one.
#[cfg(feature = "signing")]
pub fn nonzero_from_leftmost_bits<S: PrimeField>(
    order: S,
    bytes: &[u8],
) -> Option<Zeroizing<S::Element>>
where
    S::Element: Zeroize,
{
    let integer = Zeroizing::new(from_leftmost_bits(order, bytes));
    let scalar = Zeroizing::new(order.from_integer(&integer)?);
    (!ct::declassify(&order.is_zero(&scalar))).then_some(scalar)
}

/// Writes a secret scalar, big-endian in the full length of the order.
#[cfg(feature = "signing")]
pub fn octets<S: PrimeField>(order: S, scalar: &S::Element) -> Zeroizing<Vec<u8>> {
    let mut bytes = Zeroizing::new(vec![0; order.bytes()]);
    order.write_be_bytes(scalar, &mut bytes);
    bytes
}

/// The integer e of a digest of any length, modulo n, as an element: see [`integer_from_digest`].
pub fn from_digest<S: PrimeField>(order: S, digest: &[u8]) -> S::Element {
    element(order, &integer_from_digest(order, digest))
}

/// The element for an integer below n.
pub fn element<S: PrimeField>(order: S, integer: &S::Integer) -> S::Element {
    match order.from_integer(integer) {
        Some(element) => element,
        None => unreachable!("the integer is below n"),
    }
}

/// The integer e of a digest of any length, modulo n.
///
/// The leftmost bits of the digest, the same number as n has, are read as a big-endian integer (SEC
/// 1 §4.1.4 step 3, FIPS 186-5 §6.4.2 step 2). A shorter digest is read whole. The integer is
/// below 2^BITS < 2n, so one subtraction reduces it. A digest that is 0 or a multiple of n yields
/// zero. The time depends on the length of the digest, and on whether the integer is below n.
pub fn integer_from_digest<S: PrimeField>(order: S, digest: &[u8]) -> S::Integer {
    reduce(order, from_leftmost_bits(order, digest))
}

/// Reduces an integer below 2n modulo n. The time depends on whether it is below n.
pub fn reduce<S: PrimeField>(order: S, mut integer: S::Integer) -> S::Integer {
    let n = order.modulus();
    // The documentation states this dependence on the value, so the checker need not report it.
    if !ct::declassify(&limbs::is_below(integer.as_ref(), n.as_ref())) {
        limbs::subtract_assign(integer.as_mut(), n.as_ref());
        debug_assert!(limbs::is_below(integer.as_ref(), n.as_ref()));
    }
    integer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{AnyKernel, Field, Modulus, MontgomeryField};
    use crate::limbs::from_hex;
    use crate::scalar::AnyScalarField;

    static THIRTEEN: Modulus<1> = Modulus::new([13]);
    /// The orders of P-256 and P-384.
    static P256: Modulus<4> = Modulus::new(from_hex(
        "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
    ));
    static P384: Modulus<6> = Modulus::new(from_hex(
        "ffffffffffffffffffffffffffffffffffffffffffffffff\
         c7634d81f4372ddf581a0db248b0a77aecec196accc52973",
    ));

    fn integers_modulo<const N: usize>(n: &'static Modulus<N>) -> AnyScalarField<N>
    where
        [u64; N]: crate::field::LimbCount,
    {
        MontgomeryField::new(AnyKernel::portable(n))
    }

    #[test]
    fn digests_shorter_longer_zero_and_above_the_order() {
        let order = integers_modulo(&P256);
        let integer = |digest: &[u8]| order.to_integer(&from_digest(order, digest));
        assert_eq!(integer(&[0; 32]), [0; 4]);
        assert_eq!(integer(&[1]), [1, 0, 0, 0]);
        let mut n = [0; 32];
        crate::limbs::write_be_bytes(P256.prime(), &mut n);
        assert_eq!(integer(&n), [0; 4]);
        n[31] += 1;
        assert_eq!(integer(&n), [1, 0, 0, 0]);
        // 2^256 - 1 - n
        assert_eq!(
            integer(&[0xff; 32]),
            crate::limbs::subtract(&[u64::MAX; 4], P256.prime()).0
        );
        // Only the leftmost 32 bytes of a longer digest count.
        let mut long = [0xaa; 64];
        long[31] = 7;
        assert_eq!(integer(&long), integer(&long[..32]));
        // A shorter digest is read whole: SHA-256 with P-384.
        let p384 = integers_modulo(&P384);
        assert_eq!(
            p384.to_integer(&from_digest(p384, &[0x11; 32]))[..4],
            [0x1111_1111_1111_1111; 4]
        );
    }

    #[test]
    fn an_order_of_four_bits_takes_the_leftmost_four_bits() {
        let order = integers_modulo(&THIRTEEN);
        for byte in 0..=255u8 {
            let e = from_digest(order, &[byte, 0xff]);
            assert_eq!(order.to_integer(&e), [u64::from(byte >> 4) % 13]);
        }
        assert!(order.is_zero(&from_digest(order, &[])));
    }
}
