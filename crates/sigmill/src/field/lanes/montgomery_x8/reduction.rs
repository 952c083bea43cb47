//! What depends on the prime in eight lanes: how products and quotients are reduced, and how single
//! values get there.

use core::fmt::Debug;
use core::marker::PhantomData;

use super::columns::{Columns, product_columns, square_columns};
use super::constants::LaneModulus;
use super::steps;
use crate::limbs::{LIMB_BITS, LIMB_MASK, Words, WordsOperation, X8};

/// The prime of lanes and how it reduces: a token. All else of the arithmetic is the same for every
/// prime.
pub trait Reduction<const N: usize, const L: usize>: Copy + Debug + Send + Sync + 'static {
    /// What tells the elements of this prime from others.
    type Tag: Copy + Debug + Eq + Send + Sync + 'static;

    /// Whether the prime has limbs that are zero, which is known when this is compiled: then
    /// nothing is computed for them.
    const SPARSE: bool;

    /// How many chains of squares run beside each other
    /// ([`Lanes::CHAINS_BESIDE`](crate::field::Lanes::CHAINS_BESIDE)).
    const CHAINS_BESIDE: usize = 2;

    /// The constants of the prime.
    fn constants(self) -> &'static LaneModulus<N, L>;

    /// `L` limbs of t / R mod p, below 2^58, which amount to less than t / 2^(52 L) + p, or 1.01p
    /// if that is more.
    ///
    /// On input t is below 14.1 m^2, and every column below 2^58, the lowest one below 2^52: it is
    /// the low half of one product.
    fn reduce<W: Words>(self, words: W, t: Columns<W, L>) -> [W::Word; L];

    /// floor(v / m), of which the low three bits count, from the highest limb of v in -5m .. 5m.
    /// The limbs below it are at most 2^59 in size, a part of m below 2^-8: the quotient is wrong
    /// by one where v is that near to a multiple of m.
    fn quotient<W: Words>(self, words: W, highest: W::Word) -> W::Word;

    /// Single values below p, in words of 64 bits, weakly reduced in lanes: from one R to the
    /// other.
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

    /// a b / R: below a b / 2^(52 L) + p, with limbs whose carries are outstanding.
    #[inline(always)]
    fn product<W: Words>(self, words: W, a: &[W::Word; L], b: &[W::Word; L]) -> [W::Word; L] {
        self.reduce(words, product_columns(words, a, b))
    }

    /// a^2 / R, as the product.
    #[inline(always)]
    fn product_with_itself<W: Words>(self, words: W, a: &[W::Word; L]) -> [W::Word; L] {
        self.reduce(words, square_columns(words, a))
    }

    /// Takes a value v with outstanding carries to a weakly reduced one: adds the multiple of m
    /// that `multiples` holds for floor(v / m), of which the low three bits count.
    ///
    /// The quotient is wrong by one where v is near to a multiple of m: -1 for a sum near to zero.
    /// Where limbs can be negative, `multiples` have one m more, so that the result is not; it is
    /// below 2.125m (docs/lanes.md, "Sums and differences").
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

/// Values below 2^(64 N) in words of 64 bits, shifted left by `by` bits, as limbs of 52 bits.
#[inline(always)]
pub(in crate::field::lanes) fn limbs_of_words<W: Words, const N: usize, const L: usize>(
    words: W,
    x: &[W::Word; N],
    by: usize,
) -> [W::Word; L] {
    let mask = words.splat(LIMB_MASK);
    let mut limbs = [words.splat(0); L];
    for (i, limb) in limbs.iter_mut().enumerate() {
        // Bits 52 i - by and on.
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
        // The highest words are not followed by others.
        *limb = if shift < 12 || (word + 1 < N && shift > 12) {
            words.and(value, mask)
        } else {
            value
        };
    }
    limbs
}

/// The reduction modulo any odd prime, with constants from memory: one code for all primes of so
/// many limbs, which knows two of them (`steps.rs`). Its products, and the ends of its sums, are
/// functions of their own.
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
    /// The reduction modulo a prime, which has a Montgomery form.
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

    /// From R = 2^(64 N) to R = 2^(52 L): times 2^(52 L - 64 N), less a multiple of p that a
    /// quotient names; or, where that is below one, a step of the reduction of a few bits.
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

/// By a reciprocal: with 8m the highest limb is not negative, and below 2^52.
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

/// A product as a function of its own.
struct Product<'a, X, const N: usize, const L: usize> {
    constants: &'static LaneModulus<N, L>,
    a: &'a [X; L],
    b: &'a [X; L],
}

impl<W: Words, const N: usize, const L: usize> WordsOperation<W> for Product<'_, W::Word, N, L> {
    type Output = [W::Word; L];

    #[inline(always)]
    fn run(self, words: W) -> [W::Word; L] {
        steps::product(words, self.constants, self.a, self.b)
    }
}

/// A square as a function of its own.
struct Square<'a, X, const N: usize, const L: usize> {
    constants: &'static LaneModulus<N, L>,
    a: &'a [X; L],
}

impl<W: Words, const N: usize, const L: usize> WordsOperation<W> for Square<'_, W::Word, N, L> {
    type Output = [W::Word; L];

    #[inline(always)]
    fn run(self, words: W) -> [W::Word; L] {
        steps::reduce(words, self.constants, square_columns(words, self.a))
    }
}

/// The end of sums and differences as a function of its own: elements of a long prime do not stay
/// in registers beside its products.
struct ReduceWeakly<'a, X, const N: usize, const L: usize> {
    constants: &'static LaneModulus<N, L>,
    limbs: &'a [X; L],
    multiples: &'a [X8; L],
}

impl<W: Words, const N: usize, const L: usize> WordsOperation<W>
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

/// The way of single values into lanes.
struct FromSingle<'a, X, const N: usize, const L: usize> {
    constants: &'static LaneModulus<N, L>,
    single: &'a [X; N],
}

impl<W: Words, const N: usize, const L: usize> WordsOperation<W> for FromSingle<'_, W::Word, N, L> {
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
        // v = 2^by x is below 2^by p; v - floor(v / p) p, one p more where the quotient is too
        // small.
        let reciprocal = words.splat(constants.reciprocal);
        let q = words.madd_high(zero, limbs[L - 1], reciprocal);
        let q = words.shr_by(q, constants.shift);
        add_multiple(words, &mut limbs, q, &constants.complement);
        limbs = carry(words, limbs);
        limbs[L - 1] = words.and(limbs[L - 1], words.splat(LIMB_MASK));
        limbs
    }
}

/// `limbs` += q a modulo 2^(52 L), carries outstanding.
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

/// Takes what stands above 52 bits of each limb to the next one. On output every limb but the
/// highest is below 2^52; so is that of a value in 0 .. 2^(52 L).
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
