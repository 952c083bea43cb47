//! The part of eight-lane arithmetic that depends on the prime: reduction of products and
//! quotients, and conversion of single values.

use core::fmt::Debug;
use core::marker::PhantomData;

use super::columns::{Columns, product_columns, square_columns};
use super::constants::LaneModulus;
use super::steps;
use crate::limbs::{LIMB_BITS, LIMB_MASK, VectorOperation, Words, X8};

/// The prime of lanes and its reduction: a token. The rest of the arithmetic is the same for every
/// prime.
pub trait Reduction<const N: usize, const L: usize>: Copy + Debug + Send + Sync + 'static {
    /// The tag that separates the elements of this prime from others.
    type Tag: Copy + Debug + Eq + Send + Sync + 'static;

    /// True if the prime has limbs that are known to be zero at compile time. No code is generated
    /// for these.
    const SPARSE: bool;

    /// Number of chains of squares that run interleaved
    /// ([`Lanes::CHAINS_BESIDE`](crate::field::Lanes::CHAINS_BESIDE)).
    const CHAINS_BESIDE: usize = 2;

    /// The constants of the prime.
    fn constants(self) -> &'static LaneModulus<N, L>;

    /// Returns `L` limbs of t / R mod p, below 2^58. They amount to less than t / 2^(52 L) + p, or
    /// 1.01p if that is more.
    ///
    /// On input t is below 14.1 m^2, and every column is below 2^58. The lowest column is below
    /// 2^52: it is the low half of one product.
    fn reduce<W: Words>(self, words: W, t: Columns<W, L>) -> [W::Word; L];

    /// Returns floor(v / m) for v in -5m .. 5m, computed from the highest limb of v. Only its low
    /// three bits count. The limbs below are at most 2^59 in size, a part of m below 2^-8: the
    /// quotient is off by one if v is that close to a multiple of m.
    fn quotient<W: Words>(self, words: W, highest: W::Word) -> W::Word;

    /// Converts single values below p, in words of 64 bits, to weakly reduced lanes: from one R to
    /// the other.
    fn limbs_of_single<W: Words>(self, words: W, single: [W::Word; N]) -> [W::Word; L];

    /// The same, negated in the lanes of a mask.
    #[inline(always)]
    fn limbs_of_signed<W: Words>(
        self,
        words: W,
        single: [W::Word; N],
        negative: u8,
    ) -> [W::Word; L] {
        let mut limbs = self.limbs_of_single(words, single);
        let mut negated = limbs;
        for limb in &mut negated {
            *limb = words.sub(words.splat(0), *limb);
        }
        negated = self.reduce_weakly(words, negated, &self.constants().for_differences);
        for i in 0..L {
            limbs[i] = words.select(negative, negated[i], limbs[i]);
        }
        limbs
    }

    /// a b / R: below a b / 2^(52 L) + p, with outstanding carries.
    #[inline(always)]
    fn product<W: Words>(self, words: W, a: &[W::Word; L], b: &[W::Word; L]) -> [W::Word; L] {
        self.reduce(words, product_columns(words, a, b))
    }

    /// a^2 / R, like [`product`](Self::product).
    #[inline(always)]
    fn product_with_itself<W: Words>(self, words: W, a: &[W::Word; L]) -> [W::Word; L] {
        self.reduce(words, square_columns(words, a))
    }

    /// Reduces a value v with outstanding carries weakly: adds the multiple of m that `multiples`
    /// holds for floor(v / m), of which the low three bits count.
    ///
    /// The quotient is off by one if v is close to a multiple of m: -1 for a sum close to zero. If
    /// limbs can be negative, `multiples` has one m more, so that the result is not. It is below
    /// 2.125m (docs/lanes.md, "Sums and differences").
    #[inline(always)]
    fn reduce_weakly<W: Words>(
        self,
        words: W,
        mut limbs: [W::Word; L],
        multiples: &[X8; L],
    ) -> [W::Word; L] {
        let q = self.quotient(words, limbs[L - 1]);
        let p = self.constants().prime();
        for i in 0..L {
            if !Self::SPARSE || p[i] != 0 {
                limbs[i] = words.add(limbs[i], words.lookup(&multiples[i], q));
            }
        }
        carry(words, limbs)
    }
}

/// Converts values below 2^(64 N) in words of 64 bits, shifted left by `by` bits, to limbs of 52
/// bits.
#[inline(always)]
pub(in crate::field::lanes) fn limbs_of_words<W: Words, const N: usize, const L: usize>(
    words: W,
    x: &[W::Word; N],
    by: usize,
) -> [W::Word; L] {
    let mask = words.splat(LIMB_MASK);
    let mut limbs = [words.splat(0); L];
    for (i, limb) in limbs.iter_mut().enumerate() {
        // Bits from 52 i - by on.
        let Some(start) = (52 * i).checked_sub(by) else {
            *limb = words.and(words.shl_by(x[0], by as u32), mask);
            continue;
        };
        let (word, shift) = (start / 64, (start % 64) as u32);
        if word >= N {
            continue;
        }
        let mut value = words.shr_by(x[word], shift);
        if shift > 12 && word + 1 < N {
            value = words.or(value, words.shl_by(x[word + 1], 64 - shift));
        }
        // No other words follow the highest ones.
        *limb = if shift < 12 || (word + 1 < N && shift > 12) {
            words.and(value, mask)
        } else {
            value
        };
    }
    limbs
}

/// The reduction modulo any odd prime, with constants from memory: one code for all primes with the
/// same number of limbs, with special steps for two of them (`steps.rs`). Its products, and the
/// final steps of its sums, are separate functions.
#[derive(Debug)]
pub struct AnyReduction<T, const N: usize, const L: usize> {
    constants: &'static LaneModulus<N, L>,
    tag: PhantomData<T>,
}

impl<T, const N: usize, const L: usize> Clone for AnyReduction<T, N, L> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize, const L: usize> Copy for AnyReduction<T, N, L> {}

impl<T, const N: usize, const L: usize> AnyReduction<T, N, L> {
    /// Creates the reduction modulo a prime, which has a Montgomery form.
    #[inline(always)]
    pub const fn new(constants: &'static LaneModulus<N, L>) -> Self {
        Self {
            constants,
            tag: PhantomData,
        }
    }
}

impl<T: Copy + Debug + Eq + Send + Sync + 'static, const N: usize, const L: usize> Reduction<N, L>
    for AnyReduction<T, N, L>
{
    type Tag = T;

    const SPARSE: bool = false;

    #[inline(always)]
    fn constants(self) -> &'static LaneModulus<N, L> {
        self.constants
    }

    #[inline(always)]
    fn reduce<W: Words>(self, words: W, t: Columns<W, L>) -> [W::Word; L] {
        steps::reduce(words, self.constants, t)
    }

    #[inline(always)]
    fn quotient<W: Words>(self, words: W, highest: W::Word) -> W::Word {
        quotient(words, self.constants, highest)
    }

    /// Converts from R = 2^(64 N) to R = 2^(52 L): multiplies by 2^(52 L - 64 N) and subtracts the
    /// multiple of p given by a quotient. If that factor is below one, a reduction step of a few
    /// bits divides instead.
    #[inline(always)]
    fn limbs_of_single<W: Words>(self, words: W, single: [W::Word; N]) -> [W::Word; L] {
        words.run(FromSingle {
            constants: self.constants,
            single: &single,
        })
    }

    #[inline(always)]
    fn product<W: Words>(self, words: W, a: &[W::Word; L], b: &[W::Word; L]) -> [W::Word; L] {
        let constants = self.constants;
        words.call(Product { constants, a, b })
    }

    #[inline(always)]
    fn product_with_itself<W: Words>(self, words: W, a: &[W::Word; L]) -> [W::Word; L] {
        let constants = self.constants;
        words.call(Square { constants, a })
    }

    #[inline(always)]
    fn reduce_weakly<W: Words>(
        self,
        words: W,
        limbs: [W::Word; L],
        multiples: &[X8; L],
    ) -> [W::Word; L] {
        words.call(ReduceWeakly {
            constants: self.constants,
            limbs: &limbs,
            multiples,
        })
    }
}

/// Multiplies by a reciprocal. With 8m added, the highest limb is not negative, and below 2^52.
#[inline(always)]
fn quotient<W: Words, const N: usize, const L: usize>(
    words: W,
    constants: &LaneModulus<N, L>,
    highest: W::Word,
) -> W::Word {
    let positive = words.add(highest, words.splat(constants.offset));
    let reciprocal = words.splat(constants.reciprocal);
    let scaled = words.madd_high(words.splat(0), positive, reciprocal);
    words.shr_by(scaled, constants.shift)
}

/// A product as a separate function.
struct Product<'a, X, const N: usize, const L: usize> {
    constants: &'static LaneModulus<N, L>,
    a: &'a [X; L],
    b: &'a [X; L],
}

impl<W: Words, const N: usize, const L: usize> VectorOperation<W> for Product<'_, W::Word, N, L> {
    type Output = [W::Word; L];

    #[inline(always)]
    fn run(self, words: W) -> [W::Word; L] {
        steps::product(words, self.constants, self.a, self.b)
    }
}

/// A square as a separate function.
struct Square<'a, X, const N: usize, const L: usize> {
    constants: &'static LaneModulus<N, L>,
    a: &'a [X; L],
}

impl<W: Words, const N: usize, const L: usize> VectorOperation<W> for Square<'_, W::Word, N, L> {
    type Output = [W::Word; L];

    #[inline(always)]
    fn run(self, words: W) -> [W::Word; L] {
        steps::reduce(words, self.constants, square_columns(words, self.a))
    }
}

/// The final step of sums and differences as a separate function. Elements of a long prime do not
/// stay in registers next to its products.
struct ReduceWeakly<'a, X, const N: usize, const L: usize> {
    constants: &'static LaneModulus<N, L>,
    limbs: &'a [X; L],
    multiples: &'a [X8; L],
}

impl<W: Words, const N: usize, const L: usize> VectorOperation<W>
    for ReduceWeakly<'_, W::Word, N, L>
{
    type Output = [W::Word; L];

    #[inline(always)]
    fn run(self, words: W) -> [W::Word; L] {
        let q = quotient(words, self.constants, self.limbs[L - 1]);
        let mut limbs = *self.limbs;
        for (limb, multiples) in limbs.iter_mut().zip(self.multiples) {
            *limb = words.add(*limb, words.lookup(multiples, q));
        }
        carry(words, limbs)
    }
}

/// Conversion of single values to lanes.
struct FromSingle<'a, X, const N: usize, const L: usize> {
    constants: &'static LaneModulus<N, L>,
    single: &'a [X; N],
}

impl<W: Words, const N: usize, const L: usize> VectorOperation<W>
    for FromSingle<'_, W::Word, N, L>
{
    type Output = [W::Word; L];

    #[inline(always)]
    fn run(self, words: W) -> [W::Word; L] {
        let Self { constants, single } = self;
        let zero = words.splat(0);
        let (lanes, singles) = (52 * L, 64 * N);
        let mut limbs = limbs_of_words::<W, N, L>(words, single, lanes.saturating_sub(singles));
        if lanes < singles {
            // (x + q p) / 2^by for q = -x / p mod 2^by: below p.
            let by = (singles - lanes) as u32;
            let low = words.and(limbs[0], words.splat((1 << by) - 1));
            let q = words.madd_low(zero, low, words.splat(constants.negated_inverse));
            let q = words.and(q, words.splat((1 << by) - 1));
            add_multiple(words, &mut limbs, q, &constants.prime);
            limbs = carry(words, limbs);
            for i in 0..L {
                let mut limb = words.shr_by(limbs[i], by);
                if let Some(&next) = limbs.get(i + 1) {
                    let bits = words.and(next, words.splat((1 << by) - 1));
                    limb = words.or(limb, words.shl_by(bits, LIMB_BITS - by));
                }
                limbs[i] = limb;
            }
            return limbs;
        }
        if constants.scale > 0 {
            // There is room: 16p is below m.
            return limbs;
        }
        // v = 2^by x is below 2^by p. The result is v - floor(v / p) p, or one p more if the
        // quotient is too small.
        let reciprocal = words.splat(constants.reciprocal);
        let q = words.madd_high(zero, limbs[L - 1], reciprocal);
        let q = words.shr_by(q, constants.shift);
        add_multiple(words, &mut limbs, q, &constants.complement);
        limbs = carry(words, limbs);
        limbs[L - 1] = words.and(limbs[L - 1], words.splat(LIMB_MASK));
        limbs
    }
}

/// Performs `limbs` += q a modulo 2^(52 L), with outstanding carries.
#[inline(always)]
fn add_multiple<W: Words, const L: usize>(
    words: W,
    limbs: &mut [W::Word; L],
    q: W::Word,
    a: &[u64; L],
) {
    for (j, &limb) in a.iter().enumerate() {
        let limb = words.splat(limb);
        limbs[j] = words.madd_low(limbs[j], q, limb);
        if j + 1 < L {
            limbs[j + 1] = words.madd_high(limbs[j + 1], q, limb);
        }
    }
}

/// Carries the part above 52 bits of each limb to the next one. On output every limb except the
/// highest is below 2^52. So is the highest, for a value in 0 .. 2^(52 L).
#[inline(always)]
pub(in crate::field::lanes) fn carry<W: Words, const L: usize>(
    words: W,
    mut limbs: [W::Word; L],
) -> [W::Word; L] {
    let mask = words.splat(LIMB_MASK);
    for i in 0..L - 1 {
        limbs[i + 1] = words.add(limbs[i + 1], words.sar::<LIMB_BITS>(limbs[i]));
        limbs[i] = words.and(limbs[i], mask);
    }
    limbs
}
