//! Sums of multiples by secrets of points that anyone may have chosen.

use alloc::vec;
use alloc::vec::Vec;

use zeroize::Zeroizing;

use crate::ct::{Secrets, secrets};
use crate::curve::{AffinePoint, BaseField, Curve, Group, JacobianPoint, ScalarField};
use crate::field::PrimeField;
use crate::recode::{make_odd, odd_digit, odd_digits};
use crate::table::{masked_odd_multiple, odd_multiples_of_some_vartime};

/// k P in a sum.
#[derive(Clone, Copy, Debug)]
pub struct SecretTerm<'a, C: Curve> {
    /// k, little-endian in limbs, below n: secret.
    pub k: &'a C::Integer,
    /// A number of bits that k has at most. If it is below that of n, k is odd.
    pub bits: u32,
    /// P, of order n: public.
    pub point: AffinePoint<C::BaseElement>,
}

/// The sum of all k P, infinity too. Constant time in every k; the time may depend on the points
/// and the numbers of bits. Wiped when it is dropped.
///
/// The terms share as many doublings as the longest k has bits. Each k, or n - k where an even one
/// is as long as n, has odd digits of 5 bits, as in
/// [`variable_base_mul`](super::variable_base_mul), and each digit takes one addition. For 256 bits
/// that is 255 doublings, and for each term of that length 52 additions and 16 points of a table.
///
/// There is no argument here that no addition meets an exceptional case: of two points one may be
/// a multiple of the other that an attacker chose for it. So every addition is the one that is
/// right for all points (docs/constant-time.md, "Sums"), and k may be 0.
#[inline(never)]
pub fn secret_sum<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
    group: &Group<C, F>,
    order: S,
    terms: &[SecretTerm<'_, C>],
) -> Zeroizing<JacobianPoint<C::BaseElement>> {
    let start = &group.infinity();
    if window(order) == 2 {
        add_up::<C, F, S, 2, 2>(group, order, start, terms, |p, q| group.add_mixed(p, q))
    } else {
        add_up::<C, F, S, 5, 16>(group, order, start, terms, |p, q| group.add_mixed(p, q))
    }
}

/// The sum of all k P and 2^m times a random `start` that nobody knows, for the m that
/// [`start_doublings`] says; or infinity, and then perhaps wrongly. As [`secret_sum`], and faster.
///
/// Additions are incomplete, and what is exceptional makes all further sums infinity (Z = 0). Who
/// does not know `start` cannot bring that about: with b random bits in it, all of a sum's
/// additions together meet an exceptional case with probability below 2^(10 - b), whatever the
/// points and the integers are. So that this has happened may be told.
#[inline(never)]
pub fn blinded_secret_sum<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
    group: &Group<C, F>,
    order: S,
    start: &JacobianPoint<C::BaseElement>,
    terms: &[SecretTerm<'_, C>],
) -> Zeroizing<JacobianPoint<C::BaseElement>> {
    if window(order) == 2 {
        add_up::<C, F, S, 2, 2>(group, order, start, terms, |p, q| {
            group.add_mixed_incomplete(p, q).0
        })
    } else {
        add_up::<C, F, S, 5, 16>(group, order, start, terms, |p, q| {
            group.add_mixed_incomplete(p, q).0
        })
    }
}

/// How often a start is doubled beside a term of full length.
pub fn start_doublings<S: PrimeField>(order: S) -> u32 {
    window(order) * (odd_digits(order.bits(), window(order)) - 1)
}

/// The window of the digits, in bits: 2 for orders that are too small for the multiples of window
/// 5, in tests, which have one limb.
#[inline(always)]
fn window<S: PrimeField>(order: S) -> u32 {
    if size_of::<S::Integer>() == 8 && order.bits() < 16 {
        2
    } else {
        5
    }
}

/// The same with a window of `WINDOW` bits and `COUNT` = 2^(WINDOW - 1) points a term.
#[inline(always)]
fn add_up<C: Curve, F: BaseField<C>, S: ScalarField<C>, const WINDOW: u32, const COUNT: usize>(
    group: &Group<C, F>,
    order: S,
    start: &JacobianPoint<C::BaseElement>,
    terms: &[SecretTerm<'_, C>],
    add: impl Fn(
        &JacobianPoint<C::BaseElement>,
        &AffinePoint<C::BaseElement>,
    ) -> JacobianPoint<C::BaseElement>,
) -> Zeroizing<JacobianPoint<C::BaseElement>> {
    const { assert!(COUNT == 1 << (WINDOW - 1)) };
    let table = rows_vartime::<C, F, COUNT>(group, terms);
    let (odd, signs) = all_odd(order, terms);
    let digits = |bits: u32| odd_digits(bits, WINDOW);
    let most = terms
        .iter()
        .map(|term| digits(term.bits))
        .max()
        .unwrap_or(0);
    let mut sum = *start;
    for index in (0..most).rev() {
        if index + 1 < most {
            for _ in 0..WINDOW {
                sum = group.double(&sum);
            }
        }
        for (i, term) in terms.iter().enumerate() {
            let count = digits(term.bits);
            if index < count {
                let digit = odd_digit(odd[i].as_ref(), WINDOW, index, count);
                // Minus the digit where n - k stands for k.
                let digit = (digit ^ signs[i]) - signs[i];
                let row = &table[COUNT * i..][..COUNT];
                let point = masked_odd_multiple(group.field(), row, digit);
                sum = add(&sum, &point);
            }
        }
    }
    Zeroizing::new(sum)
}

/// The odd multiples of the points, those of one after those of the other.
fn rows_vartime<C: Curve, F: BaseField<C>, const COUNT: usize>(
    group: &Group<C, F>,
    terms: &[SecretTerm<'_, C>],
) -> Vec<AffinePoint<C::BaseElement>> {
    let points: Vec<_> = terms.iter().map(|term| term.point).collect();
    let multiples = odd_multiples_of_some_vartime::<C, F, COUNT>(group, &points);
    let mut rows = Vec::with_capacity(multiples.len());
    for i in 0..points.len() {
        rows.extend(multiples[i..].iter().step_by(points.len()));
    }
    rows
}

/// Each k, or n - k, whichever is odd, and -1 where it is the latter.
#[allow(clippy::type_complexity, reason = "two columns")]
fn all_odd<C: Curve, S: ScalarField<C>>(
    order: S,
    terms: &[SecretTerm<'_, C>],
) -> (Secrets<C::Integer>, Zeroizing<Vec<i32>>) {
    let n = order.modulus();
    let mut odd = secrets(n, terms.len());
    let mut signs = Zeroizing::new(vec![0_i32; terms.len()]);
    for ((term, odd), sign) in terms.iter().zip(odd.iter_mut()).zip(signs.iter_mut()) {
        debug_assert!(term.bits <= order.bits());
        if term.bits < order.bits() {
            debug_assert!(term.k.as_ref()[0] & 1 == 1);
            *odd = *term.k;
        } else {
            let (value, even) = make_odd(term.k, &n);
            *odd = *value;
            *sign = even as i32;
        }
    }
    (odd, signs)
}
