//! P-384 in lanes of doubles: eight limbs of 48 bits, R = 2^336.
//!
//! As with P-256 (`p256.rs`), the bits of the halves of a column are added as integers, and all
//! their constants sum to 0 modulo p. There are two differences. First, a digit is cleared by terms
//! of both signs, so digits start so large that none becomes negative. Second, the highest limb is
//! as long as the others. So the part above 2^384 is rounded away in both directions, and elements
//! are between -0.51 and 0.51 times 2^384.

use core::fmt::Debug;
use core::marker::PhantomData;

mod constants;
mod product;

use super::DoublesField;
use super::digits::{Digits, carry_digit, digits_plus};
use super::modulus::DoublesModulus;
use super::reduction::{DoublesReduction, Limbs};
use crate::limbs::Doubles;
use constants::{EXPONENT, EXPONENT_IS, HALF, LIMBS, MODULUS, PRIME, UNIT};
use product::Product;

/// The field of P-384 in lanes of doubles of `D`, with single values by kernel `S`. Its elements
/// have tag `T`.
pub type P384DoublesField<D, T, S, const WIDTH: usize> =
    DoublesField<D, P384DoublesReduction<T>, S, 6, LIMBS, WIDTH>;

/// The reduction modulo the prime of P-384, without products: -1 / p is 2^32 + 1 modulo 2^48, and
/// (2^32 + 1) p + 1 = 2^416 + 2^384 - 2^160 - 2^129 - 2^96 + 2^64.
///
/// Limbs of elements are at most 0.502 2^48 in size.
#[derive(Clone, Copy, Debug)]
pub struct P384DoublesReduction<T>(PhantomData<T>);

impl<T> P384DoublesReduction<T> {
    /// Creates the reduction if the prime is that of P-384.
    pub fn new(prime: &[u64; 6]) -> Option<Self> {
        (prime == PRIME.prime()).then_some(Self(PhantomData))
    }
}

impl<T: Copy + Debug + Eq + Send + Sync + 'static> DoublesReduction<6, LIMBS>
    for P384DoublesReduction<T>
{
    type Tag = T;

    const IS_CENTERED: bool = true;

    const ROOM: f64 = 4.0;

    #[inline(always)]
    fn constants(self) -> &'static DoublesModulus<6, LIMBS> {
        &MODULUS
    }

    #[inline(always)]
    fn product<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        a: &Limbs<D, LIMBS, WIDTH>,
        b: &Limbs<D, LIMBS, WIDTH>,
        c: Option<&Limbs<D, LIMBS, WIDTH>>,
    ) -> Limbs<D, LIMBS, WIDTH> {
        let (a, b) = (d.store_all(a), d.store_all(b));
        let product = match c {
            Some(c) => d.call(Product {
                factors: [&a, &b],
                less: [&d.store_all(c)],
            }),
            None => d.call(Product {
                factors: [&a, &b],
                less: [],
            }),
        };
        d.load_all(&product)
    }

    #[inline(always)]
    fn square<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        a: &Limbs<D, LIMBS, WIDTH>,
        c: Option<&Limbs<D, LIMBS, WIDTH>>,
    ) -> Limbs<D, LIMBS, WIDTH> {
        let a = d.store_all(a);
        let square = match c {
            Some(c) => d.call(Product {
                factors: [&a],
                less: [&d.store_all(c)],
            }),
            None => d.call(Product {
                factors: [&a],
                less: [],
            }),
        };
        d.load_all(&square)
    }

    /// Adds `factor` times 2^128 + 2^96 - 2^32 + 1.
    #[inline(always)]
    fn fold<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        limbs: &mut Limbs<D, LIMBS, WIDTH>,
        factor: D::Double,
    ) {
        const TWO_TO_32: f64 = (1u64 << 32) as f64;
        limbs[0] = d.multiply_add(factor, d.splat(UNIT * (1.0 - TWO_TO_32)), limbs[0]);
        limbs[2] = d.multiply_add(factor, d.splat(UNIT * (1.0 + TWO_TO_32)), limbs[2]);
    }

    /// Converts x / 2^384 to x / 2^336, that is x / 2^48, by clearing one digit. With u = x mod
    /// 2^48, the result is (x - u) / 2^48 + u (2^368 + 2^336 - 2^112 - 2^81 - 2^48 + 2^16). The
    /// part of u 2^368 above 2^384, u / 2^16, is folded.
    #[inline(always)]
    fn limbs_of_single<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        [w0, w1, w2, w3, w4, w5]: [D::Word; 6],
    ) -> Limbs<D, LIMBS, WIDTH> {
        let zero = d.splat_word(0);
        let u = d.join_48(w0, zero);
        let low_32 = d.low_32_shl_16(u);
        let (low_16, above_16) = (d.low_16_shl_32(u), d.shr::<16>(u));
        // u / 2^16 at 2^32, truncated at 2^48. The part above that is u / 2^32, which cancels that
        // of the cleared digit.
        let folded = d.low_16_shl_32(above_16);
        let x1 = d.join_48(d.or(d.shr::<48>(w0), d.shl::<16>(w1)), zero);
        let x2 = d.join_48(d.or(d.shr::<32>(w1), d.shl::<32>(w2)), zero);
        let x5 = d.join_48(d.or(d.shr::<48>(w3), d.shl::<16>(w4)), zero);
        let x6 = d.join_48(d.or(d.shr::<32>(w4), d.shl::<32>(w5)), zero);
        let u_and_low_16 = d.add_words(u, low_16);
        let less_1 = d.add_words(u_and_low_16, low_16);
        let less_2 = d.sub_words(d.add_words(above_16, low_32), folded);
        let digits = [
            d.add_words(x1, d.sub_words(d.add_words(low_32, above_16), folded)),
            d.sub_words(x2, less_1),
            d.sub_words(d.shr::<16>(w2), less_2),
            d.join_48(w3, zero),
            x5,
            x6,
            d.shr::<16>(w5),
            u_and_low_16,
        ];
        let exponent = d.splat_word(EXPONENT | HALF);
        let mut limbs = [d.splat(0.0); LIMBS];
        for i in 0..LIMBS {
            let number = d.from_bits(d.add_words(digits[i], exponent));
            limbs[i] = d.sub(number, d.splat(1.5 * EXPONENT_IS));
        }
        self.reduce_weakly(d, limbs)
    }

    /// Converts x / 2^336 to x / 2^384, that is x 2^48. So limbs move up by one place, and the part
    /// above 2^384 is folded times 2^128 + 2^96 - 2^32 + 1. The lowest digit holds only that part,
    /// and borrows 2^48.
    #[inline(always)]
    fn digits_of_single<D: Doubles<WIDTH>, const WIDTH: usize>(
        self,
        d: D,
        limbs: &Limbs<D, LIMBS, WIDTH>,
    ) -> (Digits<D, LIMBS, WIDTH>, &'static DoublesModulus<6, LIMBS>) {
        let mut digits = digits_plus(d, &MODULUS, limbs, &MODULUS.double);
        carry_digit(d, &MODULUS, &mut digits, 6);
        let [x0, x1, x2, x3, x4, x5, x6, over] = digits;
        let (low_32, above_16) = (d.low_16_shl_32(over), d.shr::<16>(over));
        let lent = d.splat_word(1 << 48);
        let shifted = [
            d.sub_words(d.add_words(over, lent), low_32),
            d.sub_words(d.sub_words(x0, d.splat_word(1)), above_16),
            d.add_words(d.add_words(x1, over), low_32),
            d.add_words(x2, above_16),
            x3,
            x4,
            x5,
            x6,
        ];
        (shifted, &MODULUS)
    }
}
