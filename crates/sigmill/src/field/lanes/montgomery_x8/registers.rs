//! The arithmetic of eight lanes on limbs in registers.
//!
//! Closures are avoided. The compiler may compile one outside the function that has the target
//! features, and every instruction in it would become a call.

use super::is_weakly_reduced;
use super::reduction::{Reduction, carry, limbs_of_words};
use crate::field::lanes::in_memory::{Form, LaneRegisters, Rows};
use crate::field::lanes::{LaneMask, LaneResidue, LaneWords};
use crate::field::{Field, LOOKUP_BLOCK, MOST_LANES, Registers, Residue, SecretRegisters};
use crate::limbs::{Words, X8};

/// The limbs of an element in registers.
pub(super) type Limbs<W, const L: usize> = [<W as Words>::Word; L];

/// The field of integers modulo the prime of reduction `K` in eight lanes, with limbs in registers.
/// For code that is compiled for the instructions of `W`.
#[derive(Clone, Copy, Debug)]
pub struct RegistersX8<W, K, const N: usize, const L: usize> {
    pub(super) words: W,
    pub(super) reduction: K,
}

impl<W: Words, K: Reduction<N, L>, const N: usize, const L: usize> RegistersX8<W, K, N, L> {
    #[inline(always)]
    pub(super) fn new(words: W, reduction: K) -> Self {
        Self { words, reduction }
    }

    #[inline(always)]
    pub(super) fn constant(self, limbs: &[u64; L]) -> Limbs<W, L> {
        let mut constant = [self.words.splat(0); L];
        for (word, &limb) in constant.iter_mut().zip(limbs) {
            *word = self.words.splat(limb);
        }
        constant
    }
}

impl<W: Words, K: Reduction<N, L>, const N: usize, const L: usize> Field
    for RegistersX8<W, K, N, L>
{
    type Element = Limbs<W, L>;
    type Mask = LaneMask<8>;

    #[inline(always)]
    fn zero(self) -> Limbs<W, L> {
        self.constant(&[0; L])
    }

    #[inline(always)]
    fn one(self) -> Limbs<W, L> {
        self.constant(&self.reduction.constants().one)
    }

    /// a + b: in 0 .. 4.5m before reduction; the carries are positive.
    #[inline(always)]
    fn add(self, a: &Limbs<W, L>, b: &Limbs<W, L>) -> Limbs<W, L> {
        let mut sum = *a;
        for i in 0..L {
            sum[i] = self.words.add(a[i], b[i]);
        }
        self.reduction
            .reduce_weakly(self.words, sum, &self.reduction.constants().for_sums)
    }

    /// a - b: in -2.25m .. 2.25m before reduction. One m is added because carries are negative.
    #[inline(always)]
    fn sub(self, a: &Limbs<W, L>, b: &Limbs<W, L>) -> Limbs<W, L> {
        let mut difference = *a;
        for i in 0..L {
            difference[i] = self.words.sub(a[i], b[i]);
        }
        self.reduction.reduce_weakly(
            self.words,
            difference,
            &self.reduction.constants().for_differences,
        )
    }

    /// a - b - c: in -4.5m .. 2.25m before reduction. One m is added, as in a difference.
    #[inline(always)]
    fn sub_both(self, a: &Limbs<W, L>, b: &Limbs<W, L>, c: &Limbs<W, L>) -> Limbs<W, L> {
        let words = self.words;
        let mut difference = *a;
        for i in 0..L {
            difference[i] = words.sub(a[i], words.add(b[i], c[i]));
        }
        self.reduction
            .reduce_weakly(self.words, difference, &self.reduction.constants().for_both)
    }

    #[inline(always)]
    fn select(self, condition: LaneMask<8>, a: &Limbs<W, L>, b: &Limbs<W, L>) -> Limbs<W, L> {
        let mut chosen = *a;
        for i in 0..L {
            chosen[i] = self.words.select(condition.0, a[i], b[i]);
        }
        chosen
    }

    /// (a + p) / 2 if a is odd, otherwise a / 2.
    #[inline(always)]
    fn half(self, a: &Limbs<W, L>) -> Limbs<W, L> {
        let (words, p) = (self.words, &self.reduction.constants().prime);
        let odd = words.sub(words.splat(0), words.and(a[0], words.splat(1)));
        let mut sum = *a;
        for i in 0..L {
            sum[i] = words.add(a[i], words.and(odd, words.splat(p[i])));
        }
        sum = carry(words, sum);
        for i in 0..L {
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

    /// Below 1.33m.
    #[inline(always)]
    fn mul(self, a: &Limbs<W, L>, b: &Limbs<W, L>) -> Limbs<W, L> {
        carry(self.words, self.reduction.product(self.words, a, b))
    }

    /// Below 1.33m.
    #[inline(always)]
    fn square(self, a: &Limbs<W, L>) -> Limbs<W, L> {
        carry(
            self.words,
            self.reduction.product_with_itself(self.words, a),
        )
    }

    /// Squares that are squared again are factors: limbs keep the bits that were carried out of
    /// them, which saves one operation per limb.
    #[inline(always)]
    fn square_often<const COUNT: usize>(self, values: &mut [Limbs<W, L>; COUNT], times: usize) {
        for _ in 1..times {
            for value in &mut *values {
                let square = self.reduction.product_with_itself(self.words, value);
                *value = self.carry_factor(square).0;
            }
        }
        if times > 0 {
            for value in &mut *values {
                *value = self.square(value);
            }
        }
    }

    /// The carries of the product are left to those of the difference.
    #[inline(always)]
    fn mul_sub(self, a: &Limbs<W, L>, b: &Limbs<W, L>, c: &Limbs<W, L>) -> Limbs<W, L> {
        self.sub(&self.reduction.product(self.words, a, b), c)
    }

    /// The carries of the square are left to those of the difference.
    #[inline(always)]
    fn square_sub_both(self, a: &Limbs<W, L>, b: &Limbs<W, L>, c: &Limbs<W, L>) -> Limbs<W, L> {
        self.sub_both(&self.reduction.product_with_itself(self.words, a), b, c)
    }

    /// Below 3p, zero is 0, p or 2p. If m is not p, the value is divided by R first, which leaves
    /// it below 2p.
    #[inline(always)]
    fn is_zero(self, a: &Limbs<W, L>) -> LaneMask<8> {
        let (words, constants) = (self.words, self.reduction.constants());
        let mut reduced = *a;
        if const { !K::SPARSE } && constants.scale > 0 {
            let mut one = [0; L];
            one[0] = 1;
            reduced = self.mul(a, &self.constant(&one));
        }
        let mut mask = 0;
        for zero in [&[0; L], &constants.prime, &constants.double] {
            let mut other = words.sub(reduced[0], words.splat(zero[0]));
            for i in 1..L {
                other = words.or(other, words.sub(reduced[i], words.splat(zero[i])));
            }
            mask |= words.zeros(other);
        }
        LaneMask(mask)
    }
}

impl<W: Words, K: Reduction<N, L>, const N: usize, const L: usize> Registers
    for RegistersX8<W, K, N, L>
{
    type Stored = LaneResidue<K::Tag, X8, L>;

    type Lane = LaneWords<K::Tag, N>;

    type Entry = Residue<K::Tag, N>;

    #[inline(always)]
    fn load(self, a: &Self::Stored) -> Limbs<W, L> {
        self.words.load_all(&a.limbs)
    }

    #[inline(always)]
    fn store(self, a: &Limbs<W, L>) -> Self::Stored {
        let stored = LaneResidue::from_limbs(self.words.store_all(a));
        debug_assert!(
            is_weakly_reduced(self.reduction.constants(), &stored),
            "{stored:?}"
        );
        stored
    }

    #[inline(always)]
    fn gather_values(self, values: [&Residue<K::Tag, N>; MOST_LANES]) -> Limbs<W, L> {
        self.reduction
            .limbs_of_single(self.words, columns(self.words, values))
    }

    #[inline(always)]
    fn gather_signed(
        self,
        values: [&Residue<K::Tag, N>; MOST_LANES],
        negative: LaneMask<8>,
    ) -> Limbs<W, L> {
        let single = columns(self.words, values);
        self.reduction
            .limbs_of_signed(self.words, single, negative.0)
    }

    #[inline(always)]
    fn gather_lanes(self, lanes: [&LaneWords<K::Tag, N>; MOST_LANES]) -> Limbs<W, L> {
        let mut rows = [&lanes[0].words; MOST_LANES];
        for i in 1..MOST_LANES {
            rows[i] = &lanes[i].words;
        }
        limbs_of_words(self.words, &transpose(self.words, rows), 0)
    }

    #[inline(always)]
    fn is_number(self, numbers: &X8, number: u64) -> LaneMask<8> {
        let words = self.words;
        LaneMask(words.zeros(words.sub(words.load(numbers), words.splat(number))))
    }
}

impl<W: Words, K: Reduction<N, L>, const N: usize, const L: usize> LaneRegisters<N>
    for RegistersX8<W, K, N, L>
{
    type Tag = K::Tag;
    type Vectors = W;
    type LaneArray = [LaneWords<K::Tag, N>; 8];

    const WIDTH: usize = 8;
    const CHAINS_BESIDE: usize = K::CHAINS_BESIDE;

    #[inline(always)]
    fn vectors(self) -> W {
        self.words
    }

    #[inline(always)]
    fn stored_zero(self) -> Self::Stored {
        stored(&[0; L])
    }

    #[inline(always)]
    fn stored_one(self) -> Self::Stored {
        stored(&self.reduction.constants().one)
    }

    /// With a Montgomery form, one product by the R of single values replaces the R of lanes, and
    /// one product by 1 removes R. Lanes need one if values are weakly reduced modulo a multiple of
    /// the prime.
    #[inline(always)]
    fn factor_of(self, form: Form) -> Option<Self::Stored> {
        let constants = self.reduction.constants();
        let has_form = constants.has_montgomery_form();
        match form {
            Form::Single => has_form.then(|| stored(&constants.single_one)),
            Form::Integer => has_form.then(|| {
                let mut one = [0; L];
                one[0] = 1;
                stored(&one)
            }),
            Form::Lane => (!K::SPARSE && constants.scale > 0).then(|| self.stored_one()),
        }
    }

    /// The value is below 3p.
    #[inline(always)]
    fn rows(self, a: &Limbs<W, L>, _: Form) -> [[u64; N]; MOST_LANES] {
        let (words, p) = (self.words, &self.reduction.constants().prime);
        let mut a = *a;
        // Twice: subtracts p, and keeps a if the result is negative. The sign is that of the
        // highest limb.
        for _ in 0..2 {
            let mut difference = a;
            for i in 0..L {
                difference[i] = words.sub(a[i], words.splat(p[i]));
            }
            difference = carry(words, difference);
            let sign = words.sar::<63>(difference[L - 1]);
            a = self.select(LaneMask(words.zeros(sign)), &difference, &a);
        }
        transpose_back(words, &words_of_limbs(words, &a))
    }

    #[inline(always)]
    fn lane_array(self, a: &Self::Stored) -> Self::LaneArray {
        let registers = self;
        let form = Form::Lane;
        self.words
            .call(Rows { registers, a, form })
            .map(LaneWords::new)
    }

    #[inline(always)]
    fn rotate<const BY: usize>(self, a: &Limbs<W, L>) -> Limbs<W, L> {
        let mut limbs = *a;
        for limb in &mut limbs {
            *limb = self.words.rotate::<BY>(*limb);
        }
        limbs
    }
}

impl<W: Words, K: Reduction<N, L>, const N: usize, const L: usize> SecretRegisters
    for RegistersX8<W, K, N, L>
{
    /// For each of the two values: each word of all entries.
    type LookupBlock = [[X8; N]; 2];

    #[inline(always)]
    fn lookup_block(self, entries: [[&Residue<K::Tag, N>; 2]; LOOKUP_BLOCK]) -> Self::LookupBlock {
        let words = self.words;
        let mut block = [[X8([0; 8]); N]; 2];
        for c in 0..2 {
            let mut rows = [entries[0][c].montgomery_limbs(); LOOKUP_BLOCK];
            for i in 1..LOOKUP_BLOCK {
                rows[i] = entries[i][c].montgomery_limbs();
            }
            let columns = transpose(words, rows);
            for j in 0..N {
                block[c][j] = words.store(columns[j]);
            }
        }
        block
    }

    /// A register holds one word of all entries of a block and is permuted by the numbers. Only the
    /// selected words are converted to limbs.
    #[inline(always)]
    fn look_up(self, blocks: &[Self::LookupBlock], numbers: &X8) -> [Limbs<W, L>; 2] {
        let words = self.words;
        let numbers = words.load(numbers);
        let of_lanes = words.shr::<3>(numbers);
        let mut found = [[words.splat(0); N]; 2];
        for (i, block) in blocks.iter().enumerate() {
            let here = words.zeros(words.sub(of_lanes, words.splat(i as u64)));
            for c in 0..2 {
                for j in 0..N {
                    let word = words.lookup(&block[c][j], numbers);
                    found[c][j] = words.select(here, word, found[c][j]);
                }
            }
        }
        [
            self.reduction.limbs_of_single(words, found[0]),
            self.reduction.limbs_of_single(words, found[1]),
        ]
    }
}

/// Word j of the result holds limb j of all eight values.
#[inline(always)]
fn columns<W: Words, T, const N: usize>(
    words: W,
    values: [&Residue<T, N>; MOST_LANES],
) -> [W::Word; N] {
    let mut rows = [values[0].montgomery_limbs(); MOST_LANES];
    for i in 1..MOST_LANES {
        rows[i] = values[i].montgomery_limbs();
    }
    transpose(words, rows)
}

/// Word j of the result holds limb j of all eight rows. Works on four limbs at a time.
#[inline(always)]
fn transpose<W: Words, const N: usize>(words: W, rows: [&[u64; N]; MOST_LANES]) -> [W::Word; N] {
    let mut columns = [words.splat(0); N];
    for first in (0..N).step_by(4) {
        let count = 4.min(N - first);
        let mut part = [[0; 4]; MOST_LANES];
        for i in 0..MOST_LANES {
            part[i][..count].copy_from_slice(&rows[i][first..first + count]);
        }
        let mut parts = [&part[0]; MOST_LANES];
        for i in 1..MOST_LANES {
            parts[i] = &part[i];
        }
        let four = words.transpose(parts);
        columns[first..first + count].copy_from_slice(&four[..count]);
    }
    columns
}

/// Row i of the result holds word i of all columns. Works on four columns at a time.
#[inline(always)]
fn transpose_back<W: Words, const N: usize>(
    words: W,
    columns: &[W::Word; N],
) -> [[u64; N]; MOST_LANES] {
    let mut rows = [[0; N]; MOST_LANES];
    for first in (0..N).step_by(4) {
        let count = 4.min(N - first);
        let mut four = [words.splat(0); 4];
        four[..count].copy_from_slice(&columns[first..first + count]);
        let part = words.transpose_back(four);
        for i in 0..MOST_LANES {
            rows[i][first..first + count].copy_from_slice(&part[i][..count]);
        }
    }
    rows
}

/// A constant in all lanes.
#[inline(always)]
fn stored<T, const L: usize>(limbs: &[u64; L]) -> LaneResidue<T, X8, L> {
    LaneResidue::from_limbs(limbs.map(|limb| X8([limb; 8])))
}

/// Converts limbs of 52 bits of a value below 2^(64 N) to words of 64 bits.
#[inline(always)]
fn words_of_limbs<W: Words, const N: usize, const L: usize>(
    words: W,
    limbs: &[W::Word; L],
) -> [W::Word; N] {
    let mut result = [words.splat(0); N];
    for (i, word) in result.iter_mut().enumerate() {
        // Bits from 64 i on, from two or three limbs.
        let (limb, shift) = (64 * i / 52, (64 * i % 52) as u32);
        if limb >= L {
            continue;
        }
        *word = words.shr_by(limbs[limb], shift);
        if limb + 1 < L {
            *word = words.or(*word, words.shl_by(limbs[limb + 1], 52 - shift));
        }
        if shift > 40 && limb + 2 < L {
            *word = words.or(*word, words.shl_by(limbs[limb + 2], 104 - shift));
        }
    }
    result
}
