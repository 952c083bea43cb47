//! Values that a process does not share with the children it forks.
//!
//! Only the thread that forks continues in the child. A lock that another thread held at that
//! moment is never released there, and the data that it protects stays half changed. So a child
//! leaves such values as they are and creates its own.

use std::fmt;

use once_cell::race::OnceBox;

/// A value with locks, created by each process on first use. A forked child neither uses nor drops
/// its parent's value.
///
/// It contains no lock itself: if several threads create the value at once, the first one counts.
pub struct PerProcess<T>(OnceBox<Made<T>>);

struct Made<T> {
    /// The process that created it, as the number of forks that led to it.
    forks: u32,
    /// Present until it is dropped.
    value: Option<T>,
    /// The value of a forked child.
    next: PerProcess<T>,
}

impl<T> PerProcess<T> {
    /// Bytes that one value allocates in addition to its own size, without the allocator's
    /// overhead.
    pub(super) const BYTES: usize = size_of::<Made<T>>();

    /// Creates an empty place.
    pub const fn new() -> Self {
        Self(OnceBox::new())
    }

    /// Creates a place with a value of this process.
    pub(super) fn with(value: T) -> Self {
        let place = OnceBox::new();
        let _ = place.set(Made::new(value));
        Self(place)
    }

    /// Returns the value of this process; `make` creates it on first use.
    pub fn get_or_make(&self, make: impl Fn() -> T) -> &T {
        let forks = forks();
        let mut place = self;
        loop {
            let made = place.0.get_or_init(|| Made::new(make()));
            match &made.value {
                Some(value) if made.forks == forks => return value,
                _ => place = &made.next,
            }
        }
    }
}

impl<T> Made<T> {
    fn new(value: T) -> Box<Self> {
        Box::new(Self {
            forks: forks(),
            value: Some(value),
            next: PerProcess::new(),
        })
    }
}

impl<T> fmt::Debug for PerProcess<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerProcess").finish_non_exhaustive()
    }
}

impl<T> Default for PerProcess<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Drop for Made<T> {
    fn drop(&mut self) {
        if self.forks != forks() {
            std::mem::forget(self.value.take());
        }
    }
}

/// Returns a number that differs between a process and the children it forks.
///
/// It counts forks made through the C library. A child created without it (`vfork`, `clone`) has
/// the number of its parent, and cannot rely on that library's own locks either.
pub fn forks() -> u32 {
    #[cfg(test)]
    let counted = counted().wrapping_add(tests::PRETENDED.get());
    #[cfg(not(test))]
    let counted = counted();
    counted
}

#[cfg(unix)]
#[inline]
fn counted() -> u32 {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use once_cell::race::OnceBool;

    static FORKS: AtomicU32 = AtomicU32::new(0);
    static IS_COUNTED: OnceBool = OnceBool::new();

    extern "C" fn forked() {
        FORKS.fetch_add(1, Relaxed);
    }
    let is_counted = IS_COUNTED.get_or_init(|| {
        // SAFETY: the function may be called in a child: it adds to an atomic number and nothing
        // else. The C library forgets it when the module with this code is unloaded.
        unsafe { libc::pthread_atfork(None, None, Some(forked)) == 0 }
    });
    match is_counted {
        true => FORKS.load(Relaxed),
        // The C library had no memory for the handler.
        false => std::process::id(),
    }
}

/// Returns 0: nothing forks here.
#[cfg(not(unix))]
fn counted() -> u32 {
    0
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::Cell;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    thread_local! {
        /// The number of forks that a test pretends, for its own thread.
        pub(in crate::bulk) static PRETENDED: Cell<u32> = const { Cell::new(0) };
    }

    /// Runs `work` as in a child that `forks` forks led to.
    pub(in crate::bulk) fn in_child<T>(forks: u32, work: impl FnOnce() -> T) -> T {
        let before = PRETENDED.replace(forks);
        let done = work();
        PRETENDED.set(before);
        done
    }

    /// A value that counts its drops.
    struct Counted<'a>(Mutex<u32>, &'a AtomicUsize);

    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.1.fetch_add(1, Relaxed);
        }
    }

    #[test]
    fn a_child_makes_its_own_and_leaves_its_parents() {
        let dropped = AtomicUsize::new(0);
        let place = PerProcess::new();
        let get = |number| {
            let counted = place.get_or_make(|| Counted(Mutex::new(number), &dropped));
            *counted.0.lock().unwrap()
        };
        assert_eq!((get(1), get(2)), (1, 1));
        // The parent's value is locked while the children run.
        let parents = place.get_or_make(|| unreachable!("there is one"));
        let locked = parents.0.lock().unwrap();
        assert_eq!(in_child(1, || (get(3), get(4))), (3, 3));
        assert_eq!(in_child(2, || (get(5), get(6))), (5, 5));
        drop(locked);
        assert_eq!(get(7), 1);
        // The child drops its own value only.
        in_child(1, || drop(place));
        assert_eq!(dropped.load(Relaxed), 1);
    }

    #[test]
    fn threads_get_one_value() {
        let place = PerProcess::new();
        std::thread::scope(|scope| {
            let get = |number: usize| *place.get_or_make(|| number);
            let threads: Vec<_> = (0..4)
                .map(|number| scope.spawn(move || get(number)))
                .collect();
            let found = threads.into_iter().map(|thread| thread.join().unwrap());
            let found: std::collections::HashSet<_> = found.collect();
            assert_eq!(found.len(), 1);
        });
    }
}
