//! The arithmetic of lanes of doubles on limbs in registers.
//!
//! Closures are avoided, as in lanes of integers.

use core::marker::PhantomData;

use super::modulus::two_to;
use super::reduction::{DoublesReduction, Limbs};
use super::{DoublesLane, DoublesResidue};
use crate::field::lanes::LaneMask;
use crate::field::{Factors, Field, MOST_LANES, Mask as _, Registers, Residue};
use crate::limbs::{Doubles, X8};

/// The field of integers modulo the prime of reduction `K` in lanes, the limbs in registers: for
/// code that is compiled for the instructions of `D`.
#[derive(Clone, Copy, Debug)]
pub struct DoublesRegisters<D, K, const N: usize, const L: usize, const WIDTH: usize> {
    doubles: D,
    reduction: K,
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

    /// Whether a b - c is in the range of products.
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

    /// a b - c, a product of factors.
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

    /// a^2 - c, as the product.
    #[inline(always)]
    fn squared(self, a: &Limbs<D, L, WIDTH>, c: Option<&Limbs<D, L, WIDTH>>) -> Limbs<D, L, WIDTH> {
        debug_assert!(self.fits(a, a, c), "{a:?} {c:?}");
        self.reduction.square(self.doubles, a, c)
    }

    /// Word j of the result holds word j of each row, four at a time: the first four, and the last
    /// four, of which some came with the first.
    #[inline(always)]
    fn transpose<const M: usize>(self, rows: [&[u64; M]; MOST_LANES]) -> [D::Word; M] {
        let mut words = [self.doubles.splat_word(0); M];
        let parts = if M > 4 { 2 } else { 1 };
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

    #[inline(always)]
    fn negate_if(self, a: &Limbs<D, L, WIDTH>, condition: LaneMask<WIDTH>) -> Limbs<D, L, WIDTH> {
        self.select(condition, &self.negate(a), a)
    }

    #[inline(always)]
    fn double(self, a: &Limbs<D, L, WIDTH>) -> Limbs<D, L, WIDTH> {
        self.add(a, a)
    }

    /// A product: halves of odd limbs would be carried down.
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

    #[inline(always)]
    fn equal(self, a: &Limbs<D, L, WIDTH>, b: &Limbs<D, L, WIDTH>) -> LaneMask<WIDTH> {
        self.is_zero(&self.sub(a, b))
    }

    /// With 2p added, zero is p, 2p or 3p. A centered zero has no limb but 0, of either sign.
    #[inline(always)]
    fn is_zero(self, a: &Limbs<D, L, WIDTH>) -> LaneMask<WIDTH> {
        let d = self.doubles;
        if K::IS_CENTERED {
            let mut bits = d.bits(a[0]);
            for limb in &a[1..] {
                bits = d.or(bits, d.bits(*limb));
            }
            return LaneMask(d.zeros(d.shl::<1>(bits)));
        }
        let digits = self.digits_plus(a, &self.reduction.constants().double);
        let mut mask = 0;
        for zero in &self.reduction.constants().multiples {
            let mut other = d.sub_words(digits[0], d.splat_word(zero[0]));
            for i in 1..L {
                other = d.or(other, d.sub_words(digits[i], d.splat_word(zero[i])));
            }
            mask |= d.zeros(other);
        }
        LaneMask(mask)
    }
}

/// The limbs of an element as integers.
type Digits<D, const L: usize, const WIDTH: usize> = [<D as Doubles<WIDTH>>::Word; L];

impl<
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    const N: usize,
    const L: usize,
    const WIDTH: usize,
> DoublesRegisters<D, K, N, L, WIDTH>
{
    /// An element and a multiple of p that makes it positive, in digits that are as long as limbs
    /// are; the highest one takes what is above.
    #[inline(always)]
    fn digits_plus(self, a: &Limbs<D, L, WIDTH>, multiple: &[u64; L]) -> Digits<D, L, WIDTH> {
        let (d, constants) = (self.doubles, self.reduction.constants());
        // Numbers with so large a summand have limbs for their digits.
        let large = 1.5 * two_to(52) * constants.unit;
        let mut digits = [d.splat_word(0); L];
        for i in 0..L {
            let bits = d.bits(d.add(a[i], d.splat(large)));
            let offset = multiple[i].wrapping_sub(large.to_bits());
            digits[i] = d.add_words(bits, d.splat_word(offset));
        }
        self.carry_digits(digits)
    }

    /// Takes what is above a digit's length to the next one: borrows are -1 in all bits above.
    #[inline(always)]
    fn carry_digits(self, mut digits: Digits<D, L, WIDTH>) -> Digits<D, L, WIDTH> {
        let (d, constants) = (self.doubles, self.reduction.constants());
        for i in 0..L - 1 {
            let width = constants.width(i);
            let carry = d.shr_by(digits[i], width);
            digits[i] = d.and(digits[i], d.splat_word((1 << width) - 1));
            digits[i + 1] = d.add_words(digits[i + 1], carry);
        }
        digits
    }

    /// The integers below p that elements amount to modulo p, in words of 64 bits. With a
    /// Montgomery form the elements are products: between 0 and 1.01 times 2^256, or centered.
    #[inline(always)]
    pub(super) fn to_words(self, a: &Limbs<D, L, WIDTH>) -> [D::Word; N] {
        let (d, constants) = (self.doubles, self.reduction.constants());
        let (multiple, most) = match constants.has_form && !K::IS_CENTERED {
            true => (&constants.lent, 1),
            false => (&constants.double, 3),
        };
        let mut digits = self.digits_plus(a, multiple);
        // Less p, and as it was where that is negative.
        for _ in 0..most {
            let mut less = digits;
            for i in 0..L {
                // Each digit lends the next one a carry, so that none is negative.
                let offset = constants.lent[i].wrapping_sub(constants.multiples[0][i]);
                less[i] = d.add_words(digits[i], d.splat_word(offset));
            }
            less = self.carry_digits(less);
            let is_negative = d.signs(less[L - 1]);
            for i in 0..L {
                let (as_it_was, less) = (d.from_bits(digits[i]), d.from_bits(less[i]));
                digits[i] = d.bits(d.select(is_negative, as_it_was, less));
            }
        }
        let mut words = [d.splat_word(0); N];
        for (i, &digit) in digits.iter().enumerate() {
            let (word, shift) = (constants.positions[i] / 64, constants.positions[i] % 64);
            let word = word as usize;
            words[word] = d.or(words[word], d.shl_by(digit, shift));
            if shift + constants.width(i) > 64 {
                words[word + 1] = d.or(words[word + 1], d.shr_by(digit, 64 - shift));
            }
        }
        words
    }
}

/// A factor is a sum or a difference of up to four elements, limb by limb, and what it is
/// multiplied by an element.
impl<
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    const N: usize,
    const L: usize,
    const WIDTH: usize,
> Factors for DoublesRegisters<D, K, N, L, WIDTH>
{
    type Factor = Limbs<D, L, WIDTH>;

    #[inline(always)]
    fn factor(self, a: &Limbs<D, L, WIDTH>) -> Limbs<D, L, WIDTH> {
        *a
    }

    /// Two elements.
    #[inline(always)]
    fn difference(self, a: &Limbs<D, L, WIDTH>, b: &Limbs<D, L, WIDTH>) -> Limbs<D, L, WIDTH> {
        self.minus(a, b)
    }

    /// Four elements.
    #[inline(always)]
    fn square_triple_add(
        self,
        a: &Limbs<D, L, WIDTH>,
        b: &Limbs<D, L, WIDTH>,
    ) -> Limbs<D, L, WIDTH> {
        let square = self.square(a);
        self.plus(&self.plus(&square, &square), &self.plus(&square, b))
    }

    #[inline(always)]
    fn choose(
        self,
        condition: LaneMask<WIDTH>,
        a: &Limbs<D, L, WIDTH>,
        b: &Limbs<D, L, WIDTH>,
    ) -> Limbs<D, L, WIDTH> {
        self.select(condition, a, b)
    }

    #[inline(always)]
    fn times(self, a: &Limbs<D, L, WIDTH>, b: &Limbs<D, L, WIDTH>) -> Limbs<D, L, WIDTH> {
        self.mul(a, b)
    }

    #[inline(always)]
    fn times_sub(
        self,
        a: &Limbs<D, L, WIDTH>,
        b: &Limbs<D, L, WIDTH>,
        c: &Limbs<D, L, WIDTH>,
    ) -> Limbs<D, L, WIDTH> {
        self.mul_sub(a, b, c)
    }

    /// A difference is two elements, and twice an element two more: four in a product.
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
    type Stored = DoublesResidue<K::Tag, D::Stored, L>;

    type Lane = DoublesLane<K::Tag, L>;

    type Entry = Residue<K::Tag, N>;

    #[inline(always)]
    fn load(self, a: &Self::Stored) -> Limbs<D, L, WIDTH> {
        let mut limbs = [self.doubles.splat(0.0); L];
        for (numbers, limb) in limbs.iter_mut().zip(&a.limbs) {
            *numbers = self.doubles.load(limb);
        }
        limbs
    }

    #[inline(always)]
    fn store(self, a: &Limbs<D, L, WIDTH>) -> Self::Stored {
        let mut stored = [D::Stored::default(); L];
        for (limb, &numbers) in stored.iter_mut().zip(a) {
            *limb = self.doubles.store(numbers);
        }
        let stored = DoublesResidue {
            limbs: stored,
            modulus: PhantomData,
        };
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
    fn gather_lanes(self, lanes: [&DoublesLane<K::Tag, L>; MOST_LANES]) -> Limbs<D, L, WIDTH> {
        let mut rows = [&lanes[0].limbs; MOST_LANES];
        for i in 1..WIDTH {
            rows[i] = &lanes[i].limbs;
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
