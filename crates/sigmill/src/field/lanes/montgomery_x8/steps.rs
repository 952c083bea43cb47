//! The steps of a Montgomery reduction in eight lanes; each step clears one limb. Modulo any prime,
//! and modulo two primes with few digits (J. A. Solinas, *Generalized Mersenne Numbers*, 1999).

use super::columns::{Columns, add_row, unrolled};
use super::constants::LaneModulus;
use super::registers::Limbs;
use crate::limbs::{LIMB_BITS, LIMB_MASK, Words};

/// Number of limbs of the prime of P-384.
const LIMBS_384: usize = 8;

/// Number of limbs of the prime of P-521.
const LIMBS_521: usize = 11;

/// The steps modulo a prime.
trait Steps<W: Words, const L: usize>: Sized {
    /// Adds to the columns t the multiple of the prime, times 2^(52 i), that makes limb `i` zero.
    /// The limb itself need not be cleared, because it is not read again. All limbs below it are
    /// zero.
    fn step(&mut self, words: W, t: &mut [W::Word], i: usize);

    /// Completes the high half once all limbs of the low half are zero.
    #[inline(always)]
    fn finish(self, _words: W, _high: &mut Limbs<W, L>) {}
}

/// The limbs of a b / 2^(52 L) mod p: [`reduce`] of its columns. Each step follows the row of
/// products that its limb waits for. So fewer columns are live at a time, and fewer operations wait
/// for the one before.
#[inline(always)]
pub(super) fn product<W: Words, const N: usize, const L: usize>(
    words: W,
    constants: &LaneModulus<N, L>,
    a: &Limbs<W, L>,
    b: &Limbs<W, L>,
) -> Limbs<W, L> {
    if const { L == LIMBS_384 } && constants.modulus.is_solinas_384() {
        product_by(words, Prime384::new(words), a, b)
    } else if const { L == LIMBS_521 } && constants.modulus.is_mersenne_521() {
        product_by(words, Prime521, a, b)
    } else {
        product_by(words, AnyPrime(constants), a, b)
    }
}

/// The limbs of t / 2^(52 L) mod p, below 2^57 in size, for t below 2^(52 L) p 2^c.
#[inline(always)]
pub(super) fn reduce<W: Words, const N: usize, const L: usize>(
    words: W,
    constants: &LaneModulus<N, L>,
    t: Columns<W, L>,
) -> Limbs<W, L> {
    if const { L == LIMBS_384 } && constants.modulus.is_solinas_384() {
        reduce_by(words, Prime384::new(words), t)
    } else if const { L == LIMBS_521 } && constants.modulus.is_mersenne_521() {
        reduce_by(words, Prime521, t)
    } else {
        reduce_by(words, AnyPrime(constants), t)
    }
}

#[inline(always)]
fn product_by<W: Words, S: Steps<W, L>, const L: usize>(
    words: W,
    mut steps: S,
    a: &Limbs<W, L>,
    b: &Limbs<W, L>,
) -> Limbs<W, L> {
    let mut columns = [[words.splat(0); L]; 2];
    let t = columns.as_flattened_mut();
    unrolled!(W, i < L, {
        add_row(words, t, i, a, b);
        steps.step(words, t, i);
    });
    let [_, mut high] = columns;
    steps.finish(words, &mut high);
    high
}

#[inline(always)]
fn reduce_by<W: Words, S: Steps<W, L>, const L: usize>(
    words: W,
    mut steps: S,
    mut columns: Columns<W, L>,
) -> Limbs<W, L> {
    let t = columns.as_flattened_mut();
    unrolled!(W, i < L, {
        steps.step(words, t, i);
    });
    let [_, mut high] = columns;
    steps.finish(words, &mut high);
    high
}

/// The steps modulo any odd prime: full products with constants from memory.
struct AnyPrime<'a, const N: usize, const L: usize>(&'a LaneModulus<N, L>);

impl<W: Words, const N: usize, const L: usize> Steps<W, L> for AnyPrime<'_, N, L> {
    /// The lowest limb and that of q p add up to 2^52, or to 0 if the limb is 0. So the carry to
    /// the next limb need not wait for q.
    #[inline(always)]
    fn step(&mut self, words: W, t: &mut [W::Word], i: usize) {
        let q = words.madd_low(words.splat(0), t[i], words.splat(self.0.negated_inverse));
        let carry = words.shr::<LIMB_BITS>(words.add(t[i], words.splat(LIMB_MASK)));
        t[i + 1] = words.add(t[i + 1], carry);
        for (j, &limb) in self.0.prime.iter().enumerate() {
            let limb = words.splat(limb);
            if j > 0 {
                t[i + j] = words.madd_low(t[i + j], q, limb);
            }
            t[i + j + 1] = words.madd_high(t[i + j + 1], q, limb);
        }
    }
}

/// The prime of P-384, p = 2^384 - 2^128 - 2^96 + 2^32 - 1, by its multiple m = (2^32 + 1) p.
///
/// As m is -1 modulo 2^52, the factor of a step is the limb q itself, which vanishes.
/// m + 1 = 2^416 + 2^384 - 2^160 - 2^129 - 2^96 + 2^64: q is added to limb 7 times 2^20 and to
/// limb 8, and subtracted from limb 1 times 2^44 - 2^12, from limb 2 times 2^25 and from limb 3
/// times 2^4. This needs nine multiply-adds instead of sixteen. Between one q and the next there is
/// one of them; an arbitrary prime has three. The subtrahends are summed separately; columns can be
/// negative.
struct Prime384<X> {
    /// Outstanding subtrahends of the three columns after that of the last step.
    minus: [X; 3],
}

impl<X: Copy> Prime384<X> {
    #[inline(always)]
    fn new<W: Words<Word = X>>(words: W) -> Self {
        Self {
            minus: [words.splat(0); 3],
        }
    }
}

impl<W: Words, const L: usize> Steps<W, L> for Prime384<W::Word> {
    #[inline(always)]
    fn step(&mut self, words: W, t: &mut [W::Word], i: usize) {
        let q = t[i];
        let [minus_1, minus_2, minus_3] = self.minus;
        let from_limb_1 = words.splat((1 << 44) - (1 << 12));
        let from_limb_2 = words.splat(1 << 25);
        let from_limb_3 = words.splat(1 << 4);
        let minus_1 = words.madd_low(minus_1, q, from_limb_1);
        let minus_2 = words.madd_high(minus_2, q, from_limb_1);
        let minus_3 = words.madd_high(minus_3, q, from_limb_2);
        self.minus = [
            words.madd_low(minus_2, q, from_limb_2),
            words.madd_low(minus_3, q, from_limb_3),
            words.madd_high(words.splat(0), q, from_limb_3),
        ];
        let to_limb_7 = words.splat(1 << 20);
        t[i + 7] = words.madd_low(t[i + 7], q, to_limb_7);
        t[i + 8] = words.madd_high(t[i + 8], q, to_limb_7);
        t[i + 8] = words.madd_low(t[i + 8], q, words.splat(1));
        let carried = words.add(t[i + 1], words.sar::<LIMB_BITS>(q));
        t[i + 1] = words.sub(carried, minus_1);
    }

    /// The steps leave a value below 2^417. Let h be the part of the highest limb above 2^384. It
    /// is folded as h (2^128 + 2^96 - 2^32 + 1). The columns below it add less than 2^370.
    ///
    /// The result is not negative, although columns 0 to 3 may be, by 2^55 each. If h is not zero,
    /// the limbs above them hold more than these 2^212: limb 6 has the low half of 2^20 q for the q
    /// of the last step. If that is zero, 2^32 divides q, and limb 7 has q / 2^32, where the rest
    /// of q has no bits.
    #[inline(always)]
    fn finish(self, words: W, high: &mut Limbs<W, L>) {
        let h = words.sar::<20>(high[7]);
        high[7] = words.and(high[7], words.splat((1 << 20) - 1));
        let from_limb_0 = words.splat((1 << 32) - 1);
        let to_limb_1 = words.splat(1 << 44);
        let to_limb_2 = words.splat(1 << 24);
        let minus_0 = words.madd_low(words.splat(0), h, from_limb_0);
        let minus_1 = words.madd_high(self.minus[0], h, from_limb_0);
        high[1] = words.madd_low(high[1], h, to_limb_1);
        high[2] = words.madd_high(high[2], h, to_limb_1);
        high[2] = words.madd_low(high[2], h, to_limb_2);
        high[3] = words.madd_high(high[3], h, to_limb_2);
        let minus = [minus_0, minus_1, self.minus[1], self.minus[2]];
        for (limb, minus) in high.iter_mut().zip(minus) {
            *limb = words.sub(*limb, minus);
        }
    }
}

/// The prime of P-521, p = 2^521 - 1. As it is -1 modulo 2^52, the factor of a step is the limb q
/// itself, which vanishes, and 2q is added to limb 10. Two multiply-adds instead of twenty-two.
struct Prime521;

impl<W: Words, const L: usize> Steps<W, L> for Prime521 {
    #[inline(always)]
    fn step(&mut self, words: W, t: &mut [W::Word], i: usize) {
        let (q, to_limb_10) = (t[i], words.splat(2));
        t[i + 10] = words.madd_low(t[i + 10], q, to_limb_10);
        t[i + 11] = words.madd_high(t[i + 11], q, to_limb_10);
        t[i + 1] = words.add(t[i + 1], words.shr::<LIMB_BITS>(q));
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::product_columns;
    use super::super::reduction::{AnyReduction, carry};
    use super::super::registers::RegistersX8;
    use super::*;
    use crate::field::modulus::SOLINAS_384;
    use crate::field::{Field as _, Modulus};
    use crate::limbs::{PortableWords, X8, array_from_fn};

    /// The steps of a special prime and those of any prime reduce t to values that differ by a
    /// multiple of the prime. Neither value is negative.
    fn check<const N: usize, const L: usize>(
        modulus: &'static Modulus<N>,
        constants: &'static LaneModulus<N, L>,
        t: [[u64; L]; 2],
    ) {
        assert!(modulus.is_solinas_384() || modulus.is_mersenne_521());
        let words = PortableWords;
        let columns = t.map(|half| half.map(|column| X8([column; 8])));
        let left = [
            reduce(words, constants, columns),
            reduce_by(words, AnyPrime(constants), columns),
        ];
        let [special, any] = left.map(|limbs| carry(words, limbs));
        for limbs in [&special, &any] {
            assert!(limbs[L - 1].0[0] < constants.weak_bound, "{t:x?}");
        }
        let field = RegistersX8::new(words, AnyReduction::<u8, N, L>::new(constants));
        assert!(field.equal(&special, &any).0 == 0xff, "{t:x?}");
    }

    /// Checks one low column and one high column, with random bits and with few bits, and equal
    /// values in all low columns, so that little is left besides the folded part.
    fn check_all<const N: usize, const L: usize>(
        modulus: &'static Modulus<N>,
        constants: &'static LaneModulus<N, L>,
    ) {
        let mut state: u64 = 1;
        for (low, high) in (0..L).flat_map(|low| (0..L).map(move |high| (low, high))) {
            for shift in 0..LIMB_BITS {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                // The lowest column is a low half, and t is below 14.1 m^2.
                let bits_of_low = if low == 0 { 52 } else { 57 };
                let bits_of_high = if high < L - 2 { 57 } else { 0 };
                let any = state >> (64 - bits_of_low) & (u64::MAX << shift);
                for value in [any, 1 << shift, (1 << 52) - (1 << shift)] {
                    let mut t = [[0; L]; 2];
                    t[0][low] = value;
                    check(modulus, constants, t);
                    t[1][high] = (state >> 5) & ((1 << bits_of_high) - 1);
                    check(modulus, constants, t);
                    t[0] = [value & LIMB_MASK; L];
                    check(modulus, constants, t);
                }
            }
        }
    }

    /// Checks sums of up to three products. Limbs are zero, full, one bit, runs of ones or random.
    /// In half of the factors the highest limb is the largest possible: t is below 15.2 m^2.
    fn check_products<const N: usize, const L: usize>(
        modulus: &'static Modulus<N>,
        constants: &'static LaneModulus<N, L>,
    ) {
        let words = PortableWords;
        let mut state: u64 = 1;
        let mut random = |below: u64| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 12) % below
        };
        let mut limbs = || -> Limbs<PortableWords, L> {
            array_from_fn(|j| {
                let bit = 1 << random(52);
                let limb = match random(6) {
                    0 => 0,
                    1 => LIMB_MASK,
                    2 => bit,
                    3 => bit - 1,
                    4 => LIMB_MASK ^ (bit - 1),
                    _ => random(1 << 52),
                };
                words.splat(match random(2) {
                    _ if j < L - 1 => limb,
                    0 => limb % constants.weak_bound,
                    _ => constants.weak_bound - 1,
                })
            })
        };
        for round in 0..10_000 {
            let mut sum = [[0; L]; 2];
            for _ in 0..=round % 3 {
                let (a, b) = (limbs(), limbs());
                let columns = product_columns(words, &a, &b);
                let [high, apart] = [
                    product(words, constants, &a, &b),
                    reduce(words, constants, columns),
                ];
                assert_eq!(high, apart);
                let columns = columns.as_flattened().iter();
                for (sum, column) in sum.as_flattened_mut().iter_mut().zip(columns) {
                    *sum += column.0[0];
                }
            }
            check(modulus, constants, sum);
        }
    }

    #[test]
    fn primes_with_few_digits_as_any() {
        static P384: Modulus<6> = Modulus::new(SOLINAS_384);
        static P384_IN_LANES: LaneModulus<6, 8> = LaneModulus::new(&P384);
        check_all(&P384, &P384_IN_LANES);
        check_products(&P384, &P384_IN_LANES);
        const FULL: u64 = u64::MAX;
        const MERSENNE_521: [u64; 9] = [FULL, FULL, FULL, FULL, FULL, FULL, FULL, FULL, 511];
        static P521: Modulus<9> = Modulus::new(MERSENNE_521);
        static P521_IN_LANES: LaneModulus<9, 11> = LaneModulus::new(&P521);
        check_all(&P521, &P521_IN_LANES);
        check_products(&P521, &P521_IN_LANES);
    }
}
