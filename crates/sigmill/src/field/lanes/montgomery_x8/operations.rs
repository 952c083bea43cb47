//! The operations of a field of eight lanes on elements in memory.

use core::marker::PhantomData;

use super::reduction::{Reduction, multiple};
use super::registers::RegistersX8;
use super::{LIMBS, LaneX8, MaskX8, ResidueX8};
use crate::field::{Body, Field as _, Lanes, MOST_LANES, Registers as _, Residue};
use crate::limbs::{Words, WordsOperation};

/// An element, by reference, of the field with reduction `K`.
type In<'a, K> = &'a ResidueX8<<K as Reduction>::Modulus>;

/// Operations of the field in registers: load, compute, store.
macro_rules! operations {
    ($($name:ident($($a:ident),*) = $method:ident;)*) => {
        $(
            pub(super) struct $name<'a, K: Reduction>($(pub(super) operations!(@ $a In<'a, K>)),*);

            impl<W: Words, K: Reduction> WordsOperation<W> for $name<'_, K> {
                type Output = ResidueX8<K::Modulus>;

                #[inline(always)]
                fn run(self, words: W) -> ResidueX8<K::Modulus> {
                    let field = RegistersX8::<W, K>::new(words);
                    let Self($($a),*) = self;
                    field.store(&field.$method($(&field.load($a)),*))
                }
            }
        )*
    };
    (@ $a:ident $type:ty) => { $type };
}

operations! {
    Add(a, b) = add;
    Sub(a, b) = sub;
    SubBoth(a, b, c) = sub_both;
    Half(a) = half;
    Mul(a, b) = mul;
    Square(a) = square;
}

/// a or b, as the mask says.
pub(super) struct Select<'a, K: Reduction>(
    pub(super) MaskX8,
    pub(super) In<'a, K>,
    pub(super) In<'a, K>,
);

impl<W: Words, K: Reduction> WordsOperation<W> for Select<'_, K> {
    type Output = ResidueX8<K::Modulus>;

    #[inline(always)]
    fn run(self, words: W) -> ResidueX8<K::Modulus> {
        let field = RegistersX8::<W, K>::new(words);
        field.store(&field.select(self.0, &field.load(self.1), &field.load(self.2)))
    }
}

/// The lanes in which a value is zero.
pub(super) struct IsZero<'a, K: Reduction>(pub(super) In<'a, K>);

impl<W: Words, K: Reduction> WordsOperation<W> for IsZero<'_, K> {
    type Output = MaskX8;

    #[inline(always)]
    fn run(self, words: W) -> MaskX8 {
        let field = RegistersX8::<W, K>::new(words);
        field.is_zero(&field.load(self.0))
    }
}

/// A loop whose body stays in registers.
pub(super) struct Each<L, B> {
    pub(super) count: usize,
    pub(super) body: B,
    pub(super) lanes: PhantomData<L>,
}

impl<W, K, L, B> WordsOperation<W> for Each<L, B>
where
    W: Words,
    K: Reduction,
    L: Lanes<Registers = RegistersX8<W, K>>,
    B: Body<L>,
{
    type Output = ();

    #[inline(always)]
    fn run(mut self, words: W) {
        for i in 0..self.count {
            self.body.step(RegistersX8::new(words), i);
        }
    }
}

/// Eight single values.
pub(super) struct Pack<'a, K: Reduction>(pub(super) [&'a Residue<K::Modulus, 4>; MOST_LANES]);

impl<W: Words, K: Reduction> WordsOperation<W> for Pack<'_, K> {
    type Output = ResidueX8<K::Modulus>;

    #[inline(always)]
    fn run(self, words: W) -> ResidueX8<K::Modulus> {
        let field = RegistersX8::<W, K>::new(words);
        field.store(&field.gather_values(self.0))
    }
}

/// What eight lanes hold.
pub(super) struct LoadLanes<'a, K: Reduction>(pub(super) [&'a LaneX8<K::Modulus>; MOST_LANES]);

impl<W: Words, K: Reduction> WordsOperation<W> for LoadLanes<'_, K> {
    type Output = ResidueX8<K::Modulus>;

    #[inline(always)]
    fn run(self, words: W) -> ResidueX8<K::Modulus> {
        let field = RegistersX8::<W, K>::new(words);
        field.store(&field.gather_lanes(self.0))
    }
}

/// Lane i + `BY` in lane i, counted modulo eight.
pub(super) struct Rotate<'a, K: Reduction, const BY: usize>(pub(super) In<'a, K>);

impl<W: Words, K: Reduction, const BY: usize> WordsOperation<W> for Rotate<'_, K, BY> {
    type Output = ResidueX8<K::Modulus>;

    #[inline(always)]
    fn run(self, words: W) -> ResidueX8<K::Modulus> {
        let field = RegistersX8::<W, K>::new(words);
        let mut limbs = field.load(self.0);
        for limb in &mut limbs {
            *limb = words.rotate::<BY>(*limb);
        }
        field.store(&limbs)
    }
}

/// The lanes of an element, fully reduced, in four limbs of 64 bits.
pub(super) struct Unpack<'a, K: Reduction>(pub(super) In<'a, K>);

impl<W: Words, K: Reduction> WordsOperation<W> for Unpack<'_, K> {
    type Output = [[u64; 4]; 8];

    #[inline(always)]
    fn run(self, words: W) -> [[u64; 4]; 8] {
        let field = RegistersX8::<W, K>::new(words);
        let p = const { multiple::<K::Modulus>(1) };
        let mut a = field.load(self.0);
        // Twice: a - p, and a again where that is negative; the sign is that of the highest limb.
        for _ in 0..2 {
            let mut difference = a;
            for i in 0..LIMBS {
                difference[i] = words.sub(a[i], words.splat(p[i]));
            }
            difference = field.carry(difference);
            let sign = words.sar::<63>(difference[4]);
            a = field.select(MaskX8(words.zeros(sign)), &difference, &a);
        }
        let [l0, l1, l2, l3, l4] = a;
        words.transpose_back([
            words.or(l0, words.shl::<52>(l1)),
            words.or(words.shr::<12>(l1), words.shl::<40>(l2)),
            words.or(words.shr::<24>(l2), words.shl::<28>(l3)),
            words.or(words.shr::<36>(l3), words.shl::<16>(l4)),
        ])
    }
}
