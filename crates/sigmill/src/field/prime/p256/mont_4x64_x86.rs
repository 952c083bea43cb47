//! P-256, Montgomery form, four limbs of 64 bits, x86-64 with MULX (BMI2), ADCX and ADOX (ADX).
//!
//! The two carry chains of a row do not wait for each other: ADCX for the low halves of the
//! products, ADOX for the high halves. A product needs 16 MULX, a square 10. The reduction consists
//! of shifts and additions, as in the portable kernel.

use core::arch::asm;

use super::PRIME;
use crate::cpu::{Adx, lines};
use crate::field::Coordinate;
use crate::field::prime::wide_4x64_x86::{add_row, first_row, on_limbs, wide_square};
use crate::field::{Kernel, Modulus};

/// Products modulo the prime of P-256 on a CPU with BMI2 and ADX; the token is the proof.
#[derive(Clone, Copy, Debug)]
pub struct P256AdxKernel(Adx);

impl P256AdxKernel {
    /// Creates the kernel on a CPU that has the instructions.
    pub const fn new(proof: Adx) -> Self {
        Self(proof)
    }
}

/// Registers of both routines: rsi (and rdi) are the operands, r8 - r13 (and r14, r15) the running
/// value, rdx the multiplier of MULX, rax and rcx the halves of a product.
///
/// One reduction step. The limb `$q` is q; on output it holds the highest limb of the result. The
/// three registers after it are the limbs above. `$shift` holds 32. Clobbers rax, rcx, rdx and the
/// flags. The carry flag on output is that of the addition to the third limb.
macro_rules! fold {
    ($q:literal, $l1:literal, $l2:literal, $l3:literal, $shift:literal) => {
        lines! {
            "shlx rax, " $q ", " $shift;
            "shrx rcx, " $q ", " $shift;
            "mov rdx, " $q;
            "sub rdx, rax";
            "sbb " $q ", rcx";
            "add " $l1 ", rax";
            "adc " $l2 ", rcx";
            "adc " $l3 ", rdx";
        }
    };
}

/// Folds a row. The highest limb of the row receives the product of q; the limb that held q
/// receives the carry. The last addition, of a carry to zero, clears the carry and overflow flags.
macro_rules! fold_row {
    ($q:literal, $l1:literal, $l2:literal, $l3:literal, $l4:literal) => {
        concat!(
            fold!($q, $l1, $l2, $l3, "r13"),
            lines! {
                "adc " $l4 ", " $q;
                "mov " $q ", 0";
                "adc " $q ", 0";
            },
        )
    };
}

/// Subtracts p from the five-limb value `$l0` .. `$l3`, `$top` if it is at least p. Clobbers
/// `$top`, the four registers `$s0` .. `$s3` and the two registers for limbs 1 and 3 of p.
macro_rules! subtract_prime_once {
    (
        [$l0:literal, $l1:literal, $l2:literal, $l3:literal, $top:literal],
        [$s0:literal, $s1:literal, $s2:literal, $s3:literal],
        [$p1:literal, $p3:literal]
    ) => {
        lines! {
            "mov " $p1 ", {p1}";
            "mov " $p3 ", {p3}";
            "mov " $s0 ", " $l0;
            "mov " $s1 ", " $l1;
            "mov " $s2 ", " $l2;
            "mov " $s3 ", " $l3;
            "sub " $l0 ", -1";
            "sbb " $l1 ", " $p1;
            "sbb " $l2 ", 0";
            "sbb " $l3 ", " $p3;
            "sbb " $top ", 0";
            "cmovc " $l0 ", " $s0;
            "cmovc " $l1 ", " $s1;
            "cmovc " $l2 ", " $s2;
            "cmovc " $l3 ", " $s3;
        }
    };
}

/// Reduces the limbs r8 - r15 of a square to r8 - r11, modulo p. Clobbers rdi and all other
/// registers of the routines except rsi.
macro_rules! reduce_square {
    () => {
        concat!(
            // Fold the low half r8 - r11: the result in r8 - r11 is at most p.
            "mov edi, 32\n",
            fold!("r8", "r9", "r10", "r11", "rdi"),
            "adc r8, 0\n",
            fold!("r9", "r10", "r11", "r8", "rdi"),
            "adc r9, 0\n",
            fold!("r10", "r11", "r8", "r9", "rdi"),
            "adc r10, 0\n",
            fold!("r11", "r8", "r9", "r10", "rdi"),
            "adc r11, 0\n",
            // Add the high half, which is below p.
            "xor edi, edi\n",
            "add r8, r12\n",
            "adc r9, r13\n",
            "adc r10, r14\n",
            "adc r11, r15\n",
            "adc rdi, 0\n",
            subtract_prime_once!(
                ["r8", "r9", "r10", "r11", "rdi"],
                ["rax", "rcx", "rdx", "r12"],
                ["r13", "r14"]
            ),
        )
    };
}

impl Kernel<4> for P256AdxKernel {
    type Tag = Coordinate;

    #[inline(always)]
    fn modulus(self) -> &'static Modulus<4> {
        &PRIME
    }

    #[inline]
    fn mul(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        let (r0, r1, r2, r3);
        // SAFETY: the token proves that the CPU has BMI2 and ADX. The code reads the eight limbs
        // behind the two references, writes no memory, and every register it changes is an output.
        unsafe {
            asm!(
                // The value is r8 - r12; r13 holds 32. The value is below 2p < 2^257 and b_i a <
                // 2^64 p, so their sum is below 2^320: no carry leaves the highest limb of a row.
                "mov r13d, 32",
                first_row!(),
                fold_row!("r8", "r9", "r10", "r11", "r12"),
                "xor eax, eax",
                add_row!("8", "r9", "r10", "r11", "r12", "r8"),
                fold_row!("r9", "r10", "r11", "r12", "r8"),
                "xor eax, eax",
                add_row!("16", "r10", "r11", "r12", "r8", "r9"),
                fold_row!("r10", "r11", "r12", "r8", "r9"),
                "xor eax, eax",
                add_row!("24", "r11", "r12", "r8", "r9", "r10"),
                fold_row!("r11", "r12", "r8", "r9", "r10"),
                subtract_prime_once!(
                    ["r12", "r8", "r9", "r10", "r11"],
                    ["rax", "rcx", "rdx", "r13"],
                    ["rsi", "rdi"]
                ),
                p1 = const PRIME.prime()[1],
                p3 = const PRIME.prime()[3],
                inout("rsi") a.as_ptr() => _,
                inout("rdi") b.as_ptr() => _,
                out("rax") _, out("rcx") _, out("rdx") _,
                out("r8") r1, out("r9") r2, out("r10") r3, out("r11") _,
                out("r12") r0, out("r13") _,
                options(pure, readonly, nostack),
            );
        }
        [r0, r1, r2, r3]
    }

    #[inline]
    fn square(self, a: &[u64; 4]) -> [u64; 4] {
        // SAFETY: the token proves that the CPU has BMI2 and ADX. The code reads the four limbs
        // behind the reference, writes no memory, and every register it changes is an output.
        unsafe {
            on_limbs!(
                a;
                wide_square!(),
                reduce_square!(),
                p1 = const PRIME.prime()[1],
                p3 = const PRIME.prime()[3]
            )
        }
    }

    /// Squares `times` times in sequence, in registers. Through memory, a square on which the next
    /// one depends costs a third more.
    #[inline]
    fn square_often(self, a: &[u64; 4], times: usize) -> [u64; 4] {
        if times == 0 {
            return *a;
        }
        let (r0, r1, r2, r3);
        // SAFETY: the token proves that the CPU has BMI2 and ADX. The code reads the four limbs
        // behind the reference, writes no memory except what it pushes and pops again, and every
        // other register it changes is an output.
        unsafe {
            asm!(
                // The value is rsi, rdi, rbx and rbp. The top of the stack is the loop counter.
                "push rbx",
                "push rbp",
                "push rcx",
                "mov rdi, [rsi + 8]",
                "mov rbx, [rsi + 16]",
                "mov rbp, [rsi + 24]",
                "mov rsi, [rsi]",
                "2:",
                wide_square!("rsi", "rdi", "rbx", "rbp"),
                reduce_square!(),
                "mov rsi, r8",
                "mov rdi, r9",
                "mov rbx, r10",
                "mov rbp, r11",
                "dec qword ptr [rsp]",
                "jnz 2b",
                "pop rcx",
                "pop rbp",
                "pop rbx",
                p1 = const PRIME.prime()[1],
                p3 = const PRIME.prime()[3],
                inout("rsi") a.as_ptr() => _, inout("rcx") times => _,
                out("rdi") _, out("rax") _, out("rdx") _,
                out("r8") r0, out("r9") r1, out("r10") r2, out("r11") r3,
                out("r12") _, out("r13") _, out("r14") _, out("r15") _,
            );
        }
        [r0, r1, r2, r3]
    }

    /// `a + b mod p`: subtracts p if the sum, of five limbs, is at least p.
    #[inline(always)]
    fn add(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        let [mut r0, mut r1, mut r2, mut r3] = *a;
        // SAFETY: the code uses no memory, and every register it changes is an output.
        unsafe {
            asm!(
                "add {r0}, {b0}",
                "adc {r1}, {b1}",
                "adc {r2}, {b2}",
                "adc {r3}, {b3}",
                "mov {top:e}, 0",
                "adc {top}, 0",
                "mov {b0}, {r0}",
                "mov {b1}, {r1}",
                "mov {b2}, {r2}",
                "mov {b3}, {r3}",
                "sub {r0}, -1",
                "sbb {r1}, {p1}",
                "sbb {r2}, 0",
                "sbb {r3}, {p3}",
                "sbb {top}, 0",
                "cmovc {r0}, {b0}",
                "cmovc {r1}, {b1}",
                "cmovc {r2}, {b2}",
                "cmovc {r3}, {b3}",
                b0 = inout(reg) b[0] => _, b1 = inout(reg) b[1] => _,
                b2 = inout(reg) b[2] => _, b3 = inout(reg) b[3] => _,
                p1 = in(reg) PRIME.prime()[1],
                p3 = in(reg) PRIME.prime()[3],
                top = out(reg) _,
                r0 = inout(reg) r0, r1 = inout(reg) r1, r2 = inout(reg) r2, r3 = inout(reg) r3,
                options(pure, nomem, nostack),
            );
        }
        [r0, r1, r2, r3]
    }

    /// `a - b mod p`: adds p, masked by the borrow, if the difference is negative.
    #[inline(always)]
    fn sub(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        let [mut r0, mut r1, mut r2, mut r3] = *a;
        // SAFETY: the code uses no memory, and every register it changes is an output.
        unsafe {
            asm!(
                "sub {r0}, {b0}",
                "sbb {r1}, {b1}",
                "sbb {r2}, {b2}",
                "sbb {r3}, {b3}",
                // 2^64 - 1 after a borrow, otherwise 0: limb 0 of p and, in its low half, limb 1.
                "sbb {b0}, {b0}",
                "mov {b1:e}, {b0:e}",
                "and {p3}, {b0}",
                "add {r0}, {b0}",
                "adc {r1}, {b1}",
                "adc {r2}, 0",
                "adc {r3}, {p3}",
                b0 = inout(reg) b[0] => _, b1 = inout(reg) b[1] => _,
                b2 = in(reg) b[2], b3 = in(reg) b[3],
                p3 = inout(reg) PRIME.prime()[3] => _,
                r0 = inout(reg) r0, r1 = inout(reg) r1, r2 = inout(reg) r2, r3 = inout(reg) r3,
                options(pure, nomem, nostack),
            );
        }
        [r0, r1, r2, r3]
    }
}
