//! Assembly text of products and squares of four 64-bit limbs into eight, for x86-64 with MULX
//! (BMI2), ADCX and ADOX (ADX). It serves fields that are reduced after the product. P-256 uses the
//! rows and reduces between them.
//!
//! The two carry chains of a row do not wait for each other: ADCX for the low halves of the
//! products, ADOX for the high halves. A product needs 16 MULX, a square 10.

/// Registers: rsi (and rdi) are the operands, r8 - r15 the limbs of the product, rdx the multiplier
/// of MULX, rax and rcx the halves of a product.
///
/// The first row of a product: r8 - r12 = b_0 a.
macro_rules! first_row {
    () => {
        concat!(
            "mov rdx, [rdi]\n",
            "mulx r9, r8, [rsi]\n",
            "mulx r10, rax, [rsi + 8]\n",
            "add r9, rax\n",
            "mulx r11, rax, [rsi + 16]\n",
            "adc r10, rax\n",
            "mulx r12, rax, [rsi + 24]\n",
            "adc r11, rax\n",
            "adc r12, 0\n",
        )
    };
}

pub(super) use first_row;

/// Another row: limbs `$l0` to `$l4` += b_i a, with b_i at `rdi + $offset`. The carry and overflow
/// flags are clear before. They are clear after if no carry leaves `$l4`.
macro_rules! add_row {
    ($offset:literal, $l0:literal, $l1:literal, $l2:literal, $l3:literal, $l4:literal) => {
        $crate::cpu::lines! {
            "mov rdx, [rdi + " $offset "]";
            "mulx rcx, rax, [rsi]";
            "adcx " $l0 ", rax";
            "adox " $l1 ", rcx";
            "mulx rcx, rax, [rsi + 8]";
            "adcx " $l1 ", rax";
            "adox " $l2 ", rcx";
            "mulx rcx, rax, [rsi + 16]";
            "adcx " $l2 ", rax";
            "adox " $l3 ", rcx";
            "mulx rcx, rax, [rsi + 24]";
            "adcx " $l3 ", rax";
            "adox " $l4 ", rcx";
            "adc " $l4 ", 0";
        }
    };
}

pub(super) use add_row;

/// The eight limbs r8 - r15 of the product of the four limbs behind rsi and the four behind rdi.
///
/// Each row sets its highest limb to zero, which clears the flags. The product of one limb and
/// four, plus four limbs, is below 2^320, so no carry leaves the highest limb.
macro_rules! wide_product {
    () => {
        concat!(
            $crate::field::prime::wide_4x64_x86::first_row!(),
            "xor r13d, r13d\n",
            $crate::field::prime::wide_4x64_x86::add_row!("8", "r9", "r10", "r11", "r12", "r13"),
            "xor r14d, r14d\n",
            $crate::field::prime::wide_4x64_x86::add_row!("16", "r10", "r11", "r12", "r13", "r14"),
            "xor r15d, r15d\n",
            $crate::field::prime::wide_4x64_x86::add_row!("24", "r11", "r12", "r13", "r14", "r15"),
        )
    };
}

pub(super) use wide_product;

/// The square of four limbs without the square of the highest limb, which is left in rdx. The limbs
/// are behind rsi, or in four registers that are not used here. On output, r8 - r13 are limbs of
/// the square, r14 is still to be doubled, r15 is zero, and the flags hold the carries of both
/// chains.
macro_rules! square_below_top {
    () => {
        $crate::field::prime::wide_4x64_x86::square_below_top!(
            "[rsi]",
            "[rsi + 8]",
            "[rsi + 16]",
            "[rsi + 24]"
        )
    };
    ($a0:literal, $a1:literal, $a2:literal, $a3:literal) => {
        $crate::cpu::lines! {
            // Products of distinct limbs: r9 - r14.
            "mov rdx, " $a0;
            "mulx r10, r9, " $a1;
            "mulx r11, rax, " $a2;
            "add r10, rax";
            "mulx r12, rax, " $a3;
            "adc r11, rax";
            "adc r12, 0";
            "mov rdx, " $a1;
            "mulx rcx, rax, " $a2;
            "add r11, rax";
            "adc r12, rcx";
            "mulx r13, rax, " $a3;
            "adc r13, 0";
            "add r12, rax";
            "mov rdx, " $a2;
            "mulx r14, rax, " $a3;
            "adc r13, rax";
            "adc r14, 0";
            // Doubling (ADCX chain) plus the squares (ADOX chain).
            "xor r15d, r15d";
            "mov rdx, " $a0;
            "mulx rcx, r8, rdx";
            "adcx r9, r9";
            "adox r9, rcx";
            "mov rdx, " $a1;
            "mulx rcx, rax, rdx";
            "adcx r10, r10";
            "adox r10, rax";
            "adcx r11, r11";
            "adox r11, rcx";
            "mov rdx, " $a2;
            "mulx rcx, rax, rdx";
            "adcx r12, r12";
            "adox r12, rax";
            "adcx r13, r13";
            "adox r13, rcx";
            "mov rdx, " $a3;
        }
    };
}

pub(super) use square_below_top;

/// The eight limbs r8 - r15 of the square of four limbs, behind rsi or in four registers.
macro_rules! wide_square {
    ($($a:literal),*) => {
        concat!(
            $crate::field::prime::wide_4x64_x86::square_below_top!($($a),*),
            "mulx rcx, rax, rdx\n",
            "adcx r14, r14\n",
            "adox r14, rax\n",
            "adcx r15, r15\n",
            "adox r15, rcx\n",
        )
    };
}

pub(super) use wide_square;

/// Runs assembly on the four limbs of `$a`, behind rsi, and of `$b` if present, behind rdi. Returns
/// r8 - r11.
///
/// # Safety
/// The CPU has the instructions. The code reads no memory except these limbs, writes none, and
/// changes no register except rax, rcx, rdx, rdi and r8 - r15.
macro_rules! on_limbs {
    ($a:ident; $($code:tt)*) => {
        $crate::field::prime::wide_4x64_x86::on_limbs!(
            [in("rsi") $a.as_ptr(), out("rdi") _] $($code)*
        )
    };
    ($a:ident, $b:ident; $($code:tt)*) => {
        $crate::field::prime::wide_4x64_x86::on_limbs!(
            [in("rsi") $a.as_ptr(), inout("rdi") $b.as_ptr() => _] $($code)*
        )
    };
    ([$($operands:tt)*] $($code:tt)*) => {{
        let (r0, r1, r2, r3);
        core::arch::asm!(
            $($code)*,
            $($operands)*,
            out("rax") _, out("rcx") _, out("rdx") _,
            out("r8") r0, out("r9") r1, out("r10") r2, out("r11") r3,
            out("r12") _, out("r13") _, out("r14") _, out("r15") _,
            options(pure, readonly, nostack),
        );
        [r0, r1, r2, r3]
    }};
}

pub(super) use on_limbs;
