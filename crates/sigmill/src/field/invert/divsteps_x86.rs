//! The inner loop of the division steps for x86-64: 14 instructions a step and no branch but the
//! loop's, where compilers make 20 of the portable form and could make branches of its masks. Four
//! steps in a loop and not twenty in line: other code shares the cache of decoded instructions.

use core::arch::asm;

use super::divsteps::CHUNK;

/// One step; `$g` and `$next` change places after it.
///
/// `$next` = g + f and `s` = g - f are there before it is known whether they are wanted. The sign
/// of `h` is the low bit of g; when zeta is added to it, there is a carry where g is odd and zeta
/// negative: there f and g change places, and zeta becomes ~zeta before its decrement.
macro_rules! step {
    ($g:literal, $next:literal) => {
        concat!(
            "mov {h}, {",
            $g,
            "}\n",
            "lea {",
            $next,
            "}, [{",
            $g,
            "} + {f}]\n",
            "mov {s}, {",
            $g,
            "}\n",
            "sub {s}, {f}\n",
            "mov {n}, {zeta}\n",
            "not {n}\n",
            "shl {h}, 63\n",
            "cmovns {",
            $next,
            "}, {",
            $g,
            "}\n",
            "add {h}, {zeta}\n",
            "cmovc {",
            $next,
            "}, {s}\n",
            "cmovc {f}, {",
            $g,
            "}\n",
            "cmovc {zeta}, {n}\n",
            "sar {",
            $next,
            "}, 1\n",
            "dec {zeta}\n",
        )
    };
}

macro_rules! four_steps {
    () => {
        concat!(
            step!("g", "next"),
            step!("next", "g"),
            step!("g", "next"),
            step!("next", "g"),
        )
    };
}

/// Twenty steps: what `divsteps::twenty_steps_portable` does, word for word.
#[inline(always)]
pub(super) fn twenty_steps(mut f: i64, mut g: i64, mut zeta: i64) -> (i64, i64, i64) {
    const { assert!(CHUNK.is_multiple_of(4)) };
    // SAFETY: the code uses registers only, and every one that it changes is an output.
    unsafe {
        asm!(
            "2:",
            four_steps!(),
            "dec {count:e}",
            "jnz 2b",
            f = inout(reg) f,
            g = inout(reg) g,
            zeta = inout(reg) zeta,
            next = out(reg) _,
            s = out(reg) _,
            h = out(reg) _,
            n = out(reg) _,
            count = inout(reg) CHUNK / 4 => _,
            options(pure, nomem, nostack),
        );
    }
    (f, g, zeta)
}
