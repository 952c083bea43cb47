//! Montgomery arithmetic in eight lanes: radix 2^52, five limbs, R = 2^260, for primes a little
//! below 2^256.
//!
//! An element of a lane holds a R mod p *weakly reduced*: every limb is below 2^52 and the value is
//! below 2p. Each function takes and returns that; debug builds check it. Inside a function limbs
//! are 64-bit words with room for sums, and may be negative between a subtraction and the carries.
//!
//! The same code runs on AVX-512 IFMA and on portable words, limb for limb.

use core::fmt::{self, Debug};
use core::marker::PhantomData;

use super::modulus::power_of_two;
use super::{Field, Kernel, Lanes, Mask, Modulus, MontgomeryField, Residue};
use crate::limbs::{LIMB_BITS, LIMB_MASK, Words, WordsOperation, X8};

/// The limbs of an element.
const LIMBS: usize = 5;

/// Eight integers modulo a prime, in Montgomery form with R = 2^260, weakly reduced.
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

impl<M> Debug for ResidueX8<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries((0..8).map(|lane| self.limbs.map(|limb| limb.0[lane])))
            .finish()
    }
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

/// How multiples of a prime are added to clear limbs from below and from above; all else of
/// Montgomery arithmetic is the same for every prime.
pub trait Reduction: Copy + Debug + Send + Sync + 'static {
    /// The prime, in 2^256 - 2^250 .. 2^256.
    type Modulus: Modulus<4>;

    /// Adds q p / 2^52 to t\[1\] .. t\[5\], rounded so that t\[0\] becomes zero: q is -t\[0\] / p
    /// mod 2^52. The low 52 bits of t\[0\] count, its higher bits go to t\[1\].
    ///
    /// Each of t\[1\] .. t\[5\] grows by less than 2^54.
    fn clear_lowest<W: Words>(words: W, t: &mut [W::Word]);

    /// Adds q (2^256 - p) to the limbs, for -2 <= q < 16 (two's complement).
    fn add_complement<W: Words>(words: W, limbs: &mut [W::Word; LIMBS], q: W::Word);
}

/// The reduction modulo any such prime, by full products.
#[derive(Clone, Copy, Debug)]
pub struct ReductionX8<M>(PhantomData<M>);

impl<M: Modulus<4>> Reduction for ReductionX8<M> {
    type Modulus = M;

    #[inline(always)]
    fn clear_lowest<W: Words>(words: W, t: &mut [W::Word]) {
        let p = const { multiple::<M>(1) };
        let factor = words.splat(M::NEGATED_INVERSE & LIMB_MASK);
        let q = words.madd_low(words.splat(0), t[0], factor);
        for (j, &limb) in p.iter().enumerate() {
            let limb = words.splat(limb);
            t[j] = words.madd_low(t[j], q, limb);
            t[j + 1] = words.madd_high(t[j + 1], q, limb);
        }
        t[1] = words.add(t[1], words.shr::<LIMB_BITS>(t[0]));
    }

    /// q is split in its sign's part and the rest, as products take no negative factor:
    /// q + 2 >= 0.
    #[inline(always)]
    fn add_complement<W: Words>(words: W, limbs: &mut [W::Word; LIMBS], q: W::Word) {
        let c = const { complement::<M>() };
        let q = words.add(q, words.splat(2));
        for (j, &limb) in c.iter().enumerate() {
            limbs[j] = words.madd_low(limbs[j], q, words.splat(limb));
            if j + 1 < LIMBS {
                limbs[j + 1] = words.madd_high(limbs[j + 1], q, words.splat(limb));
            }
            limbs[j] = words.sub(limbs[j], words.splat(2 * limb));
        }
    }
}

/// `k` p in five limbs of 52 bits, for k < 16.
const fn multiple<M: Modulus<4>>(k: u64) -> [u64; LIMBS] {
    let mut wide = [0; LIMBS];
    let mut carry = 0;
    let mut i = 0;
    while i < 4 {
        let sum = M::MODULUS[i] as u128 * k as u128 + carry;
        wide[i] = sum as u64;
        carry = sum >> 64;
        i += 1;
    }
    wide[4] = carry as u64;
    to_radix_52(&wide)
}

/// 2^256 - p in five limbs of 52 bits.
const fn complement<M: Modulus<4>>() -> [u64; LIMBS] {
    let mut wide = [0; LIMBS];
    let (difference, _) = crate::limbs::subtract(&[0; 4], &M::MODULUS);
    let mut i = 0;
    while i < 4 {
        wide[i] = difference[i];
        i += 1;
    }
    to_radix_52(&wide)
}

/// 2^exponent mod p in five limbs of 52 bits.
const fn residue_of_power<M: Modulus<4>>(exponent: u32) -> [u64; LIMBS] {
    let power = power_of_two(&M::MODULUS, exponent);
    to_radix_52(&[power[0], power[1], power[2], power[3], 0])
}

/// Cuts an integer below 2^260 into limbs of 52 bits.
const fn to_radix_52(wide: &[u64; LIMBS]) -> [u64; LIMBS] {
    let mut limbs = [0; LIMBS];
    let mut i = 0;
    while i < LIMBS {
        let (start, shift) = (52 * i / 64, 52 * i % 64);
        let mut limb = wide[start] >> shift;
        if shift > 12 && start + 1 < LIMBS {
            limb |= wide[start + 1] << (64 - shift);
        }
        limbs[i] = limb & LIMB_MASK;
        i += 1;
    }
    limbs
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
            // Quotients by 2^256 must do for quotients by p: 16 (2^256 - p) is far below p.
            assert!(
                K::Modulus::MODULUS[3] >> 58 == 63,
                "the prime is a little below 2^256"
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

    #[inline(always)]
    fn apply<O: Arithmetic<K>>(self, operation: O) -> ResidueX8<K::Modulus> {
        let operation = Apply::<O, K>(operation, PhantomData);
        let limbs = if O::IS_LONG {
            self.words.call(operation)
        } else {
            self.words.run(operation)
        };
        let result = ResidueX8 {
            limbs,
            modulus: PhantomData,
        };
        debug_assert!(is_weakly_reduced(&result), "{result:?}");
        result
    }
}

/// Whether every limb is below 2^52 and the value below 2p.
fn is_weakly_reduced<M: Modulus<4>>(a: &ResidueX8<M>) -> bool {
    let bound = const { multiple::<M>(2) };
    (0..8).all(|lane| {
        let limbs = a.limbs.map(|limb| limb.0[lane]);
        limbs.iter().all(|&limb| limb <= LIMB_MASK) && limbs.iter().rev().lt(bound.iter().rev())
    })
}

/// Arithmetic on limbs in registers.
trait Arithmetic<K: Reduction>: Copy {
    /// Whether it is so long that a call costs next to nothing, and copies of it much.
    const IS_LONG: bool = false;

    fn compute<W: Words>(self, words: W) -> [W::Word; LIMBS];
}

#[derive(Clone, Copy)]
struct Apply<O, K>(O, PhantomData<K>);

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
struct Add<'a>(&'a [X8; LIMBS], &'a [X8; LIMBS]);

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
struct Sub<'a>(&'a [X8; LIMBS], &'a [X8; LIMBS]);

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
struct SubBoth<'a>(&'a [X8; LIMBS], &'a [X8; LIMBS], &'a [X8; LIMBS]);

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
struct Half<'a>(&'a [X8; LIMBS]);

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
struct Mul<'a>(&'a [X8; LIMBS], &'a [X8; LIMBS]);

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
struct Square<'a>(&'a [X8; LIMBS]);

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
struct Select<'a>(u8, &'a [X8; LIMBS], &'a [X8; LIMBS]);

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
struct Pack<'a>([&'a [u64; 4]; 8]);

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
struct Unpack<'a, K>(&'a [X8; LIMBS], PhantomData<K>);

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
struct IsZero<'a, K>(&'a [X8; LIMBS], PhantomData<K>);

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

impl<W: Words, K: Reduction, S: Kernel<4, Modulus = K::Modulus>> Field for FieldX8<W, K, S> {
    type Element = ResidueX8<K::Modulus>;
    type Mask = MaskX8;

    #[inline(always)]
    fn zero(self) -> Self::Element {
        self.constant(&[0; LIMBS])
    }

    #[inline(always)]
    fn one(self) -> Self::Element {
        self.constant(const { &residue_of_power::<K::Modulus>(260) })
    }

    #[inline(always)]
    fn add(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.apply(Add(&a.limbs, &b.limbs))
    }

    #[inline(always)]
    fn sub(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.apply(Sub(&a.limbs, &b.limbs))
    }

    #[inline(always)]
    fn sub_both(self, a: &Self::Element, b: &Self::Element, c: &Self::Element) -> Self::Element {
        self.apply(SubBoth(&a.limbs, &b.limbs, &c.limbs))
    }

    #[inline(always)]
    fn negate(self, a: &Self::Element) -> Self::Element {
        self.sub(&self.zero(), a)
    }

    #[inline(always)]
    fn select(self, condition: MaskX8, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.apply(Select(condition.0, &a.limbs, &b.limbs))
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
        self.apply(Half(&a.limbs))
    }

    #[inline(always)]
    fn mul(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.apply(Mul(&a.limbs, &b.limbs))
    }

    #[inline(always)]
    fn square(self, a: &Self::Element) -> Self::Element {
        self.apply(Square(&a.limbs))
    }

    #[inline(always)]
    fn equal(self, a: &Self::Element, b: &Self::Element) -> MaskX8 {
        self.is_zero(&self.sub(a, b))
    }

    #[inline(always)]
    fn is_zero(self, a: &Self::Element) -> MaskX8 {
        MaskX8(self.words.run(IsZero::<K>(&a.limbs, PhantomData)))
    }
}

impl<W: Words, K: Reduction, S: Kernel<4, Modulus = K::Modulus>> Lanes for FieldX8<W, K, S> {
    type Single = MontgomeryField<S, 4>;

    const WIDTH: usize = 8;

    #[inline(always)]
    fn single(self) -> Self::Single {
        MontgomeryField::new(self.single)
    }

    #[inline(always)]
    fn pack<'a>(self, value: impl Fn(usize) -> &'a Residue<K::Modulus, 4>) -> Self::Element {
        self.apply(Pack(core::array::from_fn(|lane| {
            value(lane).montgomery_limbs()
        })))
    }

    /// One product: times 2^256, so that R = 2^260 gives way to R = 2^256.
    #[inline(always)]
    fn unpack(self, a: &Self::Element, values: &mut [Residue<K::Modulus, 4>]) {
        let factor = self.constant(const { &residue_of_power::<K::Modulus>(256) });
        let single = self.mul(a, &factor);
        let lanes = self.words.run(Unpack::<K>(&single.limbs, PhantomData));
        for (value, limbs) in values.iter_mut().zip(lanes) {
            *value = Residue::from_montgomery_limbs(limbs);
        }
    }

    /// One product: times one, so that no R is left.
    #[inline(always)]
    fn to_integers(self, a: &Self::Element, integers: &mut [[u64; 4]]) {
        let plain = self.mul(a, &self.constant(&[1, 0, 0, 0, 0]));
        let lanes = self.words.run(Unpack::<K>(&plain.limbs, PhantomData));
        integers[..8].copy_from_slice(&lanes);
    }

    #[inline(always)]
    fn lookup_vartime<'a>(self, entry: impl Fn(usize) -> &'a Self::Element) -> Self::Element {
        let mut element = self.zero();
        for lane in 0..8 {
            let source = entry(lane);
            for (limb, from) in element.limbs.iter_mut().zip(&source.limbs) {
                limb.0[lane] = from.0[lane];
            }
        }
        element
    }
}
