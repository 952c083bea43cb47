//! 2^255 - 19, four limbs of 64 bits, x86-64 with MULX (BMI2), ADCX and ADOX (ADX).
//!
//! The two carry chains of a row (ADCX for the low halves, ADOX for the high halves of the
//! products) do not wait for each other. A product takes 16 MULX, a square 10, the reduction 4 and
//! one short multiplication.

use core::arch::asm;

use super::FoldKernel;
use crate::cpu::Adx;

/// Products modulo 2^255 - 19 on a CPU with BMI2 and ADX, of which the token is the proof.
#[derive(Clone, Copy, Debug)]
pub struct C25519Adx(Adx);

impl C25519Adx {
    /// The kernel of a CPU that has the instructions.
    pub const fn new(proof: Adx) -> Self {
        Self(proof)
    }
}

/// Registers of all routines: rsi (and rdi) the operands, r8 - r15 the limbs of the product, rdx
/// the multiplier of MULX, rax and rcx the halves of a product.
///
/// One row of the product: limbs `$l0` to `$l4` += b_i a, with b_i at `rdi + $offset`; `$l4` is set.
/// A product of one limb by four, plus four limbs, is below 2^320: no carry leaves `$l4`.
macro_rules! row {
    ($offset:literal, $l0:literal, $l1:literal, $l2:literal, $l3:literal, $l4:literal, $l4d:literal) => {
        concat!(
            "xor ",
            $l4d,
            ", ",
            $l4d,
            "\n",
            "mov rdx, [rdi + ",
            $offset,
            "]\n",
            "mulx rcx, rax, [rsi]\n",
            "adcx ",
            $l0,
            ", rax\n",
            "adox ",
            $l1,
            ", rcx\n",
            "mulx rcx, rax, [rsi + 8]\n",
            "adcx ",
            $l1,
            ", rax\n",
            "adox ",
            $l2,
            ", rcx\n",
            "mulx rcx, rax, [rsi + 16]\n",
            "adcx ",
            $l2,
            ", rax\n",
            "adox ",
            $l3,
            ", rcx\n",
            "mulx rcx, rax, [rsi + 24]\n",
            "adcx ",
            $l3,
            ", rax\n",
            "adox ",
            $l4,
            ", rcx\n",
            "adc ",
            $l4,
            ", 0\n",
        )
    };
}

/// Takes the eight limbs r8 - r15 to r8 - r11: low + 38 high, then what is above bit 255 (at most
/// 77) times 19. The result is below 2^255 + 2^11.
macro_rules! fold {
    () => {
        concat!(
            "mov edx, 38\n",
            "xor edi, edi\n",
            "mulx rcx, rax, r12\n",
            "adcx r8, rax\n",
            "adox r9, rcx\n",
            "mulx rcx, rax, r13\n",
            "adcx r9, rax\n",
            "adox r10, rcx\n",
            "mulx rcx, rax, r14\n",
            "adcx r10, rax\n",
            "adox r11, rcx\n",
            "mulx rcx, rax, r15\n",
            "adcx r11, rax\n",
            "adox rcx, rdi\n",
            "adcx rcx, rdi\n",
            fold_above_255!(),
        )
    };
}

/// The limbs r8 - r11 and, above them, rcx: what is above bit 255 comes back times 19. Clobbers
/// rax.
macro_rules! fold_above_255 {
    () => {
        concat!(
            "shld rcx, r11, 1\n",
            "btr r11, 63\n",
            "imul rax, rcx, 19\n",
            "add r8, rax\n",
            "adc r9, 0\n",
            "adc r10, 0\n",
            "adc r11, 0\n",
        )
    };
}

#[inline(always)]
fn multiply(_: Adx, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let (r0, r1, r2, r3);
    // SAFETY: the token proves that the CPU has BMI2 and ADX; the code reads the eight limbs
    // behind the two references, writes no memory, and every register it changes is an output.
    unsafe {
        asm!(
            "mov rdx, [rdi]",
            "mulx r9, r8, [rsi]",
            "mulx r10, rax, [rsi + 8]",
            "add r9, rax",
            "mulx r11, rax, [rsi + 16]",
            "adc r10, rax",
            "mulx r12, rax, [rsi + 24]",
            "adc r11, rax",
            "adc r12, 0",
            row!("8", "r9", "r10", "r11", "r12", "r13", "r13d"),
            row!("16", "r10", "r11", "r12", "r13", "r14", "r14d"),
            row!("24", "r11", "r12", "r13", "r14", "r15", "r15d"),
            fold!(),
            in("rsi") a.as_ptr(),
            inout("rdi") b.as_ptr() => _,
            out("rax") _, out("rcx") _, out("rdx") _,
            out("r8") r0, out("r9") r1, out("r10") r2, out("r11") r3,
            out("r12") _, out("r13") _, out("r14") _, out("r15") _,
            options(pure, readonly, nostack),
        );
    }
    [r0, r1, r2, r3]
}

#[inline(always)]
fn square(_: Adx, a: &[u64; 4]) -> [u64; 4] {
    let (r0, r1, r2, r3);
    // SAFETY: the token proves that the CPU has BMI2 and ADX; the code reads the four limbs
    // behind the reference, writes no memory, and every register it changes is an output.
    unsafe {
        asm!(
            // Products of distinct limbs: r9 - r14.
            "mov rdx, [rsi]",
            "mulx r10, r9, [rsi + 8]",
            "mulx r11, rax, [rsi + 16]",
            "add r10, rax",
            "mulx r12, rax, [rsi + 24]",
            "adc r11, rax",
            "adc r12, 0",
            "mov rdx, [rsi + 8]",
            "mulx rcx, rax, [rsi + 16]",
            "add r11, rax",
            "adc r12, rcx",
            "mulx r13, rax, [rsi + 24]",
            "adc r13, 0",
            "add r12, rax",
            "mov rdx, [rsi + 16]",
            "mulx r14, rax, [rsi + 24]",
            "adc r13, rax",
            "adc r14, 0",
            // Twice (ADCX chain) plus the squares (ADOX chain).
            "xor r15d, r15d",
            "mov rdx, [rsi]",
            "mulx rcx, r8, rdx",
            "adcx r9, r9",
            "adox r9, rcx",
            "mov rdx, [rsi + 8]",
            "mulx rcx, rax, rdx",
            "adcx r10, r10",
            "adox r10, rax",
            "adcx r11, r11",
            "adox r11, rcx",
            "mov rdx, [rsi + 16]",
            "mulx rcx, rax, rdx",
            "adcx r12, r12",
            "adox r12, rax",
            "adcx r13, r13",
            "adox r13, rcx",
            "mov rdx, [rsi + 24]",
            "mulx rcx, rax, rdx",
            "adcx r14, r14",
            "adox r14, rax",
            "adcx r15, r15",
            "adox r15, rcx",
            fold!(),
            in("rsi") a.as_ptr(),
            out("rdi") _, out("rax") _, out("rcx") _, out("rdx") _,
            out("r8") r0, out("r9") r1, out("r10") r2, out("r11") r3,
            out("r12") _, out("r13") _, out("r14") _, out("r15") _,
            options(pure, readonly, nostack),
        );
    }
    [r0, r1, r2, r3]
}

#[inline(always)]
fn add_multiple(_: Adx, a: &[u64; 4], b: &[u64; 4], small: u64) -> [u64; 4] {
    let [mut r0, mut r1, mut r2, mut r3] = *a;
    // SAFETY: the token proves that the CPU has BMI2 and ADX; the code reads the four limbs
    // behind the reference, writes no memory, and every register it changes is an output.
    unsafe {
        asm!(
            "xor edi, edi",
            "mulx rcx, rax, [rsi]",
            "adcx r8, rax",
            "adox r9, rcx",
            "mulx rcx, rax, [rsi + 8]",
            "adcx r9, rax",
            "adox r10, rcx",
            "mulx rcx, rax, [rsi + 16]",
            "adcx r10, rax",
            "adox r11, rcx",
            "mulx rcx, rax, [rsi + 24]",
            "adcx r11, rax",
            "adox rcx, rdi",
            "adcx rcx, rdi",
            fold_above_255!(),
            in("rsi") b.as_ptr(),
            in("rdx") small,
            out("rdi") _, out("rax") _, out("rcx") _,
            inout("r8") r0, inout("r9") r1, inout("r10") r2, inout("r11") r3,
            options(pure, readonly, nostack),
        );
    }
    [r0, r1, r2, r3]
}

#[inline(always)]
fn sum(_: Adx, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let [mut r0, mut r1, mut r2, mut r3] = *a;
    // SAFETY: the code uses no memory, and every register it changes is an output.
    unsafe {
        asm!(
            "add {r0}, {b0}",
            "adc {r1}, {b1}",
            "adc {r2}, {b2}",
            "adc {r3}, {b3}",
            "sbb {b0}, {b0}",
            "and {b0:e}, 38",
            "add {r0}, {b0}",
            b0 = inout(reg) b[0] => _,
            b1 = in(reg) b[1], b2 = in(reg) b[2], b3 = in(reg) b[3],
            r0 = inout(reg) r0, r1 = inout(reg) r1, r2 = inout(reg) r2, r3 = inout(reg) r3,
            options(pure, nomem, nostack),
        );
    }
    [r0, r1, r2, r3]
}

#[inline(always)]
fn difference(_: Adx, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let [mut r0, mut r1, mut r2, mut r3] = *a;
    // SAFETY: the code uses no memory, and every register it changes is an output.
    unsafe {
        asm!(
            "sub {r0}, {b0}",
            "sbb {r1}, {b1}",
            "sbb {r2}, {b2}",
            "sbb {r3}, {b3}",
            "sbb {b0}, {b0}",
            "and {b0:e}, 38",
            "sub {r0}, {b0}",
            "sbb {r1}, 0",
            "sbb {r2}, 0",
            "sbb {r3}, 0",
            b0 = inout(reg) b[0] => _,
            b1 = in(reg) b[1], b2 = in(reg) b[2], b3 = in(reg) b[3],
            r0 = inout(reg) r0, r1 = inout(reg) r1, r2 = inout(reg) r2, r3 = inout(reg) r3,
            options(pure, nomem, nostack),
        );
    }
    [r0, r1, r2, r3]
}

impl FoldKernel for C25519Adx {
    #[inline(always)]
    fn mul(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        multiply(self.0, a, b)
    }

    #[inline(always)]
    fn square(self, a: &[u64; 4]) -> [u64; 4] {
        square(self.0, a)
    }

    #[inline(always)]
    fn add_multiple(self, a: &[u64; 4], b: &[u64; 4], small: u64) -> [u64; 4] {
        add_multiple(self.0, a, b, small)
    }

    #[inline(always)]
    fn sum(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        sum(self.0, a, b)
    }

    #[inline(always)]
    fn difference(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        difference(self.0, a, b)
    }
}
