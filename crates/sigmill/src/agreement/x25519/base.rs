//! Public keys: multiples of the base point from its table on edwards25519, not from a ladder.

use zeroize::Zeroizing;

use super::many::{BLOCK_ROWS, output_quotients};
use super::{StaticSecret, clamp, divide};
use crate::curve::Edwards25519;
use crate::field::Field as _;
use crate::field::c25519::{C25519Field, FieldElement, FoldKernel};
use crate::limbs;
use crate::multiply::edwards_base_mul;

/// The public key for a secret key. The caller must wipe the stack.
#[inline(never)]
pub(super) fn public_key(secret: &[u8; 32]) -> [u8; 32] {
    with_field!(field => divide(field, &multiply_base(field, secret)))
}

/// The base point times a clamped scalar 8 k, computed on edwards25519: u as a fraction.
///
/// 2^251 <= k < 2^252 < L, where L is prime, so 8 k is not a multiple of the order L. The product
/// is therefore not the neutral element, and the denominator of u is not zero.
fn multiply_base<K: FoldKernel>(
    field: C25519Field<K>,
    secret: &[u8; 32],
) -> Zeroizing<[FieldElement; 2]> {
    let group = Edwards25519::new(field);
    let k = Zeroizing::new(limbs::shift_right(&clamp(secret), 3));
    let point = edwards_base_mul(group, &k);
    let u = Zeroizing::new(group.montgomery_u(&point));
    debug_assert!(!field.is_zero(&u[1]));
    u
}

/// The public keys for many secret keys. The caller must wipe the stack. They are computed one by
/// one, except that a block shares an inversion.
pub(super) fn public_keys(secrets: &[StaticSecret], output: impl FnMut([u8; 32])) {
    with_field!(field => of_table(field, secrets, output))
}

/// [`public_keys`] with this field of single values.
fn of_table<K: FoldKernel>(
    field: C25519Field<K>,
    secrets: &[StaticSecret],
    mut output: impl FnMut([u8; 32]),
) {
    for secrets in secrets.chunks(BLOCK_ROWS) {
        let mut points = Zeroizing::new([[FieldElement::ZERO, FieldElement::ONE]; BLOCK_ROWS]);
        for (point, secret) in points.iter_mut().zip(secrets) {
            *point = *multiply_base(field, &secret.0);
        }
        output_quotients(&mut points[..secrets.len()], &mut output);
    }
}
