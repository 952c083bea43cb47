//! The inner loops of the binary GCD for x86-64: 24 instructions per step, 8 fewer without the
//! rows, and no branches except those of the loops.

use core::arch::asm;

use super::binary_gcd::{LAST, ROUND, State};
use crate::cpu::lines;

/// The parts of a step, in order. The next a is in `$next`, its row in `$row_next`. `b_odd` is b if
/// a is odd, otherwise 0. The borrow of a - `b_odd` shows whether a and b are exchanged; both
/// results are computed before it is known. For the rows, `other` has the role of `b_odd`; after
/// that it is `b_odd` - a.
macro_rules! parts {
    (clear words) => {
        "xor {b_odd:e}, {b_odd:e}\n"
    };
    (clear rows) => {
        "xor {other:e}, {other:e}\n"
    };
    (reciprocity $a:literal) => {
        lines! {
            "mov {x}, {" $a "}";
            "and {x}, {b}";
            "xor {x}, {exchanges}";
        }
    };
    (odd words $a:literal) => {
        lines! {
            "bt {" $a "}, 0";
            "cmovc {b_odd}, {b}";
        }
    };
    (odd rows) => {
        "cmovc {other}, {b_row}\n"
    };
    (subtract rows $row:literal $row_next:literal) => {
        lines! {
            "mov {row_reversed}, {other}";
            "sub {row_reversed}, {" $row "}";
            "mov {" $row_next "}, {" $row "}";
            "sub {" $row_next "}, {other}";
        }
    };
    (subtract words $a:literal $next:literal) => {
        lines! {
            "mov {other}, {b_odd}";
            "sub {other}, {" $a "}";
            "mov {" $next "}, {" $a "}";
            "sub {" $next "}, {b_odd}";
        }
    };
    (exchange words $a:literal $next:literal) => {
        lines! {
            "cmovc {b}, {" $a "}";
            "cmovc {" $next "}, {other}";
        }
    };
    (exchange rows $row:literal $row_next:literal) => {
        lines! {
            "cmovc {b_row}, {" $row "}";
            "cmovc {" $row_next "}, {row_reversed}";
        }
    };
    (exchange symbol) => {
        "cmovc {exchanges}, {x}\n"
    };
    (halve words $next:literal) => {
        lines! {
            "shr {" $next "}, 1";
        }
    };
    (double rows) => {
        "add {b_row}, {b_row}\n"
    };
    (halving) => {
        "lea {x}, [{b} + 2]\nxor {halvings}, {x}\n"
    };
}

/// A step on words and rows.
macro_rules! step {
    ($a:literal $next:literal $row:literal $row_next:literal) => {
        concat!(
            parts!(clear words),
            parts!(clear rows),
            parts!(reciprocity $a),
            parts!(odd words $a),
            parts!(odd rows),
            parts!(subtract rows $row $row_next),
            parts!(subtract words $a $next),
            parts!(exchange words $a $next),
            parts!(exchange rows $row $row_next),
            parts!(exchange symbol),
            parts!(halve words $next),
            parts!(double rows),
            parts!(halving),
        )
    };
}

/// A step on words alone.
macro_rules! last_step {
    ($a:literal $next:literal) => {
        concat!(
            parts!(clear words),
            parts!(reciprocity $a),
            parts!(odd words $a),
            parts!(subtract words $a $next),
            parts!(exchange words $a $next),
            parts!(exchange symbol),
            parts!(halve words $next),
            parts!(halving),
        )
    };
}

/// Thirty steps, with exactly the results of `binary_gcd::thirty_steps_portable`.
#[inline(always)]
pub(super) fn thirty_steps(state: State) -> State {
    const { assert!(ROUND.is_multiple_of(6)) };
    let State {
        mut a,
        mut b,
        mut a_row,
        mut b_row,
        mut exchanges,
        mut halvings,
    } = state;
    // SAFETY: the code uses only registers, and every one that it changes is an output.
    unsafe {
        asm!(
            "2:",
            step!("a" "next" "a_row" "row_next"),
            step!("next" "a" "row_next" "a_row"),
            step!("a" "next" "a_row" "row_next"),
            step!("next" "a" "row_next" "a_row"),
            step!("a" "next" "a_row" "row_next"),
            step!("next" "a" "row_next" "a_row"),
            "dec {count:e}",
            "jnz 2b",
            count = inout(reg) ROUND / 6 => _,
            a = inout(reg) a, b = inout(reg) b,
            a_row = inout(reg) a_row, b_row = inout(reg) b_row,
            exchanges = inout(reg) exchanges, halvings = inout(reg) halvings,
            b_odd = out(reg) _, other = out(reg) _, row_reversed = out(reg) _,
            row_next = out(reg) _, next = out(reg) _, x = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    State {
        a,
        b,
        a_row,
        b_row,
        exchanges,
        halvings,
    }
}

/// The results of `binary_gcd::last_steps_portable` for a, b and the symbol. The rows do not
/// change.
#[inline(always)]
pub(super) fn last_steps(state: State) -> State {
    const { assert!(LAST.is_multiple_of(4)) };
    let State {
        mut a,
        mut b,
        mut exchanges,
        mut halvings,
        ..
    } = state;
    // SAFETY: the code uses only registers, and every one that it changes is an output.
    unsafe {
        asm!(
            "2:",
            last_step!("a" "next"),
            last_step!("next" "a"),
            last_step!("a" "next"),
            last_step!("next" "a"),
            "dec {count:e}",
            "jnz 2b",
            count = inout(reg) LAST / 4 => _,
            a = inout(reg) a, b = inout(reg) b,
            exchanges = inout(reg) exchanges, halvings = inout(reg) halvings,
            b_odd = out(reg) _, other = out(reg) _, next = out(reg) _, x = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    State {
        a,
        b,
        exchanges,
        halvings,
        ..state
    }
}
