//! Tools for code on secrets: masks that stay masks, and marks for the constant-time checker.
//!
//! Constant time means here that no branch, no address, and no operand of an instruction of
//! variable latency depends on a secret. Rust promises none of this, so the compiled code is
//! checked (SOUNDNESS.md, "Secrets"). The suite `crates/sigmill-ct` marks secrets as undefined
//! memory and runs every operation on them under Valgrind's memcheck, which reports each branch and
//! address that depends on them. The marks are [`classify`](crate::ct::classify) and
//! [`declassify`](crate::ct::declassify). They do nothing unless the crate is built with
//! `RUSTFLAGS="--cfg sigmill_ct_check"`.
//!
//! The crate `zeroize` wipes secrets: types that wipe themselves cover values with names, and
//! wiping the stack covers the rest. The crate `subtle` compares them.

#[cfg(all(sigmill_ct_check, target_arch = "x86_64"))]
mod memcheck;
mod wiping;

pub(crate) use wiping::{Depth, wiping_stack};
pub use wiping::{Secrets, secrets};

/// Hides from the compiler what it knows about `word`, so that it cannot turn masks computed from
/// it back into a branch. Costs no instruction.
#[inline(always)]
pub fn barrier(word: u64) -> u64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut word = word;
        // SAFETY: the assembly contains no instruction.
        unsafe {
            core::arch::asm!(
                "/* {0} */",
                inout(reg) word,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        word
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    core::hint::black_box(word)
}

/// Returns all ones if `condition` holds, otherwise 0.
#[inline(always)]
pub fn mask(condition: bool) -> u64 {
    barrier(u64::from(condition).wrapping_neg())
}

/// Returns all ones if `word` is zero, otherwise 0.
#[inline(always)]
pub fn mask_zero(word: u64) -> u64 {
    // The top bit of w | -w is set unless w is zero. The barrier comes last because the compiler
    // may turn a word that can only be 0 or all ones into a branch again.
    barrier(((word | word.wrapping_neg()) >> 63).wrapping_sub(1))
}

/// Returns all ones if `a = b`, otherwise 0.
#[inline(always)]
pub fn mask_equal(a: u64, b: u64) -> u64 {
    mask_zero(a ^ b)
}

/// Returns the same value, which may be public from here on: it is part of the output, or it
/// reveals nothing about the secret it was computed from. A comment at each call gives the reason.
///
/// Continue with the returned value: the argument stays secret.
#[inline(always)]
#[must_use]
pub fn declassify<T: Copy>(value: &T) -> T {
    marked(value, Mark::Public)
}

/// Returns the same value, which is secret from here on.
///
/// Continue with the returned value: the argument stays public.
#[inline(always)]
#[must_use]
pub fn classify<T: Copy>(value: &T) -> T {
    marked(value, Mark::Secret)
}

#[cfg_attr(
    not(all(sigmill_ct_check, target_arch = "x86_64")),
    allow(dead_code, reason = "read by the checker")
)]
#[derive(Clone, Copy)]
enum Mark {
    Public,
    Secret,
}

#[inline(always)]
fn marked<T: Copy>(value: &T, mark: Mark) -> T {
    #[cfg(all(sigmill_ct_check, target_arch = "x86_64"))]
    {
        let mut copy = *value;
        memcheck::mark(&mut copy, mark);
        copy
    }
    #[cfg(not(all(sigmill_ct_check, target_arch = "x86_64")))]
    {
        let _ = mark;
        *value
    }
}

/// Reports whether Valgrind runs this process; `false` in every build except the suite's. No other
/// CPU needs this.
#[cfg(target_arch = "x86_64")]
pub(crate) fn under_valgrind() -> bool {
    #[cfg(sigmill_ct_check)]
    return memcheck::under_valgrind();
    #[cfg(not(sigmill_ct_check))]
    false
}

/// Reports whether the checker considers any bit of `value` secret; `None` if no checker runs.
pub fn is_secret<T: Copy>(value: &T) -> Option<bool> {
    #[cfg(all(sigmill_ct_check, target_arch = "x86_64"))]
    return memcheck::is_secret(value);
    #[cfg(not(all(sigmill_ct_check, target_arch = "x86_64")))]
    {
        let _ = value;
        None
    }
}

/// Returns the number of dependences on secrets that the checker has reported so far in this
/// process; `None` if no checker runs: outside memcheck, and in every build except the suite's.
pub fn reported() -> Option<usize> {
    #[cfg(all(sigmill_ct_check, target_arch = "x86_64"))]
    return memcheck::reported();
    #[cfg(not(all(sigmill_ct_check, target_arch = "x86_64")))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks() {
        assert_eq!((mask(true), mask(false)), (u64::MAX, 0));
        for word in [1, 2, 1 << 32, 1 << 63, u64::MAX - 1, u64::MAX] {
            assert_eq!(mask_zero(word), 0);
            assert_eq!(mask_equal(word, 0), 0);
            assert_eq!(mask_equal(0, word), 0);
            assert_eq!(mask_equal(word, word), u64::MAX);
            assert_eq!(mask_equal(word, word ^ 1 << 63), 0);
        }
        assert_eq!(mask_zero(0), u64::MAX);
    }

    #[test]
    fn marks_change_no_value() {
        assert_eq!(declassify(&classify(&[1u64, 2, 3])), [1, 2, 3]);
        assert_eq!(reported(), None);
    }
}
