//! u = lambda / mu modulo n with lambda and mu of half the length of n: the extended Euclidean
//! algorithm on n and u, stopped halfway (Antipa et al., *Accelerated verification of ECDSA
//! signatures*, 2005).
//!
//! Uses Lehmer's method (Knuth, *The Art of Computer Programming*, §4.5.2, Algorithm L): the first
//! quotients are those of the leading 64 bits, as long as these are certain, and their combined
//! effect is applied to the long integers at once. docs/half-size.md explains why every quotient is
//! exact, and what follows for the lengths of lambda and mu.

use core::hint::select_unpredictable;

use super::Half;
use crate::field::Limbs;
use crate::limbs::{is_below, multiply_accumulate, subtract_with_borrow};

/// lambda and mu with mu u = lambda modulo n, both of half the length of n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Halves<I> {
    /// Below 2^ceil(b / 2), where b is the length of n in bits.
    pub lambda: I,
    /// Not zero. Its absolute value is at most n / 2^ceil(b / 2), which is below 2^floor(b / 2).
    pub mu: Half<I>,
}

/// The first remainder below 2^ceil(b / 2) of Euclid's algorithm on n and u, and its cofactor. n is
/// odd, of b bits, at least 3; u is below n.
///
/// mu is 1 if u itself is below 2^ceil(b / 2), including u = 0. n need not be prime. Variable time:
/// for public values only. The time is at most linear in b times the number of limbs, for any u.
#[inline(never)]
pub fn halves_vartime<I: Limbs>(n: &I, u: &I) -> Halves<I> {
    debug_assert!(is_below(u.as_ref(), n.as_ref()));
    let half_bits = length(n).div_ceil(2);
    let mut state = State {
        a: *n,
        b: *u,
        a_factor: I::ZERO,
        b_factor: one(),
        steps: 0,
    };
    while length(&state.b) > half_bits {
        let matrix = sure_steps(&state, half_bits);
        if matrix.steps == 0 {
            state.step();
        } else {
            state.apply(&matrix);
        }
        debug_assert!(state.is_consistent(n));
    }
    debug_assert!(length(&state.b_factor) <= length(n) - half_bits && state.b_factor != I::ZERO);
    Halves {
        lambda: state.b,
        mu: Half {
            magnitude: state.b_factor,
            negative: (state.steps & 1).wrapping_neg(),
        },
    }
}

/// Two consecutive remainders, a > b, with a = (-1)^(steps + 1) `a_factor` u and b = (-1)^steps
/// `b_factor` u modulo n.
struct State<I> {
    a: I,
    b: I,
    a_factor: I,
    b_factor: I,
    steps: u64,
}

/// A remainder some steps after a and b, rounded, in units of 2^shift, and its factors. It is
/// `of_a` a - `of_b` b, except for its sign, which alternates.
#[derive(Clone, Copy)]
struct Remainder {
    value: u64,
    of_a: u64,
    of_b: u64,
}

/// The combined effect of some steps: two consecutive remainders, with factors below 2^32.
#[derive(Clone, Copy)]
struct Matrix {
    x: Remainder,
    y: Remainder,
    steps: u64,
}

impl Matrix {
    /// Returns true if the true x is at least `least` and above the true y, and that is not
    /// negative. Each is off by less than its `of_b`.
    #[inline(always)]
    fn is_sure(&self, least: u64) -> bool {
        let (x, y) = (&self.x, &self.y);
        x.is_at_least(least) && y.value >= y.of_b && x.value - y.value >= x.of_b + y.of_b
    }

    /// Returns `self` if `choice`, otherwise `other`, without a branch: the choice is
    /// unpredictable.
    #[inline(always)]
    fn or(self, other: Self, choice: bool) -> Self {
        Self {
            x: self.x.or(other.x, choice),
            y: self.y.or(other.y, choice),
            steps: select_unpredictable(choice, self.steps, other.steps),
        }
    }
}

impl Remainder {
    /// Returns `self` if `choice`, otherwise `other`, without a branch.
    #[inline(always)]
    fn or(self, other: Self, choice: bool) -> Self {
        Self {
            value: select_unpredictable(choice, self.value, other.value),
            of_a: select_unpredictable(choice, self.of_a, other.of_a),
            of_b: select_unpredictable(choice, self.of_b, other.of_b),
        }
    }

    /// Returns true if the true remainder is at least `least`.
    #[inline(always)]
    fn is_at_least(&self, least: u64) -> bool {
        self.of_b <= self.value && self.value - self.of_b >= least
    }
}

/// The steps that the leading 64 bits of a and b determine. None of them starts from a remainder
/// below 2^`half_bits`.
///
/// Performs two steps at once if the second quotient is 1, as four in ten are: 52 divisions instead
/// of 75 for 128 bits.
#[inline(always)]
fn sure_steps<I: Limbs>(state: &State<I>, half_bits: u32) -> Matrix {
    let shift = length(&state.a).saturating_sub(64);
    let remainder = |integer, of_a, of_b| Remainder {
        value: word(integer, shift),
        of_a,
        of_b,
    };
    // 2^half_bits in units of 2^shift, rounded up.
    let least = 1 << half_bits.saturating_sub(shift);
    let mut now = Matrix {
        x: remainder(&state.a, 1, 0),
        y: remainder(&state.b, 0, 1),
        steps: 0,
    };
    while now.y.is_at_least(least) {
        let Matrix { x, y, steps } = now;
        let (quotient, value) = (x.value / y.value, x.value % y.value);
        let z = Remainder {
            value,
            of_a: x.of_a + quotient * y.of_a,
            of_b: x.of_b + quotient * y.of_b,
        };
        // The remainder after z if the next quotient is 1. A sum that wraps does not belong to
        // certain steps.
        let rest = Remainder {
            value: y.value - z.value,
            of_a: y.of_a.wrapping_add(z.of_a),
            of_b: y.of_b.wrapping_add(z.of_b),
        };
        let one = Matrix {
            x: y,
            y: z,
            steps: steps + 1,
        };
        let two = Matrix {
            x: z,
            y: rest,
            steps: steps + 2,
        };
        let next = two.or(one, z.value >= rest.value);
        if !next.is_sure(least) {
            now = one.or(now, one.is_sure(least));
            break;
        }
        now = next;
    }
    debug_assert!((now.x.of_a | now.x.of_b | now.y.of_a | now.y.of_b) >> 32 == 0);
    now
}

impl<I: Limbs> State<I> {
    /// Applies known steps.
    #[inline(always)]
    fn apply(&mut self, matrix: &Matrix) {
        let &Matrix { x, y, steps } = matrix;
        let odd = steps & 1 == 1;
        let mut pair = [self.a, self.b];
        let mut factors = [[x.of_a, y.of_a], [x.of_b, y.of_b]];
        // One of x and y has a minus sign before b, the other before a.
        let [a, b] = &mut pair;
        for (a, b) in a.as_mut().iter_mut().zip(b.as_mut()) {
            swap_if(odd, a, b);
        }
        let [of_a, of_b] = &mut factors;
        swap_if(odd, &mut of_a[0], &mut of_b[0]);
        swap_if(odd, &mut of_a[1], &mut of_b[1]);
        let ([a, b], [of_a, of_b]) = (&pair, factors);
        self.a = difference(of_a[0], a, of_b[0], b);
        self.b = difference(of_b[1], b, of_a[1], a);
        let (a, b) = (self.a_factor, self.b_factor);
        self.a_factor = sum(x.of_a, &a, x.of_b, &b);
        self.b_factor = sum(y.of_a, &a, y.of_b, &b);
        self.steps += steps;
    }

    /// Performs one step by long division, bit by bit. Used if the leading 64 bits do not determine
    /// the quotient, most likely because it is long.
    #[cold]
    #[inline(never)]
    fn step(&mut self) {
        for bit in (0..=length(&self.a) - length(&self.b)).rev() {
            let multiple = shifted(&self.b, bit);
            if !is_below(self.a.as_ref(), multiple.as_ref()) {
                self.a = difference(1, &self.a, 1, &multiple);
                self.a_factor = sum(1, &self.a_factor, 1, &shifted(&self.b_factor, bit));
            }
        }
        core::mem::swap(&mut self.a, &mut self.b);
        core::mem::swap(&mut self.a_factor, &mut self.b_factor);
        self.steps += 1;
    }

    /// Returns true if a > b and a `b_factor` + b `a_factor` = n, which every step preserves.
    fn is_consistent(&self, n: &I) -> bool {
        let mut rest = *n;
        let mut fits = true;
        for (long, short) in [(&self.a, &self.b_factor), (&self.b, &self.a_factor)] {
            for i in (0..length(short)).filter(|&i| word(short, i) & 1 == 1) {
                let multiple = shifted(long, i);
                fits &= !is_below(rest.as_ref(), multiple.as_ref());
                rest = difference(u64::from(fits), &rest, u64::from(fits), &multiple);
            }
        }
        fits && rest == I::ZERO && is_below(self.b.as_ref(), self.a.as_ref())
    }
}

/// Exchanges two values if `choice`, without a branch.
#[inline(always)]
fn swap_if(choice: bool, a: &mut u64, b: &mut u64) {
    (*a, *b) = (
        select_unpredictable(choice, *b, *a),
        select_unpredictable(choice, *a, *b),
    );
}

/// The length of an integer in bits.
#[inline(always)]
fn length<I: Limbs>(integer: &I) -> u32 {
    let limbs = integer.as_ref();
    let top = limbs.iter().rposition(|&limb| limb != 0);
    top.map_or(0, |top| 64 * (top as u32 + 1) - limbs[top].leading_zeros())
}

/// The 64 bits from bit `shift` on; bits beyond the top limb read as zero.
#[inline(always)]
fn word<I: Limbs>(integer: &I, shift: u32) -> u64 {
    let limbs = integer.as_ref();
    let limb = |i: usize| limbs.get(i).copied().unwrap_or(0);
    let low = (shift / 64) as usize;
    let pair = u128::from(limb(low + 1)) << 64 | u128::from(limb(low));
    (pair >> (shift % 64)) as u64
}

/// i a - j b, which is not negative and fits in `I`.
#[inline(always)]
fn difference<I: Limbs>(i: u64, a: &I, j: u64, b: &I) -> I {
    let mut result = I::ZERO;
    let (mut a_carry, mut b_carry, mut borrow) = (0, 0, 0);
    for (limb, (&a, &b)) in result
        .as_mut()
        .iter_mut()
        .zip(a.as_ref().iter().zip(b.as_ref()))
    {
        let (minuend, subtrahend);
        (minuend, a_carry) = multiply_accumulate(0, i, a, a_carry);
        (subtrahend, b_carry) = multiply_accumulate(0, j, b, b_carry);
        (*limb, borrow) = subtract_with_borrow(minuend, subtrahend, borrow);
    }
    debug_assert!(a_carry == b_carry + borrow);
    result
}

/// i a + j b for cofactors a and b. They and the sum use at most half of the limbs, rounded up.
#[inline(always)]
fn sum<I: Limbs>(i: u64, a: &I, j: u64, b: &I) -> I {
    let mut result = I::ZERO;
    let (a, b) = (a.as_ref(), b.as_ref());
    let half = a.len().div_ceil(2);
    debug_assert!(a[half..].iter().chain(&b[half..]).all(|&limb| limb == 0));
    let (mut a_carry, mut b_carry) = (0, 0);
    for (k, limb) in result.as_mut()[..half].iter_mut().enumerate() {
        (*limb, a_carry) = multiply_accumulate(0, i, a[k], a_carry);
        (*limb, b_carry) = multiply_accumulate(*limb, j, b[k], b_carry);
    }
    debug_assert!(a_carry | b_carry == 0);
    result
}

/// An integer times 2^bits, modulo 2^(64 N).
fn shifted<I: Limbs>(integer: &I, bits: u32) -> I {
    let mut result = I::ZERO;
    let from = |i: usize| i.checked_sub((bits / 64) as usize);
    let limb = |i: Option<usize>| i.map_or(0, |i| u128::from(integer.as_ref()[i]));
    for (i, shifted) in result.as_mut().iter_mut().enumerate() {
        let below = from(i).and_then(|i| i.checked_sub(1));
        let pair = limb(from(i)) << 64 | limb(below);
        *shifted = (pair << (bits % 64) >> 64) as u64;
    }
    result
}

fn one<I: Limbs>() -> I {
    let mut one = I::ZERO;
    one.as_mut()[0] = 1;
    one
}
