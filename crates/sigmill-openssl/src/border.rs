//! Where C calls in.

use std::panic::{AssertUnwindSafe, catch_unwind};

use sigmill::on_own_stack;
use zeroize::zeroize_stack;

/// Runs what a function of the interface does; what it returns if there is a panic, which must not
/// reach the caller's frames. There is no input that is known to cause one.
pub(crate) fn guard<T>(on_panic: T, body: impl FnOnce() -> T) -> T {
    // Contexts and keys that a panic left half changed are usable as values, and tell no verdict:
    // whoever gets `on_panic` gives them up.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(on_panic)
}

/// More of the stack than what lies between the border and operations of the library, in bytes. As
/// everywhere, code that is not optimised uses several times as much.
const FRAMES: usize = if cfg!(debug_assertions) {
    64 << 10
} else {
    8 << 10
};

/// [`guard`] for what handles secrets: it runs on the library's own stack, which is overwritten
/// then. Operations of the library wipe what they use themselves.
pub(crate) fn guard_secret<T>(on_panic: T, body: impl FnOnce() -> T) -> T {
    /// Has the frames of the body where those of `zeroize_stack` will be.
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
