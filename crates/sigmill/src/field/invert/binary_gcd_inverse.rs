//! The inverse by the binary GCD in constant time. Compiled only for comparison with the division
//! steps.

use super::binary_gcd::{LAST, ROUND, round, rounds};
use super::divsteps;
use super::signed_62::{
    BITS, MASK, MOST, Matrix, Signed, combine_modulo, from_signed, limbs, normalize, to_signed,
};
use crate::field::Modulus;

/// The inverse of an integer below p, below p; zero for zero. Constant time, and slower than
/// [`PrimeField::invert`](crate::field::PrimeField::invert).
///
/// d and e accompany b and a as in the variable-time inversion. Two rounds form one map for them.
pub fn binary_gcd_inverse<const N: usize>(modulus: &Modulus<N>, y: &[u64; N]) -> [u64; N] {
    let limbs = const { limbs(N) };
    let p = to_signed(modulus.prime());
    let p_inverse = modulus.negated_inverse().wrapping_neg() as i64 & MASK;
    // Whole words need LAST additional steps.
    let pairs = (rounds(modulus.bits()) + LAST.div_ceil(ROUND)).div_ceil(2);
    let mut b = p;
    let mut a = to_signed(y);
    let mut d: Signed = [0; MOST];
    let mut e: Signed = [0; MOST];
    e[0] = 1;
    for _ in 0..pairs {
        let [first, second] = [(); 2].map(|()| {
            let (_, Matrix { u, v, q, r }, [b_sign, a_sign]) =
                round::<false>(&mut b, &mut a, limbs);
            // Without the scale of the division: two rounds have a scale of 2^60.
            let signed = |x: i64, sign: i64| ((x >> (BITS - ROUND)) ^ sign) - sign;
            Matrix {
                u: signed(u, b_sign),
                v: signed(v, b_sign),
                q: signed(q, a_sign),
                r: signed(r, a_sign),
            }
        });
        let Matrix { u, v, q, r } = divsteps::compose(&first, &second);
        let [u, v, q, r] = [u, v, q, r].map(|x| x << (BITS - 2 * ROUND));
        let combine = |row| combine_modulo(row, (&d, &e), &p, p_inverse, limbs);
        (d, e) = (combine((u, v)), combine((q, r)));
    }
    debug_assert!(a == [0; MOST]);
    from_signed(&normalize(&d, 0, &p, limbs))
}
