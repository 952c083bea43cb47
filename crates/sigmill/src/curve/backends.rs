//! The items that every curve with its own kernels has in the same words: the backends of its
//! fields, the choice of one, and the places of its generator's tables.

/// Items of an `impl Curve`: the portable backends, the cells of the generator's tables, and
/// `choose_single`, `choose_lanes` and `choose_secret_lanes` over portable code, MULX/ADCX/ADOX,
/// AVX-512 IFMA and, for secrets, AVX2. The integers modulo the order are those of any order.
///
/// The functions are `#[inline(never)]` for the sake of dependent crates. rustc shares such a
/// function between crates, so the code compiled here for a curve (minutes of work) is not compiled
/// again in each program that verifies a signature.
macro_rules! backends {
    (
        $curve:ident, elements $element:ty, order $order:ident and $order_in_lanes:ident,
        portable $field:ident($kernel:expr),
        adx $adx_field:ident($adx_kernel:ident),
        lanes $field_x8:ident($reduction:expr),
        doubles $doubles_field:ident($doubles_reduction:expr),
        lanes for secrets $field_narrow_x4:ident($narrow_reduction:expr) $(,)?
    ) => {
        type BaseField = $field;
        type ScalarField = $crate::scalar::AnyScalarField<4>;

        #[inline(always)]
        fn base_field(self) -> $field {
            $field::new($kernel)
        }

        #[inline(always)]
        fn scalar_field(self) -> Self::ScalarField {
            Self::ScalarField::new($crate::field::AnyKernel::detect(&$order))
        }

        fn generator_cell(self) -> &'static $crate::curve::PointsCell<$element> {
            static CELL: $crate::curve::PointsCell<$element> = $crate::curve::PointsCell::new();
            &CELL
        }

        fn base_cell(self) -> &'static $crate::curve::PointsCell<$element> {
            static CELL: $crate::curve::PointsCell<$element> = $crate::curve::PointsCell::new();
            &CELL
        }

        fn spread_cell(self) -> &'static $crate::curve::SpreadCell {
            static CELL: $crate::curve::SpreadCell = $crate::curve::SpreadCell::new();
            &CELL
        }

        #[inline(never)]
        fn choose_single<O: $crate::curve::Operation<Self>>(self, operation: O) -> O::Output {
            #[cfg(target_arch = "x86_64")]
            if let Some(proof) = $crate::cpu::Adx::detect() {
                return operation.run(
                    self,
                    $adx_field::new($adx_kernel::new(proof)),
                    Self::ScalarField::new($crate::field::AnyKernel::adx(proof, &$order)),
                );
            }
            let order = Self::ScalarField::new($crate::field::AnyKernel::portable(&$order));
            operation.run(self, self.base_field(), order)
        }

        #[inline(never)]
        fn choose_lanes<O: $crate::curve::LanesOperation<Self>>(self, operation: O) -> O::Output {
            $crate::curve::backends::in_lanes!(
                $curve,
                LanesOperation,
                self,
                operation,
                $order,
                $order_in_lanes,
                $field_x8($reduction),
                $adx_kernel,
                $kernel
            );
            /// Eight lanes of doubles, compiled for them as a whole.
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f")]
            fn run_avx512<O: $crate::curve::LanesOperation<$curve>>(
                curve: $curve,
                proof: $crate::cpu::Avx512,
                operation: O,
            ) -> O::Output {
                let order = $crate::field::AnyKernel::adx(proof.adx(), &$order);
                operation.run(
                    curve,
                    $doubles_field::<_, _, 8>::new(
                        $crate::limbs::Avx512Doubles::new(proof),
                        $doubles_reduction,
                        $adx_kernel::new(proof.adx()),
                    ),
                    $crate::field::SideBySide::<_, 8>($crate::scalar::AnyScalarField::new(order)),
                )
            }

            /// Four lanes of doubles, compiled for them as a whole.
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn run_fma<O: $crate::curve::LanesOperation<$curve>>(
                curve: $curve,
                proof: $crate::cpu::Fma,
                operation: O,
            ) -> O::Output {
                let order = $crate::field::AnyKernel::detect(&$order);
                operation.run(
                    curve,
                    $doubles_field::<_, _, 4>::new(
                        $crate::limbs::FmaDoubles::new(proof),
                        $doubles_reduction,
                        $crate::curve::backends::with_or_without_adx!($adx_kernel, $kernel),
                    ),
                    $crate::field::SideBySide::<_, 4>($crate::scalar::AnyScalarField::new(order)),
                )
            }

            #[cfg(target_arch = "x86_64")]
            if const { $crate::cpu::BEYOND_MEMCHECK }
                && let Some(proof) = $crate::cpu::Avx512::detect()
            {
                // SAFETY: the token proves that the CPU has the instructions.
                return unsafe { run_avx512(self, proof, operation) };
            }
            #[cfg(target_arch = "x86_64")]
            if const { $crate::cpu::BEYOND_MEMCHECK }
                && let Some(proof) = $crate::cpu::Fma::detect()
            {
                // SAFETY: as above.
                return unsafe { run_fma(self, proof, operation) };
            }
            self.choose_single($crate::curve::OneLane(operation))
        }

        #[inline(never)]
        fn choose_secret_lanes<O: $crate::curve::SecretLanesOperation<Self>>(
            self,
            operation: O,
        ) -> O::Output {
            $crate::curve::backends::in_lanes!(
                $curve,
                SecretLanesOperation,
                self,
                operation,
                $order,
                $order_in_lanes,
                $field_x8($reduction),
                $adx_kernel,
                $kernel
            );
            // Four lanes. Every operation there is a function compiled for AVX2.
            #[cfg(target_arch = "x86_64")]
            if const { O::OF_MANY }
                && let Some(proof) = $crate::cpu::Avx2::detect()
            {
                let quads = $crate::limbs::Avx2Quads::new(proof);
                let kernel = $crate::curve::backends::with_or_without_adx!($adx_kernel, $kernel);
                let order = Self::ScalarField::new($crate::field::AnyKernel::detect(&$order));
                return operation.run(
                    self,
                    $field_narrow_x4::new(quads, $narrow_reduction, kernel),
                    $crate::field::SideBySide::<_, 4>(order),
                );
            }
            self.choose_single($crate::curve::OneSecretLane(operation))
        }
    };
}

/// The kernel of single values on a CPU with AVX2 that may lack ADX.
#[cfg(target_arch = "x86_64")]
macro_rules! with_or_without_adx {
    ($adx_kernel:ident, $kernel:expr) => {
        match $crate::cpu::Adx::detect() {
            Some(proof) => $crate::field::EitherKernel::First($adx_kernel::new(proof)),
            None => $crate::field::EitherKernel::Second($kernel),
        }
    };
}

/// Statements that return the result of an operation in eight lanes of integers, if available.
macro_rules! in_lanes {
    (
        $curve:ident, $kind:ident, $self:ident, $operation:ident,
        $order:ident, $order_in_lanes:ident,
        $field_x8:ident($reduction:expr), $adx_kernel:ident, $kernel:expr
    ) => {
        /// Eight lanes of AVX-512 IFMA, compiled for it as a whole.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512ifma")]
        fn run_ifma<O: $crate::curve::$kind<$curve>>(
            curve: $curve,
            proof: $crate::cpu::Ifma,
            operation: O,
        ) -> O::Output {
            let words = $crate::limbs::IfmaWords::new(proof);
            operation.run(
                curve,
                $field_x8::new(words, $reduction, $adx_kernel::new(proof.adx())),
                $crate::scalar::AnyScalarFieldX8::new(
                    words,
                    $crate::field::AnyReduction::new(&$order_in_lanes),
                    $crate::field::AnyKernel::adx(proof.adx(), &$order),
                ),
            )
        }

        /// Eight lanes of portable code: the same limbs, slowly.
        #[cfg(feature = "portable-lanes")]
        #[cold]
        fn run_portable_lanes<O: $crate::curve::$kind<$curve>>(
            curve: $curve,
            operation: O,
        ) -> O::Output {
            let words = $crate::limbs::PortableWords;
            operation.run(
                curve,
                $field_x8::new(words, $reduction, $kernel),
                $crate::scalar::AnyScalarFieldX8::new(
                    words,
                    $crate::field::AnyReduction::new(&$order_in_lanes),
                    $crate::field::AnyKernel::portable(&$order),
                ),
            )
        }

        #[cfg(target_arch = "x86_64")]
        if const { $crate::cpu::BEYOND_MEMCHECK }
            && let Some(proof) = $crate::cpu::Ifma::detect()
        {
            // SAFETY: the token proves that the CPU has the instructions.
            return unsafe { run_ifma($self, proof, $operation) };
        }
        #[cfg(feature = "portable-lanes")]
        if $crate::cpu::wants_portable_lanes() {
            return run_portable_lanes($self, $operation);
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(super) use with_or_without_adx;
pub(super) use {backends, in_lanes};
