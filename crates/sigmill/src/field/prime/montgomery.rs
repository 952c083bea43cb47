//! Montgomery arithmetic for any odd prime, N limbs of 64 bits, R = 2^(64 N).
//!
//! The additive half is the same for every prime and is written once, here. The multiplicative half
//! is a [`Kernel`]: the generic one, or one that exploits the shape of its prime or the
//! instructions of its CPU. All kernels of a prime share the representation, so their elements can
//! be exchanged.

use core::fmt::{self, Debug};
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;

use subtle::{Choice, ConstantTimeEq};
use zeroize::Zeroize;

use crate::field::invert::{binary_gcd, one, one_vartime, power_vartime};
use crate::field::modulus::{multiply, reduce_once};
use crate::field::traits::square_in_turn;
use crate::field::{Field, Modulus, PrimeField};
use crate::{ct, limbs};

/// An integer modulo a prime in Montgomery form: the limbs hold a R mod p and are always below p.
///
/// The type does not hold the prime. `M` separates elements that must not be mixed.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Residue<M, const N: usize> {
    limbs: [u64; N],
    modulus: PhantomData<M>,
}

/// The tag that separates coordinates of points from integers modulo an order. All curves share it,
/// so that code over elements is compiled once for all primes with the same number of limbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coordinate;

impl<M, const N: usize> Hash for Residue<M, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.limbs.hash(state);
    }
}

impl<M, const N: usize> Residue<M, N> {
    /// Zero.
    pub const ZERO: Self = Self::from_montgomery_limbs([0; N]);

    /// The element whose Montgomery form has these limbs, which must be below p.
    #[inline(always)]
    pub(in crate::field) const fn from_montgomery_limbs(limbs: [u64; N]) -> Self {
        Self {
            limbs,
            modulus: PhantomData,
        }
    }

    /// The element for an integer below p, for constants.
    ///
    /// # Panics
    /// If the integer is not below p.
    pub const fn from_integer_const(modulus: &Modulus<N>, integer: &[u64; N]) -> Self {
        assert!(
            limbs::less_than(integer, modulus.prime()),
            "a constant is not below its modulus"
        );
        Self::from_montgomery_limbs(if modulus.has_montgomery_form() {
            multiply(modulus, integer, modulus.r2())
        } else {
            *integer
        })
    }

    /// The limbs of a R mod p, little-endian. OpenSSL stores its tables in this form.
    #[inline(always)]
    pub const fn montgomery_limbs(&self) -> &[u64; N] {
        &self.limbs
    }

    /// The element whose Montgomery form has these limbs; `None` unless they are below p.
    pub fn try_from_montgomery_limbs(modulus: &Modulus<N>, limbs: [u64; N]) -> Option<Self> {
        limbs::less_than(&limbs, modulus.prime()).then(|| Self::from_montgomery_limbs(limbs))
    }
}

impl<M, const N: usize> Debug for Residue<M, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Residue(0x")?;
        for limb in self.limbs.iter().rev() {
            write!(f, "{limb:016x}")?;
        }
        f.write_str(" / R)")
    }
}

impl<M, const N: usize> ConstantTimeEq for Residue<M, N> {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.limbs.ct_eq(&other.limbs)
    }
}

impl<M, const N: usize> Zeroize for Residue<M, N> {
    fn zeroize(&mut self) {
        self.limbs.zeroize();
    }
}

/// The multiplicative half of Montgomery arithmetic modulo one prime: computes products.
///
/// On input both factors are below p (in Montgomery form, or any integers below p); on output the
/// result is a b / R mod p, below p. Constant time.
pub trait Kernel<const N: usize>: Copy + Debug + Send + Sync + 'static {
    /// The tag that separates the elements of this prime from others.
    type Tag: Copy + Debug + Eq + Send + Sync + 'static;

    /// The prime.
    fn modulus(self) -> &'static Modulus<N>;

    /// `a b / R mod p`.
    fn mul(self, a: &[u64; N], b: &[u64; N]) -> [u64; N];

    /// `a^2 / R mod p`.
    fn square(self, a: &[u64; N]) -> [u64; N];

    /// Squares `a` `times` times in sequence.
    #[inline(always)]
    fn square_often(self, a: &[u64; N], times: usize) -> [u64; N] {
        let mut a = *a;
        for _ in 0..times {
            a = self.square(&a);
            debug_assert!(limbs::less_than(&a, self.modulus().prime()));
        }
        a
    }

    /// `a - b mod p`.
    #[inline(always)]
    fn sub(self, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        subtract(self.modulus(), a, b)
    }

    /// `a + b mod p`.
    #[inline(always)]
    fn add(self, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        add(self.modulus(), a, b)
    }
}

/// `a - b mod p`, for both below p.
#[inline(always)]
pub(super) fn subtract<const N: usize>(
    modulus: &Modulus<N>,
    a: &[u64; N],
    b: &[u64; N],
) -> [u64; N] {
    let (difference, borrow) = limbs::subtract(a, b);
    let correction = limbs::masked(modulus.prime(), ct::mask(borrow == 1));
    limbs::add(&difference, &correction).0
}

/// `a + b mod p`, for both below p.
#[inline(always)]
pub(super) fn add<const N: usize>(modulus: &Modulus<N>, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    let (sum, carry) = limbs::add(a, b);
    reduce_once(modulus, &sum, carry)
}

/// The generic square: N (N + 1) / 2 word multiplications for the product, N^2 + N for its
/// reduction. On input a < p; on output the result is below p.
#[inline(always)]
pub(super) fn square<const N: usize>(modulus: &Modulus<N>, a: &[u64; N]) -> [u64; N] {
    let [mut low, high] = limbs::wide_square(a);
    // low = (low + Q p) / R in N steps, each with q = -low_0 / p mod 2^64; the result is at most p.
    for _ in 0..N {
        let q = low[0].wrapping_mul(modulus.negated_inverse());
        let (_, mut carry) = limbs::multiply_accumulate(low[0], q, modulus.prime()[0], 0);
        for j in 1..N {
            (low[j - 1], carry) = limbs::multiply_accumulate(low[j], q, modulus.prime()[j], carry);
        }
        low[N - 1] = carry;
    }
    // high is below p because a^2 < p^2 < p R, so the sum is below 2p.
    let (sum, carry) = limbs::add(&low, &high);
    reduce_once(modulus, &sum, carry)
}

/// The field of integers modulo the prime of kernel `K`, in Montgomery form.
///
/// Elements are always fully reduced, so equality is equality of limbs.
#[derive(Clone, Copy, Debug)]
pub struct MontgomeryField<K, const N: usize>(K);

impl<K: Kernel<N>, const N: usize> MontgomeryField<K, N> {
    /// Creates the field whose products `kernel` computes.
    pub const fn new(kernel: K) -> Self {
        Self(kernel)
    }

    #[inline(always)]
    fn element(self, limbs: [u64; N]) -> Residue<K::Tag, N> {
        debug_assert!(limbs::less_than(&limbs, self.0.modulus().prime()));
        Residue::from_montgomery_limbs(limbs)
    }
}

impl<K: Kernel<N>, const N: usize> Field for MontgomeryField<K, N> {
    type Element = Residue<K::Tag, N>;
    type Mask = bool;

    #[inline(always)]
    fn zero(self) -> Self::Element {
        Residue::ZERO
    }

    #[inline(always)]
    fn one(self) -> Self::Element {
        self.element(*self.0.modulus().r())
    }

    #[inline(always)]
    fn add(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.element(self.0.add(&a.limbs, &b.limbs))
    }

    #[inline(always)]
    fn sub(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.element(self.0.sub(&a.limbs, &b.limbs))
    }

    #[inline(always)]
    fn select(self, condition: bool, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.element(limbs::select(ct::mask(condition), &a.limbs, &b.limbs))
    }

    /// Adds p if the limbs are odd, then shifts: (a + p) / 2 < p.
    #[inline(always)]
    fn half(self, a: &Self::Element) -> Self::Element {
        let odd = ct::mask(a.limbs[0] & 1 == 1);
        let (sum, carry) = limbs::add(&a.limbs, &limbs::masked(self.0.modulus().prime(), odd));
        self.element(limbs::shift_right_one(&sum, carry))
    }

    #[inline(always)]
    fn mul(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.element(self.0.mul(&a.limbs, &b.limbs))
    }

    #[inline(always)]
    fn square(self, a: &Self::Element) -> Self::Element {
        self.element(self.0.square(&a.limbs))
    }

    /// A single value uses the kernel's sequence of squares. Several values alternate, so that no
    /// square waits for the one before it.
    #[inline(always)]
    fn square_often<const COUNT: usize>(self, values: &mut [Self::Element; COUNT], times: usize) {
        if let [value] = &mut values[..] {
            *value = self.element(self.0.square_often(&value.limbs, times));
        } else {
            square_in_turn(self, values, times);
        }
    }

    #[inline(always)]
    fn equal(self, a: &Self::Element, b: &Self::Element) -> bool {
        limbs::equal(&a.limbs, &b.limbs)
    }

    #[inline(always)]
    fn is_zero(self, a: &Self::Element) -> bool {
        limbs::is_zero(&a.limbs)
    }
}

impl<K: Kernel<N>, const N: usize> PrimeField for MontgomeryField<K, N> {
    type Integer = [u64; N];

    #[inline(always)]
    fn bits(self) -> u32 {
        self.0.modulus().bits()
    }

    #[inline(always)]
    fn modulus(self) -> [u64; N] {
        *self.0.modulus().prime()
    }

    #[inline]
    fn from_integer(self, integer: &[u64; N]) -> Option<Self::Element> {
        // The result is returned to the caller, so it is not secret.
        if !ct::declassify(&limbs::less_than(integer, self.0.modulus().prime())) {
            return None;
        }
        Some(self.element(self.0.mul(integer, self.0.modulus().r2())))
    }

    #[inline]
    fn to_integer(self, a: &Self::Element) -> [u64; N] {
        let mut one = [0; N];
        one[0] = 1;
        self.0.mul(&a.limbs, &one)
    }

    fn from_be_bytes(self, bytes: &[u8]) -> Option<Self::Element> {
        self.from_integer(&limbs::from_be_bytes(bytes)?)
    }

    #[inline(always)]
    fn to_words(a: &Self::Element) -> [u64; N] {
        a.limbs
    }

    #[inline(always)]
    fn from_words(words: [u64; N]) -> Self::Element {
        Residue::from_montgomery_limbs(words)
    }

    fn invert(self, a: &Self::Element) -> Self::Element {
        let inverse = one::invert(self.0.modulus(), &a.limbs);
        self.element(self.0.mul(&inverse, self.0.modulus().r3()))
    }

    fn legendre(self, a: &Self::Element) -> i32 {
        // R is a square, a power of 4, so a R has the same symbol as a.
        binary_gcd::legendre(self.0.modulus(), &a.limbs)
    }

    fn invert_vartime(self, a: &Self::Element) -> Option<Self::Element> {
        // (a R)^-1 = a^-1 R^-1; a Montgomery product with R^3 yields a^-1 R.
        let inverse = one_vartime::invert(self.0.modulus(), &a.limbs)?;
        Some(self.element(self.0.mul(&inverse, self.0.modulus().r3())))
    }

    fn sqrt_vartime(self, a: &Self::Element) -> Option<Self::Element> {
        power_vartime::square_root(self, a)
    }
}
