//! Calls inside asynchronous jobs of libcrypto. Their stacks are as small as usual, and the pages
//! below them must not be touched.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

/// The size of a job's stack (OpenSSL, crypto/async/arch/async_posix.c).
const STACK: usize = 32_768;
/// The bytes of pages below it: more than any call needs of a stack.
const BELOW: usize = 16 << 20;
const ASYNC_FINISH: c_int = 3;

unsafe extern "C" {
    fn ASYNC_start_job(
        job: *mut *mut c_void,
        wait: *mut c_void,
        returned: *mut c_int,
        function: unsafe extern "C" fn(*mut c_void) -> c_int,
        arguments: *const c_void,
        size: usize,
    ) -> c_int;
    fn CRYPTO_set_mem_functions(
        allocate: unsafe extern "C" fn(usize, *const c_char, c_int) -> *mut c_void,
        reallocate: unsafe extern "C" fn(*mut c_void, usize, *const c_char, c_int) -> *mut c_void,
        free: unsafe extern "C" fn(*mut c_void, *const c_char, c_int),
    ) -> c_int;
}

/// Returns true if libcrypto allocates a job's stack.
///
/// # Safety
/// `file` is null or the name of a file.
unsafe fn is_of_jobs(file: *const c_char) -> bool {
    // SAFETY: as the caller promises.
    !file.is_null()
        && unsafe { CStr::from_ptr(file) }
            .to_bytes()
            .ends_with(b"async_posix.c")
}

unsafe extern "C" fn allocate(size: usize, file: *const c_char, _: c_int) -> *mut c_void {
    // SAFETY: libcrypto names its files.
    if size != STACK || !unsafe { is_of_jobs(file) } {
        // SAFETY: any size may be requested.
        return unsafe { libc::malloc(size) };
    }
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: the pages are new, and only the upper ones are made accessible; nothing else is
    // there.
    unsafe {
        let pages = libc::mmap(
            ptr::null_mut(),
            BELOW + STACK,
            libc::PROT_NONE,
            flags,
            -1,
            0,
        );
        assert_ne!(pages, libc::MAP_FAILED);
        let stack = pages.cast::<u8>().add(BELOW).cast();
        assert_eq!(
            libc::mprotect(stack, STACK, libc::PROT_READ | libc::PROT_WRITE),
            0
        );
        stack
    }
}

unsafe extern "C" fn reallocate(
    memory: *mut c_void,
    size: usize,
    _: *const c_char,
    _: c_int,
) -> *mut c_void {
    // SAFETY: the memory is from `malloc`, as stacks do not grow.
    unsafe { libc::realloc(memory, size) }
}

unsafe extern "C" fn free(memory: *mut c_void, file: *const c_char, _: c_int) {
    // SAFETY: libcrypto names its files; other memory that it frees is from `malloc`.
    unsafe {
        // Stacks are kept: a thread has one or two.
        if !is_of_jobs(file) {
            libc::free(memory);
        }
    }
}

/// Makes libcrypto allocate stacks by the functions here. Must run before it allocates anything.
pub(crate) fn guard_stacks() {
    // SAFETY: the functions are those of `malloc`, except for stacks.
    assert_eq!(
        unsafe { CRYPTO_set_mem_functions(allocate, reallocate, free) },
        1
    );
}

/// Runs a call, inside a job or not.
pub(crate) fn run<T, F: FnOnce() -> T>(in_job: bool, call: F) -> T {
    unsafe extern "C" fn run_call<T, F: FnOnce() -> T>(arguments: *mut c_void) -> c_int {
        // SAFETY: `run` has passed the address of a call, which waits.
        let (call, result) = unsafe { &mut **arguments.cast::<*mut (Option<F>, Option<T>)>() };
        *result = call.take().map(|call| call());
        1
    }

    if !in_job {
        return call();
    }
    let mut both = (Some(call), None::<T>);
    let address: *mut (Option<F>, Option<T>) = &raw mut both;
    let mut job = ptr::null_mut();
    let mut returned = 0;
    // SAFETY: the job ends before this function does; its argument is an address, which is copied.
    let state = unsafe {
        ASYNC_start_job(
            &raw mut job,
            ptr::null_mut(),
            &raw mut returned,
            run_call::<T, F>,
            (&raw const address).cast(),
            size_of_val(&address),
        )
    };
    assert_eq!(state, ASYNC_FINISH);
    both.1.expect("the job has run")
}
