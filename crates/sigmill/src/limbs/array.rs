//! Arrays of elements that need not be dropped.

use core::mem::MaybeUninit;

/// [`core::array::from_fn`] as one function in place of five, which have a guard for the elements
/// that are there when `element` panics. Arrays of lanes are made in hundreds of places, and each
/// has its own closure.
#[inline(always)]
pub(crate) fn array_from_fn<T: Copy, const N: usize>(
    mut element: impl FnMut(usize) -> T,
) -> [T; N] {
    let mut array = MaybeUninit::<[T; N]>::uninit();
    let first = array.as_mut_ptr().cast::<T>();
    for i in 0..N {
        // SAFETY: `i` is below the length of the array that `first` points to.
        unsafe { first.add(i).write(element(i)) };
    }
    // SAFETY: each of the N elements was written.
    unsafe { array.assume_init() }
}

/// Elements that are as they lie in memory elements of another type, of the same size: registers
/// and what they hold. As a whole array, which is one line of code for the compiler; loops would be
/// unrolled anew in each of thousands of places.
///
/// # Safety
/// Whatever an `A` has for its bits is a `B`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) const unsafe fn array_as<A: Copy, B: Copy, const N: usize>(array: &[A; N]) -> [B; N] {
    const { assert!(size_of::<A>() == size_of::<B>() && align_of::<A>() >= align_of::<B>()) };
    // SAFETY: the size and the alignment are those of `A`, and any of it is a `B`.
    unsafe { array.as_ptr().cast::<[B; N]>().read() }
}
