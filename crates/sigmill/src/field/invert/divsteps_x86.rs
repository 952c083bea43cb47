//! The inner loop of the division steps for x86-64: 14 instructions a step and no branch but the
//! loop's, where compilers make 20 of the portable form and could make branches of its masks. Four
//! steps in a loop and not twenty in line: other code shares the cache of decoded instructions.

use core::arch::asm;

use super::divsteps::{CHUNK, Words};

/// One step of f, g and zeta; `$g` and `$next` change places after it.
///
/// `$next` = g + f and `s` = g - f are there before it is known whether they are wanted. The sign
/// of `h` is the low bit of g; when zeta is added to it, there is a carry where g is odd and zeta
/// negative: there f and g change places, and zeta becomes ~zeta before its decrement.
macro_rules! step {
    ($f:literal, $g:literal, $next:literal, $zeta:literal) => {
        concat!(
            "mov {h}, {",
            $g,
            "}\n",
            "lea {",
            $next,
            "}, [{",
            $g,
            "} + {",
            $f,
            "}]\n",
            "mov {s}, {",
            $g,
            "}\n",
            "sub {s}, {",
            $f,
            "}\n",
            "mov {n}, {",
            $zeta,
            "}\n",
            "not {n}\n",
            "shl {h}, 63\n",
            "cmovns {",
            $next,
            "}, {",
            $g,
            "}\n",
            "add {h}, {",
            $zeta,
            "}\n",
            "cmovc {",
            $next,
            "}, {s}\n",
            "cmovc {",
            $f,
            "}, {",
            $g,
            "}\n",
            "cmovc {",
            $zeta,
            "}, {n}\n",
            "sar {",
            $next,
            "}, 1\n",
            "dec {",
            $zeta,
            "}\n",
        )
    };
}

/// Twenty steps of each: what `divsteps::twenty_steps_portable` does, word for word. Two at a time
/// are taken side by side.
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
    // SAFETY: the code uses registers only, and every one that it changes is an output.
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

/// The steps of one wait for each other, not for those of the other.
#[inline(always)]
fn of_two([first, second]: &mut [Words; 2]) {
    const { assert!(CHUNK.is_multiple_of(2)) };
    // SAFETY: the code uses registers only, and every one that it changes is an output.
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
