//! The Legendre symbol by the binary GCD on approximations, in constant time (Pornin, *Optimized
//! binary GCD for modular inversion*, 2020).
//!
//! State: a and b, with b odd. They start as the operand y and as p. A step is
//!
//! ```text
//! a odd, a < b:  (a, b) <- ((b - a) / 2, a)
//! a odd:         a <- (a - b) / 2
//! else:          a <- a / 2
//! ```
//!
//! A round performs thirty steps on one word for each of a and b. The word holds their low 32 bits
//! and, at the place where the longer of them ends, their high 32 bits. The steps are collected in
//! a matrix, packed as two words, which is applied to a and b. A comparison of words can be wrong
//! if a and b nearly agree. Then a or b, but not both, becomes negative and changes its sign.
//! `docs/inversion-constant-time.md` has the proof that a round removes 28 bits from the sum of the
//! lengths of a and b, or 30 if the words hold them whole.

#[cfg(target_arch = "x86_64")]
pub(super) use super::binary_gcd_x86::{last_steps, thirty_steps};
use super::signed_62::{BITS, Matrix, Signed, limbs, negate_if, sign_mask, to_signed, update_b_a};
use crate::ct;
use crate::field::Modulus;

/// Number of steps in a round. The words have two more low bits than a round has steps, so the
/// rules of the symbol, which read three bits of b, hold up to the last step.
pub(super) const ROUND: u32 = 30;
/// Number of steps on the words that hold a and b whole. The sum of their lengths is then at most
/// 65, of which one bit remains: that of b = 1 at the end.
pub(super) const LAST: u32 = 64;

/// Number of rounds until a and b fit in one word each. The sum of their lengths falls from twice
/// that of p to 65 or less, by at least 28 in each round, or a is 0.
pub(super) const fn rounds(bits: u32) -> u32 {
    (2 * bits).saturating_sub(65).div_ceil(ROUND - 2)
}

/// Words, rows of the matrix, and their part of the symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) a: u64,
    pub(super) b: u64,
    /// The coefficients of a: that of the initial b of the round, plus 2^32 times that of the
    /// initial a.
    pub(super) a_row: u64,
    /// The coefficients of b.
    pub(super) b_row: u64,
    /// Bit 1: set if reciprocity changed the symbol.
    pub(super) exchanges: u64,
    /// Bit 2: set if the halvings changed it.
    pub(super) halvings: u64,
}

impl State {
    const fn new(a: u64, b: u64) -> Self {
        Self {
            a,
            b,
            a_row: 1 << 32,
            b_row: 1,
            exchanges: 0,
            halvings: 0,
        }
    }

    /// The matrix, scaled for a division by 2^62: entries are at most 2^30 in size.
    #[inline(always)]
    pub(super) fn matrix(&self) -> Matrix {
        let row = |row: u64| {
            let first = i64::from(row as i32);
            let second = row.wrapping_add(1 << 31) as i64 >> 32;
            debug_assert!(first.abs() + second.abs() <= 1 << ROUND);
            (first << (BITS - ROUND), second << (BITS - ROUND))
        };
        let ((u, v), (q, r)) = (row(self.b_row), row(self.a_row));
        Matrix { u, v, q, r }
    }
}

/// One step on words and rows. For the symbol: (a|b) = (b|a) unless both are 3 modulo 4, and
/// (2|b) = 1 unless b is 3 or 5 modulo 8, which is bit 2 of b + 2.
#[cfg(any(test, feature = "comparisons", not(target_arch = "x86_64")))]
#[inline(always)]
pub(super) fn step(state: &mut State) {
    let State {
        a,
        b,
        a_row,
        b_row,
        exchanges,
        halvings,
    } = *state;
    let odd = ct::barrier((a & 1).wrapping_neg());
    let (difference, less) = a.overflowing_sub(b & odd);
    let exchange = ct::mask(less);
    let absolute = |x: u64| (x ^ exchange).wrapping_sub(exchange);
    let choose = |x: u64, y: u64| y ^ ((x ^ y) & exchange);
    let next_b = choose(a, b);
    *state = State {
        a: absolute(difference) >> 1,
        b: next_b,
        a_row: absolute(a_row.wrapping_sub(b_row & odd)),
        b_row: choose(a_row, b_row).wrapping_mul(2),
        exchanges: exchanges ^ (a & b & exchange),
        halvings: halvings ^ next_b.wrapping_add(2),
    };
}

#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn thirty_steps_portable<const SYMBOL: bool>(mut state: State) -> State {
    for _ in 0..ROUND {
        step(&mut state);
    }
    if const { !SYMBOL } {
        (state.exchanges, state.halvings) = (0, 0);
    }
    state
}

/// The symbol's part of 64 steps on words that hold a and b whole. The rest of the state must not
/// be used.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn last_steps_portable(mut state: State) -> State {
    for _ in 0..LAST {
        step(&mut state);
    }
    state
}

/// The word of each: the low 32 bits, and the 32 bits from the highest bit of the longer one down.
/// Values of at most 64 bits are whole. On input both are not negative.
#[inline(always)]
pub(super) fn words(a: &Signed, b: &Signed, limbs: usize) -> (u64, u64) {
    // The highest limb, from the second on, that is not zero in one of them, and the limb below.
    let (mut a_top, mut b_top) = ((a[1], a[0]), (b[1], b[0]));
    let mut is_second = u64::MAX;
    for i in 2..limbs {
        let present = sign_mask(-(a[i] | b[i]));
        let choose = |x: i64, y: i64| y ^ ((x ^ y) & present);
        a_top = (choose(a[i], a_top.0), choose(a[i - 1], a_top.1));
        b_top = (choose(b[i], b_top.0), choose(b[i - 1], b_top.1));
        is_second &= !present as u64;
    }
    // Limbs have 62 bits. The shift moves the highest bit of 124 to bit 127, but by at most 64 in
    // the second limb. If no bit is set, a substitute bit makes the shift 64.
    let shift = (a_top.0 | b_top.0 | 1).leading_zeros() + 2;
    let beyond = u64::from(shift) >> 6 & u64::from(shift) & is_second;
    let shift = shift - (beyond & 1) as u32;
    let word = |(above, below): (i64, i64), low: i64| {
        let high = ((above as u128) << BITS | below as u128) << shift >> 96;
        (high as u64) << 32 | u64::from(low as u32)
    };
    (word(a_top, a[0]), word(b_top, b[0]))
}

/// Performs a round on a and b. Returns the words after it, its map, and masks that show whether b
/// and a changed their signs.
#[inline(always)]
pub(super) fn round<const SYMBOL: bool>(
    b: &mut Signed,
    a: &mut Signed,
    limbs: usize,
) -> (State, Matrix, [i64; 2]) {
    let (a_word, b_word) = words(a, b, limbs);
    let state = thirty_steps::<SYMBOL>(State::new(a_word, b_word));
    let matrix = state.matrix();
    update_b_a(b, a, &matrix, limbs);
    let signs = [sign_mask(b[limbs - 1]), sign_mask(a[limbs - 1])];
    debug_assert!(signs[0] & signs[1] == 0);
    negate_if(b, signs[0], limbs);
    negate_if(a, signs[1], limbs);
    (state, matrix, signs)
}

/// The Legendre symbol of an integer below p: 0 for zero, 1 for a square, otherwise -1. Constant
/// time.
pub(in crate::field) fn legendre<const N: usize>(modulus: &Modulus<N>, y: &[u64; N]) -> i32 {
    let limbs = const { limbs(N) };
    let mut b = to_signed(modulus.prime());
    let mut a = to_signed(y);
    // Bit 1: set if the symbol is -(a|b).
    let mut symbol = 0;
    for _ in 0..rounds(modulus.bits()) {
        let (state, _, [_, a_sign]) = round::<true>(&mut b, &mut a, limbs);
        // (-1|b) = -1 if b is 3 modulo 4. (a|-b) = (a|b), because a is not negative next to such a
        // b.
        symbol ^= state.exchanges ^ state.halvings >> 1 ^ (a_sign & b[0]) as u64;
    }
    debug_assert!(a[1] >> 2 == 0 && a[2..].iter().all(|&limb| limb == 0));
    let whole = |x: &Signed| (x[0] | x[1] << BITS) as u64;
    let state = last_steps(State::new(whole(&a), whole(&b)));
    debug_assert!(state.a == 0);
    symbol ^= state.exchanges ^ state.halvings >> 1;
    let any = y.iter().fold(0, |any, limb| any | limb);
    let nonzero = !ct::mask_zero(any) as i32;
    (1 - (symbol & 2) as i32) & nonzero
}

#[cfg(not(target_arch = "x86_64"))]
use {last_steps_portable as last_steps, thirty_steps_portable as thirty_steps};

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// Both forms of the inner loops agree on every kind of words.
    #[test]
    fn both_inner_loops_take_the_same_steps() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            state ^ state >> 29
        };
        let edges = [0, 1, 2, u64::MAX, 1 << 63, 1 << 32, u64::MAX >> 32];
        for i in 0..20_000 {
            let mut word = |j: usize| match i >> (2 * j) & 3 {
                0 => edges[i % edges.len()],
                1 => random() >> (i % 64),
                _ => random(),
            };
            let start = State::new(word(0), word(1) | 1);
            let portable = thirty_steps_portable::<true>(start);
            assert_eq!(thirty_steps::<true>(start), portable, "{start:x?}");
            assert_eq!(
                thirty_steps::<false>(start),
                thirty_steps_portable::<false>(start),
                "{start:x?}"
            );
            let (last, portable) = (last_steps(start), last_steps_portable(start));
            let symbol = |state: State| (state.a, state.exchanges & 2, state.halvings & 4);
            assert_eq!(symbol(last), symbol(portable), "{start:x?}");
        }
    }
}
