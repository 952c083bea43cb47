//! Targets where the library has no stack of its own: operations run on their caller's.

/// Returns the number of bytes that this thread has used of the library's own stack: 0.
pub fn deepest_use() -> usize {
    0
}

#[inline(always)]
pub(super) fn run<T, const SECRET: bool>(
    around: impl Fn(&mut dyn FnMut()),
    operation: impl FnOnce() -> T,
) -> T {
    let mut operation = Some(operation);
    let mut result = None;
    around(&mut || result = operation.take().map(|operation| operation()));
    result.expect("`around` calls what it gets")
}
