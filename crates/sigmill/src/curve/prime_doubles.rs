//! Lanes of doubles for curves that are rows of constants: only P-384 has them.

use crate::field::{
    AnyKernel, Coordinate, Lanes, LimbCount, Modulus, MontgomeryField, P384DoublesField,
    P384DoublesReduction, PrimeField, Residue, SideBySide,
};
use crate::limbs::Doubles;

/// A coordinate on a curve over a prime of `N` limbs.
type Element<const N: usize> = Residue<Coordinate, N>;

/// Limb counts of primes, with lanes of doubles for some primes of that size: that of P-384 alone.
/// Lanes of doubles are for primes whose reduction needs no product.
pub trait DoublesCount<const N: usize>: LimbCount
where
    [u64; N]: LimbCount,
{
    /// True if some prime of this size has lanes of doubles.
    const HAS_DOUBLES: bool = false;

    /// Returns the field of a prime in lanes of doubles, if it has one.
    #[inline(always)]
    fn in_doubles<D: Doubles<WIDTH>, const WIDTH: usize>(
        _: D,
        _: &'static Modulus<N>,
    ) -> Option<impl Lanes<Single: PrimeField<Element = Element<N>, Integer = [u64; N]>>> {
        None::<SideBySide<MontgomeryField<AnyKernel<Coordinate, N>, N>, WIDTH>>
    }
}

macro_rules! no_doubles {
    ($($limbs:literal)*) => {
        $(impl DoublesCount<$limbs> for [u64; $limbs] {})*
    };
}

no_doubles!(1 2 3 4 5 8 9);

impl DoublesCount<6> for [u64; 6] {
    const HAS_DOUBLES: bool = true;

    #[inline(always)]
    fn in_doubles<D: Doubles<WIDTH>, const WIDTH: usize>(
        doubles: D,
        prime: &'static Modulus<6>,
    ) -> Option<impl Lanes<Single: PrimeField<Element = Element<6>, Integer = [u64; 6]>>> {
        let reduction = P384DoublesReduction::new(prime.prime())?;
        let single = AnyKernel::detect(prime);
        Some(P384DoublesField::<_, Coordinate, _, WIDTH>::new(
            doubles, reduction, single,
        ))
    }
}
