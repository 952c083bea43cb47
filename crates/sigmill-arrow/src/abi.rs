//! The structs of the Arrow C Data Interface, as its specification has them.
//!
//! They are ours, and not those of a crate for Arrow, because such a crate believes what an array
//! says of itself.

use std::ffi::{c_char, c_void};

/// The type of an array, its name, and those of its children.
#[derive(Debug)]
#[repr(C)]
pub struct ArrowSchema {
    /// The type, with a zero byte behind it.
    pub format: *const c_char,
    /// The name, with a zero byte behind it, or NULL.
    pub name: *const c_char,
    /// Not looked at here.
    pub metadata: *const c_char,
    /// Not looked at here.
    pub flags: i64,
    /// The number of columns of a struct.
    pub n_children: i64,
    /// As many pointers.
    pub children: *const *const ArrowSchema,
    /// The type of the values that a dictionary's indices name, or NULL.
    pub dictionary: *const ArrowSchema,
    /// Gives back what is here; NULL where that was done.
    pub release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    /// The producer's.
    pub private_data: *mut c_void,
}

/// The values of an array.
#[derive(Debug)]
#[repr(C)]
pub struct ArrowArray {
    /// The number of values.
    pub length: i64,
    /// How many of them are null, or -1 where nobody has counted.
    pub null_count: i64,
    /// How many values of the buffers come before the first.
    pub offset: i64,
    /// How many buffers there are.
    pub n_buffers: i64,
    /// The number of columns of a struct.
    pub n_children: i64,
    /// As many pointers as there are buffers.
    pub buffers: *const *const c_void,
    /// As many pointers as there are children.
    pub children: *const *const ArrowArray,
    /// The values that a dictionary's indices name, or NULL.
    pub dictionary: *const ArrowArray,
    /// Gives back what is here; NULL where that was done.
    pub release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    /// The producer's.
    pub private_data: *mut c_void,
}
