//! The fields of a curve of four limbs with its own kernels, and the places of its generator's
//! tables.

/// The names that [`backends!`] uses, which its callers import.
pub(super) mod names {
    #[cfg(target_arch = "x86_64")]
    pub(in crate::curve) use crate::cpu::{Adx, Avx2, Avx512, Fma, Ifma};
    #[cfg(target_arch = "x86_64")]
    pub(in crate::curve) use crate::curve::{BaseField, LanesOf, ScalarField};
    pub(in crate::curve) use crate::curve::{PointsCell, ScalarLanesOf, SecretLanesOf, SpreadCell};
    pub(in crate::curve) use crate::field::{AnyKernel, AnyReduction};
    #[cfg(target_arch = "x86_64")]
    pub(in crate::curve) use crate::field::{EitherKernel, SideBySide};
    pub(in crate::curve) use crate::limbs::PortableWords;
    #[cfg(target_arch = "x86_64")]
    pub(in crate::curve) use crate::limbs::{Avx2Quads, Avx512Doubles, FmaDoubles, IfmaWords};
    pub(in crate::curve) use crate::scalar::{AnyScalarField, AnyScalarFieldX8};
}

/// Items of an `impl Curve`: the fields on every backend, and the cells of the generator's tables.
/// The integers modulo the order are those of any order.
macro_rules! backends {
    (
        elements $element:ty, order $order:ident and $order_in_lanes:ident,
        portable $field:ident($kernel:expr),
        adx $adx_field:ident($adx_kernel:ident),
        lanes $field_x8:ident($reduction:expr),
        doubles $doubles_field:ident($doubles_reduction:expr),
        lanes for secrets $field_narrow_x4:ident($narrow_reduction:expr) $(,)?
    ) => {
        type BaseField = $field;
        type ScalarField = AnyScalarField<4>;

        const OWN_KERNELS: bool = true;
        const HAS_DOUBLES: bool = true;

        #[inline(always)]
        fn base_field(self) -> $field {
            $field::new($kernel)
        }

        #[inline(always)]
        fn scalar_field(self) -> AnyScalarField<4> {
            AnyScalarField::new(AnyKernel::detect(&$order))
        }

        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        fn adx(self, proof: Adx) -> (impl BaseField<Self>, impl ScalarField<Self>) {
            (
                $adx_field::new($adx_kernel::new(proof)),
                AnyScalarField::new(AnyKernel::adx(proof, &$order)),
            )
        }

        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        fn ifma(self, proof: Ifma) -> (impl SecretLanesOf<Self>, impl ScalarLanesOf<Self>) {
            let (words, adx) = (IfmaWords::new(proof), proof.adx());
            let order = AnyReduction::new(&$order_in_lanes);
            (
                $field_x8::new(words, $reduction, $adx_kernel::new(adx)),
                AnyScalarFieldX8::new(words, order, AnyKernel::adx(adx, &$order)),
            )
        }

        #[inline(always)]
        fn portable_lanes(self) -> (impl SecretLanesOf<Self>, impl ScalarLanesOf<Self>) {
            let order = AnyReduction::new(&$order_in_lanes);
            (
                $field_x8::new(PortableWords, $reduction, $kernel),
                AnyScalarFieldX8::new(PortableWords, order, AnyKernel::portable(&$order)),
            )
        }

        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        fn avx512(self, proof: Avx512) -> Option<(impl LanesOf<Self>, impl ScalarLanesOf<Self>)> {
            let (doubles, adx) = (Avx512Doubles::new(proof), proof.adx());
            let order = AnyScalarField::new(AnyKernel::adx(adx, &$order));
            Some((
                $doubles_field::<_, _, 8>::new(doubles, $doubles_reduction, $adx_kernel::new(adx)),
                SideBySide::<_, 8>(order),
            ))
        }

        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        fn fma(self, proof: Fma) -> Option<(impl LanesOf<Self>, impl ScalarLanesOf<Self>)> {
            let doubles = FmaDoubles::new(proof);
            let kernel = EitherKernel::detect($adx_kernel::new, $kernel);
            Some((
                $doubles_field::<_, _, 4>::new(doubles, $doubles_reduction, kernel),
                SideBySide::<_, 4>(self.scalar_field()),
            ))
        }

        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        fn avx2(self, proof: Avx2) -> (impl SecretLanesOf<Self>, impl ScalarLanesOf<Self>) {
            let quads = Avx2Quads::new(proof);
            let kernel = EitherKernel::detect($adx_kernel::new, $kernel);
            (
                $field_narrow_x4::new(quads, $narrow_reduction, kernel),
                SideBySide::<_, 4>(self.scalar_field()),
            )
        }

        fn generator_cell(self) -> &'static PointsCell<$element> {
            static CELL: PointsCell<$element> = PointsCell::new();
            &CELL
        }

        fn base_cell(self) -> &'static PointsCell<$element> {
            static CELL: PointsCell<$element> = PointsCell::new();
            &CELL
        }

        fn spread_cell(self) -> &'static SpreadCell {
            static CELL: SpreadCell = SpreadCell::new();
            &CELL
        }
    };
}

pub(super) use backends;
