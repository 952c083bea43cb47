//! Detection of CPU features, and the tokens that prove them.

use super::{Level, allowed};
#[cfg(target_arch = "x86_64")]
use crate::ct;

/// Proof that the CPU has BMI2 and ADX (MULX, ADCX, ADOX), and that they are not forbidden.
#[derive(Clone, Copy, Debug)]
pub struct Adx(());

impl Adx {
    /// Returns the proof if it can be given. Costs a few atomic loads after the first call.
    #[inline]
    pub fn detect() -> Option<Self> {
        (has_adx() && allowed() >= Level::Adx).then_some(Self(()))
    }
}

/// Proof that the CPU has AVX2, and that code beyond portable code is not forbidden.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// Returns the proof if it can be given. Costs a few atomic loads after the first call.
    #[inline]
    pub fn detect() -> Option<Self> {
        (has_avx2() && allowed() >= Level::Adx).then_some(Self(()))
    }
}

/// Proof that the CPU has AVX-512 F, VL and IFMA in addition to what [`Adx`] proves, and that they
/// are not forbidden.
#[derive(Clone, Copy, Debug)]
pub struct Ifma(Adx);

impl Ifma {
    /// Returns the proof if it can be given. Costs a few atomic loads after the first call.
    #[inline]
    pub fn detect() -> Option<Self> {
        let adx = Adx::detect()?;
        (has_ifma() && allowed() >= Level::Ifma).then_some(Self(adx))
    }

    /// The proof of BMI2 and ADX that this one includes.
    #[inline]
    pub const fn adx(self) -> Adx {
        self.0
    }
}

/// Proof that the CPU has AVX2 and FMA, and that they are not forbidden. It does not prove ADX,
/// which Haswell lacks.
///
/// It does not prove how the CPU rounds, which each thread sets for itself:
/// [`detect`](Self::detect) returns no proof to a thread that does not round as Rust assumes.
#[derive(Clone, Copy, Debug)]
pub struct Fma(());

impl Fma {
    /// Returns the proof if it can be given. After the first call, costs a few atomic loads and a
    /// check of this thread's rounding.
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
    /// Returns the proof if it can be given, like [`Fma::detect`].
    #[inline]
    pub fn detect() -> Option<Self> {
        let (adx, _) = Adx::detect().zip(Fma::detect())?;
        (has_avx512() && allowed() >= Level::Avx512f).then_some(Self(adx))
    }

    /// The proof of BMI2 and ADX that this one includes.
    #[inline]
    pub const fn adx(self) -> Adx {
        self.0
    }
}

/// Reports whether this thread rounds to nearest, keeps denormals, and masks all exceptions.
/// Programs start in this state, but C programs and libraries can change it.
#[cfg(target_arch = "x86_64")]
#[inline]
fn rounds_as_usual() -> bool {
    /// Bits 0 to 5 record past events, such as inexact results.
    const HAPPENED: u32 = 0x3f;
    /// All exceptions masked, rounding to nearest, neither flush-to-zero nor denormals-are-zero.
    const USUAL: u32 = 0x1f80;
    let mut control: u32 = 0;
    // SAFETY: stores four bytes at the pointer; SSE is part of x86-64.
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

/// Reports whether `SIGMILL_CPU` requests the portable lanes.
#[cfg(feature = "portable-lanes")]
#[inline]
pub(crate) fn wants_portable_lanes() -> bool {
    allowed() == Level::PortableLanes
}

/// Functions that report features of x86-64. Other CPUs have none of them.
macro_rules! features {
    ($($name:ident = $($feature:tt),+;)*) => {$(
        #[cfg(target_arch = "x86_64")]
        #[inline]
        pub(super) fn $name() -> bool {
            cpufeatures::new!(features, $($feature),+);
            features::get()
        }

        #[cfg(not(target_arch = "x86_64"))]
        pub(super) fn $name() -> bool {
            false
        }
    )*};
}

features! {
    has_avx2 = "avx2";
    has_fma = "avx2", "fma";
    has_avx512 = "avx512f";
    has_ifma = "avx512f", "avx512vl", "avx512ifma";
}

#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn has_adx() -> bool {
    cpufeatures::new!(bmi2_adx, "bmi2", "adx");
    // Valgrind runs ADCX and ADOX, but does not report ADX in its CPUID.
    cpufeatures::new!(bmi2, "bmi2");
    bmi2_adx::get() || (ct::under_valgrind() && bmi2::get())
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn has_adx() -> bool {
    false
}
