//! Division steps in constant time (Bernstein and Yang, *Fast constant-time gcd computation and
//! modular inversion*, 2019), with the halved delta of libsecp256k1's documents, twenty at a time.
//!
//! f is odd and g is any integer. zeta = -(delta + 1/2) shows which of the two had more halvings. A
//! step is
//!
//! ```text
//! zeta < 0, g odd:  (f, g) <- (g, (g - f) / 2),   zeta <- -zeta - 2
//! else, g odd:      (f, g) <- (f, (g + f) / 2),   zeta <- zeta - 1
//! else:             (f, g) <- (f, g / 2),         zeta <- zeta - 1
//! ```
//!
//! Twenty steps depend only on the low twenty bits of f and g. Each of them shares a word with the
//! coefficients that express the new f and g in terms of the old ones:
//!
//! ```text
//! 2^20 f' = u f + v g,   2^20 g' = q f + r g,   |u| + |v| <= 2^20,   |q| + |r| <= 2^20.
//! ```

#[cfg(target_arch = "x86_64")]
pub(super) use super::divsteps_x86::twenty_steps;
use super::signed_62::Matrix;

/// Number of steps in one word: n steps need n bits for f or g and n + 2 bits for each coefficient.
pub(super) const CHUNK: u32 = 20;
/// Start of the two coefficients after the steps. Before the steps they are [`CHUNK`] bits higher.
/// The halvings of g move them down, so that none of their bits is lost.
const FIRST: u32 = CHUNK;
const SECOND: u32 = 2 * CHUNK + 2;

/// Number of steps in a round: three chunks.
pub(super) const ROUND: u32 = 3 * CHUNK;

/// The words that hold f and g with their coefficients: f + 2^40 and g + 2^62, where the low twenty
/// bits of f and g are read as a signed number.
///
/// All words stay below 2^63. In units of its place, 2^62, the second coefficient is at most 1, and
/// the sum of those of f and g is at most 2 - 2^-20, because the two rows are independent. The rest
/// of a sum is at most 2^41 + 2^20.
#[inline(always)]
pub(super) fn pack(f: i64, g: i64) -> (i64, i64) {
    let low = |x: i64| x << (64 - CHUNK) >> (64 - CHUNK);
    (
        low(f) + (1 << (FIRST + CHUNK)),
        low(g) + (1 << (SECOND + CHUNK)),
    )
}

/// The coefficients in a word after twenty steps. Below them is an integer in (-2^19, 2^19), an
/// average of such integers.
#[inline(always)]
pub(super) fn unpack(row: i64) -> (i64, i64) {
    let row = row.wrapping_add(1 << (FIRST - 1));
    let first = row << (64 - SECOND) >> (64 - SECOND + FIRST);
    let second = row.wrapping_add(1 << (SECOND - 1)) >> SECOND;
    debug_assert!(first.abs() + second.abs() <= 1 << CHUNK);
    (first, second)
}

/// f and g with their coefficients, and zeta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) f: i64,
    pub(super) g: i64,
    pub(super) zeta: i64,
}

/// Performs one step.
#[cfg(any(test, feature = "comparisons", not(target_arch = "x86_64")))]
#[inline(always)]
pub(super) fn step(Words { f, g, zeta }: &mut Words) {
    let odd = -(*g & 1);
    let negative = *zeta >> 63;
    let exchange = odd & negative;
    let next = *g + (((*f ^ negative) - negative) & odd);
    *f ^= (*f ^ *g) & exchange;
    *g = next >> 1;
    *zeta = (*zeta ^ exchange) - 1;
}

/// Performs twenty steps on each.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn twenty_steps_portable(all: &mut [Words]) {
    for words in all {
        for _ in 0..CHUNK {
            step(words);
        }
    }
}

/// The low words of f and g, and zeta.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub(super) f: i64,
    pub(super) g: i64,
    pub(super) zeta: i64,
}

/// Performs twenty steps on each. Afterwards the highest twenty bits of f and g are unknown.
#[inline(always)]
fn chunk<const COUNT: usize>(states: &mut [State; COUNT]) -> [Matrix; COUNT] {
    let mut words = states.map(|State { f, g, zeta }| {
        let (f, g) = pack(f, g);
        Words { f, g, zeta }
    });
    twenty_steps(&mut words);
    core::array::from_fn(|i| {
        let ((u, v), (q, r)) = (unpack(words[i].f), unpack(words[i].g));
        let State { f, g, .. } = states[i];
        let combine = |u: i64, v: i64| u.wrapping_mul(f).wrapping_add(v.wrapping_mul(g)) >> CHUNK;
        states[i] = State {
            f: combine(u, v),
            g: combine(q, r),
            zeta: words[i].zeta,
        };
        Matrix { u, v, q, r }
    })
}

/// The map `first`, then `second`.
#[inline(always)]
pub(super) fn compose(first: &Matrix, second: &Matrix) -> Matrix {
    let row = |x: i64, y: i64| (x * first.u + y * first.q, x * first.v + y * first.r);
    let ((u, v), (q, r)) = (row(second.u, second.v), row(second.q, second.r));
    Matrix { u, v, q, r }
}

/// Performs sixty steps on the low words of each f and g. Afterwards four bits of these are known.
/// The maps are scaled for a division by 2^62.
#[inline(always)]
pub(super) fn sixty_steps<const COUNT: usize>(states: &mut [State; COUNT]) -> [Matrix; COUNT] {
    let first = chunk(states);
    let second = chunk(states);
    let third = chunk(states);
    core::array::from_fn(|i| {
        let both = compose(&first[i], &second[i]);
        let Matrix { u, v, q, r } = compose(&both, &third[i]);
        let [u, v, q, r] = [u, v, q, r].map(|x| x << 2);
        Matrix { u, v, q, r }
    })
}

#[cfg(not(target_arch = "x86_64"))]
use twenty_steps_portable as twenty_steps;

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// Both forms of the inner loop agree on every kind of low bits and of zeta.
    #[test]
    fn both_inner_loops_take_the_same_steps() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state ^ state >> 29) as i64
        };
        let mut last = [Words {
            f: 1,
            g: 0,
            zeta: -1,
        }; 3];
        let edges = [0, 1, -1, 2, 1 << 18, 1 << 19, i64::MAX, i64::MIN];
        for i in 0..20_000 {
            let mut word = |j: usize| match i >> (2 * j) & 3 {
                0 => edges[i % edges.len()],
                1 => random() >> (i % 64),
                _ => random(),
            };
            let (f, g, zeta) = (word(0) | 1, word(1), word(2) >> 50);
            let (f, g) = pack(f, g);
            let words = Words { f, g, zeta };
            last = [last[1], last[2], words];
            let steps = |count: usize, twenty_steps: fn(&mut [Words])| {
                let mut words = last;
                twenty_steps(&mut words[3 - count..]);
                words
            };
            // One alone, two interleaved, and two plus one.
            for count in 1..=3 {
                let expected = steps(count, twenty_steps_portable);
                assert_eq!(steps(count, twenty_steps), expected, "{last:x?}");
            }
        }
    }
}
