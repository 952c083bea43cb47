//! The arithmetic of lanes of doubles on limbs in registers.
//!
//! Closures are avoided, as in lanes of integers.

use super::digits::{carried, digits_plus, less_prime, to_words};
use super::reduction::{DoublesReduction, Limbs};
use crate::field::factors::factors_are_elements;
use crate::field::lanes::in_memory::{Form, LaneRegisters};
use crate::field::lanes::{LaneMask, LaneResidue, LaneWords};
use crate::field::{Factors, Field, MOST_LANES, Mask as _, Registers, Residue};
use crate::limbs::{Doubles, X8, array_from_fn};

/// The field of integers modulo the prime of reduction `K` in lanes, with limbs in registers. For
/// code that is compiled for the instructions of `D`.
#[derive(Clone, Copy, Debug)]
pub struct DoublesRegisters<D, K, const N: usize, const L: usize, const WIDTH: usize> {
    doubles: D,
    pub(super) reduction: K,
}

impl<
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    const N: usize,
    const L: usize,
    const WIDTH: usize,
> DoublesRegisters<D, K, N, L, WIDTH>
{
    #[inline(always)]
    pub(super) fn new(doubles: D, reduction: K) -> Self {
        Self { doubles, reduction }
    }

    #[inline(always)]
    pub(super) fn constant(self, limbs: &[f64; L]) -> Limbs<D, L, WIDTH> {
        let mut constant = [self.doubles.splat(0.0); L];
        for (numbers, &limb) in constant.iter_mut().zip(limbs) {
            *numbers = self.doubles.splat(limb);
        }
        constant
    }

    /// Reports whether a b - c is in the range of products.
    fn fits(
        self,
        a: &Limbs<D, L, WIDTH>,
        b: &Limbs<D, L, WIDTH>,
        c: Option<&Limbs<D, L, WIDTH>>,
    ) -> bool {
        let size = |limbs: &Limbs<D, L, WIDTH>| {
            let stored = limbs.map(|limb| self.doubles.store(limb));
            self.reduction.constants().size(&stored)
        };
        size(a) * size(b) <= K::ROOM && c.is_none_or(|c| size(c) <= 3.0)
    }

    /// a b - c, where a b is a product of factors.
    #[inline(always)]
    fn product(
        self,
        a: &Limbs<D, L, WIDTH>,
        b: &Limbs<D, L, WIDTH>,
        c: Option<&Limbs<D, L, WIDTH>>,
    ) -> Limbs<D, L, WIDTH> {
        debug_assert!(self.fits(a, b, c), "{a:?} {b:?} {c:?}");
        self.reduction.product(self.doubles, a, b, c)
    }

    /// a^2 - c, like [`product`](Self::product).
    #[inline(always)]
    fn squared(self, a: &Limbs<D, L, WIDTH>, c: Option<&Limbs<D, L, WIDTH>>) -> Limbs<D, L, WIDTH> {
        debug_assert!(self.fits(a, a, c), "{a:?} {c:?}");
        self.reduction.square(self.doubles, a, c)
    }

    /// Word j of the result holds word j of each row. Works on four words at a time: the first
    /// four, then the last four, some of which may already be among the first.
    #[inline(always)]
    fn transpose<const M: usize>(self, rows: [&[u64; M]; MOST_LANES]) -> [D::Word; M] {
        let mut words = [self.doubles.splat_word(0); M];
        let parts = if const { M > 4 } { 2 } else { 1 };
        for &first in &[0, M - 4][..parts] {
            let mut part = [&[0; 4]; MOST_LANES];
            for i in 0..WIDTH {
                if let Some(four) = rows[i][first..].first_chunk() {
                    part[i] = four;
                }
            }
            words[first..first + 4].copy_from_slice(&self.doubles.transpose(part));
        }
        words
    }

    /// a + b, limb by limb.
    #[inline(always)]
    fn plus(self, a: &Limbs<D, L, WIDTH>, b: &Limbs<D, L, WIDTH>) -> Limbs<D, L, WIDTH> {
        let mut sum = *a;
        for i in 0..L {
            sum[i] = self.doubles.add(a[i], b[i]);
        }
        sum
    }

    /// a - b, limb by limb.
    #[inline(always)]
    fn minus(self, a: &Limbs<D, L, WIDTH>, b: &Limbs<D, L, WIDTH>) -> Limbs<D, L, WIDTH> {
        let mut difference = *a;
        for i in 0..L {
            difference[i] = self.doubles.sub(a[i], b[i]);
        }
        difference
    }

    /// Elements as single values, in words of 64 bits.
    #[inline(always)]
    pub(super) fn to_single_words(self, a: &Limbs<D, L, WIDTH>) -> [D::Word; N] {
        let d = self.doubles;
        let (digits, constants) = self.reduction.digits_of_single(d, a);
        to_words(d, constants, &less_prime(d, constants, digits))
    }

    /// The integers below p that the elements represent, in words of 64 bits. With a Montgomery
    /// form this needs a product. The product is between 0 and 1.01 times 2^256, or centered.
    #[inline(always)]
    pub(super) fn to_integer_words(self, a: &Limbs<D, L, WIDTH>) -> [D::Word; N] {
        let (d, constants) = (self.doubles, self.reduction.constants());
        if !constants.has_form {
            return self.to_single_words(a);
        }
        let a = self.mul(a, &self.constant(&constants.integer_one));
        let (multiple, most) = match K::IS_CENTERED {
            true => (&constants.double, 3),
            false => (&constants.lent, 1),
        };
        let mut digits = digits_plus(d, constants, &a, multiple);
        for _ in 0..most {
            digits = less_prime(d, constants, digits);
        }
        to_words(d, constants, &digits)
    }
}

impl<
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    const N: usize,
    const L: usize,
    const WIDTH: usize,
> Field for DoublesRegisters<D, K, N, L, WIDTH>
{
    type Element = Limbs<D, L, WIDTH>;
    type Mask = LaneMask<WIDTH>;

    #[inline(always)]
    fn zero(self) -> Limbs<D, L, WIDTH> {
        self.constant(&[0.0; L])
    }

    #[inline(always)]
    fn one(self) -> Limbs<D, L, WIDTH> {
        self.constant(&self.reduction.constants().one)
    }

    #[inline(always)]
    fn add(self, a: &Limbs<D, L, WIDTH>, b: &Limbs<D, L, WIDTH>) -> Limbs<D, L, WIDTH> {
        self.reduction.reduce_weakly(self.doubles, self.plus(a, b))
    }

    #[inline(always)]
    fn sub(self, a: &Limbs<D, L, WIDTH>, b: &Limbs<D, L, WIDTH>) -> Limbs<D, L, WIDTH> {
        self.reduction.reduce_weakly(self.doubles, self.minus(a, b))
    }

    #[inline(always)]
    fn sub_both(
        self,
        a: &Limbs<D, L, WIDTH>,
        b: &Limbs<D, L, WIDTH>,
        c: &Limbs<D, L, WIDTH>,
    ) -> Limbs<D, L, WIDTH> {
        let difference = self.minus(&self.minus(a, b), c);
        self.reduction.reduce_weakly(self.doubles, difference)
    }

    #[inline(always)]
    fn negate(self, a: &Limbs<D, L, WIDTH>) -> Limbs<D, L, WIDTH> {
        self.minus(&self.zero(), a)
    }

    #[inline(always)]
    fn select(
        self,
        condition: LaneMask<WIDTH>,
        a: &Limbs<D, L, WIDTH>,
        b: &Limbs<D, L, WIDTH>,
    ) -> Limbs<D, L, WIDTH> {
        let mut chosen = *a;
        for i in 0..L {
            chosen[i] = self.doubles.select(condition.0, a[i], b[i]);
        }
        chosen
    }

    /// Computed as a product: halves of odd limbs would have to be carried down.
    #[inline(always)]
    fn half(self, a: &Limbs<D, L, WIDTH>) -> Limbs<D, L, WIDTH> {
        self.mul(a, &self.constant(&self.reduction.constants().half))
    }

    #[inline(always)]
    fn mul(self, a: &Limbs<D, L, WIDTH>, b: &Limbs<D, L, WIDTH>) -> Limbs<D, L, WIDTH> {
        self.product(a, b, None)
    }

    #[inline(always)]
    fn square(self, a: &Limbs<D, L, WIDTH>) -> Limbs<D, L, WIDTH> {
        self.squared(a, None)
    }

    #[inline(always)]
    fn mul_sub(
        self,
        a: &Limbs<D, L, WIDTH>,
        b: &Limbs<D, L, WIDTH>,
        c: &Limbs<D, L, WIDTH>,
    ) -> Limbs<D, L, WIDTH> {
        self.product(a, b, Some(c))
    }

    #[inline(always)]
    fn square_sub_both(
        self,
        a: &Limbs<D, L, WIDTH>,
        b: &Limbs<D, L, WIDTH>,
        c: &Limbs<D, L, WIDTH>,
    ) -> Limbs<D, L, WIDTH> {
        self.squared(a, Some(&self.plus(b, c)))
    }

    /// With 2p added, zero is p, 2p or 3p. A centered zero has only zero limbs, of either sign.
    #[inline(always)]
    fn is_zero(self, a: &Limbs<D, L, WIDTH>) -> LaneMask<WIDTH> {
        let d = self.doubles;
        if const { K::IS_CENTERED } {
            let mut bits = d.bits(a[0]);
            for limb in &a[1..] {
                bits = d.or(bits, d.bits(*limb));
            }
            return LaneMask(d.zeros(d.shl::<1>(bits)));
        }
        let constants = self.reduction.constants();
        let digits = carried(
            d,
            constants,
            digits_plus(d, constants, a, &constants.double),
        );
        let mut mask = 0;
        for zero in &constants.multiples {
            let mut other = d.sub_words(digits[0], d.splat_word(zero[0]));
            for i in 1..L {
                other = d.or(other, d.sub_words(digits[i], d.splat_word(zero[i])));
            }
            mask |= d.zeros(other);
        }
        LaneMask(mask)
    }
}

/// A factor is a limb-wise sum or difference of up to four elements. It is multiplied by an
/// element.
impl<
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    const N: usize,
    const L: usize,
    const WIDTH: usize,
> Factors for DoublesRegisters<D, K, N, L, WIDTH>
{
    factors_are_elements!();

    /// Counts as two elements.
    #[inline(always)]
    fn difference(self, a: &Limbs<D, L, WIDTH>, b: &Limbs<D, L, WIDTH>) -> Limbs<D, L, WIDTH> {
        self.minus(a, b)
    }

    /// Counts as four elements.
    #[inline(always)]
    fn square_triple_add(
        self,
        a: &Limbs<D, L, WIDTH>,
        b: &Limbs<D, L, WIDTH>,
    ) -> Limbs<D, L, WIDTH> {
        let square = self.square(a);
        self.plus(&self.plus(&square, &square), &self.plus(&square, b))
    }

    /// A difference counts as two elements and twice an element as two: four in a product.
    #[inline(always)]
    fn double_times_sub(
        self,
        a: &Limbs<D, L, WIDTH>,
        b: &Limbs<D, L, WIDTH>,
        c: &Limbs<D, L, WIDTH>,
    ) -> Limbs<D, L, WIDTH> {
        self.mul_sub(a, &self.plus(b, b), c)
    }
}

impl<
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    const N: usize,
    const L: usize,
    const WIDTH: usize,
> Registers for DoublesRegisters<D, K, N, L, WIDTH>
{
    type Stored = LaneResidue<K::Tag, D::Stored, L>;

    type Lane = LaneWords<K::Tag, L>;

    type Entry = Residue<K::Tag, N>;

    #[inline(always)]
    fn load(self, a: &Self::Stored) -> Limbs<D, L, WIDTH> {
        self.doubles.load_all(&a.limbs)
    }

    #[inline(always)]
    fn store(self, a: &Limbs<D, L, WIDTH>) -> Self::Stored {
        let stored = LaneResidue::from_limbs(self.doubles.store_all(a));
        debug_assert!(
            self.reduction.constants().size(&stored.limbs) <= 1.0,
            "{stored:?}"
        );
        stored
    }

    #[inline(always)]
    fn gather_values(self, values: [&Residue<K::Tag, N>; MOST_LANES]) -> Limbs<D, L, WIDTH> {
        let mut rows = [values[0].montgomery_limbs(); MOST_LANES];
        for i in 1..WIDTH {
            rows[i] = values[i].montgomery_limbs();
        }
        let words = self.transpose(rows);
        self.reduction.limbs_of_single(self.doubles, words)
    }

    #[inline(always)]
    fn gather_lanes(self, lanes: [&LaneWords<K::Tag, L>; MOST_LANES]) -> Limbs<D, L, WIDTH> {
        let mut rows = [&lanes[0].words; MOST_LANES];
        for i in 1..WIDTH {
            rows[i] = &lanes[i].words;
        }
        let words = self.transpose(rows);
        let mut limbs = [self.doubles.splat(0.0); L];
        for (limb, &word) in limbs.iter_mut().zip(&words) {
            *limb = self.doubles.from_bits(word);
        }
        limbs
    }

    #[inline(always)]
    fn is_number(self, numbers: &X8, number: u64) -> LaneMask<WIDTH> {
        LaneMask::from_lanes(|i| numbers.0[i] == number)
    }
}

impl<
    D: Doubles<LANES>,
    K: DoublesReduction<N, L>,
    const N: usize,
    const L: usize,
    const LANES: usize,
> LaneRegisters<N> for DoublesRegisters<D, K, N, L, LANES>
{
    type Tag = K::Tag;
    type Vectors = D;
    type LaneArray = [LaneWords<K::Tag, L>; LANES];

    const WIDTH: usize = LANES;
    const HAS_LONG_PRODUCTS: bool = true;

    #[inline(always)]
    fn vectors(self) -> D {
        self.doubles
    }

    #[inline(always)]
    fn stored_zero(self) -> Self::Stored {
        stored(&[0.0; L])
    }

    #[inline(always)]
    fn stored_one(self) -> Self::Stored {
        stored(&self.reduction.constants().one)
    }

    /// Integers get their product in [`rows`](Self::rows). For single values, a shift converts the
    /// R of lanes.
    #[inline(always)]
    fn factor_of(self, _: Form) -> Option<Self::Stored> {
        None
    }

    #[inline(always)]
    fn rows(self, a: &Limbs<D, L, LANES>, form: Form) -> [[u64; N]; MOST_LANES] {
        let d = self.doubles;
        let words = match form {
            Form::Integer => self.to_integer_words(a),
            _ => self.to_single_words(a),
        };
        let mut rows = [[0; N]; MOST_LANES];
        for (j, &word) in words.iter().enumerate() {
            let numbers = d.store(d.from_bits(word));
            for (row, number) in rows.iter_mut().zip(numbers.as_ref()) {
                row[j] = number.to_bits();
            }
        }
        rows
    }

    #[inline(always)]
    fn lane_array(self, a: &Self::Stored) -> Self::LaneArray {
        array_from_fn(|lane| LaneWords::new(array_from_fn(|i| a.limbs[i].as_ref()[lane].to_bits())))
    }

    #[inline(always)]
    fn rotate<const BY: usize>(self, a: &Limbs<D, L, LANES>) -> Limbs<D, L, LANES> {
        let mut limbs = *a;
        for limb in &mut limbs {
            let from = self.doubles.store(*limb);
            let mut rotated = from;
            for (lane, number) in rotated.as_mut().iter_mut().enumerate() {
                *number = from.as_ref()[(lane + BY) % LANES];
            }
            *limb = self.doubles.load(&rotated);
        }
        limbs
    }
}

/// A constant in all lanes.
#[inline(always)]
fn stored<T, V: Copy + Default + AsMut<[f64]>, const L: usize>(
    limbs: &[f64; L],
) -> LaneResidue<T, V, L> {
    let mut constant = [V::default(); L];
    for (numbers, &limb) in constant.iter_mut().zip(limbs) {
        numbers.as_mut().fill(limb);
    }
    LaneResidue::from_limbs(constant)
}
