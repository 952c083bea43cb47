//! Secrets in memory: rows of them, and the stack that was left behind.

use alloc::boxed::Box;
use alloc::vec;

use zeroize::{Zeroize, Zeroizing, zeroize_stack};

use crate::stack::on_own_stack_secret;

/// A row of secrets, wiped when it is dropped. It cannot grow, which would leave a copy behind.
pub type Secrets<T> = Zeroizing<Box<[T]>>;

/// So many times the same value, to be replaced by secrets.
pub fn secrets<T: Copy + Zeroize>(value: T, count: usize) -> Secrets<T> {
    Zeroizing::new(vec![value; count].into_boxed_slice())
}

/// More than conversions of private keys take of the stack, in bytes: `tests/wiping` finds what
/// lies further down.
const SHALLOW: usize = stack(4, 64);

/// More than an operation on one secret of at most four limbs takes of the stack.
const DEEP: usize = stack(16, 512);

/// More than an operation on many secrets takes of the stack, or on one that is longer.
const MANY: usize = stack(48, 512);

/// How far down the stack an operation may leave something of its secrets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Depth {
    /// A conversion of private keys.
    Shallow,
    /// An operation on one secret of at most four limbs.
    Deep,
    /// An operation on many secrets, or on one that is longer.
    Many,
}

impl Depth {
    /// That of an operation on one secret of so many bytes.
    #[inline(always)]
    pub(crate) const fn of_length(bytes: usize) -> Self {
        if bytes <= 32 { Self::Deep } else { Self::Many }
    }
}

/// Bytes, of KiB in optimised code and in code that is not, which mostly has debug assertions:
/// there every value has a place of its own, and an operation on lanes thousands of them.
const fn stack(optimised: usize, plain: usize) -> usize {
    if cfg!(debug_assertions) {
        plain << 10
    } else {
        optimised << 10
    }
}

/// Runs an operation on secrets on the library's own stack, then overwrites what it used of it,
/// also when the operation panics. Where the library has no stack of its own, that is the caller's
/// stack below the caller's frame.
///
/// Values that have names wipe themselves. This is for what has none: what the compiler kept in
/// stack frames because it had no register for it, or because it moved a value. No copy of the
/// result stays behind, if nothing is done with it but to return it: so the whole body of a
/// function is what belongs in the operation.
#[inline(always)]
pub(crate) fn wiping_stack<T>(depth: Depth, operation: impl FnOnce() -> T) -> T {
    on_own_stack_secret(|operation| wiping_here(depth, operation), operation)
}

/// Runs an operation, then overwrites the stack below the frame of the caller.
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

    /// Has the frames of the operation where those of `zeroize_stack` will be.
    #[inline(never)]
    fn call<T>(operation: impl FnOnce() -> T) -> T {
        operation()
    }

    let _wiping = Wiping(depth);
    call(operation)
}
