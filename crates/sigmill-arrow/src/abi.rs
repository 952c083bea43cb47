//! The structs of the Arrow C Data Interface, as in its specification.
//!
//! This crate defines them itself, because crates for Arrow trust what an array states about
//! itself.

use std::ffi::{c_char, c_void};

/// The type and the name of an array, and the schemas of its children.
#[derive(Debug)]
#[repr(C)]
pub struct ArrowSchema {
    /// The type, with a zero byte at its end.
    pub format: *const c_char,
    /// The name, with a zero byte at its end, or NULL.
    pub name: *const c_char,
    /// Not used here.
    pub metadata: *const c_char,
    /// Not used here.
    pub flags: i64,
    /// The number of columns of a struct.
    pub n_children: i64,
    /// A pointer for each child.
    pub children: *const *const ArrowSchema,
    /// The type of the values that a dictionary's indices select, or NULL.
    pub dictionary: *const ArrowSchema,
    /// Releases the schema; NULL after that.
    pub release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    /// Data of the producer.
    pub private_data: *mut c_void,
}

/// The values of an array.
#[derive(Debug)]
#[repr(C)]
pub struct ArrowArray {
    /// The number of values.
    pub length: i64,
    /// The number of null values, or -1 if it was not counted.
    pub null_count: i64,
    /// The number of values in the buffers before the first.
    pub offset: i64,
    /// The number of buffers.
    pub n_buffers: i64,
    /// The number of columns of a struct.
    pub n_children: i64,
    /// A pointer for each buffer.
    pub buffers: *const *const c_void,
    /// A pointer for each child.
    pub children: *const *const ArrowArray,
    /// The values that a dictionary's indices select, or NULL.
    pub dictionary: *const ArrowArray,
    /// Releases the array; NULL after that.
    pub release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    /// Data of the producer.
    pub private_data: *mut c_void,
}
