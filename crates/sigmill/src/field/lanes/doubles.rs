//! Arithmetic in lanes of double-precision numbers, using fused multiply-adds. For public values,
//! on CPUs without AVX-512 IFMA.
//!
//! A value has six or eight limbs. Each is a double of either sign, an integer times a unit. The
//! parts of a product of two limbs above and below some power of two are two doubles, so columns
//! are sums of exact halves ([docs/lanes.md], "Doubles").
//!
//! Every function accepts and returns elements as specified by [`DoublesReduction`].
//!
//! The same code runs on AVX2 with FMA, on AVX-512, and on portable numbers, bit for bit.
//!
//! [docs/lanes.md]: https://github.com/sigmill/sigmill/blob/main/docs/lanes.md

use core::marker::PhantomData;

use zeroize::Zeroize;

mod columns;
mod digits;
mod modulus;
mod operations;
mod p256;
mod p384;
mod reduction;
mod registers;
mod secp256k1;

use super::LaneMask;
use crate::field::{Body, Field, Kernel, Lanes, MOST_LANES, MontgomeryField, Residue};
use crate::limbs::{Doubles, array_from_fn};
pub use modulus::DoublesModulus;
use operations::{
    Add, Each, Half, IsZero, LoadLanes, Mul, Negate, Pack, Select, Square, Sub, ToWords,
};
pub use p256::{P256DoublesField, P256DoublesReduction};
pub use p384::{P384DoublesField, P384DoublesReduction};
pub use reduction::DoublesReduction;
pub use registers::DoublesRegisters;
pub use secp256k1::{Secp256k1DoublesField, Secp256k1DoublesReduction};

/// Integers modulo a prime, side by side, in limbs `V` of doubles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct DoublesResidue<T, V, const L: usize> {
    limbs: [V; L],
    modulus: PhantomData<T>,
}

impl<T, V, const L: usize> DoublesResidue<T, V, L> {
    #[inline(always)]
    fn from_limbs(limbs: [V; L]) -> Self {
        Self {
            limbs,
            modulus: PhantomData,
        }
    }

    /// The limbs, lowest first. Lane i of the value consists of number i of each limb.
    pub fn limbs(&self) -> &[V; L] {
        &self.limbs
    }
}

impl<T, V: Zeroize, const L: usize> Zeroize for DoublesResidue<T, V, L> {
    fn zeroize(&mut self) {
        self.limbs.zeroize();
    }
}

/// The content of one lane: the bits of its limbs.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct DoublesLane<T, const L: usize> {
    limbs: [u64; L],
    modulus: PhantomData<T>,
}

/// The field of integers modulo the prime of reduction `K` in `WIDTH` lanes, on doubles of `D`.
///
/// `S` is the kernel for the corresponding single values.
#[derive(Clone, Copy, Debug)]
pub struct DoublesField<D, K, S, const N: usize, const L: usize, const WIDTH: usize> {
    doubles: D,
    reduction: K,
    single: S,
}

impl<D, K, S, const N: usize, const L: usize, const WIDTH: usize> DoublesField<D, K, S, N, L, WIDTH>
where
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    /// Creates the field on these doubles, with single values by this kernel of the same prime.
    #[inline(always)]
    pub fn new(doubles: D, reduction: K, single: S) -> Self {
        debug_assert_eq!(reduction.constants().prime, single.modulus().prime());
        Self {
            doubles,
            reduction,
            single,
        }
    }

    /// The prime and its reduction.
    pub fn reduction(self) -> K {
        self.reduction
    }

    #[inline(always)]
    fn constant(self, limbs: &[f64; L]) -> DoublesResidue<K::Tag, D::Stored, L> {
        let mut constant = [D::Stored::default(); L];
        for (numbers, &limb) in constant.iter_mut().zip(limbs) {
            numbers.as_mut().fill(limb);
        }
        DoublesResidue::from_limbs(constant)
    }
}

impl<D, K, S, const N: usize, const L: usize, const WIDTH: usize> Field
    for DoublesField<D, K, S, N, L, WIDTH>
where
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    type Element = DoublesResidue<K::Tag, D::Stored, L>;
    type Mask = LaneMask<WIDTH>;

    #[inline(always)]
    fn zero(self) -> Self::Element {
        self.constant(&[0.0; L])
    }

    #[inline(always)]
    fn one(self) -> Self::Element {
        self.constant(&self.reduction.constants().one)
    }

    #[inline(always)]
    fn add(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.doubles.call(Add { reduction, a, b })
    }

    #[inline(always)]
    fn sub(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.doubles.call(Sub { reduction, a, b })
    }

    #[inline(always)]
    fn negate(self, a: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.doubles.run(Negate { reduction, a })
    }

    #[inline(always)]
    fn select(self, condition: Self::Mask, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.doubles.call(Select {
            reduction: self.reduction,
            condition,
            a,
            b,
        })
    }

    #[inline(always)]
    fn negate_if(self, a: &Self::Element, condition: Self::Mask) -> Self::Element {
        self.select(condition, &self.negate(a), a)
    }

    #[inline(always)]
    fn double(self, a: &Self::Element) -> Self::Element {
        self.add(a, a)
    }

    #[inline(always)]
    fn half(self, a: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.doubles.call(Half { reduction, a })
    }

    #[inline(always)]
    fn mul(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.doubles.call(Mul { reduction, a, b })
    }

    #[inline(always)]
    fn square(self, a: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.doubles.call(Square { reduction, a })
    }

    #[inline(always)]
    fn equal(self, a: &Self::Element, b: &Self::Element) -> Self::Mask {
        self.is_zero(&self.sub(a, b))
    }

    #[inline(always)]
    fn is_zero(self, a: &Self::Element) -> Self::Mask {
        let reduction = self.reduction;
        self.doubles.call(IsZero { reduction, a })
    }
}

impl<D, K, S, const N: usize, const L: usize, const LANES: usize> Lanes
    for DoublesField<D, K, S, N, L, LANES>
where
    D: Doubles<LANES>,
    K: DoublesReduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    type Single = MontgomeryField<S, N>;

    type Lane = DoublesLane<K::Tag, L>;
    type LaneArray = [DoublesLane<K::Tag, L>; LANES];

    type Registers = DoublesRegisters<D, K, N, L, LANES>;

    const WIDTH: usize = LANES;

    const HAS_LONG_PRODUCTS: bool = true;

    #[inline(always)]
    fn each(self, count: usize, body: impl Body<Self>) {
        self.doubles.call(Each {
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
        let mut values = [value(0); MOST_LANES];
        for (lane, place) in values[..LANES].iter_mut().enumerate() {
            *place = value(lane);
        }
        self.doubles.run(Pack {
            reduction: self.reduction,
            values,
        })
    }

    /// No product is needed: a shift converts the R of lanes to that of single values.
    #[inline(always)]
    fn unpack(self, a: &Self::Element, values: &mut [Residue<K::Tag, N>]) {
        let reduction = self.reduction;
        let words = self
            .doubles
            .call(ToWords::<_, _, _, _, _, true> { reduction, a });
        for (value, words) in values[..LANES].iter_mut().zip(words) {
            *value = Residue::from_montgomery_limbs(words);
        }
    }

    /// With a Montgomery form, one product by 1 removes R.
    #[inline(always)]
    fn to_integers(self, a: &Self::Element, integers: &mut [[u64; N]]) {
        let reduction = self.reduction;
        let words = self
            .doubles
            .call(ToWords::<_, _, _, _, _, false> { reduction, a });
        for (integer, words) in integers[..LANES].iter_mut().zip(words) {
            *integer = words;
        }
    }

    #[inline(always)]
    fn lanes(self, a: &Self::Element) -> [DoublesLane<K::Tag, L>; LANES] {
        array_from_fn(|lane| DoublesLane {
            limbs: array_from_fn(|i| a.limbs[i].as_ref()[lane].to_bits()),
            modulus: PhantomData,
        })
    }

    #[inline(always)]
    fn load_lanes<'a>(self, lane: impl Fn(usize) -> &'a DoublesLane<K::Tag, L>) -> Self::Element {
        let mut lanes = [lane(0); MOST_LANES];
        for (number, place) in lanes[..LANES].iter_mut().enumerate() {
            *place = lane(number);
        }
        self.doubles.run(LoadLanes {
            reduction: self.reduction,
            lanes,
        })
    }

    #[inline(always)]
    fn rotate(self, a: &Self::Element, by: usize) -> Self::Element {
        let mut rotated = *a;
        for (limb, from) in rotated.limbs.iter_mut().zip(&a.limbs) {
            for (lane, number) in limb.as_mut().iter_mut().enumerate() {
                *number = from.as_ref()[(lane + by) % LANES];
            }
        }
        rotated
    }
}
