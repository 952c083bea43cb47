//! 2^255 - 19, four limbs of 64 bits, x86-64 with MULX (BMI2), ADCX and ADOX (ADX).
//!
//! A product needs 16 MULX, a square 10, the reduction 4 and two short multiplications.

use core::arch::asm;

use super::FoldKernel;
use crate::cpu::Adx;
use crate::field::prime::wide_4x64_x86::{add_row, first_row, on_limbs, square_below_top};

/// Products modulo 2^255 - 19 on a CPU with BMI2 and ADX; the token is the proof.
#[derive(Clone, Copy, Debug)]
pub struct C25519Adx(Adx);

impl C25519Adx {
    /// Creates the kernel on a CPU that has the instructions.
    pub const fn new(proof: Adx) -> Self {
        Self(proof)
    }
}

/// The last row of a product: limbs r11 - r14 += b_3 a. On output, rdi holds the high half of a_3
/// b_3, and r15 the carries that are still to be added to it.
macro_rules! top_row {
    () => {
        concat!(
            "xor r15d, r15d\n",
            "mov rdx, [rdi + 24]\n",
            "mulx rcx, rax, [rsi]\n",
            "adcx r11, rax\n",
            "adox r12, rcx\n",
            "mulx rcx, rax, [rsi + 8]\n",
            "adcx r12, rax\n",
            "adox r13, rcx\n",
            "mulx rcx, rax, [rsi + 16]\n",
            "adcx r13, rax\n",
            "adox r14, rcx\n",
            "mulx rdi, rax, [rsi + 24]\n",
            "mov ecx, 0\n",
            "adcx r14, rax\n",
            "adcx r15, rcx\n",
            "adox r15, rcx\n",
        )
    };
}

/// The square of the highest limb, rdx, after the text for the limbs below it. On output, rdi is
/// its high half, and r15 the carries that are still to be added to it.
macro_rules! top_square {
    () => {
        concat!(
            "mulx rdi, rax, rdx\n",
            "mov ecx, 0\n",
            "adcx r14, r14\n",
            "adox r14, rax\n",
            "adcx r15, rcx\n",
            "adox r15, rcx\n",
        )
    };
}

/// Reduces the limbs r8 - r14 and, above them, rdi + r15, where r15 is at most 2, to r8 - r11:
/// low + 38 high.
///
/// The part above bit 255 is added back times 19. It waits for no carry: it is taken from r11 + 38
/// rdi, which leaves r11 below 2^63, and less than 79 above it. After that, r11 grows by 38 r15,
/// the high half of 38 r14, and a carry of each chain: 76 + 37 + 2 at most. The result is below
/// 2^255 + 2^199.
macro_rules! fold {
    () => {
        concat!(
            "mov edx, 38\n",
            "mulx rcx, rax, rdi\n",
            "imul r15d, r15d, 38\n",
            "add r11, rax\n",
            "adc rcx, 0\n",
            take_above_255!(),
            "mulx r12, rax, r12\n",
            "adcx r8, rax\n",
            "adox r8, rcx\n",
            "mulx r13, rax, r13\n",
            "adcx r9, rax\n",
            "adox r9, r12\n",
            "mulx r14, rax, r14\n",
            "adcx r10, rax\n",
            "adox r10, r13\n",
            "adcx r11, r15\n",
            "adox r11, r14\n",
        )
    };
}

/// Splits r11 and rcx at bit 63 of r11: r11 keeps the part below, and rcx becomes 19 times the part
/// above. Clears eax and the flags.
macro_rules! take_above_255 {
    () => {
        concat!(
            "add r11, r11\n",
            "adc rcx, rcx\n",
            "shr r11, 1\n",
            "imul ecx, ecx, 19\n",
            "xor eax, eax\n",
        )
    };
}

/// a + b or a - b, by the instructions for the lowest limb and for the others. A carry or borrow
/// counts as 38, added or subtracted by the same instructions.
macro_rules! combine {
    ($first:literal, $next:literal, $a:ident, $b:ident) => {{
        let [mut r0, mut r1, mut r2, mut r3] = *$a;
        // SAFETY: the code uses no memory, and every register it changes is an output.
        unsafe {
            asm!(
                concat!($first, " {r0}, {b0}"),
                concat!($next, " {r1}, {b1}"),
                concat!($next, " {r2}, {b2}"),
                concat!($next, " {r3}, {b3}"),
                "sbb {b0}, {b0}",
                "and {b0:e}, 38",
                concat!($first, " {r0}, {b0}"),
                concat!($next, " {r1}, 0"),
                concat!($next, " {r2}, 0"),
                concat!($next, " {r3}, 0"),
                b0 = inout(reg) $b[0] => _,
                b1 = in(reg) $b[1], b2 = in(reg) $b[2], b3 = in(reg) $b[3],
                r0 = inout(reg) r0, r1 = inout(reg) r1, r2 = inout(reg) r2, r3 = inout(reg) r3,
                options(pure, nomem, nostack),
            );
        }
        [r0, r1, r2, r3]
    }};
}

impl FoldKernel for C25519Adx {
    #[inline(always)]
    fn mul(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        // SAFETY: the token proves that the CPU has BMI2 and ADX. The code reads the eight limbs
        // behind the two references, writes no memory, and every register it changes is an output.
        unsafe {
            on_limbs!(
                a, b;
                first_row!(),
                "xor r13d, r13d",
                add_row!("8", "r9", "r10", "r11", "r12", "r13"),
                "xor r14d, r14d",
                add_row!("16", "r10", "r11", "r12", "r13", "r14"),
                top_row!(),
                fold!()
            )
        }
    }

    #[inline(always)]
    fn square(self, a: &[u64; 4]) -> [u64; 4] {
        // SAFETY: the token proves that the CPU has BMI2 and ADX. The code reads the four limbs
        // behind the reference, writes no memory, and every register it changes is an output.
        unsafe {
            on_limbs!(
                a;
                square_below_top!(),
                top_square!(),
                fold!()
            )
        }
    }

    /// `r11 + small b_3` is reduced below bit 255 as in `fold`. The high half of `small b_2` and a
    /// carry of each chain are added after that, so the result is below 2^255 + 2^209 + 2^194.
    #[inline(always)]
    fn add_multiple(self, a: &[u64; 4], b: &[u64; 4], small: u64) -> [u64; 4] {
        let [mut r0, mut r1, mut r2, mut r3] = *a;
        // SAFETY: the token proves that the CPU has BMI2 and ADX. The code reads the four limbs
        // behind the reference, writes no memory, and every register it changes is an output.
        unsafe {
            asm!(
                "mulx rcx, rax, [rsi + 24]",
                "add r11, rax",
                "adc rcx, 0",
                take_above_255!(),
                "mulx r12, rax, [rsi]",
                "adcx r8, rax",
                "adox r8, rcx",
                "mulx r13, rax, [rsi + 8]",
                "adcx r9, rax",
                "adox r9, r12",
                "mulx r14, rax, [rsi + 16]",
                "mov ecx, 0",
                "adcx r10, rax",
                "adox r10, r13",
                "adcx r11, rcx",
                "adox r11, r14",
                in("rsi") b.as_ptr(),
                in("rdx") small,
                out("rax") _, out("rcx") _, out("r12") _, out("r13") _, out("r14") _,
                inout("r8") r0, inout("r9") r1, inout("r10") r2, inout("r11") r3,
                options(pure, readonly, nostack),
            );
        }
        [r0, r1, r2, r3]
    }

    #[inline(always)]
    fn sum(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        combine!("add", "adc", a, b)
    }

    #[inline(always)]
    fn difference(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        combine!("sub", "sbb", a, b)
    }

    /// `a` if `choice` is not zero, otherwise `b`. A conditional move costs the same time either
    /// way.
    #[inline(always)]
    fn choose(self, choice: u64, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        let [mut r0, mut r1, mut r2, mut r3] = *b;
        // SAFETY: the code uses no memory, and every register it changes is an output.
        unsafe {
            asm!(
                "test {choice}, {choice}",
                "cmovnz {r0}, {a0}",
                "cmovnz {r1}, {a1}",
                "cmovnz {r2}, {a2}",
                "cmovnz {r3}, {a3}",
                choice = in(reg) choice,
                a0 = in(reg) a[0], a1 = in(reg) a[1], a2 = in(reg) a[2], a3 = in(reg) a[3],
                r0 = inout(reg) r0, r1 = inout(reg) r1, r2 = inout(reg) r2, r3 = inout(reg) r3,
                options(pure, nomem, nostack),
            );
        }
        [r0, r1, r2, r3]
    }
}
