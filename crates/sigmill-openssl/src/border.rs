//! Where C calls in.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs what a function of the interface does; what it returns if there is a panic, which must not
/// reach the caller's frames. There is no input that is known to cause one.
pub(crate) fn guard<T>(on_panic: T, body: impl FnOnce() -> T) -> T {
    // Contexts and keys that a panic left half changed are usable as values, and tell no verdict:
    // whoever gets `on_panic` gives them up.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(on_panic)
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
