//! Lanes of doubles for curves that are rows of constants: only P-384 has them.

use super::{Curve, LanesOperation, Prime};
use crate::field::LimbCount;

/// Limb counts of primes, with lanes of doubles for some curves of that size: P-384 alone. Lanes of
/// doubles are for primes whose reduction needs no product.
pub trait DoublesCount<const N: usize>: LimbCount {
    /// Runs an operation in lanes of doubles, or returns it if this curve or this CPU has none.
    #[inline(always)]
    fn in_doubles<O, const L: usize>(curve: Prime<N, L>, operation: O) -> Result<O::Output, O>
    where
        Prime<N, L>: Curve,
        O: LanesOperation<Prime<N, L>>,
    {
        let _ = curve;
        Err(operation)
    }
}

macro_rules! no_doubles {
    ($($limbs:literal)*) => {
        $(impl DoublesCount<$limbs> for [u64; $limbs] {})*
    };
}

no_doubles!(1 2 3 4 5 8 9);

#[cfg(not(target_arch = "x86_64"))]
no_doubles!(6);

#[cfg(target_arch = "x86_64")]
mod six {
    use super::DoublesCount;
    use crate::cpu::{Avx512, BEYOND_MEMCHECK, Fma};
    use crate::curve::{Curve, LanesOperation, Prime};
    use crate::field::{AnyKernel, Coordinate, P384DoublesField, P384DoublesReduction, SideBySide};
    use crate::limbs::{Avx512Doubles, FmaDoubles};
    use crate::scalar::AnyScalarField;

    type Reduction = P384DoublesReduction<Coordinate>;

    impl DoublesCount<6> for [u64; 6] {
        #[inline(always)]
        fn in_doubles<O, const L: usize>(curve: Prime<6, L>, operation: O) -> Result<O::Output, O>
        where
            Prime<6, L>: Curve,
            O: LanesOperation<Prime<6, L>>,
        {
            let Some(reduction) = Reduction::new(curve.constants().prime.prime()) else {
                return Err(operation);
            };
            if const { BEYOND_MEMCHECK }
                && let Some(proof) = Avx512::detect()
            {
                // SAFETY: the token proves that the CPU has the instructions.
                return Ok(unsafe { run_avx512(curve, reduction, proof, operation) });
            }
            if const { BEYOND_MEMCHECK }
                && let Some(proof) = Fma::detect()
            {
                // SAFETY: as above.
                return Ok(unsafe { run_fma(curve, reduction, proof, operation) });
            }
            Err(operation)
        }
    }

    /// Eight lanes of doubles, compiled for them as a whole.
    #[target_feature(enable = "avx512f")]
    fn run_avx512<O: LanesOperation<Prime<6, L>>, const L: usize>(
        curve: Prime<6, L>,
        reduction: Reduction,
        proof: Avx512,
        operation: O,
    ) -> O::Output {
        let kernel = AnyKernel::adx(proof.adx(), curve.constants().prime);
        let order = AnyKernel::adx(proof.adx(), curve.constants().order);
        operation.run(
            curve,
            P384DoublesField::<_, _, _, 8>::new(Avx512Doubles::new(proof), reduction, kernel),
            SideBySide::<_, 8>(AnyScalarField::new(order)),
        )
    }

    /// Four lanes of doubles, compiled for them as a whole.
    #[target_feature(enable = "avx2,fma")]
    fn run_fma<O: LanesOperation<Prime<6, L>>, const L: usize>(
        curve: Prime<6, L>,
        reduction: Reduction,
        proof: Fma,
        operation: O,
    ) -> O::Output {
        let kernel = AnyKernel::detect(curve.constants().prime);
        let order = AnyKernel::detect(curve.constants().order);
        operation.run(
            curve,
            P384DoublesField::<_, _, _, 4>::new(FmaDoubles::new(proof), reduction, kernel),
            SideBySide::<_, 4>(AnyScalarField::new(order)),
        )
    }
}
