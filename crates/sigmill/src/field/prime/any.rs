//! A kernel for any odd prime, held by reference: one code for all primes with the same number of
//! limbs.

use core::fmt::Debug;
use core::marker::PhantomData;

use super::{Kernel, mersenne_521, montgomery, solinas_384};
#[cfg(target_arch = "x86_64")]
use super::{montgomery_x86, solinas_384_x86, wide_x86};
#[cfg(target_arch = "x86_64")]
use crate::cpu::Adx;
use crate::field::{Limbs, Modulus, modulus};
use crate::limbs;

/// Products modulo any odd prime of `N` limbs that has a Montgomery form with R = 2^(64 N).
///
/// Products are separate functions, one for each number of limbs, and branch on the kernel's
/// instructions. Compared with such a long product, the cost of a call and a branch is not
/// measurable. `T` distinguishes the elements of this prime from others.
#[derive(Debug)]
pub struct AnyKernel<T, const N: usize> {
    modulus: &'static Modulus<N>,
    instructions: Instructions,
    tag: PhantomData<T>,
}

/// Instructions that products use.
#[derive(Clone, Copy, Debug)]
enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Adx(Adx),
}

impl<T, const N: usize> Clone for AnyKernel<T, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for AnyKernel<T, N> {}

impl<T, const N: usize> AnyKernel<T, N> {
    /// A kernel of portable code: always available.
    #[inline(always)]
    pub const fn portable(modulus: &'static Modulus<N>) -> Self {
        Self {
            modulus,
            instructions: Instructions::Portable,
            tag: PhantomData,
        }
    }

    /// A kernel with MULX, ADCX and ADOX, on a CPU that has them.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub const fn adx(proof: Adx, modulus: &'static Modulus<N>) -> Self {
        Self {
            modulus,
            instructions: Instructions::Adx(proof),
            tag: PhantomData,
        }
    }

    /// A kernel with the best instructions of this CPU.
    #[inline(always)]
    pub fn detect(modulus: &'static Modulus<N>) -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = Adx::detect() {
            return Self::adx(proof, modulus);
        }
        Self::portable(modulus)
    }
}

#[cfg(test)]
impl<T> AnyKernel<T, 6> {
    /// Reduces products as this kernel does for the prime of P-384.
    pub(super) fn reduce_solinas_384(self, product: &[[u64; 6]; 2]) -> [u64; 6] {
        reduce_solinas_384(self.instructions, product)
    }

    /// Reduces loosely, for kernels that can.
    pub(super) fn reduce_loosely_solinas_384(self, product: &[[u64; 6]; 2]) -> Option<[u64; 6]> {
        match self.instructions {
            Instructions::Portable => None,
            #[cfg(target_arch = "x86_64")]
            Instructions::Adx(proof) => Some(solinas_384_x86::reduce_loosely(proof, product)),
        }
    }
}

/// An integer with a number of limbs that the code supports.
pub trait LimbCount: Limbs {
    /// Returns `a m` and the limb above.
    #[cfg(target_arch = "x86_64")]
    fn multiple(proof: Adx, a: &Self, m: u64) -> (Self, u64);

    /// Performs `self += a m` and returns the limb above: (2^(64 N) - 1) + (2^(64 N) - 1)
    /// (2^64 - 1) is below 2^(64 (N + 1)).
    #[cfg(target_arch = "x86_64")]
    fn add_multiple(&mut self, proof: Adx, a: &Self, m: u64) -> u64;
}

#[cfg(not(target_arch = "x86_64"))]
impl<const N: usize> LimbCount for [u64; N] {}

impl<T: Copy + Debug + Eq + Send + Sync + 'static, const N: usize> Kernel<N> for AnyKernel<T, N>
where
    [u64; N]: LimbCount,
{
    type Tag = T;

    #[inline(always)]
    fn modulus(self) -> &'static Modulus<N> {
        self.modulus
    }

    #[inline(always)]
    fn mul(self, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        multiply(self.modulus, self.instructions, a, b)
    }

    #[inline(always)]
    fn square(self, a: &[u64; N]) -> [u64; N] {
        square(self.modulus, self.instructions, a)
    }

    #[inline(always)]
    fn square_often(self, a: &[u64; N], times: usize) -> [u64; N] {
        square_often(self.modulus, self.instructions, a, times)
    }

    #[inline(always)]
    fn sub(self, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        if const { N > MOST_INLINE } {
            subtract(self.modulus, a, b)
        } else {
            montgomery::subtract(self.modulus, a, b)
        }
    }

    #[inline(always)]
    fn add(self, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        if const { N > MOST_INLINE } {
            add(self.modulus, a, b)
        } else {
            montgomery::add(self.modulus, a, b)
        }
    }
}

/// The largest number of limbs for which sums and differences are inlined. More limbs do not stay
/// in registers between two of them, and their code is long.
const MOST_INLINE: usize = 4;

#[inline(never)]
fn subtract<const N: usize>(modulus: &Modulus<N>, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    if const { N == mersenne_521::LIMBS } && modulus.is_mersenne_521() {
        return from_exactly(mersenne_521::subtract(exactly(a), exactly(b)));
    }
    montgomery::subtract(modulus, a, b)
}

#[inline(never)]
fn add<const N: usize>(modulus: &Modulus<N>, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    if const { N == mersenne_521::LIMBS } && modulus.is_mersenne_521() {
        return from_exactly(mersenne_521::add(exactly(a), exactly(b)));
    }
    montgomery::add(modulus, a, b)
}

#[inline(never)]
fn multiply<const N: usize>(
    modulus: &Modulus<N>,
    instructions: Instructions,
    a: &[u64; N],
    b: &[u64; N],
) -> [u64; N]
where
    [u64; N]: LimbCount,
{
    if const { N == mersenne_521::LIMBS } && modulus.is_mersenne_521() {
        let product = match instructions {
            Instructions::Portable => limbs::wide_product(exactly(a), exactly(b)),
            #[cfg(target_arch = "x86_64")]
            Instructions::Adx(proof) => wide_x86::wide_product::<9>(proof, exactly(a), exactly(b)),
        };
        return from_exactly(mersenne_521::reduce(&product));
    }
    if const { N == solinas_384::LIMBS } && modulus.is_solinas_384() {
        let product = match instructions {
            Instructions::Portable => limbs::wide_product(exactly(a), exactly(b)),
            #[cfg(target_arch = "x86_64")]
            Instructions::Adx(proof) => wide_x86::wide_product::<6>(proof, exactly(a), exactly(b)),
        };
        return from_exactly(reduce_solinas_384(instructions, &product));
    }
    match instructions {
        Instructions::Portable => modulus::multiply(modulus, a, b),
        #[cfg(target_arch = "x86_64")]
        Instructions::Adx(proof) => montgomery_x86::multiply(proof, modulus, a, b),
    }
}

#[inline(never)]
fn square<const N: usize>(
    modulus: &Modulus<N>,
    instructions: Instructions,
    a: &[u64; N],
) -> [u64; N]
where
    [u64; N]: LimbCount,
{
    if const { N == mersenne_521::LIMBS } && modulus.is_mersenne_521() {
        let product = match instructions {
            Instructions::Portable => limbs::wide_square(exactly(a)),
            #[cfg(target_arch = "x86_64")]
            Instructions::Adx(proof) => wide_x86::square_of_nine(proof, exactly(a)),
        };
        return from_exactly(mersenne_521::reduce(&product));
    }
    if const { N == solinas_384::LIMBS } && modulus.is_solinas_384() {
        let product = match instructions {
            Instructions::Portable => limbs::wide_square(exactly(a)),
            #[cfg(target_arch = "x86_64")]
            Instructions::Adx(proof) => wide_x86::square_of_six(proof, exactly(a)),
        };
        return from_exactly(reduce_solinas_384(instructions, &product));
    }
    match instructions {
        Instructions::Portable => montgomery::square(modulus, a),
        #[cfg(target_arch = "x86_64")]
        Instructions::Adx(proof) => montgomery_x86::multiply(proof, modulus, a, a),
    }
}

/// Repeated squaring. For P-384, intermediate squares are reduced loosely, in one function.
#[inline(never)]
fn square_often<const N: usize>(
    modulus: &Modulus<N>,
    instructions: Instructions,
    a: &[u64; N],
    times: usize,
) -> [u64; N]
where
    [u64; N]: LimbCount,
{
    #[cfg(target_arch = "x86_64")]
    if const { N == solinas_384::LIMBS }
        && modulus.is_solinas_384()
        && let Instructions::Adx(proof) = instructions
    {
        return from_exactly(solinas_384_x86::square_often(proof, exactly(a), times));
    }
    let mut value = *a;
    for _ in 0..times {
        value = square(modulus, instructions, &value);
    }
    value
}

/// [`solinas_384::reduce`] with these instructions.
#[inline(always)]
fn reduce_solinas_384(instructions: Instructions, product: &[[u64; 6]; 2]) -> [u64; 6] {
    match instructions {
        Instructions::Portable => solinas_384::reduce(product),
        #[cfg(target_arch = "x86_64")]
        Instructions::Adx(proof) => solinas_384_x86::reduce(proof, product),
    }
}

/// `N` limbs as `M`, where both numbers are equal.
#[inline(always)]
fn exactly<const M: usize, const N: usize>(limbs: &[u64; N]) -> &[u64; M] {
    limbs.as_slice().try_into().expect("so many limbs")
}

/// `M` limbs as `N`, where both numbers are equal.
#[inline(always)]
fn from_exactly<const M: usize, const N: usize>(limbs: [u64; M]) -> [u64; N] {
    *exactly(&limbs)
}
