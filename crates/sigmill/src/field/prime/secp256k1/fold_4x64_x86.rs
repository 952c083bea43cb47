//! secp256k1, four limbs of 64 bits, x86-64 with MULX (BMI2), ADCX and ADOX (ADX).
//!
//! A product needs 16 MULX, a square 10, the reduction 5.

use core::arch::asm;

use super::{FOLD, PRIME};
use crate::cpu::Adx;
use crate::field::Coordinate;
use crate::field::prime::wide_4x64_x86::{on_limbs, wide_product, wide_square};
use crate::field::{Kernel, Modulus};

/// Products modulo the prime of secp256k1 on a CPU with BMI2 and ADX; the token is the proof.
#[derive(Clone, Copy, Debug)]
pub struct Secp256k1AdxKernel(Adx);

impl Secp256k1AdxKernel {
    /// Creates the kernel on a CPU that has the instructions.
    pub const fn new(proof: Adx) -> Self {
        Self(proof)
    }
}

/// Reduces the eight limbs r8 - r15 to their residue r8 - r11, below p, as the portable code does:
/// low + c high, with `top` above; plus (`top` + 1) c; minus c if that does not carry. Clobbers
/// rax, rcx, rdx and rdi.
macro_rules! fold {
    () => {
        concat!(
            "mov rdx, {c}\n",
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
            "inc rcx\n",
            "mulx rcx, rax, rcx\n",
            "add r8, rax\n",
            "adc r9, rcx\n",
            "adc r10, 0\n",
            "adc r11, 0\n",
            "cmovc rdx, rdi\n",
            "sub r8, rdx\n",
            "sbb r9, 0\n",
            "sbb r10, 0\n",
            "sbb r11, 0\n",
        )
    };
}

impl Kernel<4> for Secp256k1AdxKernel {
    type Tag = Coordinate;

    #[inline(always)]
    fn modulus(self) -> &'static Modulus<4> {
        &PRIME
    }

    #[inline(always)]
    fn mul(self, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        // SAFETY: the token proves that the CPU has BMI2 and ADX. The code reads the eight
        // limbs behind the two references, writes no memory, and every register it changes is
        // an output.
        unsafe {
            on_limbs!(
                a, b;
                wide_product!(),
                fold!(),
                c = const FOLD
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
                wide_square!(),
                fold!(),
                c = const FOLD
            )
        }
    }

    /// `a + b mod p`: adds c = 2^256 - p, and keeps that sum if either addition carries.
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
                "sbb {top}, {top}",
                "mov {b0}, {r0}",
                "mov {b1}, {r1}",
                "mov {b2}, {r2}",
                "mov {b3}, {r3}",
                "add {b0}, {c}",
                "adc {b1}, 0",
                "adc {b2}, 0",
                "adc {b3}, 0",
                // At most one of the two carries: `top` becomes 0 if neither did.
                "adc {top}, 0",
                "cmovnz {r0}, {b0}",
                "cmovnz {r1}, {b1}",
                "cmovnz {r2}, {b2}",
                "cmovnz {r3}, {b3}",
                b0 = inout(reg) b[0] => _, b1 = inout(reg) b[1] => _,
                b2 = inout(reg) b[2] => _, b3 = inout(reg) b[3] => _,
                c = in(reg) FOLD,
                top = out(reg) _,
                r0 = inout(reg) r0, r1 = inout(reg) r1, r2 = inout(reg) r2, r3 = inout(reg) r3,
                options(pure, nomem, nostack),
            );
        }
        [r0, r1, r2, r3]
    }

    /// `a - b mod p`: a borrow adds 2^256, which is c too much.
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
                "sbb {b0}, {b0}",
                "and {b0}, {c}",
                "sub {r0}, {b0}",
                "sbb {r1}, 0",
                "sbb {r2}, 0",
                "sbb {r3}, 0",
                b0 = inout(reg) b[0] => _,
                b1 = in(reg) b[1], b2 = in(reg) b[2], b3 = in(reg) b[3],
                c = in(reg) FOLD,
                r0 = inout(reg) r0, r1 = inout(reg) r1, r2 = inout(reg) r2, r3 = inout(reg) r3,
                options(pure, nomem, nostack),
            );
        }
        [r0, r1, r2, r3]
    }
}
