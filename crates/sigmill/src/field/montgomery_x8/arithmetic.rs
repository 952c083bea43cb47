//! Arithmetic on the limbs of eight lanes, in registers.

use core::marker::PhantomData;

use super::LIMBS;
use super::reduction::{Reduction, multiple};
use crate::limbs::{LIMB_BITS, LIMB_MASK, Words, WordsOperation, X8};

/// Arithmetic on limbs in registers.
pub(super) trait Arithmetic<K: Reduction>: Copy {
    /// Whether it is so long that a call costs next to nothing, and copies of it much.
    const IS_LONG: bool = false;

    fn compute<W: Words>(self, words: W) -> [W::Word; LIMBS];
}

#[derive(Clone, Copy)]
pub(super) struct Apply<O, K>(pub(super) O, pub(super) PhantomData<K>);

impl<W: Words, K: Reduction, O: Arithmetic<K>> WordsOperation<W> for Apply<O, K> {
    type Output = [X8; LIMBS];

    #[inline(always)]
    fn run(self, words: W) -> [X8; LIMBS] {
        self.0.compute(words).map(|limb| words.store(limb))
    }
}

#[inline(always)]
fn load<W: Words>(words: W, limbs: &[X8; LIMBS]) -> [W::Word; LIMBS] {
    core::array::from_fn(|i| words.load(&limbs[i]))
}

/// Takes what stands above 52 bits of each limb to the next one. On output every limb but the
/// highest is below 2^52; so is that of a value in 0 .. 2^260.
#[inline(always)]
fn carry<W: Words>(words: W, mut limbs: [W::Word; LIMBS]) -> [W::Word; LIMBS] {
    let mask = words.splat(LIMB_MASK);
    for i in 0..LIMBS - 1 {
        limbs[i + 1] = words.add(limbs[i + 1], words.sar::<LIMB_BITS>(limbs[i]));
        limbs[i] = words.and(limbs[i], mask);
    }
    limbs
}

/// Takes a value in 0 .. 15p, with limbs whose carries are outstanding, to a weakly reduced one.
///
/// |limbs\[i\]| < 2^54 for i < 4, so that what is below the highest limb is within 5 times 2^208:
/// q = floor((limbs\[4\] - 8) / 2^48) is at least -1, and the value minus 2^256 q is above (8 - 5)
/// 2^208 and below 2^256 + 13 2^208. The multiple of 2^256 goes, and q (2^256 - p) comes, less than
/// 2^254 as p > 2^256 - 2^250: the result is in 0 .. 2p. (For q = -1 the value was below 13 2^208,
/// and p was added.)
#[inline(always)]
fn settle<W: Words, K: Reduction>(words: W, mut limbs: [W::Word; LIMBS]) -> [W::Word; LIMBS] {
    let q = words.sar::<48>(words.sub(limbs[4], words.splat(8)));
    limbs[4] = words.sub(limbs[4], words.shl::<48>(q));
    K::add_complement(words, &mut limbs, q);
    carry(words, limbs)
}

/// a + b: below 4p.
#[derive(Clone, Copy)]
pub(super) struct Add<'a>(pub(super) &'a [X8; LIMBS], pub(super) &'a [X8; LIMBS]);

impl<K: Reduction> Arithmetic<K> for Add<'_> {
    #[inline(always)]
    fn compute<W: Words>(self, words: W) -> [W::Word; LIMBS] {
        let (a, b) = (load(words, self.0), load(words, self.1));
        let sum = core::array::from_fn(|i| words.add(a[i], b[i]));
        settle::<W, K>(words, sum)
    }
}

/// a - b + 2p: in 0 .. 4p.
#[derive(Clone, Copy)]
pub(super) struct Sub<'a>(pub(super) &'a [X8; LIMBS], pub(super) &'a [X8; LIMBS]);

impl<K: Reduction> Arithmetic<K> for Sub<'_> {
    #[inline(always)]
    fn compute<W: Words>(self, words: W) -> [W::Word; LIMBS] {
        let offset = const { multiple::<K::Modulus>(2) };
        let (a, b) = (load(words, self.0), load(words, self.1));
        let difference =
            core::array::from_fn(|i| words.sub(words.add(a[i], words.splat(offset[i])), b[i]));
        settle::<W, K>(words, difference)
    }
}

/// a - b - c + 4p: in 0 .. 6p.
#[derive(Clone, Copy)]
pub(super) struct SubBoth<'a>(
    pub(super) &'a [X8; LIMBS],
    pub(super) &'a [X8; LIMBS],
    pub(super) &'a [X8; LIMBS],
);

impl<K: Reduction> Arithmetic<K> for SubBoth<'_> {
    #[inline(always)]
    fn compute<W: Words>(self, words: W) -> [W::Word; LIMBS] {
        let offset = const { multiple::<K::Modulus>(4) };
        let a = load(words, self.0);
        let (b, c) = (load(words, self.1), load(words, self.2));
        let difference = core::array::from_fn(|i| {
            let positive = words.add(a[i], words.splat(offset[i]));
            words.sub(positive, words.add(b[i], c[i]))
        });
        settle::<W, K>(words, difference)
    }
}

/// (a + p) / 2 where a is odd, else a / 2: below 2p, as a < 2p.
#[derive(Clone, Copy)]
pub(super) struct Half<'a>(pub(super) &'a [X8; LIMBS]);

impl<K: Reduction> Arithmetic<K> for Half<'_> {
    #[inline(always)]
    fn compute<W: Words>(self, words: W) -> [W::Word; LIMBS] {
        let p = const { multiple::<K::Modulus>(1) };
        let a = load(words, self.0);
        let odd = words.sub(words.splat(0), words.and(a[0], words.splat(1)));
        let sum: [_; LIMBS] =
            core::array::from_fn(|i| words.add(a[i], words.and(odd, words.splat(p[i]))));
        let sum = carry(words, sum);
        core::array::from_fn(|i| {
            let low = words.shr::<1>(sum[i]);
            match sum.get(i + 1) {
                None => low,
                Some(&next) => {
                    let bit = words.and(next, words.splat(1));
                    words.or(low, words.shl::<51>(bit))
                }
            }
        })
    }
}

/// The product of two elements, not reduced: ten columns below 2^52 (10 + small).
#[inline(always)]
fn wide_product<W: Words>(
    words: W,
    a: &[W::Word; LIMBS],
    b: &[W::Word; LIMBS],
) -> [W::Word; 2 * LIMBS] {
    let mut t = [words.splat(0); 2 * LIMBS];
    for (i, &a) in a.iter().enumerate() {
        for (j, &b) in b.iter().enumerate() {
            t[i + j] = words.madd_low(t[i + j], a, b);
            t[i + j + 1] = words.madd_high(t[i + j + 1], a, b);
        }
    }
    t
}

/// The square of an element, not reduced: the products of distinct limbs, twice, plus the squares.
#[inline(always)]
fn wide_square<W: Words>(words: W, a: &[W::Word; LIMBS]) -> [W::Word; 2 * LIMBS] {
    let mut t = [words.splat(0); 2 * LIMBS];
    for i in 0..LIMBS {
        for j in i + 1..LIMBS {
            t[i + j] = words.madd_low(t[i + j], a[i], a[j]);
            t[i + j + 1] = words.madd_high(t[i + j + 1], a[i], a[j]);
        }
    }
    for (i, &limb) in a.iter().enumerate() {
        for column in [2 * i, 2 * i + 1] {
            t[column] = words.add(t[column], t[column]);
        }
        t[2 * i] = words.madd_low(t[2 * i], limb, limb);
        t[2 * i + 1] = words.madd_high(t[2 * i + 1], limb, limb);
    }
    t
}

/// t / 2^260 mod p, for t < 16p 2^256: below t / 2^260 + p.
#[inline(always)]
fn reduce<W: Words, K: Reduction>(words: W, mut t: [W::Word; 2 * LIMBS]) -> [W::Word; LIMBS] {
    for i in 0..LIMBS {
        K::clear_lowest(words, &mut t[i..i + LIMBS + 1]);
    }
    carry(words, core::array::from_fn(|i| t[LIMBS + i]))
}

/// a b / R: below (2p)^2 / 2^260 + p < 1.3p.
#[derive(Clone, Copy)]
pub(super) struct Mul<'a>(pub(super) &'a [X8; LIMBS], pub(super) &'a [X8; LIMBS]);

impl<K: Reduction> Arithmetic<K> for Mul<'_> {
    const IS_LONG: bool = true;

    #[inline(always)]
    fn compute<W: Words>(self, words: W) -> [W::Word; LIMBS] {
        let (a, b) = (load(words, self.0), load(words, self.1));
        reduce::<W, K>(words, wide_product(words, &a, &b))
    }
}

/// a^2 / R: as the product.
#[derive(Clone, Copy)]
pub(super) struct Square<'a>(pub(super) &'a [X8; LIMBS]);

impl<K: Reduction> Arithmetic<K> for Square<'_> {
    const IS_LONG: bool = true;

    #[inline(always)]
    fn compute<W: Words>(self, words: W) -> [W::Word; LIMBS] {
        let a = load(words, self.0);
        reduce::<W, K>(words, wide_square(words, &a))
    }
}

/// a or b, as the mask says.
#[derive(Clone, Copy)]
pub(super) struct Select<'a>(
    pub(super) u8,
    pub(super) &'a [X8; LIMBS],
    pub(super) &'a [X8; LIMBS],
);

impl<K: Reduction> Arithmetic<K> for Select<'_> {
    #[inline(always)]
    fn compute<W: Words>(self, words: W) -> [W::Word; LIMBS] {
        let (a, b) = (load(words, self.1), load(words, self.2));
        core::array::from_fn(|i| words.select(self.0, a[i], b[i]))
    }
}

/// Eight values below p in Montgomery form with R = 2^256: times 16 they are in the form with R =
/// 2^260, and below 16p.
#[derive(Clone, Copy)]
pub(super) struct Pack<'a>(pub(super) [&'a [u64; 4]; 8]);

impl<K: Reduction> Arithmetic<K> for Pack<'_> {
    #[inline(always)]
    fn compute<W: Words>(self, words: W) -> [W::Word; LIMBS] {
        let [x0, x1, x2, x3] = words.transpose(self.0);
        let mask = words.splat(LIMB_MASK);
        let limbs = [
            words.and(words.shl::<4>(x0), mask),
            words.and(words.or(words.shr::<48>(x0), words.shl::<16>(x1)), mask),
            words.and(words.or(words.shr::<36>(x1), words.shl::<28>(x2)), mask),
            words.and(words.or(words.shr::<24>(x2), words.shl::<40>(x3)), mask),
            words.shr::<12>(x3),
        ];
        settle::<W, K>(words, limbs)
    }
}

/// The lanes of an element, fully reduced, in four limbs of 64 bits.
#[derive(Clone, Copy)]
pub(super) struct Unpack<'a, K>(pub(super) &'a [X8; LIMBS], pub(super) PhantomData<K>);

impl<W: Words, K: Reduction> WordsOperation<W> for Unpack<'_, K> {
    type Output = [[u64; 4]; 8];

    #[inline(always)]
    fn run(self, words: W) -> [[u64; 4]; 8] {
        let p = const { multiple::<K::Modulus>(1) };
        let a = load(words, self.0);
        // a - p, and a again where that is negative: the sign is that of the highest limb.
        let difference = carry(
            words,
            core::array::from_fn(|i| words.sub(a[i], words.splat(p[i]))),
        );
        let sign = words.sar::<63>(difference[4]);
        let below = !words.zeros(sign);
        let [l0, l1, l2, l3, l4]: [_; LIMBS] =
            core::array::from_fn(|i| words.select(below, a[i], difference[i]));
        words.transpose_back([
            words.or(l0, words.shl::<52>(l1)),
            words.or(words.shr::<12>(l1), words.shl::<40>(l2)),
            words.or(words.shr::<24>(l2), words.shl::<28>(l3)),
            words.or(words.shr::<36>(l3), words.shl::<16>(l4)),
        ])
    }
}

/// The lanes in which a value below 2p is 0 or p.
#[derive(Clone, Copy)]
pub(super) struct IsZero<'a, K>(pub(super) &'a [X8; LIMBS], pub(super) PhantomData<K>);

impl<W: Words, K: Reduction> WordsOperation<W> for IsZero<'_, K> {
    type Output = u8;

    #[inline(always)]
    fn run(self, words: W) -> u8 {
        let p = const { multiple::<K::Modulus>(1) };
        let a = load(words, self.0);
        let mut any = a[0];
        // a - p limb by limb: zero in all limbs or not.
        let mut other = words.sub(a[0], words.splat(p[0]));
        for i in 1..LIMBS {
            any = words.or(any, a[i]);
            other = words.or(other, words.sub(a[i], words.splat(p[i])));
        }
        words.zeros(any) | words.zeros(other)
    }
}
