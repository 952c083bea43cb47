//! Wiping of secrets from memory: rows of secrets, and the stack that an operation used.

use alloc::boxed::Box;
use alloc::vec;

use zeroize::{Zeroize, Zeroizing, zeroize_stack};

use crate::stack::on_own_stack_secret;

/// A row of secrets, wiped when dropped. It cannot grow, because growing would leave a copy behind.
pub type Secrets<T> = Zeroizing<Box<[T]>>;

/// Returns `count` copies of a value, to be replaced by secrets.
pub fn secrets<T: Copy + Zeroize>(value: T, count: usize) -> Secrets<T> {
    Zeroizing::new(vec![value; count].into_boxed_slice())
}

/// More bytes than conversions of private keys use of the stack; `tests/wiping` finds anything
/// further down.
const SHALLOW: usize = stack(4, 64);

/// More bytes than an operation on one secret of at most four limbs uses of the stack.
const DEEP: usize = stack(16, 512);

/// More bytes than an operation on many secrets, or on one longer secret, uses of the stack.
const MANY: usize = stack(48, 512);

/// The depth of stack where an operation may leave something of its secrets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Depth {
    /// A conversion of private keys.
    Shallow,
    /// An operation on one secret of at most four limbs.
    Deep,
    /// An operation on many secrets, or on one longer secret.
    Many,
}

impl Depth {
    /// The depth of an operation on one secret of this number of bytes.
    #[inline(always)]
    pub(crate) const fn of_length(bytes: usize) -> Self {
        if bytes <= 32 { Self::Deep } else { Self::Many }
    }
}

/// Converts KiB to bytes: the first number in optimised code, the second in code that is not
/// optimised, which mostly has debug assertions. There every value has its own place, and an
/// operation on lanes has thousands of them.
const fn stack(optimised: usize, plain: usize) -> usize {
    if cfg!(debug_assertions) {
        plain << 10
    } else {
        optimised << 10
    }
}

/// Runs an operation on secrets on the library's own stack, then overwrites the part of the stack
/// that it used, even if the operation panics. If the library has no stack of its own, that is the
/// caller's stack below the caller's frame.
///
/// Values with names wipe themselves. This wipes the values without names: those that the compiler
/// kept in stack frames because it had no register for them, or because it moved a value. No copy
/// of the result stays behind if the result is only returned. So put the whole body of a function
/// in the operation.
#[inline(always)]
pub(crate) fn wiping_stack<T>(depth: Depth, operation: impl FnOnce() -> T) -> T {
    on_own_stack_secret(|operation| wiping_here(depth, operation), operation)
}

/// Runs an operation, then overwrites the stack below the caller's frame.
#[inline(always)]
fn wiping_here<T>(depth: Depth, operation: impl FnOnce() -> T) -> T {
    struct Wiping(Depth);

    impl Drop for Wiping {
        #[inline(always)]
        fn drop(&mut self) {
            match self.0 {
                Depth::Shallow => zeroize_stack::<SHALLOW>(),
                Depth::Deep => zeroize_stack::<DEEP>(),
                Depth::Many => zeroize_stack::<MANY>(),
            }
        }
    }

    /// Places the frames of the operation where those of `zeroize_stack` will be.
    #[inline(never)]
    fn call<T>(operation: impl FnOnce() -> T) -> T {
        operation()
    }

    let _wiping = Wiping(depth);
    call(operation)
}
