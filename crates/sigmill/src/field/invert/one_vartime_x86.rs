//! The inner loop of the inversion for x86-64: 28 instructions per step and no branch except that
//! of the loop. Compilers need 38 for the same source, or a branch that no predictor can guess.

use core::arch::asm;

use super::signed_62::{BITS, Matrix};

/// 62 steps on a and b, given by their highest 64 bits and their low 62 bits, with exactly the
/// results of `sixty_two_steps_portable`.
#[inline(always)]
pub(super) fn sixty_two_steps((a_high, a): (u64, u64), (b_high, b): (u64, u64)) -> Matrix {
    let (mut u, mut v, mut q, mut r) = (1u64, 0u64, 0u64, 1u64);
    // SAFETY: the code uses only registers, and every one that it changes is an output. A CPU
    // without TZCNT executes BSF instead, which agrees for a word that is not zero; `end` is not
    // zero before it is 1 and the loop ends.
    unsafe {
        asm!(
            // Counts the zeros of a, as far as its bits are known: `end` has a one behind them.
            "mov {t}, {a}",
            "or {t}, {end}",
            "tzcnt rcx, {t}",
            "jmp 3f",
            "2:",
            // Counts the zeros of a - b. They are those of b - a, so the order need not be known.
            "mov {t}, {a}",
            "sub {t}, {b}",
            "or {t}, {end}",
            "tzcnt rcx, {t}",
            // Exchange if a is below b; moves do not change the flags.
            "cmp {a_high}, {b_high}",
            "mov {t}, {a_high}",
            "cmovb {a_high}, {b_high}",
            "cmovb {b_high}, {t}",
            "mov {t}, {a}",
            "cmovb {a}, {b}",
            "cmovb {b}, {t}",
            "mov {t}, {q}",
            "cmovb {q}, {u}",
            "cmovb {u}, {t}",
            "mov {t}, {r}",
            "cmovb {r}, {v}",
            "cmovb {v}, {t}",
            "sub {a_high}, {b_high}",
            "sub {a}, {b}",
            "sub {q}, {u}",
            "sub {r}, {v}",
            "3:",
            "shr {a}, cl",
            "shr {a_high}, cl",
            "shl {u}, cl",
            "shl {v}, cl",
            "shr {end}, cl",
            "cmp {end}, 1",
            "jne 2b",
            a = inout(reg) a => _,
            a_high = inout(reg) a_high => _,
            b = inout(reg) b => _,
            b_high = inout(reg) b_high => _,
            u = inout(reg) u,
            v = inout(reg) v,
            q = inout(reg) q,
            r = inout(reg) r,
            end = inout(reg) 1u64 << BITS => _,
            t = out(reg) _,
            out("rcx") _,
            options(pure, nomem, nostack),
        );
    }
    Matrix {
        u: u as i64,
        v: v as i64,
        q: q as i64,
        r: r as i64,
    }
}
