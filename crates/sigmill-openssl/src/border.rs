//! The border where C calls in.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sigmill::on_own_stack;
use zeroize::zeroize_stack;

/// Runs the body of a function of the interface. Returns `on_panic` if it panics, as a panic must
/// not reach the caller's frames. No input is known to cause one.
pub(crate) fn guard<T>(on_panic: T, body: impl FnOnce() -> T) -> T {
    // Contexts and keys that a panic left half changed are still valid values and yield no verdict:
    // a caller that gets `on_panic` discards them.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(on_panic)
}

/// More bytes of stack than the frames between the border and the library's operations need.
/// Unoptimised code uses several times as many.
const FRAMES: usize = if cfg!(debug_assertions) {
    64 << 10
} else {
    8 << 10
};

/// [`guard`] for a body that handles secrets. It runs on the library's own stack, which is
/// overwritten afterwards. Operations of the library wipe their own part of it.
pub(crate) fn guard_secret<T>(on_panic: T, body: impl FnOnce() -> T) -> T {
    /// Puts the frames of the body where those of `zeroize_stack` will be.
    #[inline(never)]
    fn call<T>(body: impl FnOnce() -> T) -> T {
        body()
    }
    guard(on_panic, || {
        on_own_stack(|| {
            let result = call(body);
            zeroize_stack::<FRAMES>();
            result
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_value() {
        assert_eq!(guard(0, || 1), 1);
        assert_eq!(guard(0, || panic!("on purpose")), 0);
    }
}
