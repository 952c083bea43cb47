//! Arithmetic in four lanes by products of 32 bits: nine limbs of 29 bits, for primes just below
//! 2^256. Elements are in Montgomery form with R = 2^261. Primes that fold have no Montgomery form
//! (R = 1).
//!
//! For secrets, on CPUs without AVX-512 IFMA. The code uses only integers, whose instructions take
//! the same time for all operands.
//!
//! An *element* has limbs below 2^29, the highest below 1.1875 2^24, so its value is below
//! 1.1875 2^256. Each function accepts and returns such elements; debug builds check this. Inside a
//! function, limbs are 64-bit words with room for sums. They are never negative, because no shift
//! keeps the sign.
//!
//! The same code runs on AVX2 and on portable quads, limb for limb.

use core::fmt::{self, Debug};
use core::marker::PhantomData;

use zeroize::Zeroize;

mod operations;
mod p256;
mod reduction;
mod registers;
mod secp256k1;

use crate::ct;
use crate::field::{Body, Field, Kernel, Lanes, Mask, MontgomeryField, Residue};
use crate::limbs::{AlignedX4, NarrowQuads, array_from_fn};
use operations::{
    Add, Each, Half, IsZero, LoadLanes, Mul, Pack, Rotate, Select, Square, Sub, SubBoth, Unpack,
    WIDTH,
};
pub use p256::{P256FieldNarrowX4, P256NarrowReduction};
pub use reduction::{NarrowModulus, NarrowReduction};
pub use registers::{FactorNarrowX4, RegistersNarrowX4};
pub use secp256k1::{Secp256k1FieldNarrowX4, Secp256k1NarrowReduction};

/// Number of limbs of an element.
const LIMBS: usize = 9;

/// Number of bits of a limb.
const BITS: i32 = 29;

const MASK: u64 = (1 << BITS) - 1;

/// Bound for the highest limb of an element (exclusive).
const ELEMENT_TOP: u64 = 19 << 20;

/// Four integers modulo a prime in limbs of 29 bits, weakly reduced, in the Montgomery form of its
/// [`NarrowReduction`].
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct ResidueNarrowX4<T> {
    limbs: [AlignedX4; LIMBS],
    modulus: PhantomData<T>,
}

impl<T> ResidueNarrowX4<T> {
    #[inline(always)]
    fn from_limbs(limbs: [AlignedX4; LIMBS]) -> Self {
        Self {
            limbs,
            modulus: PhantomData,
        }
    }

    /// The limbs, little-endian. Lane i of the value consists of word i of each limb.
    pub fn limbs(&self) -> &[AlignedX4; LIMBS] {
        &self.limbs
    }
}

impl<T> Zeroize for ResidueNarrowX4<T> {
    fn zeroize(&mut self) {
        self.limbs.zeroize();
    }
}

impl<T> Debug for ResidueNarrowX4<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries((0..WIDTH).map(|lane| self.limbs.map(|limb| limb.0[lane])))
            .finish()
    }
}

/// Reports whether every limb is below 2^29, and the highest below 1.1875 2^24.
fn is_element(limbs: &[AlignedX4; LIMBS]) -> bool {
    let below = |limb: &AlignedX4, bound: u64| limb.0.iter().all(|&word| word < bound);
    limbs[..LIMBS - 1].iter().all(|limb| below(limb, 1 << BITS))
        && below(&limbs[LIMBS - 1], ELEMENT_TOP)
}

/// The content of one lane: an integer modulo a prime in the same Montgomery form, fully reduced,
/// in words of 64 bits.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct LaneNarrowX4<T> {
    words: [u64; 4],
    modulus: PhantomData<T>,
}

/// A word of all ones or all zeros for each of four lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaskNarrowX4(AlignedX4);

impl Zeroize for MaskNarrowX4 {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Mask for MaskNarrowX4 {
    #[inline(always)]
    fn any(self) -> bool {
        let [a, b, c, d] = self.0.0;
        a | b | c | d != 0
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(AlignedX4(array_from_fn(|i| self.0.0[i] | other.0.0[i])))
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        Self(AlignedX4(array_from_fn(|i| self.0.0[i] & !other.0.0[i])))
    }

    #[inline(always)]
    fn from_lanes(holds: impl Fn(usize) -> bool) -> Self {
        Self(AlignedX4(array_from_fn(|i| ct::mask(holds(i)))))
    }

    #[inline(always)]
    fn lane(self, i: usize) -> bool {
        self.0.0[i] & 1 == 1
    }
}

/// The field of integers modulo the prime of reduction `K` in four lanes, on quads of `Q`.
///
/// `S` is the kernel for the corresponding single values.
#[derive(Clone, Copy, Debug)]
pub struct FieldNarrowX4<Q, K, S> {
    quads: Q,
    reduction: K,
    single: S,
}

impl<Q, K, S> FieldNarrowX4<Q, K, S>
where
    Q: NarrowQuads,
    K: NarrowReduction,
    S: Kernel<4, Tag = K::Tag>,
{
    /// Creates the field on these quads, with single values by this kernel of the same prime.
    #[inline(always)]
    pub fn new(quads: Q, reduction: K, single: S) -> Self {
        debug_assert_eq!(reduction.constants().modulus, single.modulus());
        Self {
            quads,
            reduction,
            single,
        }
    }

    #[inline(always)]
    fn constant(self, limbs: &[u64; LIMBS]) -> ResidueNarrowX4<K::Tag> {
        ResidueNarrowX4::from_limbs(limbs.map(|limb| AlignedX4([limb; WIDTH])))
    }

    /// The lanes of a, fully reduced, in words of 64 bits.
    #[inline(always)]
    fn rows(self, a: &ResidueNarrowX4<K::Tag>) -> [[u64; 4]; WIDTH] {
        let reduction = self.reduction;
        self.quads.call(Unpack { reduction, a })
    }
}

impl<Q, K, S> Field for FieldNarrowX4<Q, K, S>
where
    Q: NarrowQuads,
    K: NarrowReduction,
    S: Kernel<4, Tag = K::Tag>,
{
    type Element = ResidueNarrowX4<K::Tag>;
    type Mask = MaskNarrowX4;

    #[inline(always)]
    fn zero(self) -> Self::Element {
        self.constant(&[0; LIMBS])
    }

    #[inline(always)]
    fn one(self) -> Self::Element {
        self.constant(&self.reduction.constants().one)
    }

    #[inline(always)]
    fn add(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.quads.call(Add { reduction, a, b })
    }

    #[inline(always)]
    fn sub(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.quads.call(Sub { reduction, a, b })
    }

    #[inline(always)]
    fn sub_both(self, a: &Self::Element, b: &Self::Element, c: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.quads.call(SubBoth { reduction, a, b, c })
    }

    #[inline(always)]
    fn negate(self, a: &Self::Element) -> Self::Element {
        self.sub(&self.zero(), a)
    }

    #[inline(always)]
    fn select(
        self,
        condition: MaskNarrowX4,
        a: &Self::Element,
        b: &Self::Element,
    ) -> Self::Element {
        self.quads.call(Select {
            reduction: self.reduction,
            condition,
            a,
            b,
        })
    }

    #[inline(always)]
    fn negate_if(self, a: &Self::Element, condition: MaskNarrowX4) -> Self::Element {
        self.select(condition, &self.negate(a), a)
    }

    #[inline(always)]
    fn double(self, a: &Self::Element) -> Self::Element {
        self.add(a, a)
    }

    #[inline(always)]
    fn half(self, a: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.quads.call(Half { reduction, a })
    }

    #[inline(always)]
    fn mul(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.quads.call(Mul { reduction, a, b })
    }

    #[inline(always)]
    fn square(self, a: &Self::Element) -> Self::Element {
        let reduction = self.reduction;
        self.quads.call(Square { reduction, a })
    }

    #[inline(always)]
    fn equal(self, a: &Self::Element, b: &Self::Element) -> MaskNarrowX4 {
        self.is_zero(&self.sub(a, b))
    }

    #[inline(always)]
    fn is_zero(self, a: &Self::Element) -> MaskNarrowX4 {
        let reduction = self.reduction;
        self.quads.call(IsZero { reduction, a })
    }
}

impl<Q, K, S> Lanes for FieldNarrowX4<Q, K, S>
where
    Q: NarrowQuads,
    K: NarrowReduction,
    S: Kernel<4, Tag = K::Tag>,
{
    type Single = MontgomeryField<S, 4>;

    type Lane = LaneNarrowX4<K::Tag>;
    type LaneArray = [LaneNarrowX4<K::Tag>; WIDTH];

    type Registers = RegistersNarrowX4<Q, K>;

    const WIDTH: usize = WIDTH;

    #[inline(always)]
    fn each(self, count: usize, body: impl Body<Self>) {
        self.quads.call(Each {
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
    fn pack<'a>(self, value: impl Fn(usize) -> &'a Residue<K::Tag, 4>) -> Self::Element {
        self.quads.call(Pack {
            reduction: self.reduction,
            values: array_from_fn(value),
        })
    }

    /// With a Montgomery form, one product by the R of single values replaces the R of lanes.
    #[inline(always)]
    fn unpack(self, a: &Self::Element, values: &mut [Residue<K::Tag, 4>]) {
        let single = if const { K::SHIFT == 0 } {
            *a
        } else {
            self.mul(a, &self.constant(&self.reduction.constants().single_one))
        };
        for (value, words) in values.iter_mut().zip(self.rows(&single)) {
            *value = Residue::from_montgomery_limbs(words);
        }
    }

    /// With a Montgomery form, one product by 1 removes R.
    #[inline(always)]
    fn to_integers(self, a: &Self::Element, integers: &mut [[u64; 4]]) {
        let plain = if const { K::SHIFT == 0 } {
            *a
        } else {
            let mut one = [0; LIMBS];
            one[0] = 1;
            self.mul(a, &self.constant(&one))
        };
        integers[..WIDTH].copy_from_slice(&self.rows(&plain));
    }

    #[inline(always)]
    fn lanes(self, a: &Self::Element) -> [LaneNarrowX4<K::Tag>; WIDTH] {
        let rows = self.rows(a);
        array_from_fn(|lane| LaneNarrowX4 {
            words: rows[lane],
            modulus: PhantomData,
        })
    }

    #[inline(always)]
    fn load_lanes<'a>(self, lane: impl Fn(usize) -> &'a LaneNarrowX4<K::Tag>) -> Self::Element {
        self.quads.call(LoadLanes {
            reduction: self.reduction,
            lanes: array_from_fn(lane),
        })
    }

    #[inline(always)]
    fn rotate(self, a: &Self::Element, by: usize) -> Self::Element {
        match by {
            1 => self.quads.call(Rotate::<_, 1> { a }),
            2 => self.quads.call(Rotate::<_, 2> { a }),
            _ => unreachable!("half of a power of two of lanes"),
        }
    }
}
