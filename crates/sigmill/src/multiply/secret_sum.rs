//! Sums of secret multiples of points that anyone may have chosen.

use alloc::vec;
use alloc::vec::Vec;

use zeroize::Zeroizing;

use super::base_spread::base_mul_spread;
use super::digit_sums::digit_sums;
use super::odd_multiples_lanes_vartime::{self, odd_multiples_lanes_vartime};
use super::variable_base::{add_incomplete, double_often};
use crate::ct::{self, Secrets, secrets};
use crate::curve::{
    AffinePoint, BaseField, Curve, Group, JacobianPoint, LanesOf, PointForm, ScalarField,
    SecretLanesOf,
};
use crate::field::{MOST_LANES, PrimeField};
use crate::limbs;
use crate::recode::{make_odd, odd_digit, odd_digits};
use crate::table::{base_table, fill_odd_multiples_vartime, masked_odd_multiple};

/// A term k P of a sum.
#[derive(Clone, Copy, Debug)]
pub struct SecretTerm<'a, C: Curve> {
    /// k, little-endian in limbs, below n: secret.
    pub k: &'a C::Integer,
    /// An upper bound on the bit length of k. If it is below the bit length of n, k is odd.
    pub bits: u32,
    /// The odd multiples of P, a row of [`OddMultipleRows`] or the [`generator_row`]: public. P has
    /// order n.
    pub multiples: &'a [AffinePoint<C::BaseElement>],
}

/// The odd multiples of the points of a sum.
#[derive(Clone, Debug)]
pub struct OddMultipleRows<E> {
    multiples: Vec<AffinePoint<E>>,
    length: usize,
}

impl<E: Copy> OddMultipleRows<E> {
    /// Computes the multiples of points of order n; `None` if a compressed one is not a point.
    ///
    /// Costs one doubling and 15 additions for each point, and one inversion for all. If the last
    /// point is compressed, one root replaces the inversion; each other compressed point costs
    /// another root. In eight lanes, four points cost 134 products and squares in lanes and one
    /// inversion, and each compressed point another root. Variable time: for public points only.
    pub fn new_vartime<C, L, S>(
        wide: &Group<C, L>,
        order: S,
        points: &[PointForm<E>],
    ) -> Option<Self>
    where
        C: Curve<BaseElement = E>,
        L: LanesOf<C>,
        S: ScalarField<C>,
    {
        let group = &wide.single();
        let length = row_length(window(order));
        if const { L::WIDTH == MOST_LANES } && length == odd_multiples_lanes_vartime::COUNT {
            let points = points.iter().map(|form| group.decompressed_vartime(form));
            let points: Option<Vec<_>> = points.collect();
            let multiples = odd_multiples_lanes_vartime(wide, &points?);
            return Some(Self { multiples, length });
        }
        let mut multiples = Vec::with_capacity(points.len() * length);
        let Some((last, others)) = points.split_last() else {
            return Some(Self { multiples, length });
        };
        for form in others {
            let point = group.decompressed_vartime(form)?;
            multiples.resize(multiples.len() + length, point);
        }
        let (last, y_is_odd) = last.with_parity();
        multiples.resize(multiples.len() + length, last);
        let mut scratch = vec![last.x; multiples.len()];
        fill_odd_multiples_vartime(group, &mut multiples, length, y_is_odd, &mut scratch)
            .then_some(Self { multiples, length })
    }

    /// Returns the row of each point: P, 3P, 5P and so on.
    pub fn iter(&self) -> impl Iterator<Item = &[AffinePoint<E>]> {
        self.multiples.chunks_exact(self.length)
    }
}

/// The row of the generator, which is part of a [table](base_table).
pub fn generator_row<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
    group: &Group<C, F>,
    order: S,
) -> &'static [AffinePoint<C::BaseElement>] {
    let length = row_length(window(order));
    assert!(group.curve().base_window() >= window(order), "in row 0");
    &base_table(group)[..length]
}

/// The sum of all k P, which may be infinity. Constant time in every k; the time may depend on the
/// points and the numbers of bits. Wiped when dropped.
///
/// The terms share one doubling for each bit of the longest k. Each k, or n - k if k is even and as
/// long as n, has odd digits of 5 bits, as in [`variable_base_mul`](super::variable_base_mul), and
/// each digit costs one addition. For 256 bits that is 255 doublings, and 52 additions for each
/// term of that length.
///
/// Exceptional cases cannot be excluded here, because of two points one may be a multiple of the
/// other that an attacker chose for it. So every addition is correct for all points
/// (docs/constant-time.md, "Sums"), and k may be 0.
#[inline(never)]
pub fn secret_sum<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
    group: &Group<C, F>,
    order: S,
    terms: &[SecretTerm<'_, C>],
) -> Zeroizing<JacobianPoint<C::BaseElement>> {
    let mut sum = Zeroizing::new(group.infinity());
    add_up(group, order, &mut sum, terms, |sum, point| {
        *sum = group.add_mixed(sum, point);
    });
    sum
}

/// The sum of all k P, of k G for `of_generator`, and of 2^m times a random `start` that nobody
/// knows in advance, where m is [`start_doublings`]; `None` if an addition may have been
/// exceptional, or if the sum is infinity. Like [`secret_sum`], but faster. `of_generator` is below
/// n. The longest terms come first.
///
/// Additions are incomplete, and an exceptional one makes all further sums infinity (Z = 0).
/// Someone who knows neither the longest integers nor `start`, which has 128 random bits and which
/// `of_generator` cancels, cannot cause that: all additions of a sum together meet an exceptional
/// case with probability below 2^-114, whatever the points are (docs/constant-time.md, "Sums"). So
/// the fact that it happened may be revealed.
///
/// In eight lanes, the points of all integers for one digit, including those of k G, are first
/// added in affine coordinates (`digit_sums`), so the doubled sum needs one addition for each
/// digit. In fewer lanes that is not faster, even if inversions are shared. There each point is
/// added by itself, and k G at the end.
#[inline(never)]
pub fn blinded_secret_sum<C: Curve, L: SecretLanesOf<C>, S: ScalarField<C>>(
    wide: &Group<C, L>,
    single: &Group<C, L::Single>,
    order: S,
    start: &JacobianPoint<C::BaseElement>,
    terms: &[SecretTerm<'_, C>],
    of_generator: &C::Integer,
) -> Option<Zeroizing<JacobianPoint<C::BaseElement>>> {
    let mut sum = Zeroizing::new(*start);
    if const { L::WIDTH < MOST_LANES } {
        add_up(single, order, &mut sum, terms, |sum, point| {
            add_incomplete(single, sum, point);
        });
        // Neither reveals anything about the secrets, because the start is random and used once.
        // `base_mul_spread` does not accept zero.
        let is_zero = limbs::are_zero(of_generator.as_ref());
        if ct::declassify(&single.is_infinity(&sum)) | ct::declassify(&is_zero) {
            return None;
        }
        let product = base_mul_spread(wide, single, order, of_generator);
        let product = Zeroizing::new(single.jacobian_from_extended(&product));
        *sum = single.add(&sum, &product);
        return Some(sum);
    }
    let window = window(order);
    let mut all = Vec::with_capacity(terms.len() + 1);
    all.push(SecretTerm {
        k: of_generator,
        bits: order.bits(),
        multiples: generator_row(single, order),
    });
    all.extend_from_slice(terms);
    let odd = OddIntegers::new(order, &all);
    let sums = digit_sums(wide, single, &odd.digits(window, &all));
    for index in (0..sums.count()).rev() {
        if index + 1 < sums.count() {
            double_often(single, window, &mut sum);
        }
        let (point, is_infinity) = sums.get(index);
        let before = Zeroizing::new(*sum);
        add_incomplete(single, &mut sum, point);
        *sum = single.select(ct::mask(is_infinity) & 1 == 1, &before, &sum);
    }
    (!ct::declassify(&single.is_infinity(&sum))).then_some(sum)
}

/// The number of times that a start is doubled in a sum with a term of full length.
pub fn start_doublings<S: PrimeField>(order: S) -> u32 {
    window(order) * (odd_digits(order.bits(), window(order)) - 1)
}

/// The window of the digits, in bits. It is 2 for orders that are too small for the multiples of
/// window 5; only tests have such orders, of one limb.
#[inline(always)]
fn window<S: PrimeField>(order: S) -> u32 {
    if size_of::<S::Integer>() == 8 && order.bits() < 16 {
        2
    } else {
        5
    }
}

/// The number of odd multiples for a window.
#[inline(always)]
fn row_length(window: u32) -> usize {
    1 << (window - 1)
}

/// The digits of an odd integer, from the lowest, and the points that they select.
pub(super) struct Digits<'a, C: Curve> {
    odd: &'a C::Integer,
    /// -1 if n - k replaces k, otherwise 0.
    sign: i32,
    window: u32,
    /// The number of digits.
    pub(super) count: u32,
    /// The odd multiples of the point.
    pub(super) row: &'a [AffinePoint<C::BaseElement>],
}

impl<C: Curve> Digits<'_, C> {
    /// Digit `index`, negated if n - k replaces k. Constant time.
    #[inline(always)]
    pub(super) fn get(&self, index: u32) -> i32 {
        let digit = odd_digit(self.odd.as_ref(), self.window, index, self.count);
        (digit ^ self.sign) - self.sign
    }
}

/// Doubles the sum, and adds the points of all digits to it.
#[inline(always)]
fn add_up<C: Curve, F: BaseField<C>, S: ScalarField<C>>(
    group: &Group<C, F>,
    order: S,
    sum: &mut JacobianPoint<C::BaseElement>,
    terms: &[SecretTerm<'_, C>],
    add: impl Fn(&mut JacobianPoint<C::BaseElement>, &AffinePoint<C::BaseElement>),
) {
    let window = window(order);
    let odd = OddIntegers::new(order, terms);
    let digits = odd.digits(window, terms);
    let most = digits.iter().map(|digits| digits.count).max().unwrap_or(0);
    for index in (0..most).rev() {
        if index + 1 < most {
            double_often(group, window, sum);
        }
        for digits in digits.iter().filter(|digits| index < digits.count) {
            let point = masked_odd_multiple(group.field(), digits.row, digits.get(index));
            add(sum, &point);
        }
    }
}

/// k or n - k of each term, whichever is odd, and -1 if it is the latter.
struct OddIntegers<C: Curve> {
    odd: Secrets<C::Integer>,
    signs: Secrets<i32>,
}

impl<C: Curve> OddIntegers<C> {
    fn new<S: ScalarField<C>>(order: S, terms: &[SecretTerm<'_, C>]) -> Self {
        let n = order.modulus();
        let mut odd = secrets(n, terms.len());
        let mut signs = secrets(0, terms.len());
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
        Self { odd, signs }
    }

    /// The digits of the integers of these terms.
    fn digits<'a>(&'a self, window: u32, terms: &[SecretTerm<'a, C>]) -> Vec<Digits<'a, C>> {
        let mut digits = Vec::with_capacity(terms.len());
        for (i, term) in terms.iter().enumerate() {
            assert_eq!(term.multiples.len(), row_length(window), "a row");
            digits.push(Digits {
                odd: &self.odd[i],
                sign: self.signs[i],
                window,
                count: odd_digits(term.bits, window),
                row: term.multiples,
            });
        }
        digits
    }
}
