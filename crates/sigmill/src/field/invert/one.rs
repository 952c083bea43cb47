//! Inversion in constant time by division steps, sixty at a time
//! (`docs/inversion-constant-time.md`).
//!
//! State: f and g, which start as p and the operand y; d and e with d y = f, e y = g (mod p), which
//! start as 0 and 1. A round performs sixty steps on the low words of f and g and applies their map
//! to both pairs. When g is 0, f is 1 or -1, because p is prime, and f d is the inverse.

use core::marker::PhantomData;

use zeroize::Zeroizing;

use super::divsteps::{ROUND, State, sixty_steps};
use super::signed_62::{
    BITS, MASK, MOST, Matrix, Signed, combine_modulo, from_signed, limbs, normalize, to_signed,
    update_b_a,
};
use crate::field::modulus::inverse_mod_2_64;
use crate::field::{Limbs, Modulus, PrimeField};

/// Number of steps after which g is 0 for every y, for p of `bits` bits: 590 for 256 bits, from
/// libsecp256k1's "Bounds on divsteps iterations in safegcd"; otherwise the linear bound of the
/// same analysis of convex hulls.
const fn steps(bits: u32) -> u32 {
    let linear = (45_907 * bits + 26_313) / 19_929;
    if bits <= 256 && linear > 590 {
        590
    } else {
        linear
    }
}

/// The inverse of an integer below p, below p; zero for zero. Constant time.
///
/// Ten rounds for 256 bits.
pub(in crate::field) fn invert<const N: usize>(modulus: &Modulus<N>, y: &[u64; N]) -> [u64; N] {
    let inversion = Inversion::new(modulus.prime(), modulus.negated_inverse().wrapping_neg(), y);
    let [inverse] = run(&mut [inversion], steps(modulus.bits()).div_ceil(ROUND));
    inverse
}

/// The inverses of two elements, one from each of two fields; zero for zero. They are interleaved,
/// because each step waits for the one before. This costs four fifths of the time of two separate
/// inversions. Constant time if both are Montgomery fields, which read integers of secrets.
pub fn invert_two<F: PrimeField, S: PrimeField<Integer = F::Integer>>(
    (first, a): (F, &F::Element),
    (second, b): (S, &S::Element),
) -> (F::Element, S::Element) {
    let (a, b) = (
        Zeroizing::new(first.to_integer(a)),
        Zeroizing::new(second.to_integer(b)),
    );
    let primes = [first.modulus(), second.modulus()];
    let bits = first.bits().max(second.bits());
    let inverses = Zeroizing::new(invert_integers(&primes, [&a, &b], bits));
    (below(first, &inverses[0]), below(second, &inverses[1]))
}

/// The inverse of an integer modulo each of two primes of at most `bits` bits: one function for all
/// fields with the same number of limbs.
#[inline(never)]
fn invert_integers<I: Limbs>(primes: &[I; 2], integers: [&I; 2], bits: u32) -> [I; 2] {
    let mut inversions = core::array::from_fn(|i| {
        let low = primes[i].as_ref()[0];
        Inversion::new(&primes[i], inverse_mod_2_64(low), integers[i])
    });
    run(&mut inversions, steps(bits).div_ceil(ROUND))
}

/// The element for an integer below p.
fn below<F: PrimeField>(field: F, integer: &F::Integer) -> F::Element {
    match field.from_integer(integer) {
        Some(element) => element,
        None => unreachable!("an inverse is below its prime"),
    }
}

/// State of an inversion.
struct Inversion<I> {
    p: Signed,
    p_inverse: i64,
    f: Zeroizing<Signed>,
    g: Zeroizing<Signed>,
    d: Zeroizing<Signed>,
    e: Zeroizing<Signed>,
    zeta: i64,
    integer: PhantomData<I>,
}

impl<I: Limbs> Inversion<I> {
    const LIMBS: usize = limbs(I::COUNT);

    /// Starts the inversion of y below p, with 1 / p mod 2^64.
    #[inline(always)]
    fn new(p: &I, p_inverse: u64, y: &I) -> Self {
        let p = to_signed(p.as_ref());
        let mut e: Signed = [0; MOST];
        e[0] = 1;
        Self {
            p,
            p_inverse: p_inverse as i64 & MASK,
            f: Zeroizing::new(p),
            g: Zeroizing::new(to_signed(y.as_ref())),
            d: Zeroizing::new([0; MOST]),
            e: Zeroizing::new(e),
            zeta: -1,
            integer: PhantomData,
        }
    }

    /// The part of the state that steps read.
    #[inline(always)]
    fn state(&self) -> State {
        let low = |x: &Signed| x[0] | x[1] << BITS;
        State {
            f: low(&self.f),
            g: low(&self.g),
            zeta: self.zeta,
        }
    }

    /// Applies a row of a map to d and e.
    #[inline(always)]
    fn combine(&self, row: (i64, i64)) -> Signed {
        combine_modulo(
            row,
            (&self.d, &self.e),
            &self.p,
            self.p_inverse,
            Self::LIMBS,
        )
    }

    /// Applies the map of a round, which left the steps in this state.
    #[inline(always)]
    fn apply(&mut self, matrix: &Matrix, state: State) {
        self.zeta = state.zeta;
        update_b_a(&mut self.f, &mut self.g, matrix, Self::LIMBS);
        debug_assert!((self.f[0] ^ state.f) & 15 == 0 && (self.g[0] ^ state.g) & 15 == 0);
        (*self.d, *self.e) = (
            self.combine((matrix.u, matrix.v)),
            self.combine((matrix.q, matrix.r)),
        );
    }

    /// Returns the inverse. The map of the last round is needed only for d and the sign of f.
    #[inline(always)]
    fn end(&mut self, matrix: &Matrix, state: State) -> I {
        *self.d = self.combine((matrix.u, matrix.v));
        // Here f is 1 or -1. If y is 0, f is p or -p, and d is 0.
        let sign = -(state.f >> 1 & 1);
        if cfg!(debug_assertions) {
            update_b_a(&mut self.f, &mut self.g, matrix, Self::LIMBS);
            let positive = normalize(&self.f, sign, &self.p, Self::LIMBS);
            let is_one = positive[0] == 1 && positive[1..] == [0; MOST][1..];
            assert!(*self.g == [0; MOST] && (is_one || *self.d == [0; MOST]));
        }
        from_signed(&normalize(&self.d, sign, &self.p, Self::LIMBS))
    }
}

/// Runs `rounds` rounds of each. Rounds beyond the necessary ones do not change an inverse.
#[inline(always)]
fn run<I: Limbs, const COUNT: usize>(
    inversions: &mut [Inversion<I>; COUNT],
    rounds: u32,
) -> [I; COUNT] {
    for _ in 0..rounds - 1 {
        let mut states = inversions.each_ref().map(Inversion::state);
        let matrices = sixty_steps(&mut states);
        for (i, inversion) in inversions.iter_mut().enumerate() {
            inversion.apply(&matrices[i], states[i]);
        }
    }
    let mut states = inversions.each_ref().map(Inversion::state);
    let matrices = sixty_steps(&mut states);
    core::array::from_fn(|i| inversions[i].end(&matrices[i], states[i]))
}
