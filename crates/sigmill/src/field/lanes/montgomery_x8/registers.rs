//! The arithmetic of eight lanes on limbs in registers.
//!
//! Closures are avoided: the compiler may leave one out of the function that is compiled for the
//! instructions, and every instruction in it becomes a call.

use core::marker::PhantomData;

use super::reduction::{Reduction, multiple, multiples, one};
use super::{LIMBS, LaneX8, MaskX8, ResidueX8, is_weakly_reduced};
use crate::field::{Field, MOST_LANES, Registers, Residue, SHELF};
use crate::limbs::{LIMB_BITS, LIMB_MASK, Words, X8};

/// The limbs of an element in registers.
pub(super) type Limbs<W> = [<W as Words>::Word; LIMBS];

/// The field of integers modulo the prime of reduction `K` in eight lanes, the limbs in registers:
/// for code that is compiled for the instructions of `W`.
#[derive(Clone, Copy, Debug)]
pub struct RegistersX8<W, K> {
    pub(super) words: W,
    reduction: PhantomData<K>,
}

impl<W: Words, K: Reduction> RegistersX8<W, K> {
    #[inline(always)]
    pub(super) fn new(words: W) -> Self {
        Self {
            words,
            reduction: PhantomData,
        }
    }

    #[inline(always)]
    pub(super) fn constant(self, limbs: &[u64; LIMBS]) -> Limbs<W> {
        let mut constant = [self.words.splat(0); LIMBS];
        for (word, &limb) in constant.iter_mut().zip(limbs) {
            *word = self.words.splat(limb);
        }
        constant
    }

    /// Takes what stands above 52 bits of each limb to the next one. On output every limb but the
    /// highest is below 2^52; so is that of a value in 0 .. 2^260.
    #[inline(always)]
    pub(super) fn carry(self, mut limbs: Limbs<W>) -> Limbs<W> {
        let words = self.words;
        let mask = words.splat(LIMB_MASK);
        for i in 0..LIMBS - 1 {
            limbs[i + 1] = words.add(limbs[i + 1], words.sar::<LIMB_BITS>(limbs[i]));
            limbs[i] = words.and(limbs[i], mask);
        }
        limbs
    }

    /// Takes a value v with outstanding carries to a weakly reduced one: adds the multiple of p that
    /// `multiples` holds for floor(v / 2^(208 + SHIFT)), of which the low three bits count.
    ///
    /// The limbs below the highest are at most 2^59, so they amount to less than 2^216, of either
    /// sign: the quotient is wrong by one where v is that near to a multiple of 2^(208 + SHIFT).
    /// Where limbs can be negative, `multiples` have one p more, so that the result is not; it is
    /// below 2^257 + 2^253 (docs/lanes.md, "Sums and differences").
    #[inline(always)]
    pub(super) fn settle<const SHIFT: u32>(
        self,
        mut limbs: Limbs<W>,
        multiples: &[X8; LIMBS],
    ) -> Limbs<W> {
        let words = self.words;
        let q = words.sar::<SHIFT>(limbs[4]);
        let p = const { multiple::<K::Modulus>(1) };
        for i in 0..LIMBS {
            if p[i] != 0 {
                limbs[i] = words.add(limbs[i], words.lookup(&multiples[i], q));
            }
        }
        self.carry(limbs)
    }

    /// Values below p in Montgomery form with R = 2^256, in words of 64 bits: times 16 they are in
    /// the form with R = 2^260, and below 16p. Values in no such form are taken as they are.
    #[inline(always)]
    pub(super) fn limbs_of_single(self, [x0, x1, x2, x3]: [W::Word; 4]) -> Limbs<W> {
        if K::R_BITS == 0 {
            return self.limbs_of_words([x0, x1, x2, x3]);
        }
        let words = self.words;
        let mask = words.splat(LIMB_MASK);
        let limbs = [
            words.and(words.shl::<4>(x0), mask),
            words.and(words.or(words.shr::<48>(x0), words.shl::<16>(x1)), mask),
            words.and(words.or(words.shr::<36>(x1), words.shl::<28>(x2)), mask),
            words.and(words.or(words.shr::<24>(x2), words.shl::<40>(x3)), mask),
            words.shr::<12>(x3),
        ];
        self.settle::<49>(limbs, const { &multiples::<K::Modulus>(0, 2, 0) })
    }

    /// Values below 2^256 in words of 64 bits.
    #[inline(always)]
    pub(super) fn limbs_of_words(self, [x0, x1, x2, x3]: [W::Word; 4]) -> Limbs<W> {
        let words = self.words;
        let mask = words.splat(LIMB_MASK);
        [
            words.and(x0, mask),
            words.and(words.or(words.shr::<52>(x0), words.shl::<12>(x1)), mask),
            words.and(words.or(words.shr::<40>(x1), words.shl::<24>(x2)), mask),
            words.and(words.or(words.shr::<28>(x2), words.shl::<36>(x3)), mask),
            words.shr::<16>(x3),
        ]
    }

    /// a b / R: below (2.25 2^256)^2 / 2^260 + p < 1.33 2^256, with limbs whose carries are
    /// outstanding. Ten columns below 2^52 (10 + small).
    #[inline(always)]
    pub(super) fn product(self, a: &Limbs<W>, b: &Limbs<W>) -> Limbs<W> {
        let words = self.words;
        let mut t = [words.splat(0); 2 * LIMBS];
        for (i, &a) in a.iter().enumerate() {
            for (j, &b) in b.iter().enumerate() {
                t[i + j] = words.madd_low(t[i + j], a, b);
                t[i + j + 1] = words.madd_high(t[i + j + 1], a, b);
            }
        }
        K::reduce(self.words, t)
    }

    /// a^2 / R, as the product: the products of distinct limbs, twice, plus the squares.
    #[inline(always)]
    pub(super) fn product_with_itself(self, a: &Limbs<W>) -> Limbs<W> {
        let words = self.words;
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
        K::reduce(self.words, t)
    }
}

impl<W: Words, K: Reduction> Field for RegistersX8<W, K> {
    type Element = Limbs<W>;
    type Mask = MaskX8;

    #[inline(always)]
    fn zero(self) -> Limbs<W> {
        self.constant(&[0; LIMBS])
    }

    #[inline(always)]
    fn one(self) -> Limbs<W> {
        self.constant(const { &one::<K>() })
    }

    /// a + b: in 0 .. 4.5 2^256, where the carries are positive.
    #[inline(always)]
    fn add(self, a: &Limbs<W>, b: &Limbs<W>) -> Limbs<W> {
        let mut sum = *a;
        for i in 0..LIMBS {
            sum[i] = self.words.add(a[i], b[i]);
        }
        self.settle::<48>(sum, const { &multiples::<K::Modulus>(0, 1, 0) })
    }

    /// a - b: in -2.25 2^256 .. 2.25 2^256. One p too much, for carries that are negative.
    #[inline(always)]
    fn sub(self, a: &Limbs<W>, b: &Limbs<W>) -> Limbs<W> {
        let mut difference = *a;
        for i in 0..LIMBS {
            difference[i] = self.words.sub(a[i], b[i]);
        }
        self.settle::<48>(difference, const { &multiples::<K::Modulus>(-3, 1, 1) })
    }

    /// a - b - c: in -4.5 2^256 .. 2.25 2^256. One p too much, as in a difference.
    #[inline(always)]
    fn sub_both(self, a: &Limbs<W>, b: &Limbs<W>, c: &Limbs<W>) -> Limbs<W> {
        let words = self.words;
        let mut difference = *a;
        for i in 0..LIMBS {
            difference[i] = words.sub(a[i], words.add(b[i], c[i]));
        }
        self.settle::<48>(difference, const { &multiples::<K::Modulus>(-5, 1, 1) })
    }

    #[inline(always)]
    fn negate(self, a: &Limbs<W>) -> Limbs<W> {
        self.sub(&self.zero(), a)
    }

    #[inline(always)]
    fn select(self, condition: MaskX8, a: &Limbs<W>, b: &Limbs<W>) -> Limbs<W> {
        let mut chosen = *a;
        for i in 0..LIMBS {
            chosen[i] = self.words.select(condition.0, a[i], b[i]);
        }
        chosen
    }

    #[inline(always)]
    fn negate_if(self, a: &Limbs<W>, condition: MaskX8) -> Limbs<W> {
        self.select(condition, &self.negate(a), a)
    }

    #[inline(always)]
    fn double(self, a: &Limbs<W>) -> Limbs<W> {
        self.add(a, a)
    }

    /// (a + p) / 2 where a is odd, else a / 2.
    #[inline(always)]
    fn half(self, a: &Limbs<W>) -> Limbs<W> {
        let (words, p) = (self.words, const { multiple::<K::Modulus>(1) });
        let odd = words.sub(words.splat(0), words.and(a[0], words.splat(1)));
        let mut sum = *a;
        for i in 0..LIMBS {
            sum[i] = words.add(a[i], words.and(odd, words.splat(p[i])));
        }
        sum = self.carry(sum);
        for i in 0..LIMBS {
            let low = words.shr::<1>(sum[i]);
            sum[i] = match sum.get(i + 1) {
                None => low,
                Some(&next) => {
                    let bit = words.and(next, words.splat(1));
                    words.or(low, words.shl::<51>(bit))
                }
            };
        }
        sum
    }

    /// Below 1.33 2^256.
    #[inline(always)]
    fn mul(self, a: &Limbs<W>, b: &Limbs<W>) -> Limbs<W> {
        self.carry(self.product(a, b))
    }

    /// Below 1.33 2^256.
    #[inline(always)]
    fn square(self, a: &Limbs<W>) -> Limbs<W> {
        self.carry(self.product_with_itself(a))
    }

    /// The product's carries wait for those of the difference.
    #[inline(always)]
    fn mul_sub(self, a: &Limbs<W>, b: &Limbs<W>, c: &Limbs<W>) -> Limbs<W> {
        self.sub(&self.product(a, b), c)
    }

    /// The square's carries wait for those of the difference.
    #[inline(always)]
    fn square_sub_both(self, a: &Limbs<W>, b: &Limbs<W>, c: &Limbs<W>) -> Limbs<W> {
        self.sub_both(&self.product_with_itself(a), b, c)
    }

    #[inline(always)]
    fn equal(self, a: &Limbs<W>, b: &Limbs<W>) -> MaskX8 {
        self.is_zero(&self.sub(a, b))
    }

    /// Below 3p, zero is 0, p or 2p.
    #[inline(always)]
    fn is_zero(self, a: &Limbs<W>) -> MaskX8 {
        let words = self.words;
        let zeros = const {
            [
                multiple::<K::Modulus>(0),
                multiple::<K::Modulus>(1),
                multiple::<K::Modulus>(2),
            ]
        };
        let mut mask = 0;
        for zero in zeros {
            let mut other = words.sub(a[0], words.splat(zero[0]));
            for i in 1..LIMBS {
                other = words.or(other, words.sub(a[i], words.splat(zero[i])));
            }
            mask |= words.zeros(other);
        }
        MaskX8(mask)
    }
}

impl<W: Words, K: Reduction> Registers for RegistersX8<W, K> {
    type Stored = ResidueX8<K::Modulus>;

    type Lane = LaneX8<K::Modulus>;

    type Entry = Residue<K::Modulus, 4>;

    /// Of each of the two values, each word of all entries.
    type Shelf = [[X8; 4]; 2];

    #[inline(always)]
    fn load(self, a: &Self::Stored) -> Limbs<W> {
        let [l0, l1, l2, l3, l4] = &a.limbs;
        let words = self.words;
        [
            words.load(l0),
            words.load(l1),
            words.load(l2),
            words.load(l3),
            words.load(l4),
        ]
    }

    #[inline(always)]
    fn store(self, a: &Limbs<W>) -> Self::Stored {
        let (words, &[l0, l1, l2, l3, l4]) = (self.words, a);
        let stored = ResidueX8 {
            limbs: [
                words.store(l0),
                words.store(l1),
                words.store(l2),
                words.store(l3),
                words.store(l4),
            ],
            modulus: PhantomData,
        };
        debug_assert!(is_weakly_reduced(&stored), "{stored:?}");
        stored
    }

    #[inline(always)]
    fn gather_values(self, values: [&Residue<K::Modulus, 4>; MOST_LANES]) -> Limbs<W> {
        let mut rows = [values[0].montgomery_limbs(); MOST_LANES];
        for i in 1..MOST_LANES {
            rows[i] = values[i].montgomery_limbs();
        }
        self.limbs_of_single(self.words.transpose(rows))
    }

    #[inline(always)]
    fn gather_lanes(self, lanes: [&LaneX8<K::Modulus>; MOST_LANES]) -> Limbs<W> {
        let mut rows = [&lanes[0].limbs; MOST_LANES];
        for i in 1..MOST_LANES {
            rows[i] = &lanes[i].limbs;
        }
        self.limbs_of_words(self.words.transpose(rows))
    }

    #[inline(always)]
    fn is_number(self, numbers: &X8, number: u64) -> MaskX8 {
        let words = self.words;
        MaskX8(words.zeros(words.sub(words.load(numbers), words.splat(number))))
    }

    #[inline(always)]
    fn shelve(self, entries: [[&Residue<K::Modulus, 4>; 2]; SHELF]) -> Self::Shelf {
        let words = self.words;
        let mut shelf = [[X8([0; 8]); 4]; 2];
        for c in 0..2 {
            let mut rows = [entries[0][c].montgomery_limbs(); SHELF];
            for i in 1..SHELF {
                rows[i] = entries[i][c].montgomery_limbs();
            }
            let columns = words.transpose(rows);
            for j in 0..4 {
                shelf[c][j] = words.store(columns[j]);
            }
        }
        shelf
    }

    /// A register holds a word of all entries of a shelf and is permuted by the numbers; what is kept
    /// becomes limbs once.
    #[inline(always)]
    fn look_up(self, shelves: &[Self::Shelf], numbers: &X8) -> [Limbs<W>; 2] {
        let words = self.words;
        let numbers = words.load(numbers);
        let of_lanes = words.shr::<3>(numbers);
        let mut found = [[words.splat(0); 4]; 2];
        for (i, shelf) in shelves.iter().enumerate() {
            let here = words.zeros(words.sub(of_lanes, words.splat(i as u64)));
            for c in 0..2 {
                for j in 0..4 {
                    let word = words.lookup(&shelf[c][j], numbers);
                    found[c][j] = words.select(here, word, found[c][j]);
                }
            }
        }
        [
            self.limbs_of_single(found[0]),
            self.limbs_of_single(found[1]),
        ]
    }
}
