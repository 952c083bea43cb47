//! One stack for each thread, by crate `corosensei`.

use alloc::alloc::handle_alloc_error;
use core::alloc::Layout;
use core::cell::Cell;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::slice;

use corosensei::stack::{DefaultStack, Stack as _};
use zeroize::Zeroize as _;

/// Address space of one stack, with room for signal handlers and for callers' random number
/// generators. Pages occupy memory only once they are used.
const SIZE: usize = 2 << 20;

/// The state of a thread.
struct Thread {
    /// The stack for the next operation.
    spare: Cell<Option<DefaultStack>>,
    /// The address range of the stack that the thread runs on, unless it is the thread's own stack.
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

/// Returns the number of bytes of the library's own stack that operations of this thread have used
/// and not wiped.
pub fn deepest_use() -> usize {
    THREAD.with(|thread| {
        let Some(stack) = thread.spare.take() else {
            return 0;
        };
        let top = core::ptr::with_exposed_provenance::<u8>(stack.base().get());
        // SAFETY: these addresses are mapped as long as the stack exists, and nothing uses the
        // stack meanwhile.
        let used = (1..=SIZE)
            .rev()
            .find(|below| unsafe { *top.sub(*below) } != 0);
        thread.spare.set(Some(stack));
        used.unwrap_or_default()
    })
}

/// Runs an operation on the thread's stack for operations. A caller that is already on it stays
/// there.
#[inline(always)]
pub(super) fn run<T, const SECRET: bool>(
    around: impl Fn(&mut dyn FnMut()),
    operation: impl FnOnce() -> T,
) -> T {
    let mut operation = Some(operation);
    let mut result = MaybeUninit::uninit();
    call(&mut || {
        // The result is written straight to its place, from below the frames of `around`.
        around(&mut || {
            if let Some(operation) = operation.take() {
                result.write(operation());
            }
        });
    });
    assert!(operation.is_none(), "`around` calls what it gets");
    // SAFETY: the operation has run to its end. If it had panicked, `call` would have panicked too.
    unsafe {
        match SECRET {
            true => take_secret(&mut result),
            false => result.assume_init(),
        }
    }
}

/// Moves a secret directly to the place of the caller's result and wipes its old place. This is a
/// separate function because a compiler may make another copy where it is inlined.
///
/// # Safety
/// The value must be initialised.
#[inline(never)]
unsafe fn take_secret<T>(place: &mut MaybeUninit<T>) -> T {
    struct Wiping<'a, T>(&'a mut MaybeUninit<T>);

    impl<T> Drop for Wiping<'_, T> {
        fn drop(&mut self) {
            slice::from_mut(self.0).zeroize();
        }
    }

    let place = Wiping(place);
    // SAFETY: the value is initialised, as the caller promises, and it is not read again.
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

/// The use of a stack by one operation, which owns the stack meanwhile. If a fibre is left in the
/// midst of an operation, the thread's next fibre gets another stack.
struct Visit {
    stack: ManuallyDrop<DefaultStack>,
}

impl Visit {
    /// Returns `None` for a caller that is already on such a stack.
    #[inline(always)]
    fn begin() -> Option<Self> {
        let here = 0_u8;
        let here = (&raw const here).addr();
        // A thread that is ending has no `Thread`.
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
    // The same reaction as when any other memory runs out.
    DefaultStack::new(SIZE).unwrap_or_else(|_| handle_alloc_error(Layout::new::<[u8; SIZE]>()))
}

impl Drop for Visit {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the field is not used again.
        let stack = unsafe { ManuallyDrop::take(&mut self.stack) };
        // If the thread is ending, this frees the stack.
        let _ = THREAD.try_with(|thread| {
            thread.current.set((0, 0));
            thread.spare.set(Some(stack));
        });
    }
}
