//! A byte budget: bytes that may be used, and bytes that are in use.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The overhead of an allocator for each allocation, in bytes: its own words and rounding.
pub(super) const HEAP_BYTES: usize = 24;

/// The bytes of an `Arc` in addition to those of its value.
pub(super) const ARC_BYTES: usize = 2 * size_of::<usize>() + HEAP_BYTES;

/// A limit that is never exceeded: bytes are reserved before memory is allocated, and released
/// after it is freed.
pub(super) struct Budget {
    limit: usize,
    used: AtomicUsize,
}

impl Budget {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            used: AtomicUsize::new(0),
        }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    pub(super) fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    pub(super) fn free(&self) -> usize {
        self.limit.saturating_sub(self.used())
    }

    /// Reserves bytes, if they are free.
    pub(super) fn reserve(&self, bytes: usize) -> Option<Reservation<'_>> {
        let fits = |used: usize| used.checked_add(bytes).filter(|&sum| sum <= self.limit);
        self.used.fetch_update(Relaxed, Relaxed, fits).ok()?;
        Some(Reservation {
            budget: self,
            bytes,
        })
    }

    /// Releases the bytes of a reservation that was kept.
    pub(super) fn release(&self, bytes: usize) {
        let before = self.used.fetch_sub(bytes, Relaxed);
        debug_assert!(before >= bytes, "released {bytes} of {before}");
    }
}

/// Reserved bytes, which are released on drop unless they are kept.
pub(super) struct Reservation<'a> {
    budget: &'a Budget,
    bytes: usize,
}

impl Reservation<'_> {
    /// Leaves the bytes reserved and returns their number.
    pub(super) fn keep(self) -> usize {
        let bytes = self.bytes;
        std::mem::forget(self);
        bytes
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.budget.release(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_to_the_byte() {
        let budget = Budget::new(100);
        let sixty = budget.reserve(60).unwrap();
        assert!(budget.reserve(41).is_none());
        assert!(budget.reserve(usize::MAX).is_none());
        let forty = budget.reserve(40).unwrap();
        assert_eq!(budget.used(), 100);
        drop(sixty);
        assert_eq!(forty.keep(), 40);
        assert_eq!(budget.used(), 40);
        budget.release(40);
        assert_eq!((budget.used(), budget.limit()), (0, 100));
    }
}
