//! 2^255 - 19, four limbs of 64 bits, x86-64 with MULX (BMI2), ADCX and ADOX (ADX).
//!
//! A product takes 16 MULX, a square 10, the reduction 4 and one short multiplication.

use core::arch::asm;

use super::FoldKernel;
use crate::cpu::Adx;
use crate::field::prime::wide_4x64_x86::products;

/// Products modulo 2^255 - 19 on a CPU with BMI2 and ADX, of which the token is the proof.
#[derive(Clone, Copy, Debug)]
pub struct C25519Adx(Adx);

impl C25519Adx {
    /// The kernel of a CPU that has the instructions.
    pub const fn new(proof: Adx) -> Self {
        Self(proof)
    }
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

products!(fold);

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
