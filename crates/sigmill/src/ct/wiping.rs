//! Secrets in memory: rows of them, and the stack that was left behind.

use alloc::boxed::Box;
use alloc::vec;

use zeroize::{Zeroize, Zeroizing, zeroize_stack};

/// A row of secrets, wiped when it is dropped. It cannot grow, which would leave a copy behind.
pub type Secrets<T> = Zeroizing<Box<[T]>>;

/// So many times the same value, to be replaced by secrets.
pub fn secrets<T: Copy + Zeroize>(value: T, count: usize) -> Secrets<T> {
    Zeroizing::new(vec![value; count].into_boxed_slice())
}

/// More than conversions of private keys take of the stack, in bytes: `tests/wiping` finds what
/// lies further down.
pub(crate) const SHALLOW: usize = stack(4, 64);

/// More than an operation on one secret takes of the stack.
pub(crate) const DEEP: usize = stack(16, 512);

/// More than an operation on many secrets takes of the stack.
pub(crate) const MANY: usize = stack(48, 512);

/// Bytes, of KiB in optimised code and in code that is not, which mostly has debug assertions:
/// there every value has a place of its own, and an operation on lanes thousands of them.
const fn stack(optimised: usize, plain: usize) -> usize {
    if cfg!(debug_assertions) {
        plain << 10
    } else {
        optimised << 10
    }
}

/// Runs an operation on secrets, then overwrites so many bytes of the stack below the frame of the
/// caller, also when the operation panics.
///
/// Values that have names wipe themselves. This is for what has none: what the compiler kept in
/// stack frames because it had no register for it, or because it moved a value. The result goes
/// straight to where the caller's result goes, if nothing is done with it but to return it: so the
/// whole body of a function is what belongs in the operation.
#[inline(always)]
pub(crate) fn wiping_stack<const BYTES: usize, T>(operation: impl FnOnce() -> T) -> T {
    struct Wiping<const BYTES: usize>;

    impl<const BYTES: usize> Drop for Wiping<BYTES> {
        #[inline(always)]
        fn drop(&mut self) {
            zeroize_stack::<BYTES>();
        }
    }

    /// Has the frames of the operation where those of `zeroize_stack` will be.
    #[inline(never)]
    fn call<T>(operation: impl FnOnce() -> T) -> T {
        operation()
    }

    let _wiping = Wiping::<BYTES>;
    call(operation)
}
