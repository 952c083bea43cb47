//! The choice of a curve's backends: the only place that asks the CPU which of them it supports.
//!
//! Each function with a `target_feature` contains a whole operation, which is inlined into it with
//! all its loops. A call that is left outside of it costs three times as much.
//!
//! The public functions are `#[inline(never)]` for the sake of dependent crates. rustc shares such
//! a function between crates, so the code compiled here for a curve (minutes of work) is not
//! compiled again in each program that verifies a signature.

use super::{Curve, LanesOperation, OneLane, OneSecretLane, Operation, SecretLanesOperation};
#[cfg(feature = "portable-lanes")]
use crate::cpu::wants_portable_lanes;
#[cfg(target_arch = "x86_64")]
use crate::cpu::{Adx, Avx2, Avx512, BEYOND_MEMCHECK, Fma, Ifma};

/// Runs an operation on the fastest backend of single values.
#[inline(never)]
pub(super) fn single<C: Curve, O: Operation<C>>(curve: C, operation: O) -> O::Output {
    #[cfg(target_arch = "x86_64")]
    if const { C::OWN_KERNELS }
        && let Some(proof) = Adx::detect()
    {
        let (base, order) = curve.adx(proof);
        return operation.run(curve, base, order);
    }
    operation.run(curve, curve.base_field(), curve.scalar_field())
}

/// Runs an operation on public values on the widest backend.
#[inline(never)]
pub(super) fn lanes<C: Curve, O: LanesOperation<C>>(curve: C, operation: O) -> O::Output {
    #[cfg(target_arch = "x86_64")]
    if const { BEYOND_MEMCHECK }
        && let Some(proof) = Ifma::detect()
    {
        // SAFETY: the token proves that the CPU has the instructions.
        return unsafe { run_ifma(curve, proof, operation) };
    }
    #[cfg(feature = "portable-lanes")]
    if wants_portable_lanes() {
        let (base, order) = curve.portable_lanes();
        return operation.run(curve, base, order);
    }
    #[cfg(target_arch = "x86_64")]
    if const { C::HAS_DOUBLES && BEYOND_MEMCHECK }
        && let Some(proof) = Avx512::detect()
    {
        // SAFETY: as above.
        return unsafe { run_avx512(curve, proof, operation) };
    }
    #[cfg(target_arch = "x86_64")]
    if const { C::HAS_DOUBLES && BEYOND_MEMCHECK }
        && let Some(proof) = Fma::detect()
    {
        // SAFETY: as above.
        return unsafe { run_fma(curve, proof, operation) };
    }
    single(curve, OneLane(operation))
}

/// Runs an operation on secrets on the widest backend that is safe for them.
#[inline(never)]
pub(super) fn secret_lanes<C: Curve, O: SecretLanesOperation<C>>(
    curve: C,
    operation: O,
) -> O::Output {
    #[cfg(target_arch = "x86_64")]
    if const { BEYOND_MEMCHECK }
        && let Some(proof) = Ifma::detect()
    {
        // SAFETY: the token proves that the CPU has the instructions.
        return unsafe { run_secret_ifma(curve, proof, operation) };
    }
    #[cfg(feature = "portable-lanes")]
    if wants_portable_lanes() {
        let (base, order) = curve.portable_lanes();
        return operation.run(curve, base, order);
    }
    // Four lanes. Every operation there is a function compiled for AVX2.
    #[cfg(target_arch = "x86_64")]
    if const { C::OWN_KERNELS && O::OF_MANY }
        && let Some(proof) = Avx2::detect()
    {
        let (base, order) = curve.avx2(proof);
        return operation.run(curve, base, order);
    }
    single(curve, OneSecretLane(operation))
}

/// Eight lanes of AVX-512 IFMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512ifma")]
fn run_ifma<C: Curve, O: LanesOperation<C>>(curve: C, proof: Ifma, operation: O) -> O::Output {
    let (base, order) = curve.ifma(proof);
    operation.run(curve, base, order)
}

/// [`run_ifma`] for secrets.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512ifma")]
fn run_secret_ifma<C: Curve, O: SecretLanesOperation<C>>(
    curve: C,
    proof: Ifma,
    operation: O,
) -> O::Output {
    let (base, order) = curve.ifma(proof);
    operation.run(curve, base, order)
}

/// Eight lanes of doubles.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn run_avx512<C: Curve, O: LanesOperation<C>>(curve: C, proof: Avx512, operation: O) -> O::Output {
    match curve.avx512(proof) {
        Some((base, order)) => operation.run(curve, base, order),
        None => single(curve, OneLane(operation)),
    }
}

/// Four lanes of doubles.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_fma<C: Curve, O: LanesOperation<C>>(curve: C, proof: Fma, operation: O) -> O::Output {
    match curve.fma(proof) {
        Some((base, order)) => operation.run(curve, base, order),
        None => single(curve, OneLane(operation)),
    }
}
