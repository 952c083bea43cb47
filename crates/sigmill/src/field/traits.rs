//! The contract of a field, for any width (one value or several lanes) and any representation.

use core::fmt::Debug;
use core::hash::Hash;

use zeroize::Zeroize;

/// Outcome of a comparison: a `bool`, or one bit per lane.
pub trait Mask: Copy + Debug + Zeroize {
    /// Reports whether the comparison holds in any lane.
    fn any(self) -> bool;
    /// Lanes where `self` or `other` holds.
    fn or(self, other: Self) -> Self;
    /// Lanes where `self` holds and `other` does not.
    fn without(self, other: Self) -> Self;
    /// Creates a mask in which lane `i` holds if `holds(i)` is true.
    fn from_lanes(holds: impl Fn(usize) -> bool) -> Self;
    /// Reports whether it holds in lane `i`.
    fn lane(self, i: usize) -> bool;
    /// Reports whether it holds in all of the first `width` lanes.
    #[inline(always)]
    fn all(self, width: usize) -> bool {
        (0..width).all(|i| self.lane(i))
    }
}

impl Mask for bool {
    #[inline(always)]
    fn any(self) -> bool {
        self
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        self & !other
    }

    #[inline(always)]
    fn from_lanes(holds: impl Fn(usize) -> bool) -> Self {
        holds(0)
    }

    #[inline(always)]
    fn lane(self, _: usize) -> bool {
        self
    }
}

/// Arithmetic modulo a prime on one value, or on several lanes at once.
///
/// The implementing type is the backend. It is a zero-sized token, so methods accept it by value.
/// All methods are constant time, except those that end in `_vartime`.
///
/// Each implementation states the range of the elements that it accepts and returns.
pub trait Field: Copy + Debug + Send + Sync + 'static {
    /// One element, or one per lane.
    type Element: Copy + Debug + Send + Sync + 'static;
    /// Result of a comparison.
    type Mask: Mask;

    /// The neutral element of addition.
    fn zero(self) -> Self::Element;
    /// The neutral element of multiplication.
    fn one(self) -> Self::Element;
    /// `a + b`.
    fn add(self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    /// `a - b`.
    fn sub(self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    /// `a - b - c`.
    #[inline(always)]
    fn sub_both(self, a: &Self::Element, b: &Self::Element, c: &Self::Element) -> Self::Element {
        self.sub(&self.sub(a, b), c)
    }
    /// `-a`.
    #[inline(always)]
    fn negate(self, a: &Self::Element) -> Self::Element {
        self.sub(&self.zero(), a)
    }
    /// `a` where `condition` holds, otherwise `b`, without a branch.
    fn select(self, condition: Self::Mask, a: &Self::Element, b: &Self::Element) -> Self::Element;
    /// `-a` where `condition` holds, otherwise `a`, without a branch.
    #[inline(always)]
    fn negate_if(self, a: &Self::Element, condition: Self::Mask) -> Self::Element {
        self.select(condition, &self.negate(a), a)
    }
    /// `2 a`.
    #[inline(always)]
    fn double(self, a: &Self::Element) -> Self::Element {
        self.add(a, a)
    }
    /// `a / 2`.
    fn half(self, a: &Self::Element) -> Self::Element;
    /// `a b`.
    fn mul(self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    /// `a^2`.
    fn square(self, a: &Self::Element) -> Self::Element;
    /// Replaces each of several `a` by `a^(2^times)`, side by side. Intermediate values are only
    /// squared, so they need not meet the range that [`Field`] requires of elements.
    #[inline(always)]
    fn square_often<const N: usize>(self, values: &mut [Self::Element; N], times: usize) {
        square_in_turn(self, values, times);
    }
    /// `a b - c`.
    #[inline(always)]
    fn mul_sub(self, a: &Self::Element, b: &Self::Element, c: &Self::Element) -> Self::Element {
        self.sub(&self.mul(a, b), c)
    }
    /// `a^2 - b - c`.
    #[inline(always)]
    fn square_sub_both(
        self,
        a: &Self::Element,
        b: &Self::Element,
        c: &Self::Element,
    ) -> Self::Element {
        self.sub_both(&self.square(a), b, c)
    }
    /// Reports whether `a = b`.
    #[inline(always)]
    fn equal(self, a: &Self::Element, b: &Self::Element) -> Self::Mask {
        self.is_zero(&self.sub(a, b))
    }
    /// Reports whether `a = 0`.
    fn is_zero(self, a: &Self::Element) -> Self::Mask;
}

/// [`Field::square_often`]: in each round, squares the values one after the other.
#[inline(always)]
pub(super) fn square_in_turn<F: Field, const N: usize>(
    field: F,
    values: &mut [F::Element; N],
    times: usize,
) {
    for _ in 0..times {
        for value in &mut *values {
            *value = field.square(value);
        }
    }
}

/// A plain integer: an array of little-endian 64-bit limbs whose length is part of the type.
pub trait Limbs:
    Copy + Debug + Eq + Hash + AsRef<[u64]> + AsMut<[u64]> + Zeroize + Send + Sync + 'static
{
    /// Zero.
    const ZERO: Self;

    /// Number of limbs.
    const COUNT: usize;
}

impl<const N: usize> Limbs for [u64; N] {
    const ZERO: Self = [0; N];
    const COUNT: usize = N;
}

#[allow(
    clippy::wrong_self_convention,
    reason = "the receiver is the backend, not the value"
)]
/// A field of single values: conversions to and from integers and bytes, inverses, square roots.
pub trait PrimeField: Field<Element: Zeroize, Mask = bool> {
    /// An integer as wide as the modulus.
    type Integer: Limbs;

    /// The length of the modulus in bits.
    fn bits(self) -> u32;

    /// The length of an element in bytes: [`bits`](Self::bits) rounded up to whole bytes.
    #[inline(always)]
    fn bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// The modulus.
    fn modulus(self) -> Self::Integer;

    /// The element for an integer in `0 .. p`; `None` for any other integer.
    fn from_integer(self, integer: &Self::Integer) -> Option<Self::Element>;

    /// The integer in `0 .. p` for an element.
    fn to_integer(self, a: &Self::Element) -> Self::Integer;

    /// Decodes a big-endian byte string of any length whose value is in `0 .. p`; `None` for any
    /// other value. The time depends on the length, and on whether the value fits.
    #[inline(always)]
    fn integer_from_be_bytes(self, bytes: &[u8]) -> Option<Self::Integer> {
        let mut integer = Self::Integer::ZERO;
        let fits = crate::limbs::read_be_bytes(bytes, integer.as_mut());
        let is_below = || crate::limbs::is_below(integer.as_ref(), self.modulus().as_ref());
        (fits && is_below()).then_some(integer)
    }

    /// Decodes an element from a big-endian byte string; see
    /// [`integer_from_be_bytes`](Self::integer_from_be_bytes).
    fn from_be_bytes(self, bytes: &[u8]) -> Option<Self::Element>;

    /// Writes the integer of an element in big-endian order. `bytes` is [`bytes`](Self::bytes)
    /// long; a longer slice gets leading zeros.
    fn write_be_bytes(self, a: &Self::Element, bytes: &mut [u8]) {
        crate::limbs::write_be_bytes(self.to_integer(a).as_ref(), bytes);
    }

    /// The words that represent an element, so that tables of elements can be read under masks.
    fn to_words(a: &Self::Element) -> Self::Integer;

    /// The element that these words represent. They come from [`to_words`](Self::to_words), or are
    /// all zero, which represents zero.
    fn from_words(words: Self::Integer) -> Self::Element;

    /// `integer / R` for an integer below p. R is the constant of the Montgomery form, or 1 for
    /// other representations. Costs nothing, and R cancels in a quotient of two such elements.
    #[inline(always)]
    fn from_integer_over_r(self, integer: &Self::Integer) -> Self::Element {
        debug_assert!(crate::limbs::is_below(
            integer.as_ref(),
            self.modulus().as_ref()
        ));
        Self::from_words(*integer)
    }

    /// `1 / a`, and zero for zero.
    fn invert(self, a: &Self::Element) -> Self::Element;

    /// The Legendre symbol of `a`: 0 for zero, 1 if `a` is the square of another element, otherwise
    /// -1.
    fn legendre(self, a: &Self::Element) -> i32;

    /// `1 / a`; `None` for zero. Variable time: for public values only.
    fn invert_vartime(self, a: &Self::Element) -> Option<Self::Element>;

    /// A square root of `a`; `None` if no root exists. Which of the two roots is not specified.
    /// Variable time: for public values only.
    fn sqrt_vartime(self, a: &Self::Element) -> Option<Self::Element>;

    /// Reports whether the integer of an element is odd.
    fn is_odd(self, a: &Self::Element) -> bool {
        self.to_integer(a).as_ref()[0] & 1 == 1
    }
}
