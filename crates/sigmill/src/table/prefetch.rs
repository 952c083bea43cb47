//! A hint to the CPU: the point behind this reference will be read soon.

use crate::curve::AffinePoint;

/// Asks for the cache lines of a table entry. No effect but on time.
#[inline(always)]
pub(crate) fn prefetch<E>(point: &AffinePoint<E>) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = core::ptr::from_ref(point).cast::<i8>();
        for line in (0..size_of::<AffinePoint<E>>()).step_by(64) {
            // SAFETY: a prefetch reads nothing that the program can see and faults on no address;
            // SSE is part of x86-64. The address is inside of the point.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(line)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = point;
}
