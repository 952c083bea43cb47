//! The structs of the Arrow C Data and C Stream Interface, owned by the receiver.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ops::Deref;
use std::ptr::NonNull;
use std::{mem, ptr};

use sigmill_arrow::{ArrowArray, ArrowSchema};

/// A sequence of arrays, as in the specification.
#[repr(C)]
pub(super) struct ArrowStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrowStream, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrowStream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrowStream) -> *const c_char>,
    release: Release<ArrowStream>,
    private_data: *mut c_void,
}

/// The function that releases a struct's contents; NULL after the release.
type Release<T> = Option<unsafe extern "C" fn(*mut T)>;

/// A struct of the interface.
pub(super) trait Struct: Sized {
    fn release(&mut self) -> &mut Release<Self>;
}

impl Struct for ArrowSchema {
    fn release(&mut self) -> &mut Release<Self> {
        &mut self.release
    }
}

impl Struct for ArrowArray {
    fn release(&mut self) -> &mut Release<Self> {
        &mut self.release
    }
}

impl Struct for ArrowStream {
    fn release(&mut self) -> &mut Release<Self> {
        &mut self.release
    }
}

/// A struct of the interface that we own and must release.
pub(super) struct OwnedStruct<T: Struct>(T);

impl<T: Struct> OwnedStruct<T> {
    /// Moves the contents out of another owner's struct and leaves it empty; `None` if it was
    /// empty.
    ///
    /// # Safety
    /// `place` must point to such a struct, and nobody else may use it meanwhile.
    pub(super) unsafe fn take(place: NonNull<c_void>) -> Option<Self> {
        let place = place.cast::<T>().as_ptr();
        // SAFETY: as the caller guarantees.
        let taken = Self(unsafe { place.read() });
        // SAFETY: the same; `taken` owns what is overwritten.
        *unsafe { (*place).release() } = None;
        taken.non_empty()
    }

    /// Returns `self` unless it is empty.
    fn non_empty(mut self) -> Option<Self> {
        self.0.release().is_some().then_some(self)
    }
}

impl<T: Struct> Deref for OwnedStruct<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Struct> Drop for OwnedStruct<T> {
    fn drop(&mut self) {
        if let Some(release) = *self.0.release() {
            // SAFETY: we own the struct and it was not released, so its producer requires this
            // call, once.
            unsafe { release(&raw mut self.0) };
        }
    }
}

// SAFETY: the interface lets a consumer move a struct to another thread and release it there, and
// forbids changes to what it points to.
unsafe impl<T: Struct> Send for OwnedStruct<T> {}
// SAFETY: the same; shared structs are only read.
unsafe impl<T: Struct> Sync for OwnedStruct<T> {}

impl OwnedStruct<ArrowStream> {
    /// The type of all arrays.
    pub(super) fn schema(&mut self) -> Result<OwnedStruct<ArrowSchema>, String> {
        let Some(get_schema) = self.get_schema else {
            return Err("the stream must have a function get_schema".into());
        };
        // SAFETY: NULL pointers, zeros and absent functions are valid values of all fields.
        let mut schema = OwnedStruct(unsafe { mem::zeroed() });
        // SAFETY: a stream that was not released, and room for a schema.
        match unsafe { get_schema(&raw mut self.0, &raw mut schema.0) } {
            0 => schema
                .non_empty()
                .ok_or_else(|| "the stream must have a schema".into()),
            code => Err(self.failure(code)),
        }
    }

    /// The next array; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<OwnedStruct<ArrowArray>>, String> {
        let Some(get_next) = self.get_next else {
            return Err("the stream must have a function get_next".into());
        };
        // SAFETY: NULL pointers, zeros and absent functions are valid values of all fields.
        let mut array = OwnedStruct(unsafe { mem::zeroed() });
        // SAFETY: a stream that was not released, and room for an array.
        match unsafe { get_next(&raw mut self.0, &raw mut array.0) } {
            0 => Ok(array.non_empty()),
            code => Err(self.failure(code)),
        }
    }

    /// The reason why a function of the stream failed.
    fn failure(&mut self, code: c_int) -> String {
        let text = self.get_last_error.map_or(ptr::null(), |last_error| {
            // SAFETY: a stream that was not released, after a call that failed.
            unsafe { last_error(&raw mut self.0) }
        });
        if text.is_null() {
            return format!("the stream failed with code {code}");
        }
        // SAFETY: the interface guarantees that the text ends with a zero byte, and stays until the
        // next call of the stream.
        let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
        format!("the stream failed: {}", text.lines().next().unwrap_or(""))
    }
}
