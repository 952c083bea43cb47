//! Inversion in constant time by division steps, sixty at a time
//! (`docs/inversion-constant-time.md`).
//!
//! State: f and g beginning as p and the operand y, and d, e with d y = f, e y = g (mod p)
//! beginning as 0 and 1. A round takes sixty steps on the low words of f and g and applies their
//! map to both pairs. When g is 0, f is 1 or -1, as p is prime, and f d is the inverse.

use zeroize::Zeroizing;

use super::divsteps::{ROUND, State, sixty_steps};
use super::signed_62::{
    BITS, MASK, MOST, Signed, combine_modulo, from_signed, limbs, normalize, to_signed, update_b_a,
};
use crate::field::Modulus;

/// How many steps take g to 0, whatever y is, for p of so many bits: 590 for 256 bits, from
/// libsecp256k1's "Bounds on divsteps iterations in safegcd"; else the linear bound of the same
/// analysis of convex hulls.
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
    let limbs = const { limbs::<N>() };
    let p = to_signed(modulus.prime());
    let p_inverse = modulus.negated_inverse().wrapping_neg() as i64 & MASK;
    let rounds = steps(modulus.bits()).div_ceil(ROUND);

    let (mut f, mut g) = (Zeroizing::new(p), Zeroizing::new(to_signed(y)));
    let mut d: Zeroizing<Signed> = Zeroizing::new([0; MOST]);
    let mut e: Zeroizing<Signed> = Zeroizing::new([0; MOST]);
    e[0] = 1;
    let mut zeta = -1;
    let low = |x: &Signed| x[0] | x[1] << BITS;
    for _ in 0..rounds - 1 {
        let mut state = State {
            f: low(&f),
            g: low(&g),
            zeta,
        };
        let matrix = sixty_steps(&mut state);
        zeta = state.zeta;
        update_b_a(&mut f, &mut g, &matrix, limbs);
        debug_assert!((f[0] ^ state.f) & 15 == 0 && (g[0] ^ state.g) & 15 == 0);
        let combine = |row| combine_modulo(row, (&d, &e), &p, p_inverse, limbs);
        (*d, *e) = (combine((matrix.u, matrix.v)), combine((matrix.q, matrix.r)));
    }
    // Of the last round only d is wanted, and the sign of f.
    let mut state = State {
        f: low(&f),
        g: low(&g),
        zeta,
    };
    let matrix = sixty_steps(&mut state);
    *d = combine_modulo((matrix.u, matrix.v), (&d, &e), &p, p_inverse, limbs);
    // f is 1 or -1 now, or p or -p where y is 0; then d is 0.
    let sign = -(state.f >> 1 & 1);
    if cfg!(debug_assertions) {
        update_b_a(&mut f, &mut g, &matrix, limbs);
        let positive = normalize(&f, sign, &p, limbs);
        assert!(
            *g == [0; MOST]
                && (y == &[0; N] || positive[0] == 1 && positive[1..] == [0; MOST][1..])
        );
    }
    from_signed(&normalize(&d, sign, &p, limbs))
}
