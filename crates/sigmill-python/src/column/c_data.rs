//! The structs of the Arrow C Data and C Stream Interface, as their specifications have them, owned
//! by who was given them.
//!
//! They are ours, and not those of a crate for Arrow, because such a crate believes what an array
//! says of itself: here it is looked at first, in `buffers`.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::NonNull;
use std::{mem, ptr};

/// The type of an array, its name, and those of its children.
#[repr(C)]
pub(crate) struct Schema {
    pub(super) format: *const c_char,
    pub(super) name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    pub(super) n_children: i64,
    pub(super) children: *const *const Schema,
    pub(super) dictionary: *const Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

/// The values of an array.
#[repr(C)]
pub(crate) struct Array {
    pub(super) length: i64,
    pub(super) null_count: i64,
    pub(super) offset: i64,
    pub(super) n_buffers: i64,
    pub(super) n_children: i64,
    pub(super) buffers: *const *const c_void,
    pub(super) children: *const *const Array,
    pub(super) dictionary: *const Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

/// Arrays, one after the other.
#[repr(C)]
pub(crate) struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// What a struct of the interface is when it was given to somebody else.
macro_rules! owned {
    ($($name:ident)*) => {
        $(
            impl $name {
                /// Whether there is nothing in it.
                pub(super) fn is_released(&self) -> bool {
                    self.release.is_none()
                }

                /// Takes what is in a struct of somebody else's, and leaves nothing there.
                ///
                /// # Safety
                /// There is such a struct, which nobody else uses meanwhile.
                pub(super) unsafe fn take(place: NonNull<c_void>) -> Self {
                    let place = place.cast::<Self>().as_ptr();
                    // SAFETY: as the caller says.
                    let taken = unsafe { place.read() };
                    // SAFETY: the same; what is overwritten is `taken` now.
                    unsafe { (&raw mut (*place).release).write(None) };
                    taken
                }
            }

            impl Drop for $name {
                fn drop(&mut self) {
                    if let Some(release) = self.release {
                        // SAFETY: the struct is ours and was not released, so that its producer
                        // wants this call, once.
                        unsafe { release(self) };
                    }
                }
            }

            // SAFETY: the interface lets a consumer move a struct to another thread and release it
            // there, and forbids to change what it points to.
            unsafe impl Send for $name {}
            // SAFETY: the same; shared, they are only read.
            unsafe impl Sync for $name {}
        )*
    };
}

owned! { Schema Array Stream }

impl Stream {
    /// The type of all arrays.
    pub(super) fn schema(&mut self) -> Result<Schema, String> {
        let Some(get_schema) = self.get_schema else {
            return Err("the stream must have a function get_schema".into());
        };
        // SAFETY: NULL pointers, zeros and no functions are values of all fields.
        let mut schema: Schema = unsafe { mem::zeroed() };
        // SAFETY: a stream that was not released, and room for a schema.
        match unsafe { get_schema(self, &raw mut schema) } {
            0 if schema.is_released() => Err("the stream must have a schema".into()),
            0 => Ok(schema),
            code => Err(self.failure(code)),
        }
    }

    /// The next array, or none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Array>, String> {
        let Some(get_next) = self.get_next else {
            return Err("the stream must have a function get_next".into());
        };
        // SAFETY: NULL pointers, zeros and no functions are values of all fields.
        let mut array: Array = unsafe { mem::zeroed() };
        // SAFETY: a stream that was not released, and room for an array.
        match unsafe { get_next(self, &raw mut array) } {
            0 => Ok((!array.is_released()).then_some(array)),
            code => Err(self.failure(code)),
        }
    }

    /// Why a function of the stream failed.
    fn failure(&mut self, code: c_int) -> String {
        let text = self.get_last_error.map_or(ptr::null(), |last_error| {
            // SAFETY: a stream that was not released, after a call that failed.
            unsafe { last_error(self) }
        });
        if text.is_null() {
            return format!("the stream failed with code {code}");
        }
        // SAFETY: the interface says that the text ends with a zero byte, and stays until the next
        // call of the stream.
        let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
        format!("the stream failed: {}", text.lines().next().unwrap_or(""))
    }
}
