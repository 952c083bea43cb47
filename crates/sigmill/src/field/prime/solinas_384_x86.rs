//! Reduction of products modulo the prime of P-384 on x86-64, in assembly: the carries are not left
//! to the compiler.

use core::arch::asm;

use super::solinas_384::{self, Limbs};
use super::wide_x86::square_of_six;
use crate::cpu::{Adx, lines};

/// One step of `solinas_384::step`. The limb `$t0` becomes q, and then the highest limb of the
/// result. r14 holds 32. Clobbers rax, rcx, rdx and the flags.
macro_rules! step {
    ($t0:literal, $t1:literal, $t2:literal, $t3:literal, $t4:literal, $t5:literal) => {
        lines! {
            "mov rax, " $t0;
            "shl rax, 32";
            "add " $t0 ", rax";
            "shrx rcx, " $t0 ", r14";
            "sbb rax, rcx";
            "sbb rcx, 0";
            "add rcx, " $t0;
            "mov edx, 0";
            "adc edx, 0";
            "sub " $t1 ", rax";
            "sbb " $t2 ", rcx";
            "sbb " $t3 ", rdx";
            "sbb " $t4 ", 0";
            "sbb " $t5 ", 0";
            "sbb " $t0 ", 0";
        }
    };
}

/// Six steps plus the upper half: the result is r8 to r13 and the carry.
macro_rules! sum {
    () => {
        concat!(
            "mov r14d, 32\n",
            step!("r8", "r9", "r10", "r11", "r12", "r13"),
            step!("r9", "r10", "r11", "r12", "r13", "r8"),
            step!("r10", "r11", "r12", "r13", "r8", "r9"),
            step!("r11", "r12", "r13", "r8", "r9", "r10"),
            step!("r12", "r13", "r8", "r9", "r10", "r11"),
            step!("r13", "r8", "r9", "r10", "r11", "r12"),
            "add r8, [rsi]\n",
            "adc r9, [rsi + 8]\n",
            "adc r10, [rsi + 16]\n",
            "adc r11, [rsi + 24]\n",
            "adc r12, [rsi + 32]\n",
            "adc r13, [rsi + 40]\n",
        )
    };
}

/// Same as `solinas_384::reduce`, with SHRX (BMI2).
#[inline(always)]
pub(super) fn reduce(_: Adx, [low, high]: &[Limbs; 2]) -> Limbs {
    let (r0, r1, r2, r3, r4, r5);
    // SAFETY: the token proves that the CPU has BMI2. The code reads the six limbs behind the
    // reference, writes no memory, and every register it changes is an output.
    unsafe {
        asm!(
            sum!(),
            "mov eax, 0",
            "adc eax, 0",
            // Add 2^384 - p. The value is at least p if and only if this or the previous sum
            // carries.
            "mov rcx, 0xffffffff00000001",
            "mov edx, 0xffffffff",
            "mov r14d, 1",
            "mov r15d, 0",
            "mov esi, 0",
            "mov edi, 0",
            "add rcx, r8",
            "adc rdx, r9",
            "adc r14, r10",
            "adc r15, r11",
            "adc rsi, r12",
            "adc rdi, r13",
            "adc eax, 0",
            "cmovnz r8, rcx",
            "cmovnz r9, rdx",
            "cmovnz r10, r14",
            "cmovnz r11, r15",
            "cmovnz r12, rsi",
            "cmovnz r13, rdi",
            inout("r8") low[0] => r0,
            inout("r9") low[1] => r1,
            inout("r10") low[2] => r2,
            inout("r11") low[3] => r3,
            inout("r12") low[4] => r4,
            inout("r13") low[5] => r5,
            inout("rsi") high.as_ptr() => _,
            out("rax") _,
            out("rcx") _,
            out("rdx") _,
            out("rdi") _,
            out("r14") _,
            out("r15") _,
            options(pure, readonly, nostack),
        );
    }
    [r0, r1, r2, r3, r4, r5]
}

/// `t / R` modulo p for any t = `low` + R `high` that is a product of integers below 2^384. The
/// result is below 2^384, but not always below p.
///
/// Six steps reduce `low` to at most p, so a sum that carries is at most p + 2^384 - 1. Minus p, it
/// is below 2^384.
#[inline(always)]
pub(super) fn reduce_loosely(_: Adx, [low, high]: &[Limbs; 2]) -> Limbs {
    let (r0, r1, r2, r3, r4, r5);
    // SAFETY: as above.
    unsafe {
        asm!(
            sum!(),
            // Add 2^384 - p after a carry.
            "sbb rax, rax",
            "mov rcx, 0xffffffff00000001",
            "and rcx, rax",
            "mov edx, eax",
            "neg rax",
            "add r8, rcx",
            "adc r9, rdx",
            "adc r10, rax",
            "adc r11, 0",
            "adc r12, 0",
            "adc r13, 0",
            inout("r8") low[0] => r0,
            inout("r9") low[1] => r1,
            inout("r10") low[2] => r2,
            inout("r11") low[3] => r3,
            inout("r12") low[4] => r4,
            inout("r13") low[5] => r5,
            in("rsi") high.as_ptr(),
            out("rax") _,
            out("rcx") _,
            out("rdx") _,
            out("r14") _,
            options(pure, readonly, nostack),
        );
    }
    [r0, r1, r2, r3, r4, r5]
}

/// Squares `times` times in sequence, for a below p. Intermediate values are below 2^384; only the
/// last one is reduced below p.
#[inline(always)]
pub(super) fn square_often(proof: Adx, a: &Limbs, times: usize) -> Limbs {
    let mut a = *a;
    for _ in 0..times {
        a = reduce_loosely(proof, &square_of_six(proof, &a));
    }
    solinas_384::reduce_once(&a)
}
