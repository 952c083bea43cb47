//! A stack that measures its use.

use std::panic::resume_unwind;
use std::slice;

use corosensei::stack::{DefaultStack, Stack as _};

/// Bytes of the stack: more than any operation uses, even in code that is not optimised.
const SIZE: usize = 2 << 20;

const PAINT: u8 = 0xa7;

pub(super) struct Painted(DefaultStack);

impl Painted {
    pub(super) fn new() -> Self {
        Self(DefaultStack::new(SIZE).unwrap())
    }

    /// The bytes of the stack that an operation uses, including its own frame.
    pub(super) fn depth(&mut self, operation: impl FnOnce()) -> usize {
        self.bytes().fill(PAINT);
        let result = corosensei::on_stack(&mut self.0, || {
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(operation))
        });
        result.unwrap_or_else(|panic| resume_unwind(panic));
        let untouched = self
            .bytes()
            .iter()
            .take_while(|byte| **byte == PAINT)
            .count();
        SIZE - untouched
    }

    fn bytes(&mut self) -> &mut [u8] {
        let first = self.0.base().get() - SIZE;
        // SAFETY: these addresses are mapped, above the guard page, as long as the stack exists;
        // nothing runs on the stack while it is borrowed.
        unsafe { slice::from_raw_parts_mut(std::ptr::with_exposed_provenance_mut(first), SIZE) }
    }
}
