//! Requests to Valgrind, which its header `memcheck.h` defines as C macros.

use core::arch::asm;
use core::mem;

use super::Mark;

/// `RUNNING_ON_VALGRIND`: nonzero under any of its tools.
const RUNNING: usize = 0x1001;
/// `VALGRIND_COUNT_ERRORS`.
const COUNT_ERRORS: usize = 0x1201;
/// The numbers of memcheck's own requests begin with the letters MC.
const MEMCHECK: usize = (b'M' as usize) << 24 | (b'C' as usize) << 16;
/// `VALGRIND_MAKE_MEM_UNDEFINED`: -1 under memcheck.
const MAKE_UNDEFINED: usize = MEMCHECK + 1;
/// `VALGRIND_MAKE_MEM_DEFINED`: -1 under memcheck.
const MAKE_DEFINED: usize = MEMCHECK + 2;
/// `VALGRIND_GET_VBITS`: writes the undefined bits; returns 1 on success.
const GET_UNDEFINED_BITS: usize = MEMCHECK + 8;

/// Sends a request to Valgrind; returns 0 outside of it.
#[inline(always)]
fn request(code: usize, [first, second, third]: [usize; 3]) -> usize {
    let arguments = [code, first, second, third, 0, 0];
    let mut result = 0_usize;
    // SAFETY: Valgrind recognises the five instructions and reads the arguments that RAX points to.
    // On a CPU they do nothing: the rotations add up to 128 bits, and RBX is exchanged with itself.
    // The requests above change no byte that the program can see, except the bytes that
    // `GET_UNDEFINED_BITS` writes to the place in its arguments.
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

/// Marks the bytes of `value`. The compiler must assume that they changed, so it reads them again.
#[inline(always)]
pub(super) fn mark<T: Copy>(value: &mut T, mark: Mark) -> usize {
    let code = match mark {
        Mark::Public => MAKE_DEFINED,
        Mark::Secret => MAKE_UNDEFINED,
    };
    let start = (&raw mut *value).expose_provenance();
    request(code, [start, mem::size_of::<T>(), 0])
}

pub(super) fn under_valgrind() -> bool {
    request(RUNNING, [0; 3]) != 0
}

pub(super) fn is_secret<T: Copy>(value: &T) -> Option<bool> {
    let start = (&raw const *value).expose_provenance();
    let mut secret = false;
    for address in start..start + mem::size_of::<T>() {
        let mut undefined = 0_u8;
        let place = (&raw mut undefined).expose_provenance();
        if request(GET_UNDEFINED_BITS, [address, place, 1]) != 1 {
            return None;
        }
        secret |= undefined != 0;
    }
    Some(secret)
}

pub(super) fn reported() -> Option<usize> {
    let under_memcheck = mark(&mut 0_u8, Mark::Public) != 0;
    under_memcheck.then(|| request(COUNT_ERRORS, [0; 3]))
}
