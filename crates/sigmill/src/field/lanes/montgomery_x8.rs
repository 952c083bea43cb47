//! Arithmetic in eight lanes: `L` limbs of 52 bits, for any odd prime that leaves four of the bits
//! free. Elements are in Montgomery form with R = 2^(52 L). Primes that fold have no Montgomery
//! form (R = 1).
//!
//! An element of a lane holds a R mod p *weakly reduced*: every limb is below 2^52 and the value is
//! below 2.25m. Here m is p, or a multiple of p if p has few bits in the highest limb
//! ([`LaneModulus`]). Each function accepts and returns such elements; debug builds check this.
//! Inside a function, limbs are 64-bit words with room for sums. They may be negative between a
//! subtraction and the carries.
//!
//! The same code runs on AVX-512 IFMA and on portable words, limb for limb.

use core::fmt::{self, Debug};
use core::marker::PhantomData;

use zeroize::Zeroize;

mod columns;
mod constants;
mod factors;
mod operations;
mod reduction;
mod registers;
mod steps;

use super::LaneMask;
use crate::field::{Body, Field, Kernel, Lanes, MontgomeryField, Residue};
use crate::limbs::{LIMB_MASK, Words, X8, array_from_fn};
pub(super) use columns::{Columns, unrolled};
pub use constants::LaneModulus;
pub(super) use constants::{multiples, to_radix_52};
use operations::{
    Add, Each, Half, IsZero, LoadLanes, Mul, Pack, Rotate, Select, Square, Sub, SubBoth, Unpack,
};
pub use reduction::{AnyReduction, Reduction};
pub(super) use reduction::{carry, limbs_of_words};
pub use registers::RegistersX8;

/// Eight integers modulo a prime in limbs of 52 bits, weakly reduced, in the Montgomery form of its
/// [`Reduction`].
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct ResidueX8<T, const L: usize> {
    limbs: [X8; L],
    modulus: PhantomData<T>,
}

impl<T, const L: usize> ResidueX8<T, L> {
    #[inline(always)]
    fn from_limbs(limbs: [X8; L]) -> Self {
        Self {
            limbs,
            modulus: PhantomData,
        }
    }

    /// The limbs, little-endian, each below 2^52. Lane i of the value consists of word i of each
    /// limb.
    pub fn limbs(&self) -> &[X8; L] {
        &self.limbs
    }
}

impl<T, const L: usize> Zeroize for ResidueX8<T, L> {
    fn zeroize(&mut self) {
        self.limbs.zeroize();
    }
}

impl<T, const L: usize> Debug for ResidueX8<T, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries((0..8).map(|lane| self.limbs.map(|limb| limb.0[lane])))
            .finish()
    }
}

/// The content of one lane: an integer modulo a prime in the same Montgomery form, fully reduced,
/// in limbs of 64 bits.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct LaneX8<T, const N: usize> {
    limbs: [u64; N],
    modulus: PhantomData<T>,
}

impl<T, const N: usize> LaneX8<T, N> {
    #[inline(always)]
    fn new(limbs: [u64; N]) -> Self {
        Self {
            limbs,
            modulus: PhantomData,
        }
    }
}

/// The field of integers modulo the prime of reduction `K` in eight lanes, on words of `W`.
///
/// `S` is the kernel for the corresponding single values.
#[derive(Clone, Copy, Debug)]
pub struct FieldX8<W, K, S, const N: usize, const L: usize> {
    words: W,
    reduction: K,
    single: S,
}

impl<W, K, S, const N: usize, const L: usize> FieldX8<W, K, S, N, L>
where
    W: Words,
    K: Reduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    /// Creates the field on these words, with single values by this kernel of the same prime.
    #[inline(always)]
    pub fn new(words: W, reduction: K, single: S) -> Self {
        debug_assert_eq!(reduction.constants().modulus, single.modulus());
        Self {
            words,
            reduction,
            single,
        }
    }

    #[inline(always)]
    fn constant(self, limbs: &[u64; L]) -> ResidueX8<K::Tag, L> {
        ResidueX8::from_limbs(limbs.map(|limb| X8([limb; 8])))
    }

    /// Reports whether R is 2^(52 L), and not 1.
    #[inline(always)]
    fn has_montgomery_form(self) -> bool {
        self.reduction.constants().has_montgomery_form()
    }
}

/// Reports whether every limb is below 2^52 and the value below 2.25m.
fn is_weakly_reduced<T, const N: usize, const L: usize>(
    constants: &LaneModulus<N, L>,
    a: &ResidueX8<T, L>,
) -> bool {
    (0..8).all(|lane| {
        let limbs = a.limbs.map(|limb| limb.0[lane]);
        limbs.iter().all(|&limb| limb <= LIMB_MASK) && limbs[L - 1] < constants.weak_bound
    })
}

impl<W, K, S, const N: usize, const L: usize> Field for FieldX8<W, K, S, N, L>
where
    W: Words,
    K: Reduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    type Element = ResidueX8<K::Tag, L>;
    type Mask = LaneMask<8>;

    #[inline(always)]
    fn zero(self) -> Self::Element {
        self.constant(&[0; L])
    }

    #[inline(always)]
    fn one(self) -> Self::Element {
        self.constant(&self.reduction.constants().one)
    }

    #[inline(always)]
    fn add(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.words.call(Add { reduction, a, b })
    }

    #[inline(always)]
    fn sub(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.words.call(Sub { reduction, a, b })
    }

    #[inline(always)]
    fn sub_both(self, a: &Self::Element, b: &Self::Element, c: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.words.call(SubBoth { reduction, a, b, c })
    }

    #[inline(always)]
    fn negate(self, a: &Self::Element) -> Self::Element {
        self.sub(&self.zero(), a)
    }

    #[inline(always)]
    fn select(self, condition: LaneMask<8>, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.words.call(Select {
            reduction: self.reduction,
            condition,
            a,
            b,
        })
    }

    #[inline(always)]
    fn negate_if(self, a: &Self::Element, condition: LaneMask<8>) -> Self::Element {
        self.select(condition, &self.negate(a), a)
    }

    #[inline(always)]
    fn double(self, a: &Self::Element) -> Self::Element {
        self.add(a, a)
    }

    #[inline(always)]
    fn half(self, a: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.words.call(Half { reduction, a })
    }

    #[inline(always)]
    fn mul(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.words.call(Mul { reduction, a, b })
    }

    #[inline(always)]
    fn square(self, a: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.words.call(Square { reduction, a })
    }

    #[inline(always)]
    fn equal(self, a: &Self::Element, b: &Self::Element) -> LaneMask<8> {
        self.is_zero(&self.sub(a, b))
    }

    #[inline(always)]
    fn is_zero(self, a: &Self::Element) -> LaneMask<8> {
        let reduction = self.reduction;
        self.words.call(IsZero { reduction, a })
    }
}

impl<W, K, S, const N: usize, const L: usize> Lanes for FieldX8<W, K, S, N, L>
where
    W: Words,
    K: Reduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    type Single = MontgomeryField<S, N>;

    type Lane = LaneX8<K::Tag, N>;
    type LaneArray = [LaneX8<K::Tag, N>; 8];

    type Registers = RegistersX8<W, K, N, L>;

    const WIDTH: usize = 8;
    const CHAINS_BESIDE: usize = K::CHAINS_BESIDE;

    #[inline(always)]
    fn each(self, count: usize, body: impl Body<Self>) {
        self.words.call(Each {
            reduction: self.reduction,
            count,
            body,
            lanes: PhantomData,
        });
    }

    #[inline(always)]
    fn single(self) -> Self::Single {
        MontgomeryField::new(self.single)
    }

    #[inline(always)]
    fn pack<'a>(self, value: impl Fn(usize) -> &'a Residue<K::Tag, N>) -> Self::Element {
        self.words.call(Pack {
            reduction: self.reduction,
            values: array_from_fn(value),
        })
    }

    /// With a Montgomery form, one product by the R of single values replaces the R of lanes.
    #[inline(always)]
    fn unpack(self, a: &Self::Element, values: &mut [Residue<K::Tag, N>]) {
        let single = if self.has_montgomery_form() {
            self.mul(a, &self.constant(&self.reduction.constants().single_one))
        } else {
            *a
        };
        let lanes = self.words.call(Unpack {
            reduction: self.reduction,
            a: &single,
        });
        for (value, lane) in values.iter_mut().zip(lanes) {
            *value = Residue::from_montgomery_limbs(lane.limbs);
        }
    }

    /// With a Montgomery form, one product by 1 removes R.
    #[inline(always)]
    fn to_integers(self, a: &Self::Element, integers: &mut [[u64; N]]) {
        let plain = if self.has_montgomery_form() {
            let mut one = [0; L];
            one[0] = 1;
            self.mul(a, &self.constant(&one))
        } else {
            *a
        };
        let lanes = self.words.call(Unpack {
            reduction: self.reduction,
            a: &plain,
        });
        for (integer, lane) in integers[..8].iter_mut().zip(lanes) {
            *integer = lane.limbs;
        }
    }

    /// One product if values are weakly reduced modulo a multiple of the prime.
    #[inline(always)]
    fn lanes(self, a: &Self::Element) -> [LaneX8<K::Tag, N>; 8] {
        let reduced = if const { !K::SPARSE } && self.reduction.constants().scale > 0 {
            self.mul(a, &self.one())
        } else {
            *a
        };
        self.words.call(Unpack {
            reduction: self.reduction,
            a: &reduced,
        })
    }

    #[inline(always)]
    fn load_lanes<'a>(self, lane: impl Fn(usize) -> &'a LaneX8<K::Tag, N>) -> Self::Element {
        self.words.call(LoadLanes {
            reduction: self.reduction,
            lanes: array_from_fn(lane),
        })
    }

    #[inline(always)]
    fn rotate(self, a: &Self::Element, by: usize) -> Self::Element {
        let reduction = self.reduction;
        match by {
            1 => self.words.call(Rotate::<K, N, L, 1> { reduction, a }),
            2 => self.words.call(Rotate::<K, N, L, 2> { reduction, a }),
            4 => self.words.call(Rotate::<K, N, L, 4> { reduction, a }),
            _ => unreachable!("half of a power of two of lanes"),
        }
    }
}
