//! Arithmetic in eight lanes: radix 2^52, five limbs, for primes a little below 2^256; in Montgomery
//! form with R = 2^260, or, where a prime folds, in none (R = 1).
//!
//! An element of a lane holds a R mod p *weakly reduced*: every limb is below 2^52 and the value is
//! below 2.25 2^256, a little above 2p. Each function takes and returns that; debug builds check it. Inside a function limbs
//! are 64-bit words with room for sums, and may be negative between a subtraction and the carries.
//!
//! The same code runs on AVX-512 IFMA and on portable words, limb for limb.

use core::fmt::{self, Debug};
use core::marker::PhantomData;

use zeroize::Zeroize;

mod factors;
mod operations;
mod reduction;
mod registers;

use crate::field::{Body, Lanes};
use crate::field::{Field, Kernel, Mask, Modulus, MontgomeryField, Residue};
use crate::limbs::{LIMB_MASK, Words, X8};
use operations::{
    Add, Each, Half, IsZero, LoadLanes, Mul, Pack, Rotate, Select, Square, Sub, SubBoth, Unpack,
};
pub use reduction::{ClearLowest, Reduction, ReductionX8};
use reduction::{limbs_of, one};
pub use registers::RegistersX8;

/// The limbs of an element.
const LIMBS: usize = 5;

/// Eight integers modulo a prime, in the Montgomery form of its [`Reduction`], weakly reduced.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct ResidueX8<M> {
    limbs: [X8; LIMBS],
    modulus: PhantomData<M>,
}

impl<M> ResidueX8<M> {
    /// The limbs, little-endian, each below 2^52; lane i of the value is made of word i of each.
    pub fn limbs(&self) -> &[X8; LIMBS] {
        &self.limbs
    }
}

impl<M> Zeroize for ResidueX8<M> {
    fn zeroize(&mut self) {
        self.limbs.zeroize();
    }
}

impl<M> Debug for ResidueX8<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries((0..8).map(|lane| self.limbs.map(|limb| limb.0[lane])))
            .finish()
    }
}

/// What one lane holds: an integer modulo a prime in the same Montgomery form, fully reduced,
/// in four limbs of 64 bits.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct LaneX8<M> {
    limbs: [u64; 4],
    modulus: PhantomData<M>,
}

/// One bit for each of eight lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaskX8(u8);

impl Mask for MaskX8 {
    #[inline(always)]
    fn any(self) -> bool {
        self.0 != 0
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline(always)]
    fn from_lanes(holds: impl Fn(usize) -> bool) -> Self {
        Self((0..8).fold(0, |mask, lane| mask | u8::from(holds(lane)) << lane))
    }

    #[inline(always)]
    fn lane(self, i: usize) -> bool {
        self.0 >> i & 1 == 1
    }
}

/// The field of integers modulo the prime of reduction `K` in eight lanes, on words of `W`.
///
/// `S` is the kernel of the single values that go with it.
#[derive(Clone, Copy, Debug)]
pub struct FieldX8<W, K, S> {
    words: W,
    reduction: PhantomData<K>,
    single: S,
}

impl<W: Words, K: Reduction, S: Kernel<4, Modulus = K::Modulus>> FieldX8<W, K, S> {
    /// The field on these words, with single values by this kernel.
    pub const fn new(words: W, single: S) -> Self {
        const {
            // Quotients by 2^256 must do for quotients by p: 16 (2^256 - p) is below 2^254.
            assert!(
                K::Modulus::MODULUS[3] >> 58 == 63,
                "the prime is a little below 2^256"
            );
            assert!(
                (K::R_BITS == 260) == K::Modulus::HAS_MONTGOMERY_FORM,
                "lanes and single values are in a Montgomery form, or neither is"
            );
        }
        Self {
            words,
            reduction: PhantomData,
            single,
        }
    }

    #[inline(always)]
    fn constant(self, limbs: &[u64; LIMBS]) -> ResidueX8<K::Modulus> {
        ResidueX8 {
            limbs: limbs.map(|limb| X8([limb; 8])),
            modulus: PhantomData,
        }
    }
}

/// Whether every limb is below 2^52 and the value below 2.25 2^256.
fn is_weakly_reduced<M>(a: &ResidueX8<M>) -> bool {
    (0..8).all(|lane| {
        let limbs = a.limbs.map(|limb| limb.0[lane]);
        limbs.iter().all(|&limb| limb <= LIMB_MASK) && limbs[4] < 9 << 46
    })
}

impl<W: Words, K: Reduction, S: Kernel<4, Modulus = K::Modulus>> Field for FieldX8<W, K, S> {
    type Element = ResidueX8<K::Modulus>;
    type Mask = MaskX8;

    #[inline(always)]
    fn zero(self) -> Self::Element {
        self.constant(&[0; LIMBS])
    }

    #[inline(always)]
    fn one(self) -> Self::Element {
        self.constant(const { &one::<K>() })
    }

    #[inline(always)]
    fn add(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.words.run(Add::<K>(a, b))
    }

    #[inline(always)]
    fn sub(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.words.run(Sub::<K>(a, b))
    }

    #[inline(always)]
    fn sub_both(self, a: &Self::Element, b: &Self::Element, c: &Self::Element) -> Self::Element {
        self.words.run(SubBoth::<K>(a, b, c))
    }

    #[inline(always)]
    fn negate(self, a: &Self::Element) -> Self::Element {
        self.sub(&self.zero(), a)
    }

    #[inline(always)]
    fn select(self, condition: MaskX8, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.words.run(Select::<K>(condition, a, b))
    }

    #[inline(always)]
    fn negate_if(self, a: &Self::Element, condition: MaskX8) -> Self::Element {
        self.select(condition, &self.negate(a), a)
    }

    #[inline(always)]
    fn double(self, a: &Self::Element) -> Self::Element {
        self.add(a, a)
    }

    #[inline(always)]
    fn half(self, a: &Self::Element) -> Self::Element {
        self.words.run(Half::<K>(a))
    }

    #[inline(always)]
    fn mul(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.words.call(Mul::<K>(a, b))
    }

    #[inline(always)]
    fn square(self, a: &Self::Element) -> Self::Element {
        self.words.call(Square::<K>(a))
    }

    #[inline(always)]
    fn equal(self, a: &Self::Element, b: &Self::Element) -> MaskX8 {
        self.is_zero(&self.sub(a, b))
    }

    #[inline(always)]
    fn is_zero(self, a: &Self::Element) -> MaskX8 {
        self.words.run(IsZero::<K>(a))
    }
}

impl<W: Words, K: Reduction, S: Kernel<4, Modulus = K::Modulus>> Lanes for FieldX8<W, K, S> {
    type Single = MontgomeryField<S, 4>;

    type Lane = LaneX8<K::Modulus>;

    type Registers = RegistersX8<W, K>;

    const WIDTH: usize = 8;

    #[inline(always)]
    fn each(self, count: usize, body: impl Body<Self>) {
        self.words.call(Each {
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
    fn pack<'a>(self, value: impl Fn(usize) -> &'a Residue<K::Modulus, 4>) -> Self::Element {
        self.words.run(Pack::<K>(core::array::from_fn(value)))
    }

    /// One product where there is a Montgomery form: times 2^256, so that R = 2^260 gives way to R =
    /// 2^256.
    #[inline(always)]
    fn unpack(self, a: &Self::Element, values: &mut [Residue<K::Modulus, 4>]) {
        let single = match K::R_BITS {
            0 => *a,
            _ => self.mul(a, &self.constant(const { &limbs_of(&K::Modulus::R) })),
        };
        let lanes = self.words.run(Unpack::<K>(&single));
        for (value, limbs) in values.iter_mut().zip(lanes) {
            *value = Residue::from_montgomery_limbs(limbs);
        }
    }

    /// One product where there is a Montgomery form: times one, so that no R is left.
    #[inline(always)]
    fn to_integers(self, a: &Self::Element, integers: &mut [[u64; 4]]) {
        let plain = match K::R_BITS {
            0 => *a,
            _ => self.mul(a, &self.constant(&[1, 0, 0, 0, 0])),
        };
        let lanes = self.words.run(Unpack::<K>(&plain));
        integers[..8].copy_from_slice(&lanes);
    }

    #[inline(always)]
    fn lanes(self, a: &Self::Element) -> impl Iterator<Item = LaneX8<K::Modulus>> {
        let rows = self.words.run(Unpack::<K>(a));
        rows.into_iter().map(|limbs| LaneX8 {
            limbs,
            modulus: PhantomData,
        })
    }

    #[inline(always)]
    fn load_lanes<'a>(self, lane: impl Fn(usize) -> &'a LaneX8<K::Modulus>) -> Self::Element {
        self.words.run(LoadLanes::<K>(core::array::from_fn(lane)))
    }

    #[inline(always)]
    fn rotate(self, a: &Self::Element, by: usize) -> Self::Element {
        match by {
            1 => self.words.run(Rotate::<K, 1>(a)),
            2 => self.words.run(Rotate::<K, 2>(a)),
            4 => self.words.run(Rotate::<K, 4>(a)),
            _ => unreachable!("half of a power of two of lanes"),
        }
    }
}
