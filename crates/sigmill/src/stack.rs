//! The stack that operations run on: the library's own, where the target supports one.
//!
//! Programs call from fibres and from threads with stacks of 16 KiB, some without a guard page.
//! Operations on curves need tens of KiB, or hundreds in code that is not optimised. So each thread
//! has one stack for them, with a guard page below it. The first operation allocates it, later ones
//! reuse it, and it is freed with the thread.

// Keep these targets the same as those of crate `corosensei` in Cargo.toml.
#[cfg_attr(
    all(
        feature = "std",
        unix,
        not(miri),
        any(
            target_arch = "aarch64",
            target_arch = "riscv64",
            target_arch = "x86",
            target_arch = "x86_64"
        )
    ),
    path = "stack/own.rs"
)]
#[cfg_attr(
    not(all(
        feature = "std",
        unix,
        not(miri),
        any(
            target_arch = "aarch64",
            target_arch = "riscv64",
            target_arch = "x86",
            target_arch = "x86_64"
        )
    )),
    path = "stack/callers.rs"
)]
mod place;

pub use place::deepest_use;

/// Runs an operation on the library's own stack, or on the caller's if the target has none.
///
/// A panic of the operation continues in the caller. If the system has no memory for the stack, the
/// process ends, as it does when an allocation fails.
#[inline(always)]
pub fn on_own_stack<T>(operation: impl FnOnce() -> T) -> T {
    place::run::<T, false>(|operation| operation(), operation)
}

/// [`on_own_stack`] for a secret result: the caller's stack keeps no copy of it. `around` must call
/// the closure that it receives exactly once, on the library's stack.
#[inline(always)]
pub(crate) fn on_own_stack_secret<T>(
    around: impl Fn(&mut dyn FnMut()),
    operation: impl FnOnce() -> T,
) -> T {
    place::run::<T, true>(around, operation)
}
