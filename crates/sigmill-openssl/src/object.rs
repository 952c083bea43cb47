//! Functions of the libcrypto that has loaded the module.

use std::ffi::{CStr, c_void};
#[cfg(unix)]
use std::{mem, ptr};

/// A program or a library in the memory of this process.
#[cfg(unix)]
pub(crate) struct Object {
    handle: *mut c_void,
    base: *mut c_void,
}

#[cfg(unix)]
impl Object {
    /// Returns the object that contains this function.
    pub(crate) fn of(function: *const c_void) -> Option<Self> {
        let found = place(function)?;
        // SAFETY: the string is the loader's. Nothing new is loaded.
        let library = unsafe { libc::dlopen(found.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        let handle = match library.is_null() {
            // SAFETY: null means the program with everything that it has loaded globally.
            true => unsafe { libc::dlopen(ptr::null(), libc::RTLD_LAZY) },
            false => library,
        };
        (!handle.is_null()).then_some(Self {
            handle,
            base: found.dli_fbase,
        })
    }

    /// Returns the function with this name if it is in this object. Another libcrypto may also be
    /// loaded.
    pub(crate) fn get(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the handle is open, and the name is a string.
        let function = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        (!function.is_null() && place(function)?.dli_fbase == self.base).then_some(function)
    }
}

#[cfg(unix)]
impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: the handle was opened once. The object stays, as it has loaded us.
        unsafe { libc::dlclose(self.handle) };
    }
}

/// Returns the object that contains an address.
#[cfg(unix)]
fn place(address: *const c_void) -> Option<libc::Dl_info> {
    let mut found = mem::MaybeUninit::uninit();
    // SAFETY: any address may be passed; the result is written.
    let is_found = unsafe { libc::dladdr(address, found.as_mut_ptr()) } != 0;
    // SAFETY: the result was written.
    is_found.then(|| unsafe { found.assume_init() })
}

#[cfg(not(unix))]
pub(crate) struct Object;

#[cfg(not(unix))]
impl Object {
    pub(crate) fn of(_function: *const c_void) -> Option<Self> {
        None
    }

    pub(crate) fn get(&self, _name: &CStr) -> Option<*mut c_void> {
        None
    }
}
