//! Sums of multiples by secrets of points that anyone may have chosen.

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

/// k P in a sum.
#[derive(Clone, Copy, Debug)]
pub struct SecretTerm<'a, C: Curve> {
    /// k, little-endian in limbs, below n: secret.
    pub k: &'a C::Integer,
    /// A number of bits that k has at most. If it is below that of n, k is odd.
    pub bits: u32,
    /// P, of order n, and its odd multiples, a row of [`OddMultipleRows`] or the [`generator_row`]:
    /// public.
    pub multiples: &'a [AffinePoint<C::BaseElement>],
}

/// The odd multiples of the points of a sum.
#[derive(Clone, Debug)]
pub struct OddMultipleRows<E> {
    multiples: Vec<AffinePoint<E>>,
    length: usize,
}

impl<E: Copy> OddMultipleRows<E> {
    /// The multiples of points of order n; `None` where one that is compressed is no point.
    ///
    /// One doubling and 15 additions a point, and one inversion for all, or, if the last point is
    /// compressed, one root in place of the inversion; another one that is compressed takes a root
    /// more. In eight lanes four points take 134 products and squares in lanes and one inversion,
    /// and every one that is compressed a root more. Variable time: for public points only.
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

    /// The row of each point: P, 3P, 5P and so on.
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

/// The sum of all k P, infinity too. Constant time in every k; the time may depend on the points
/// and the numbers of bits. Wiped when it is dropped.
///
/// The terms share as many doublings as the longest k has bits. Each k, or n - k where an even one
/// is as long as n, has odd digits of 5 bits, as in
/// [`variable_base_mul`](super::variable_base_mul), and each digit takes one addition. For 256 bits
/// that is 255 doublings, and for each term of that length 52 additions.
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
    let mut sum = Zeroizing::new(group.infinity());
    add_up(group, order, &mut sum, terms, |sum, point| {
        *sum = group.add_mixed(sum, point);
    });
    sum
}

/// The sum of all k P, of k G for `of_generator` and of 2^m times a random `start` that nobody
/// knows beforehand, for the m that [`start_doublings`] says; or `None` where an addition may have
/// been exceptional, or the sum be infinity. As [`secret_sum`], and faster. `of_generator` is below
/// n; the longest terms come first.
///
/// Additions are incomplete, and what is exceptional makes all further sums infinity (Z = 0). Who
/// knows neither the longest integers nor `start`, which has 128 random bits and is taken out by
/// `of_generator` again, cannot bring that about: all of a sum's additions together meet an
/// exceptional case with probability below 2^-114, whatever the points are (docs/constant-time.md,
/// "Sums"). So that this has happened may be told.
///
/// In eight lanes the points that all integers have for one digit, those of k G among them, are
/// added beforehand in affine coordinates (`digit_sums`), so that what is doubled takes one
/// addition a digit. In fewer lanes that is not faster, even where inversions are shared: then each
/// point is added by itself, and k G in the end.
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
        // Both say nothing of the secrets, as the start is random and used once; `base_mul_spread`
        // does not take zero.
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

/// How many odd multiples go with a window.
#[inline(always)]
fn row_length(window: u32) -> usize {
    1 << (window - 1)
}

/// The digits of an odd integer, from the lowest, and the points that they stand for.
pub(super) struct Digits<'a, C: Curve> {
    odd: &'a C::Integer,
    /// -1 where n - k stands for k, else 0.
    sign: i32,
    window: u32,
    /// How many there are.
    pub(super) count: u32,
    /// The odd multiples of the point.
    pub(super) row: &'a [AffinePoint<C::BaseElement>],
}

impl<C: Curve> Digits<'_, C> {
    /// Digit `index`, its opposite where n - k stands for k. Constant time.
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

/// Of each term k, or n - k, whichever is odd, and -1 where it is the latter.
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
