//! Single values modulo 2^255 - 19: four limbs of 64 bits, weakly reduced.

use core::fmt::{self, Debug};

use zeroize::Zeroize;

use super::{LazyField, PRIME};
use crate::ct;
use crate::field::invert::{binary_gcd, one, one_vartime, power_vartime};
use crate::field::{Field, PrimeField};
use crate::limbs;

/// An integer modulo 2^255 - 19, represented by any integer below 2^256 with that residue.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct FieldElement([u64; 4]);

impl FieldElement {
    /// Zero.
    pub const ZERO: Self = Self([0; 4]);
    /// One.
    pub const ONE: Self = Self([1, 0, 0, 0]);

    /// The residue of any integer below 2^256.
    #[inline(always)]
    pub const fn from_limbs(limbs: [u64; 4]) -> Self {
        Self(limbs)
    }

    /// The limbs, little-endian, of an integer below 2^256 with this residue. Which integer it is
    /// depends on how the element was computed.
    #[inline(always)]
    pub const fn limbs(&self) -> &[u64; 4] {
        &self.0
    }
}

impl Debug for FieldElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [l0, l1, l2, l3] = self.0;
        write!(f, "FieldElement(0x{l3:016x}{l2:016x}{l1:016x}{l0:016x})")
    }
}

impl Zeroize for FieldElement {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// Reports whether the limbs are in the range of a product: below 2^255 + 2^199.
fn is_product(a: &[u64; 4]) -> bool {
    a[3] < (1 << 63) + (1 << 7)
}

/// The multiplicative half of arithmetic modulo 2^255 - 19: computes products.
///
/// Operands are any integers below 2^256. A product is below 2^255 + 2^199, so that the sum and the
/// difference of two products are folded only once. Constant time.
pub trait FoldKernel: Copy + Debug + Send + Sync + 'static {
    /// `a b`, below 2^255 + 2^199.
    fn mul(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4];

    /// `a^2`, below 2^255 + 2^199.
    fn square(self, a: &[u64; 4]) -> [u64; 4];

    /// `a + small b` for `small` below 2^17, below 2^256.
    fn add_multiple(self, a: &[u64; 4], b: &[u64; 4], small: u64) -> [u64; 4];

    /// `a + b` for both below 2^255 + 2^199, below 2^256. A carry counts as 38 and leaves less than
    /// 2^200, so no second carry occurs.
    fn sum(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4];

    /// `a - b` for `b` below 2^255 + 2^199, below 2^256. After a borrow, 2^256 - 38 is added. The
    /// difference was at least -(2^255 + 2^199), so no second borrow occurs.
    fn difference(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4];

    /// `a` where `choice` is all ones, `b` where it is 0.
    #[inline(always)]
    fn choose(self, choice: u64, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        limbs::select(choice, a, b)
    }
}

/// The field of integers modulo 2^255 - 19, with products by kernel `K`.
///
/// Elements are below 2^256 on input and output.
#[derive(Clone, Copy, Debug)]
pub struct C25519Field<K>(K);

impl<K: FoldKernel> C25519Field<K> {
    /// Creates the field whose products `kernel` computes.
    pub const fn new(kernel: K) -> Self {
        Self(kernel)
    }

    /// `a + b` and `a - b` of two products, below 2^256. Each is folded once; [`add`](Field::add)
    /// and [`sub`](Field::sub) of arbitrary elements fold twice.
    #[inline(always)]
    pub fn sum_and_difference(self, a: &FieldElement, b: &FieldElement) -> [FieldElement; 2] {
        let [sum, difference] = self.sum_and_difference_of_limbs(&a.0, &b.0);
        [FieldElement(sum), FieldElement(difference)]
    }

    #[inline(always)]
    fn sum_and_difference_of_limbs(self, a: &[u64; 4], b: &[u64; 4]) -> [[u64; 4]; 2] {
        debug_assert!(is_product(a) && is_product(b), "{a:x?}, {b:x?}");
        [self.0.sum(a, b), self.0.difference(a, b)]
    }

    /// The integer in `0 .. p`. Folding bit 255 leaves less than 2^255 + 19; p is subtracted once
    /// if the rest is not below it.
    #[inline(always)]
    fn canonical(a: &FieldElement) -> [u64; 4] {
        let [l0, l1, l2, l3] = a.0;
        let top = ct::barrier(l3 >> 63);
        let (folded, _) = limbs::add(&[l0, l1, l2, l3 & u64::MAX >> 1], &[19 * top, 0, 0, 0]);
        debug_assert!(limbs::less_than(&folded, &[19, 0, 0, 1 << 63]));
        let (reduced, borrow) = limbs::subtract(&folded, PRIME.prime());
        limbs::select(ct::mask(borrow == 1), &folded, &reduced)
    }
}

/// a + b for any a and b below 2^256. The carry counts as 38. If adding it carries again, the rest
/// is below 38 and 38 is added once more.
#[inline(always)]
fn add(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let (sum, carry) = limbs::add(a, b);
    let (sum, carry) = limbs::add(&sum, &[38 * ct::barrier(carry), 0, 0, 0]);
    debug_assert!(carry == 0 || sum[0] < 38);
    [sum[0] + 38 * ct::barrier(carry), sum[1], sum[2], sum[3]]
}

/// a - b for any a and b below 2^256. The borrow counts as 38. If subtracting it borrows again, the
/// rest is above 2^256 - 39 and 38 is subtracted once more.
#[inline(always)]
fn subtract(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let (difference, borrow) = limbs::subtract(a, b);
    let (difference, borrow) = limbs::subtract(&difference, &[38 * ct::barrier(borrow), 0, 0, 0]);
    debug_assert!(borrow == 0 || difference[0] >= u64::MAX - 38);
    let [l0, l1, l2, l3] = difference;
    [l0 - 38 * ct::barrier(borrow), l1, l2, l3]
}

impl<K: FoldKernel> Field for C25519Field<K> {
    type Element = FieldElement;
    type Mask = bool;

    #[inline(always)]
    fn zero(self) -> FieldElement {
        FieldElement::ZERO
    }

    #[inline(always)]
    fn one(self) -> FieldElement {
        FieldElement::ONE
    }

    #[inline(always)]
    fn add(self, a: &FieldElement, b: &FieldElement) -> FieldElement {
        FieldElement(add(&a.0, &b.0))
    }

    #[inline(always)]
    fn sub(self, a: &FieldElement, b: &FieldElement) -> FieldElement {
        FieldElement(subtract(&a.0, &b.0))
    }

    #[inline(always)]
    fn select(self, condition: bool, a: &FieldElement, b: &FieldElement) -> FieldElement {
        FieldElement(limbs::select(ct::mask(condition), &a.0, &b.0))
    }

    /// Adds p if the limbs are odd, then shifts.
    #[inline(always)]
    fn half(self, a: &FieldElement) -> FieldElement {
        let odd = ct::mask(a.0[0] & 1 == 1);
        let (sum, carry) = limbs::add(&a.0, &limbs::masked(PRIME.prime(), odd));
        FieldElement(limbs::shift_right_one(&sum, carry))
    }

    #[inline(always)]
    fn mul(self, a: &FieldElement, b: &FieldElement) -> FieldElement {
        FieldElement(self.0.mul(&a.0, &b.0))
    }

    #[inline(always)]
    fn square(self, a: &FieldElement) -> FieldElement {
        FieldElement(self.0.square(&a.0))
    }

    #[inline(always)]
    fn is_zero(self, a: &FieldElement) -> bool {
        limbs::is_zero(&Self::canonical(a))
    }
}

/// Products are below 2^255 + 2^199, factors below 2^256.
impl<K: FoldKernel> LazyField for C25519Field<K> {
    type Product = [u64; 4];
    type Factor = [u64; 4];
    /// All ones or 0.
    type Choice = u64;
    const IN_TURN: bool = true;

    #[inline(always)]
    fn product(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        let product = self.0.mul(a, b);
        debug_assert!(is_product(&product), "{product:x?}");
        product
    }

    #[inline(always)]
    fn products(self, [[a, b], [c, d]]: [[&[u64; 4]; 2]; 2]) -> [[u64; 4]; 2] {
        [self.product(a, b), self.product(c, d)]
    }

    #[inline(always)]
    fn squares(self, factors: [&[u64; 4]; 2]) -> [[u64; 4]; 2] {
        factors.map(|a| {
            let square = self.0.square(a);
            debug_assert!(is_product(&square), "{square:x?}");
            square
        })
    }

    #[inline(always)]
    fn sums_and_differences<const N: usize>(
        self,
        products: [&[[u64; 4]; 2]; N],
    ) -> [[[u64; 4]; 2]; N] {
        products.map(|[a, b]| self.sum_and_difference_of_limbs(a, b))
    }

    #[inline(always)]
    fn difference(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        debug_assert!(is_product(b));
        self.0.difference(a, b)
    }

    #[inline(always)]
    fn factors<const N: usize>(self, products: [&[u64; 4]; N]) -> [[u64; 4]; N] {
        products.map(|a| *a)
    }

    #[inline(always)]
    fn add_multiple<const SMALL: u64>(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        const { assert!(SMALL < 1 << 17) };
        self.0.add_multiple(a, b, SMALL)
    }

    #[inline(always)]
    fn choose(self, choice: u64, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        self.0.choose(choice, a, b)
    }
}

impl<K: FoldKernel> PrimeField for C25519Field<K> {
    type Integer = [u64; 4];

    fn bits(self) -> u32 {
        PRIME.bits()
    }

    fn modulus(self) -> [u64; 4] {
        *PRIME.prime()
    }

    #[inline]
    fn from_integer(self, integer: &[u64; 4]) -> Option<FieldElement> {
        limbs::less_than(integer, PRIME.prime()).then_some(FieldElement(*integer))
    }

    #[inline]
    fn to_integer(self, a: &FieldElement) -> [u64; 4] {
        Self::canonical(a)
    }

    fn from_be_bytes(self, bytes: &[u8]) -> Option<FieldElement> {
        self.from_integer(&limbs::from_be_bytes(bytes)?)
    }

    #[inline(always)]
    fn to_words(a: &FieldElement) -> [u64; 4] {
        a.0
    }

    #[inline(always)]
    fn from_words(words: [u64; 4]) -> FieldElement {
        FieldElement(words)
    }

    fn invert(self, a: &FieldElement) -> FieldElement {
        FieldElement(one::invert(&PRIME, &Self::canonical(a)))
    }

    fn legendre(self, a: &FieldElement) -> i32 {
        binary_gcd::legendre(&PRIME, &Self::canonical(a))
    }

    fn invert_vartime(self, a: &FieldElement) -> Option<FieldElement> {
        one_vartime::invert(&PRIME, &Self::canonical(a)).map(FieldElement)
    }

    fn sqrt_vartime(self, a: &FieldElement) -> Option<FieldElement> {
        power_vartime::square_root(self, a)
    }
}
