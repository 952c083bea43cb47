//! Targets without a stack of the library's own: operations run on their caller's.

/// The bytes that this thread has used of the library's own stack: none.
pub fn deepest_use() -> usize {
    0
}

#[inline(always)]
pub(super) fn run<T, const SECRET: bool>(operation: impl FnOnce() -> T) -> T {
    operation()
}
