//! The representations of lanes of integers and lanes of doubles.

use std::ops::RangeInclusive;

use num_bigint::{BigInt, BigUint};
use rand_chacha::rand_core::Rng;
use sigmill::hazmat::field::{
    DoublesField, DoublesReduction, FieldNarrowX4, FieldX8, Kernel, Lanes as _, NarrowReduction,
    PrimeField, Reduction, Residue,
};
use sigmill::hazmat::limbs::{Doubles, LIMB_BITS, LIMB_MASK, NarrowQuads, Words};
use sigmill_tests::numbers::{big, from_limbs, invert, nasty_below, rng, to_limbs};

use super::subject::Representation;

/// Forms of single values that have digits of many kinds in lanes, where R is `r`. On conversion to
/// lanes, single forms are multiplied by the quotient of the two values of R.
fn forms_of<F: PrimeField>(field: F, r: BigUint, positions: &[u32]) -> Vec<BigUint> {
    let p = &from_limbs(field.modulus().as_ref());
    let singles = from_limbs(F::to_words(&field.one()).as_ref());
    let back = match singles == big(1) {
        true => singles,
        false => singles * invert(&(r % p), p) % p,
    };
    let mut rng = rng(53);
    let mut hard = vec![];
    for _ in 0..300 {
        let value = positions.windows(2).fold(BigUint::ZERO, |value, limb| {
            let width = limb[1] - limb[0];
            let all = (1u64 << width) - 1;
            let patterns = [0, all, 1, 1 << (width - 1), (1 << (width - 1)) - 1];
            value + (big(patterns[rng.next_u32() as usize % 5]) << limb[0])
        });
        hard.push(value % p * &back % p);
    }
    hard.extend(nasty_below(p).iter().map(|a| a * &back % p));
    hard
}

/// Limbs of 52 bits, none of them negative; values below 2.25 m (`LaneModulus`).
impl<W, K, S, const N: usize, const L: usize> Representation for FieldX8<W, K, S, N, L>
where
    W: Words,
    K: Reduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    fn single_of(self, form: &BigUint) -> Residue<K::Tag, N> {
        Self::Single::from_words(to_limbs(form))
    }

    fn stored(self, lanes: &Self::Element) -> Vec<BigInt> {
        let lane = |lane: usize| {
            let limbs = lanes.limbs().map(|limb| limb.0[lane]);
            assert!(limbs.iter().all(|&limb| limb <= LIMB_MASK), "{limbs:x?}");
            let limbs = limbs.iter().rev();
            limbs.fold(BigInt::ZERO, |sum, &limb| (sum << LIMB_BITS) + limb)
        };
        (0..8).map(lane).collect()
    }

    fn range(self) -> RangeInclusive<BigInt> {
        let p = from_limbs(&self.single().modulus());
        let bits = u64::from(LIMB_BITS) * L as u64;
        // m is 2^c p with 16 bits in its highest limb; for the special reductions it is 2^256.
        let c = match (bits - 36).saturating_sub(p.bits()) {
            0 => 0,
            c => c.max(bits.saturating_sub(64 * N as u64)),
        };
        let m = match K::SPARSE {
            true => big(1) << 256,
            false => &p << c,
        };
        assert!(&m * 16u32 <= big(1) << bits);
        BigInt::ZERO..=BigInt::from(m * 9u32 / 4u32) - 1
    }

    /// 0.8 of the bound.
    fn reached(self) -> BigUint {
        self.range().end().magnitude() * 4u32 / 5u32
    }

    fn hard(self) -> Vec<BigUint> {
        let positions: Vec<_> = (0..=L as u32).map(|i| i * LIMB_BITS).collect();
        let r = big(1) << (LIMB_BITS as usize * L);
        forms_of(self.single(), r, &positions)
    }
}

/// Limbs of either sign, bounded as in `DoublesModulus`; values between -1.01 and 1.01 times 2^256,
/// or between -0.51 and 0.51 times 2^384.
impl<D, K, S, const N: usize, const L: usize, const WIDTH: usize> Representation
    for DoublesField<D, K, S, N, L, WIDTH>
where
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    S: Kernel<N, Tag = K::Tag>,
{
    fn single_of(self, form: &BigUint) -> Residue<K::Tag, N> {
        Self::Single::from_words(to_limbs(form))
    }

    fn stored(self, lanes: &Self::Element) -> Vec<BigInt> {
        let constants = self.reduction().constants();
        let lane = |lane: usize| {
            let limbs = lanes.limbs().map(|limb| limb.as_ref()[lane]);
            let limbs = limbs
                .iter()
                .zip(constants.positions())
                .zip(constants.bounds());
            limbs.fold(BigInt::ZERO, |sum, ((limb, &position), bound)| {
                assert!(limb.abs() <= *bound, "{limb} {bound}");
                let limb = limb / constants.unit();
                assert_eq!(limb.fract(), 0.0);
                sum + (BigInt::from(limb as i64) << position)
            })
        };
        (0..WIDTH).map(lane).collect()
    }

    fn range(self) -> RangeInclusive<BigInt> {
        let percent = if K::IS_CENTERED { 51 } else { 101 };
        let most = (BigInt::from(1) << (64 * N)) * percent / 100;
        -&most..=most
    }

    /// 0.4 times 2^(64 N): sums and differences are at most half of 2^(64 N) in size.
    fn reached(self) -> BigUint {
        (big(1) << (64 * N)) * 2u32 / 5u32
    }

    fn hard(self) -> Vec<BigUint> {
        let constants = self.reduction().constants();
        let r = big(1) << constants.positions()[L - 1];
        let mut positions = constants.positions().to_vec();
        positions.push(64 * N as u32);
        forms_of(self.single(), r, &positions)
    }
}

/// Limbs of 29 bits, none of them negative, the highest below 1.1875 2^24.
impl<Q, K, S> Representation for FieldNarrowX4<Q, K, S>
where
    Q: NarrowQuads,
    K: NarrowReduction,
    S: Kernel<4, Tag = K::Tag>,
{
    fn single_of(self, form: &BigUint) -> Residue<K::Tag, 4> {
        Self::Single::from_words(to_limbs(form))
    }

    fn stored(self, lanes: &Self::Element) -> Vec<BigInt> {
        let lane = |lane: usize| {
            let limbs = lanes.limbs().map(|limb| limb.0[lane]);
            assert!(limbs.iter().all(|&limb| limb < 1 << 29), "{limbs:x?}");
            let limbs = limbs.iter().rev();
            limbs.fold(BigInt::ZERO, |sum, &limb| (sum << 29u32) + limb)
        };
        (0..4).map(lane).collect()
    }

    fn range(self) -> RangeInclusive<BigInt> {
        BigInt::ZERO..=(BigInt::from(19) << 252) - 1
    }

    /// 0.8 of 2^256, the bound of sums and differences.
    fn reached(self) -> BigUint {
        (big(1) << 256) * 4u32 / 5u32
    }

    fn hard(self) -> Vec<BigUint> {
        let positions: Vec<_> = (0..=9).map(|i| 29 * i).collect();
        forms_of(self.single(), big(1) << 261, &positions)
    }
}
