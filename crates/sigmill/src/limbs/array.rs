//! Arrays of elements that need no drop.

use core::mem::MaybeUninit;

/// [`core::array::from_fn`] as one function. The standard one is five functions, with a guard for
/// the elements that exist when `element` panics. Arrays of lanes are created in hundreds of
/// places, each with its own closure.
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

/// Reinterprets an array as elements of another type of the same size: registers and their
/// contents. Reads the array as a whole, which is one statement for the compiler. Loops would be
/// unrolled separately in each of thousands of places.
///
/// # Safety
/// Every bit pattern of an `A` must be a valid `B`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) const unsafe fn array_as<A: Copy, B: Copy, const N: usize>(array: &[A; N]) -> [B; N] {
    const { assert!(size_of::<A>() == size_of::<B>() && align_of::<A>() >= align_of::<B>()) };
    // SAFETY: the size and the alignment are those of `A`, and every `A` is a valid `B`.
    unsafe { array.as_ptr().cast::<[B; N]>().read() }
}
