//! The common trait of all backends of vectors: each compiles a piece of arithmetic for its
//! instructions.

use core::fmt::Debug;

/// A backend of vectors. The implementing type holds the proof that the CPU has the instructions.
pub trait Vectors: Copy + Debug + Send + Sync + 'static {
    /// Runs an operation that is compiled for the instructions of this backend.
    fn run<O: VectorOperation<Self>>(self, operation: O) -> O::Output;
    /// Runs an operation as a separate function, so that its code exists once: for long operations.
    fn call<O: VectorOperation<Self>>(self, operation: O) -> O::Output;
}

/// A piece of arithmetic that a backend `V` compiles as one function.
pub trait VectorOperation<V> {
    /// The result.
    type Output;

    /// Computes the result. Implementations are `#[inline(always)]`.
    fn run(self, vectors: V) -> Self::Output;
}

/// Implements [`Vectors`] for a backend whose instructions need CPU features. A statement may run
/// first in each function.
#[cfg(target_arch = "x86_64")]
macro_rules! vectors_with {
    ($features:literal, $backend:ty $(, $first:expr)?) => {
        impl $crate::limbs::Vectors for $backend {
            #[inline(always)]
            fn run<O: $crate::limbs::VectorOperation<Self>>(self, operation: O) -> O::Output {
                #[inline]
                #[target_feature(enable = $features)]
                fn run<O>(vectors: $backend, operation: O) -> O::Output
                where
                    O: $crate::limbs::VectorOperation<$backend>,
                {
                    $($first;)?
                    operation.run(vectors)
                }
                // SAFETY: the backend holds the proof that the CPU has the instructions.
                unsafe { run(self, operation) }
            }

            #[inline(always)]
            fn call<O: $crate::limbs::VectorOperation<Self>>(self, operation: O) -> O::Output {
                #[inline(never)]
                #[target_feature(enable = $features)]
                fn call<O>(vectors: $backend, operation: O) -> O::Output
                where
                    O: $crate::limbs::VectorOperation<$backend>,
                {
                    $($first;)?
                    operation.run(vectors)
                }
                // SAFETY: the backend holds the proof that the CPU has the instructions.
                unsafe { call(self, operation) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(super) use vectors_with;
