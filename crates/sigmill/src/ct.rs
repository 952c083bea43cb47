//! What code on secrets needs: masks that stay masks, and marks for the checker.
//!
//! Constant time means here: no branch, no address and no operand of an instruction of variable
//! latency depends on a secret. Rust promises none of this, so it is checked on the compiled code
//! (SOUNDNESS.md, "Secrets"): the suite `crates/sigmill-ct` marks secrets as undefined memory and
//! runs every operation on them under Valgrind's memcheck, which reports each branch and address
//! that depends on them. The marks are [`classify`](crate::ct::classify) and
//! [`declassify`](crate::ct::declassify); they do nothing unless the
//! crate is built with `RUSTFLAGS="--cfg sigmill_ct_check"`.
//!
//! Secrets are wiped by the crate `zeroize`: what has a name by types that wipe themselves, the
//! rest with the stack that it was on. They are compared by the crate `subtle`.

#[cfg(all(sigmill_ct_check, target_arch = "x86_64"))]
mod memcheck;
mod wiping;

pub(crate) use wiping::{Depth, wiping_stack};
pub use wiping::{Secrets, secrets};

/// Hides from the compiler what is known of `word`, so that it cannot turn the masks made of it
/// back into the branch that they stand for. Costs no instruction.
#[inline(always)]
pub fn barrier(word: u64) -> u64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut word = word;
        // SAFETY: no instruction at all.
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

/// All ones where `condition` holds, else 0.
#[inline(always)]
pub fn mask(condition: bool) -> u64 {
    barrier(u64::from(condition).wrapping_neg())
}

/// All ones where `word` is zero, else 0.
#[inline(always)]
pub fn mask_zero(word: u64) -> u64 {
    // The top bit of w | -w is set unless w is zero. The barrier comes last: of a word that can
    // only be 0 or all ones the compiler may make a branch again.
    barrier(((word | word.wrapping_neg()) >> 63).wrapping_sub(1))
}

/// All ones where `a = b`, else 0.
#[inline(always)]
pub fn mask_equal(a: u64, b: u64) -> u64 {
    mask_zero(a ^ b)
}

/// The same value, which may be public from here on: what it says is part of the output, or says
/// nothing of the secret it was computed from. The reason stands beside each call.
///
/// Go on with what it returns: the value that was given stays secret.
#[inline(always)]
#[must_use]
pub fn declassify<T: Copy>(value: &T) -> T {
    marked(value, Mark::Public)
}

/// The same value, which is secret from here on.
///
/// Go on with what it returns: the value that was given stays public.
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

/// Whether Valgrind runs this process; `false` in every build but the suite's. Of other CPUs
/// nobody asks.
#[cfg(target_arch = "x86_64")]
pub(crate) fn under_valgrind() -> bool {
    #[cfg(sigmill_ct_check)]
    return memcheck::under_valgrind();
    #[cfg(not(sigmill_ct_check))]
    false
}

/// Whether the checker takes any bit of `value` for secret; `None` where no checker looks.
pub fn is_secret<T: Copy>(value: &T) -> Option<bool> {
    #[cfg(all(sigmill_ct_check, target_arch = "x86_64"))]
    return memcheck::is_secret(value);
    #[cfg(not(all(sigmill_ct_check, target_arch = "x86_64")))]
    {
        let _ = value;
        None
    }
}

/// How many dependences on secrets the checker has reported so far in this process; `None` where
/// no checker looks: outside of memcheck, and in every build but the suite's.
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
