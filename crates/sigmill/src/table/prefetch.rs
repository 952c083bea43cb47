//! A hint to the CPU that the target of a reference will be read soon.

/// Prefetches the cache lines of a table entry. Affects only the time.
#[inline(always)]
pub(crate) fn prefetch<T>(entry: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = core::ptr::from_ref(entry).cast::<i8>();
        for line in (0..size_of::<T>()).step_by(64) {
            // SAFETY: a prefetch reads nothing that the program can see and faults on no address;
            // SSE is part of x86-64. The address is inside the entry.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(line)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = entry;
}
