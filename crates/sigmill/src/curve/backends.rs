//! What every curve says in the same words: the backends of its fields, how one is chosen, and
//! where the tables of its generator are kept.

/// Items of an `impl Curve`: the portable backends, the cells of the generator's tables, and
/// `dispatch` and `dispatch_lanes` over portable code, MULX/ADCX/ADOX and, if lanes are named,
/// AVX-512 IFMA.
///
/// The two are `#[inline(never)]` for the sake of those who use this crate: rustc shares such a
/// function between crates, so what this crate has compiled for a curve (minutes of work) is not
/// compiled again in each program that verifies a signature.
macro_rules! backends {
    (
        $curve:ident, elements $element:ty,
        portable $field:ident($kernel:expr), $order:ident,
        adx $adx_field:ident($adx_kernel:ident), $adx_order:ident
        $(, lanes $field_x8:ident, $order_x8:ident)? $(,)?
    ) => {
        type BaseField = $field;
        type ScalarField = $order;

        #[inline(always)]
        fn base_field() -> $field {
            $field::new($kernel)
        }

        #[inline(always)]
        fn scalar_field() -> $order {
            $order::new($crate::field::Portable::new())
        }

        fn generator_cell() -> &'static once_cell::race::OnceBox<$crate::curve::Points<$element>> {
            static CELL: once_cell::race::OnceBox<$crate::curve::Points<$element>> =
                once_cell::race::OnceBox::new();
            &CELL
        }

        fn base_cell() -> &'static once_cell::race::OnceBox<$crate::curve::Points<$element>> {
            static CELL: once_cell::race::OnceBox<$crate::curve::Points<$element>> =
                once_cell::race::OnceBox::new();
            &CELL
        }

        #[inline(never)]
        fn dispatch<O: $crate::curve::Operation<Self>>(operation: O) -> O::Output {
            #[cfg(target_arch = "x86_64")]
            if let Some(proof) = $crate::cpu::Adx::detect() {
                return operation.run(
                    $adx_field::new($adx_kernel::new(proof)),
                    $adx_order::new($crate::field::AdxKernel::new(proof)),
                );
            }
            operation.run(Self::base_field(), Self::scalar_field())
        }

        $(
            fn spread_cell() -> Option<
                &'static once_cell::race::OnceBox<
                    alloc::boxed::Box<dyn core::any::Any + Send + Sync>,
                >,
            > {
                static CELL: once_cell::race::OnceBox<
                    alloc::boxed::Box<dyn core::any::Any + Send + Sync>,
                > = once_cell::race::OnceBox::new();
                Some(&CELL)
            }

            #[inline(never)]
            fn dispatch_lanes<O: $crate::curve::LanesOperation<Self>>(operation: O) -> O::Output {
                /// Eight lanes of AVX-512 IFMA, compiled for it as a whole.
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx512f,avx512ifma")]
                fn run_ifma<O: $crate::curve::LanesOperation<$curve>>(
                    proof: $crate::cpu::Ifma,
                    operation: O,
                ) -> O::Output {
                    let words = $crate::limbs::IfmaWords::new(proof);
                    operation.run(
                        $field_x8::new(words, $adx_kernel::new(proof.adx())),
                        $order_x8::new(words, $crate::field::AdxKernel::new(proof.adx())),
                    )
                }

                /// Eight lanes of portable code: the same limbs, slowly.
                #[cold]
                fn run_portable_lanes<O: $crate::curve::LanesOperation<$curve>>(
                    operation: O,
                ) -> O::Output {
                    let words = $crate::limbs::PortableWords;
                    operation.run(
                        $field_x8::new(words, $kernel),
                        $order_x8::new(words, $crate::field::Portable::new()),
                    )
                }

                #[cfg(target_arch = "x86_64")]
                if let Some(proof) = $crate::cpu::Ifma::detect() {
                    // SAFETY: the token proves that the CPU has the instructions.
                    return unsafe { run_ifma(proof, operation) };
                }
                if $crate::cpu::wants_portable_lanes() {
                    return run_portable_lanes(operation);
                }
                Self::dispatch($crate::curve::OneLane(operation))
            }
        )?
    };
}

pub(super) use backends;
