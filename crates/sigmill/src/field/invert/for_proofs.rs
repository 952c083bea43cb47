//! Parts of the inversions as functions of words, for the proofs in `crates/sigmill-proofs/smt`.

use super::signed_62::{self, Signed};
use super::{binary_gcd, divsteps};

/// Number of limbs of 62 bits.
pub const MOST: usize = signed_62::MOST;

/// Words of division steps: f, g and zeta.
pub type DivisionWords = [i64; 3];

#[inline(always)]
fn words([f, g, zeta]: DivisionWords) -> divsteps::Words {
    divsteps::Words { f, g, zeta }
}

/// One division step in portable code.
#[inline(always)]
pub fn division_step(start: DivisionWords) -> DivisionWords {
    let mut words = words(start);
    divsteps::step(&mut words);
    [words.f, words.g, words.zeta]
}

/// Twenty division steps of each, as an inversion performs them.
#[inline(always)]
pub fn twenty_division_steps<const COUNT: usize>(
    start: [DivisionWords; COUNT],
) -> [DivisionWords; COUNT] {
    let mut all = start.map(words);
    divsteps::twenty_steps(&mut all);
    all.map(|words| [words.f, words.g, words.zeta])
}

/// The words of f and g before twenty steps.
#[inline(always)]
pub fn pack(f: i64, g: i64) -> [i64; 2] {
    divsteps::pack(f, g).into()
}

/// The coefficients in a word after twenty steps.
#[inline(always)]
pub fn unpack(row: i64) -> [i64; 2] {
    divsteps::unpack(row).into()
}

/// State of the binary GCD: a, b, their rows, exchanges and halvings.
pub type GcdWords = [u64; 6];

#[inline(always)]
fn state([a, b, a_row, b_row, exchanges, halvings]: GcdWords) -> binary_gcd::State {
    binary_gcd::State {
        a,
        b,
        a_row,
        b_row,
        exchanges,
        halvings,
    }
}

#[inline(always)]
fn gcd_words(state: binary_gcd::State) -> GcdWords {
    [
        state.a,
        state.b,
        state.a_row,
        state.b_row,
        state.exchanges,
        state.halvings,
    ]
}

/// One step of the binary GCD in portable code.
#[inline(always)]
pub fn gcd_step(start: GcdWords) -> GcdWords {
    let mut state = state(start);
    binary_gcd::step(&mut state);
    gcd_words(state)
}

/// Thirty steps of the binary GCD, as a round performs them.
#[inline(always)]
pub fn thirty_gcd_steps<const SYMBOL: bool>(start: GcdWords) -> GcdWords {
    gcd_words(binary_gcd::thirty_steps::<SYMBOL>(state(start)))
}

/// The last 64 steps of the symbol. The rows must not be used.
#[inline(always)]
pub fn last_gcd_steps(start: GcdWords) -> GcdWords {
    gcd_words(binary_gcd::last_steps(state(start)))
}

/// The coefficients in the rows of b and a after thirty steps, times 2^32.
#[inline(always)]
pub fn gcd_matrix(words: GcdWords) -> [i64; 4] {
    let signed_62::Matrix { u, v, q, r } = state(words).matrix();
    [u, v, q, r]
}

/// The words for a round on a and b.
#[inline(always)]
pub fn approximations(a: &Signed, b: &Signed, limbs: usize) -> [u64; 2] {
    binary_gcd::words(a, b, limbs).into()
}

/// Limbs of 62 bits.
#[inline(always)]
pub fn to_signed(a: &[u64]) -> [i64; MOST] {
    signed_62::to_signed(a)
}

/// Limbs of 64 bits.
#[inline(always)]
pub fn from_signed<const N: usize>(a: &[i64; MOST]) -> [u64; N]
where
    [u64; N]: crate::field::Limbs,
{
    signed_62::from_signed(a)
}

/// x <- -x if `sign` is -1 and not 0.
#[inline(always)]
pub fn negate_if(x: &mut [i64; MOST], sign: i64, length: usize) {
    signed_62::negate_if(x, sign, length);
}

/// Reduces d in (-2p, p), or -d if `sign` is -1 and not 0, to 0 .. p.
#[inline(always)]
pub fn normalize(d: &[i64; MOST], sign: i64, p: &[i64; MOST], limbs: usize) -> [i64; MOST] {
    signed_62::normalize(d, sign, p, limbs)
}
