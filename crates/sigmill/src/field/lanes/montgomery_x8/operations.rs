//! The operations of a field of eight lanes on elements in memory.

use core::marker::PhantomData;

use super::reduction::{Reduction, carry};
use super::registers::{RegistersX8, transpose_back};
use super::{LaneX8, ResidueX8};
use crate::field::lanes::LaneMask;
use crate::field::{Body, Field as _, Lanes, MOST_LANES, Registers as _, Residue};
use crate::limbs::{Words, WordsOperation};

/// A reference to an element of the field with reduction `K`.
type In<'a, K, const N: usize, const L: usize> = &'a ResidueX8<<K as Reduction<N, L>>::Tag, L>;

/// Operations of the field in registers: load, compute, store.
macro_rules! operations {
    ($($name:ident($($a:ident),*) = $method:ident;)*) => {
        $(
            pub(super) struct $name<'a, K: Reduction<N, L>, const N: usize, const L: usize> {
                pub(super) reduction: K,
                $(pub(super) $a: In<'a, K, N, L>,)*
            }

            impl<W: Words, K: Reduction<N, L>, const N: usize, const L: usize> WordsOperation<W>
                for $name<'_, K, N, L>
            {
                type Output = ResidueX8<K::Tag, L>;

                #[inline(always)]
                fn run(self, words: W) -> ResidueX8<K::Tag, L> {
                    let field = RegistersX8::new(words, self.reduction);
                    field.store(&field.$method($(&field.load(self.$a)),*))
                }
            }
        )*
    };
}

operations! {
    Add(a, b) = add;
    Sub(a, b) = sub;
    SubBoth(a, b, c) = sub_both;
    Half(a) = half;
    Mul(a, b) = mul;
    Square(a) = square;
}

/// Selects a or b by a mask.
pub(super) struct Select<'a, K: Reduction<N, L>, const N: usize, const L: usize> {
    pub(super) reduction: K,
    pub(super) condition: LaneMask<8>,
    pub(super) a: In<'a, K, N, L>,
    pub(super) b: In<'a, K, N, L>,
}

impl<W: Words, K: Reduction<N, L>, const N: usize, const L: usize> WordsOperation<W>
    for Select<'_, K, N, L>
{
    type Output = ResidueX8<K::Tag, L>;

    #[inline(always)]
    fn run(self, words: W) -> Self::Output {
        let field = RegistersX8::new(words, self.reduction);
        let (a, b) = (field.load(self.a), field.load(self.b));
        field.store(&field.select(self.condition, &a, &b))
    }
}

/// The lanes in which a value is zero.
pub(super) struct IsZero<'a, K: Reduction<N, L>, const N: usize, const L: usize> {
    pub(super) reduction: K,
    pub(super) a: In<'a, K, N, L>,
}

impl<W: Words, K: Reduction<N, L>, const N: usize, const L: usize> WordsOperation<W>
    for IsZero<'_, K, N, L>
{
    type Output = LaneMask<8>;

    #[inline(always)]
    fn run(self, words: W) -> LaneMask<8> {
        let field = RegistersX8::new(words, self.reduction);
        field.is_zero(&field.load(self.a))
    }
}

/// A loop whose body stays in registers.
pub(super) struct Each<K, F, B, const N: usize, const L: usize> {
    pub(super) reduction: K,
    pub(super) count: usize,
    pub(super) body: B,
    pub(super) lanes: PhantomData<F>,
}

impl<W, K, F, B, const N: usize, const L: usize> WordsOperation<W> for Each<K, F, B, N, L>
where
    W: Words,
    K: Reduction<N, L>,
    F: Lanes<Registers = RegistersX8<W, K, N, L>>,
    B: Body<F>,
{
    type Output = ();

    #[inline(always)]
    fn run(mut self, words: W) {
        for i in 0..self.count {
            self.body.step(RegistersX8::new(words, self.reduction), i);
        }
    }
}

/// Eight single values.
pub(super) struct Pack<'a, K: Reduction<N, L>, const N: usize, const L: usize> {
    pub(super) reduction: K,
    pub(super) values: [&'a Residue<K::Tag, N>; MOST_LANES],
}

impl<W: Words, K: Reduction<N, L>, const N: usize, const L: usize> WordsOperation<W>
    for Pack<'_, K, N, L>
{
    type Output = ResidueX8<K::Tag, L>;

    #[inline(always)]
    fn run(self, words: W) -> Self::Output {
        let field = RegistersX8::new(words, self.reduction);
        field.store(&field.gather_values(self.values))
    }
}

/// The contents of eight lanes.
pub(super) struct LoadLanes<'a, K: Reduction<N, L>, const N: usize, const L: usize> {
    pub(super) reduction: K,
    pub(super) lanes: [&'a LaneX8<K::Tag, N>; MOST_LANES],
}

impl<W: Words, K: Reduction<N, L>, const N: usize, const L: usize> WordsOperation<W>
    for LoadLanes<'_, K, N, L>
{
    type Output = ResidueX8<K::Tag, L>;

    #[inline(always)]
    fn run(self, words: W) -> Self::Output {
        let field = RegistersX8::new(words, self.reduction);
        field.store(&field.gather_lanes(self.lanes))
    }
}

/// Moves lane i + `BY` to lane i, counted modulo eight.
pub(super) struct Rotate<'a, K: Reduction<N, L>, const N: usize, const L: usize, const BY: usize> {
    pub(super) reduction: K,
    pub(super) a: In<'a, K, N, L>,
}

impl<W: Words, K: Reduction<N, L>, const N: usize, const L: usize, const BY: usize>
    WordsOperation<W> for Rotate<'_, K, N, L, BY>
{
    type Output = ResidueX8<K::Tag, L>;

    #[inline(always)]
    fn run(self, words: W) -> Self::Output {
        let field = RegistersX8::new(words, self.reduction);
        let mut limbs = field.load(self.a);
        for limb in &mut limbs {
            *limb = words.rotate::<BY>(*limb);
        }
        field.store(&limbs)
    }
}

/// The lanes of an element below 3p, fully reduced, in limbs of 64 bits.
pub(super) struct Unpack<'a, K: Reduction<N, L>, const N: usize, const L: usize> {
    pub(super) reduction: K,
    pub(super) a: In<'a, K, N, L>,
}

impl<W: Words, K: Reduction<N, L>, const N: usize, const L: usize> WordsOperation<W>
    for Unpack<'_, K, N, L>
{
    type Output = [LaneX8<K::Tag, N>; MOST_LANES];

    #[inline(always)]
    fn run(self, words: W) -> Self::Output {
        let field = RegistersX8::new(words, self.reduction);
        let p = &self.reduction.constants().prime;
        let mut a = field.load(self.a);
        // Twice: subtracts p, and keeps a if the result is negative. The sign is that of the
        // highest limb.
        for _ in 0..2 {
            let mut difference = a;
            for i in 0..L {
                difference[i] = words.sub(a[i], words.splat(p[i]));
            }
            difference = carry(words, difference);
            let sign = words.sar::<63>(difference[L - 1]);
            a = field.select(LaneMask(words.zeros(sign)), &difference, &a);
        }
        let rows = transpose_back(words, &words_of_limbs(words, &a));
        let mut lanes = [LaneX8::new(rows[0]); MOST_LANES];
        for (lane, row) in lanes.iter_mut().zip(rows) {
            *lane = LaneX8::new(row);
        }
        lanes
    }
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
