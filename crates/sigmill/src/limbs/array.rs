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
