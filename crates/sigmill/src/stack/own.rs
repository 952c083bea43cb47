//! A stack for each thread, by crate `corosensei`.

use core::cell::Cell;
use core::mem::MaybeUninit;
use core::slice;

use corosensei::stack::{DefaultStack, Stack as _};
use zeroize::Zeroize as _;

/// Address space for one stack, with room for signal handlers and for callers' generators of random
/// numbers. Pages take memory once they are used.
const SIZE: usize = 1 << 20;

/// What a thread keeps.
struct Thread {
    /// The stack for the next operation.
    spare: Cell<Option<DefaultStack>>,
    /// The addresses of the stack that the thread is on, unless it is its own.
    current: Cell<(usize, usize)>,
}

std::thread_local! {
    static THREAD: Thread = const {
        Thread {
            spare: Cell::new(None),
            current: Cell::new((0, 0)),
        }
    };
}

/// The bytes that operations of this thread have used of the library's own stack, and not wiped.
pub fn deepest_use() -> usize {
    THREAD.with(|thread| {
        let Some(stack) = thread.spare.take() else {
            return 0;
        };
        let top = core::ptr::with_exposed_provenance::<u8>(stack.base().get());
        // SAFETY: these addresses are mapped for as long as there is the stack, which nobody uses
        // meanwhile.
        let used = (1..=SIZE)
            .rev()
            .find(|below| unsafe { *top.sub(*below) } != 0);
        thread.spare.set(Some(stack));
        used.unwrap_or_default()
    })
}

/// Runs an operation on the thread's stack for them, or here, if this is that stack.
#[inline(always)]
pub(super) fn run<T, const SECRET: bool>(operation: impl FnOnce() -> T) -> T {
    if is_on_own_stack() {
        return operation();
    }
    let mut operation = Some(operation);
    let mut result = MaybeUninit::uninit();
    switch(&mut || {
        if let Some(operation) = operation.take() {
            result.write(operation());
        }
    });
    // SAFETY: `switch` has called the closure once. Had that panicked, so had `switch`.
    let value = unsafe { result.assume_init_read() };
    if SECRET {
        slice::from_mut(&mut result).zeroize();
    }
    value
}

#[inline(never)]
fn is_on_own_stack() -> bool {
    let here = 0_u8;
    let here = (&raw const here).addr();
    // A thread that ends has no `Thread` any more.
    let (limit, base) = THREAD
        .try_with(|thread| thread.current.get())
        .unwrap_or_default();
    (limit..base).contains(&here)
}

/// Calls a closure once, on a stack of the library's.
#[inline(never)]
fn switch(operation: &mut dyn FnMut()) {
    let mut visit = Visit::begin();
    let stack = visit
        .0
        .as_mut()
        .expect("a visit has its stack until it ends");
    corosensei::on_stack(stack, operation);
}

/// The use of a stack by one operation, which owns the stack meanwhile: where a fibre is left in
/// the midst of an operation, the thread's next fibre gets another stack.
struct Visit(Option<DefaultStack>);

impl Visit {
    fn begin() -> Self {
        let spare = THREAD.try_with(|thread| thread.spare.take()).ok().flatten();
        let stack = spare.unwrap_or_else(|| {
            DefaultStack::new(SIZE).expect("the system has memory for the stack of an operation")
        });
        let addresses = (stack.limit().get(), stack.base().get());
        let _ = THREAD.try_with(|thread| thread.current.set(addresses));
        Self(Some(stack))
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        // Where the thread has ended, the stack is freed.
        let _ = THREAD.try_with(|thread| {
            thread.current.set((0, 0));
            thread.spare.set(self.0.take());
        });
    }
}
