//! Requests to Valgrind: what its header `memcheck.h` defines as macros of C.

use core::arch::asm;
use core::mem;

use super::Mark;

/// `VALGRIND_COUNT_ERRORS`.
const COUNT_ERRORS: usize = 0x1201;
/// The numbers of memcheck's own requests begin at the letters MC.
const MEMCHECK: usize = (b'M' as usize) << 24 | (b'C' as usize) << 16;
/// `VALGRIND_MAKE_MEM_UNDEFINED`: -1 under memcheck.
const MAKE_UNDEFINED: usize = MEMCHECK + 1;
/// `VALGRIND_MAKE_MEM_DEFINED`: -1 under memcheck.
const MAKE_DEFINED: usize = MEMCHECK + 2;

/// Asks Valgrind; 0 outside of it.
#[inline(always)]
fn request(code: usize, first: usize, second: usize) -> usize {
    let arguments = [code, first, second, 0, 0, 0];
    let mut result = 0_usize;
    // SAFETY: Valgrind knows the five instructions and takes the arguments that RAX points to. For
    // a CPU they do nothing: the rotations add up to 128 bits, and RBX is exchanged with itself.
    // The requests above change no byte that the program can see.
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") arguments.as_ptr(),
            inout("rdx") result,
            options(nostack),
        );
    }
    result
}

/// Marks the bytes of `value`. As the compiler sees it they may have changed, so it reads them again.
#[inline(always)]
pub(super) fn mark<T: Copy>(value: &mut T, mark: Mark) -> usize {
    let code = match mark {
        Mark::Public => MAKE_DEFINED,
        Mark::Secret => MAKE_UNDEFINED,
    };
    request(
        code,
        (&raw mut *value).expose_provenance(),
        mem::size_of::<T>(),
    )
}

pub(super) fn reported() -> Option<usize> {
    let under_memcheck = mark(&mut 0_u8, Mark::Public) != 0;
    under_memcheck.then(|| request(COUNT_ERRORS, 0, 0))
}
