//! A stack for each thread, by crate `corosensei`.

use alloc::alloc::handle_alloc_error;
use core::alloc::Layout;
use core::cell::Cell;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::slice;

use corosensei::stack::{DefaultStack, Stack as _};
use zeroize::Zeroize as _;

/// Address space for one stack, with room for signal handlers and for callers' generators of random
/// numbers. Pages take memory once they are used.
const SIZE: usize = 2 << 20;

/// State of a thread.
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

/// Runs an operation on the thread's stack for operations; a caller that is on it stays there.
#[inline(always)]
pub(super) fn run<T, const SECRET: bool>(
    around: impl Fn(&mut dyn FnMut()),
    operation: impl FnOnce() -> T,
) -> T {
    let mut operation = Some(operation);
    let mut result = MaybeUninit::uninit();
    call(&mut || {
        // The result goes straight to its place from below the frames of `around`.
        around(&mut || {
            if let Some(operation) = operation.take() {
                result.write(operation());
            }
        });
    });
    assert!(operation.is_none(), "`around` calls what it gets");
    // SAFETY: the operation has run to its end. Had that panicked, so had `call`.
    unsafe {
        match SECRET {
            true => take_secret(&mut result),
            false => result.assume_init(),
        }
    }
}

/// Moves a secret to where the caller's result goes, and nowhere between, and wipes its old place.
/// A function of its own, as a compiler may put a copy between where it is inlined.
///
/// # Safety
/// The value is there.
#[inline(never)]
unsafe fn take_secret<T>(place: &mut MaybeUninit<T>) -> T {
    struct Wiping<'a, T>(&'a mut MaybeUninit<T>);

    impl<T> Drop for Wiping<'_, T> {
        fn drop(&mut self) {
            slice::from_mut(self.0).zeroize();
        }
    }

    let place = Wiping(place);
    // SAFETY: as the caller says; nobody reads it again.
    unsafe { place.0.assume_init_read() }
}

/// Calls a closure once.
#[inline(never)]
fn call(operation: &mut dyn FnMut()) {
    match Visit::begin() {
        Some(mut visit) => corosensei::on_stack(&mut *visit.stack, operation),
        None => operation(),
    }
}

/// The use of a stack by one operation, which owns the stack meanwhile: where a fibre is left in
/// the midst of an operation, the thread's next fibre gets another stack.
struct Visit {
    stack: ManuallyDrop<DefaultStack>,
}

impl Visit {
    /// `None` for a caller that is on such a stack.
    #[inline(always)]
    fn begin() -> Option<Self> {
        let here = 0_u8;
        let here = (&raw const here).addr();
        // A thread that ends has no `Thread` any more.
        let spare = THREAD.try_with(|thread| {
            let (limit, base) = thread.current.get();
            if (limit..base).contains(&here) {
                return None;
            }
            let stack = thread.spare.take().unwrap_or_else(new_stack);
            thread
                .current
                .set((stack.limit().get(), stack.base().get()));
            Some(stack)
        });
        let stack = spare.unwrap_or_else(|_| Some(new_stack()))?;
        Some(Self {
            stack: ManuallyDrop::new(stack),
        })
    }
}

#[cold]
fn new_stack() -> DefaultStack {
    // As where any other memory runs out.
    DefaultStack::new(SIZE).unwrap_or_else(|_| handle_alloc_error(Layout::new::<[u8; SIZE]>()))
}

impl Drop for Visit {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: nobody uses the field any more.
        let stack = unsafe { ManuallyDrop::take(&mut self.stack) };
        // Where the thread has ended, the stack is freed.
        let _ = THREAD.try_with(|thread| {
            thread.current.set((0, 0));
            thread.spare.set(Some(stack));
        });
    }
}
