//! Tables that the core reads, and their ends.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use crate::abi::{OsslAlgorithm, OsslDispatch};

/// An entry for a function, by its number.
pub(crate) const fn function(function_id: c_int, function: *const c_void) -> OsslDispatch {
    OsslDispatch {
        function_id,
        function,
    }
}

/// The end of a table of functions.
pub(crate) const NO_FUNCTION: OsslDispatch = function(0, ptr::null());

/// Joins both parts of a table and adds its end.
pub(crate) const fn table<const M: usize, const N: usize, const ALL: usize>(
    first: [OsslDispatch; M],
    second: [OsslDispatch; N],
) -> [OsslDispatch; ALL] {
    assert!(ALL == M + N + 1, "one place more than functions");
    let mut all = [NO_FUNCTION; ALL];
    let mut i = 0;
    while i < M + N {
        all[i] = if i < M { first[i] } else { second[i - M] };
        i += 1;
    }
    all
}

/// An entry for an algorithm: its names, properties, functions and description.
pub(crate) const fn algorithm(
    names: &'static CStr,
    properties: &'static CStr,
    functions: &'static [OsslDispatch],
    description: &'static CStr,
) -> OsslAlgorithm {
    OsslAlgorithm {
        algorithm_names: names.as_ptr(),
        property_definition: properties.as_ptr(),
        implementation: functions.as_ptr(),
        algorithm_description: description.as_ptr(),
    }
}

/// The end of a table of algorithms.
pub(crate) const NO_ALGORITHM: OsslAlgorithm = OsslAlgorithm {
    algorithm_names: ptr::null(),
    property_definition: ptr::null(),
    implementation: ptr::null(),
    algorithm_description: ptr::null(),
};
