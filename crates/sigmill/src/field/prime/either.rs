//! One of two kernels of a prime, chosen at run time.

use super::Kernel;
use crate::cpu::Adx;
use crate::field::Modulus;

/// Products by kernel `A` if the CPU has its instructions, otherwise by kernel `B`.
///
/// Used for single values next to lanes of AVX2, which CPUs with and without ADX have. The code of
/// these lanes is compiled once for both; each product of single values costs a branch.
#[derive(Clone, Copy, Debug)]
pub enum EitherKernel<A, B> {
    /// Kernel `A`: the CPU has its instructions.
    First(A),
    /// Kernel `B`: portable code.
    Second(B),
}

impl<A, B> EitherKernel<A, B> {
    /// Returns the first kernel if this CPU has ADX, otherwise the second.
    #[inline(always)]
    pub fn detect(first: impl FnOnce(Adx) -> A, second: B) -> Self {
        match Adx::detect() {
            Some(proof) => Self::First(first(proof)),
            None => Self::Second(second),
        }
    }
}

/// Evaluates an expression for either kernel.
macro_rules! of_either {
    ($either:ident, $kernel:ident => $result:expr) => {
        match $either {
            EitherKernel::First($kernel) => $result,
            EitherKernel::Second($kernel) => $result,
        }
    };
}

impl<A, B, const N: usize> Kernel<N> for EitherKernel<A, B>
where
    A: Kernel<N>,
    B: Kernel<N, Tag = A::Tag>,
{
    type Tag = A::Tag;

    #[inline(always)]
    fn modulus(self) -> &'static Modulus<N> {
        of_either!(self, kernel => kernel.modulus())
    }

    #[inline]
    fn mul(self, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        of_either!(self, kernel => kernel.mul(a, b))
    }

    #[inline]
    fn square(self, a: &[u64; N]) -> [u64; N] {
        of_either!(self, kernel => kernel.square(a))
    }

    #[inline]
    fn square_often(self, a: &[u64; N], times: usize) -> [u64; N] {
        of_either!(self, kernel => kernel.square_often(a, times))
    }

    #[inline]
    fn sub(self, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        of_either!(self, kernel => kernel.sub(a, b))
    }

    #[inline]
    fn add(self, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        of_either!(self, kernel => kernel.add(a, b))
    }
}
