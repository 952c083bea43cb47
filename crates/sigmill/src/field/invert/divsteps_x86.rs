//! The inner loop of the division steps for x86-64: 14 instructions per step and no branch except
//! that of the loop. Compilers need 20 for the portable form and could turn its masks into
//! branches. The loop has four steps instead of twenty inline, because other code shares the cache
//! of decoded instructions.

use core::arch::asm;

use super::divsteps::{CHUNK, Words};
use crate::cpu::lines;

/// One step of f, g and zeta; `$g` and `$next` are exchanged after it.
///
/// `$next` = g + f and `s` = g - f are computed before it is known whether they are needed. The
/// sign of `h` is the low bit of g. Adding zeta to `h` carries if g is odd and zeta is negative. In
/// this case f and g are exchanged, and zeta becomes ~zeta before its decrement.
macro_rules! step {
    ($f:literal, $g:literal, $next:literal, $zeta:literal) => {
        lines! {
            "mov {h}, {" $g "}";
            "lea {" $next "}, [{" $g "} + {" $f "}]";
            "mov {s}, {" $g "}";
            "sub {s}, {" $f "}";
            "mov {n}, {" $zeta "}";
            "not {n}";
            "shl {h}, 63";
            "cmovns {" $next "}, {" $g "}";
            "add {h}, {" $zeta "}";
            "cmovc {" $next "}, {s}";
            "cmovc {" $f "}, {" $g "}";
            "cmovc {" $zeta "}, {n}";
            "sar {" $next "}, 1";
            "dec {" $zeta "}";
        }
    };
}

/// Twenty steps on each, with exactly the results of `divsteps::twenty_steps_portable`. Two at a
/// time are interleaved.
#[inline(always)]
pub(super) fn twenty_steps(all: &mut [Words]) {
    let (pairs, rest) = all.as_chunks_mut::<2>();
    for pair in pairs {
        of_two(pair);
    }
    for words in rest {
        of_one(words);
    }
}

#[inline(always)]
fn of_one(words: &mut Words) {
    const { assert!(CHUNK.is_multiple_of(4)) };
    // SAFETY: the code uses only registers, and every one that it changes is an output.
    unsafe {
        asm!(
            "2:",
            step!("f", "g", "next", "zeta"),
            step!("f", "next", "g", "zeta"),
            step!("f", "g", "next", "zeta"),
            step!("f", "next", "g", "zeta"),
            "dec {count:e}",
            "jnz 2b",
            f = inout(reg) words.f,
            g = inout(reg) words.g,
            zeta = inout(reg) words.zeta,
            next = out(reg) _,
            s = out(reg) _,
            h = out(reg) _,
            n = out(reg) _,
            count = inout(reg) CHUNK / 4 => _,
            options(pure, nomem, nostack),
        );
    }
}

/// The steps of one wait for each other, but not for those of the other.
#[inline(always)]
fn of_two([first, second]: &mut [Words; 2]) {
    const { assert!(CHUNK.is_multiple_of(2)) };
    // SAFETY: the code uses only registers, and every one that it changes is an output.
    unsafe {
        asm!(
            "2:",
            step!("f1", "g1", "next1", "zeta1"),
            step!("f2", "g2", "next2", "zeta2"),
            step!("f1", "next1", "g1", "zeta1"),
            step!("f2", "next2", "g2", "zeta2"),
            "dec {count:e}",
            "jnz 2b",
            f1 = inout(reg) first.f,
            g1 = inout(reg) first.g,
            zeta1 = inout(reg) first.zeta,
            next1 = out(reg) _,
            f2 = inout(reg) second.f,
            g2 = inout(reg) second.g,
            zeta2 = inout(reg) second.zeta,
            next2 = out(reg) _,
            s = out(reg) _,
            h = out(reg) _,
            n = out(reg) _,
            count = inout(reg) CHUNK / 2 => _,
            options(pure, nomem, nostack),
        );
    }
}
