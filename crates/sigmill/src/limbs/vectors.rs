//! The common trait of all backends of vectors: each compiles a piece of arithmetic for its
//! instructions.

use core::fmt::Debug;

/// A backend of vectors. The implementing type holds the proof that the CPU has the instructions.
/// The provided methods are for portable code.
pub trait Vectors: Copy + Debug + Send + Sync + 'static {
    /// Runs an operation that is compiled for the instructions of this backend.
    #[inline(always)]
    fn run<O: VectorOperation<Self>>(self, operation: O) -> O::Output {
        self.call(operation)
    }
    /// Runs an operation as a separate function, so that its code exists once: for long operations.
    #[inline(never)]
    fn call<O: VectorOperation<Self>>(self, operation: O) -> O::Output {
        operation.run(self)
    }
}

/// A piece of arithmetic that a backend `V` compiles as one function.
pub trait VectorOperation<V> {
    /// The result.
    type Output;

    /// Computes the result. Implementations are `#[inline(always)]`.
    fn run(self, vectors: V) -> Self::Output;
}

/// Defines methods by one expression each. All operands have the first type, the results the
/// second.
macro_rules! methods {
    ($operand:ty => $result:ty: $(
        $name:ident $(<$bits:ident: $number:ty>)? ($($a:ident),*) = $expression:expr;
    )*) => {$(
        #[inline(always)]
        fn $name $(<const $bits: $number>)? (self, $($a: $operand),*) -> $result {
            $expression
        }
    )*};
}

pub(super) use methods;

/// Implements [`Vectors`] for a backend that holds the proof that the CPU has certain features. A
/// statement may run first in each function.
#[cfg(target_arch = "x86_64")]
macro_rules! vectors_with {
    ($features:literal, $backend:ident($proof:ty) $(, $first:expr)?) => {
        impl $backend {
            /// Creates the backend on a CPU that has the instructions.
            pub const fn new(proof: $proof) -> Self {
                Self(proof)
            }
        }

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
