//! What the CPU has, and the tokens that prove it.

use super::{Level, allowed};
#[cfg(target_arch = "x86_64")]
use crate::ct;

/// Proof that the CPU has BMI2 and ADX (MULX, ADCX, ADOX), and that they are not forbidden.
#[derive(Clone, Copy, Debug)]
pub struct Adx(());

impl Adx {
    /// The proof, where there is one. Costs a few atomic loads after the first call.
    #[inline]
    pub fn detect() -> Option<Self> {
        (has_adx() && allowed() >= Level::Adx).then_some(Self(()))
    }
}

/// Proof that the CPU has AVX2, and that code beyond the portable is not forbidden.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// The proof, where there is one. Costs a few atomic loads after the first call.
    #[inline]
    pub fn detect() -> Option<Self> {
        (has_avx2() && allowed() >= Level::Adx).then_some(Self(()))
    }
}

/// Proof that the CPU has AVX-512 F, VL and IFMA beside what [`Adx`] proves, and that they are not
/// forbidden.
#[derive(Clone, Copy, Debug)]
pub struct Ifma(Adx);

impl Ifma {
    /// The proof, where there is one. Costs a few atomic loads after the first call.
    #[inline]
    pub fn detect() -> Option<Self> {
        let adx = Adx::detect()?;
        (has_ifma() && allowed() >= Level::Ifma).then_some(Self(adx))
    }

    /// What it proves beside.
    #[inline]
    pub const fn adx(self) -> Adx {
        self.0
    }
}

/// Proof that the CPU has AVX2 and FMA, and that they are not forbidden. No proof of ADX, which
/// Haswell lacks.
///
/// It says nothing of how the CPU rounds, which each thread decides for itself:
/// [`detect`](Self::detect) gives no proof to a thread that does not round as Rust assumes.
#[derive(Clone, Copy, Debug)]
pub struct Fma(());

impl Fma {
    /// The proof, where there is one. Costs a few atomic loads after the first call, and a look at
    /// how this thread rounds.
    #[inline]
    pub fn detect() -> Option<Self> {
        (has_fma() && allowed() >= Level::Fma && rounds_as_usual()).then_some(Self(()))
    }
}

/// Proof that the CPU has AVX-512 F in addition to what [`Fma`] and [`Adx`] prove, and that it is
/// not forbidden.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(Adx);

impl Avx512 {
    /// The proof, where there is one, as [`Fma::detect`].
    #[inline]
    pub fn detect() -> Option<Self> {
        let (adx, _) = Adx::detect().zip(Fma::detect())?;
        (has_avx512() && allowed() >= Level::Avx512f).then_some(Self(adx))
    }

    /// What it proves beside.
    #[inline]
    pub const fn adx(self) -> Adx {
        self.0
    }
}

/// Whether this thread rounds to nearest, keeps small numbers, and takes no exceptions: what a
/// program starts with, and what C programs and libraries can change.
#[cfg(target_arch = "x86_64")]
#[inline]
fn rounds_as_usual() -> bool {
    /// Bits 0 to 5 say what happened so far: inexact results, for instance.
    const HAPPENED: u32 = 0x3f;
    /// All exceptions masked, rounding to nearest, neither flush-to-zero nor denormals-are-zero.
    const USUAL: u32 = 0x1f80;
    let mut control: u32 = 0;
    // SAFETY: stores four bytes where the pointer says; SSE is part of x86-64.
    unsafe {
        core::arch::asm!(
            "stmxcsr [{}]",
            in(reg) &raw mut control,
            options(nostack, preserves_flags),
        );
    }
    control & !HAPPENED == USUAL
}

#[cfg(not(target_arch = "x86_64"))]
fn rounds_as_usual() -> bool {
    true
}

#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn has_fma() -> bool {
    cpufeatures::new!(avx2_fma, "avx2", "fma");
    avx2_fma::get()
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn has_fma() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn has_avx512() -> bool {
    cpufeatures::new!(avx512, "avx512f");
    avx512::get()
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn has_avx512() -> bool {
    false
}

/// Whether `SIGMILL_CPU` asks for the portable lanes.
#[cfg(feature = "portable-lanes")]
#[inline]
pub(crate) fn wants_portable_lanes() -> bool {
    allowed() == Level::PortableLanes
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn has_avx2() -> bool {
    cpufeatures::new!(avx2, "avx2");
    avx2::get()
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn has_ifma() -> bool {
    cpufeatures::new!(avx512_ifma, "avx512f", "avx512vl", "avx512ifma");
    avx512_ifma::get()
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn has_ifma() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn has_adx() -> bool {
    cpufeatures::new!(bmi2_adx, "bmi2", "adx");
    // Valgrind runs ADCX and ADOX, and leaves ADX out of the CPUID that it shows.
    cpufeatures::new!(bmi2, "bmi2");
    bmi2_adx::get() || (ct::under_valgrind() && bmi2::get())
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn has_adx() -> bool {
    false
}
