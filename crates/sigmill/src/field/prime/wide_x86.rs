//! Double-length products and squares of six and nine 64-bit limbs, in rows with MULX (BMI2), ADCX
//! and ADOX (ADX), for primes that are reduced after the product.

use core::arch::asm;

use super::LimbCount;
use crate::cpu::Adx;
use crate::limbs::array_from_fn;

/// The lower and the upper `N` limbs of `a b`: N^2 MULX.
#[inline(always)]
pub(super) fn wide_product<const N: usize>(proof: Adx, a: &[u64; N], b: &[u64; N]) -> [[u64; N]; 2]
where
    [u64; N]: LimbCount,
{
    let (mut low, mut high) = ([0; N], [0; N]);
    for (i, (low, &limb)) in low.iter_mut().zip(a).enumerate() {
        let above;
        if i == 0 {
            (high, above) = <[u64; N]>::multiple(proof, b, limb);
        } else {
            above = high.add_multiple(proof, b, limb);
        }
        *low = high[0];
        high = array_from_fn(|i| if i + 1 < N { high[i + 1] } else { above });
    }
    [low, high]
}

/// The lower and the upper nine limbs of `a^2`: 45 MULX.
#[inline(always)]
pub(super) fn square_of_nine(proof: Adx, a: &[u64; 9]) -> [[u64; 9]; 2] {
    let mut t = [0; 18];
    add_row::<8>(proof, &mut t, a);
    add_row::<7>(proof, &mut t, a);
    add_row::<6>(proof, &mut t, a);
    add_row::<5>(proof, &mut t, a);
    add_row::<4>(proof, &mut t, a);
    add_row::<3>(proof, &mut t, a);
    add_row::<2>(proof, &mut t, a);
    add_row::<1>(proof, &mut t, a);
    double_and_add_squares(proof, &mut t, a);
    let half = |start: usize| array_from_fn(|i| t[start + i]);
    [half(0), half(9)]
}

/// Adds the products of one limb of `a` and the `ABOVE` limbs above it, each in its place. No
/// earlier row has set the highest place.
#[inline(always)]
fn add_row<const ABOVE: usize>(proof: Adx, t: &mut [u64; 18], a: &[u64; 9])
where
    [u64; ABOVE]: LimbCount,
{
    let i = 8 - ABOVE;
    let row: &mut [u64; ABOVE] = (&mut t[2 * i + 1..][..ABOVE]).try_into().expect("a row");
    let above = a[i + 1..].try_into().expect("the limbs above");
    t[i + 9] = row.add_multiple(proof, above, a[i]);
}

/// Turns the sum of the products of distinct limbs into the square: doubles it (ADCX chain) and
/// adds the squares on the diagonal (ADOX chain).
#[inline(always)]
fn double_and_add_squares(_: Adx, t: &mut [u64; 18], a: &[u64; 9]) {
    macro_rules! limbs {
        ($($i:literal)*) => {
            // SAFETY: the token proves that the CPU has BMI2 and ADX. The code reads the nine limbs
            // behind one reference, reads and writes the eighteen behind the other, and every
            // register it changes is an output.
            unsafe {
                asm!(
                    "xor {twice:e}, {twice:e}",
                    $(
                        concat!("mov rdx, [{a} + 8 * ", $i, "]"),
                        "mulx {high}, {low}, rdx",
                        concat!("mov {twice}, [{t} + 16 * ", $i, "]"),
                        "adcx {twice}, {twice}",
                        "adox {twice}, {low}",
                        concat!("mov [{t} + 16 * ", $i, "], {twice}"),
                        concat!("mov {twice}, [{t} + 16 * ", $i, " + 8]"),
                        "adcx {twice}, {twice}",
                        "adox {twice}, {high}",
                        concat!("mov [{t} + 16 * ", $i, " + 8], {twice}"),
                    )*
                    a = in(reg) a.as_ptr(),
                    t = in(reg) t.as_mut_ptr(),
                    low = out(reg) _,
                    high = out(reg) _,
                    twice = out(reg) _,
                    out("rdx") _,
                    options(nostack),
                );
            }
        };
    }
    limbs!(0 1 2 3 4 5 6 7 8);
}

/// The lower and the upper six limbs of `a^2`: 21 MULX. Six limbs fit in registers.
///
/// Registers: rsi is the operand, rdx the multiplier of MULX, rax and rcx the halves of a product.
/// r8 to r15, rdi and rcx are limbs 1 to 10. At the end, rsi and rdx are limbs 0 and 11.
#[inline(always)]
pub(super) fn square_of_six(_: Adx, a: &[u64; 6]) -> [[u64; 6]; 2] {
    let (mut low, mut high) = ([0; 6], [0; 6]);
    // SAFETY: the token proves that the CPU has BMI2 and ADX. The code reads the six limbs behind
    // the reference, writes no memory, and every register it changes is an output.
    unsafe {
        asm!(
            // The products of distinct limbs: limbs 1 to 6 of the sum,
            "mov rdx, [rsi]",
            "mulx r9, r8, [rsi + 8]",
            "mulx r10, rax, [rsi + 16]",
            "add r9, rax",
            "mulx r11, rax, [rsi + 24]",
            "adc r10, rax",
            "mulx r12, rax, [rsi + 32]",
            "adc r11, rax",
            "mulx r13, rax, [rsi + 40]",
            "adc r12, rax",
            "adc r13, 0",
            // 3 to 7,
            "mov rdx, [rsi + 8]",
            "xor r14d, r14d",
            "mulx rcx, rax, [rsi + 16]",
            "adcx r10, rax",
            "adox r11, rcx",
            "mulx rcx, rax, [rsi + 24]",
            "adcx r11, rax",
            "adox r12, rcx",
            "mulx rcx, rax, [rsi + 32]",
            "adcx r12, rax",
            "adox r13, rcx",
            "mulx rcx, rax, [rsi + 40]",
            "adcx r13, rax",
            "adox r14, rcx",
            "adc r14, 0",
            // 5 to 8,
            "mov rdx, [rsi + 16]",
            "xor r15d, r15d",
            "mulx rcx, rax, [rsi + 24]",
            "adcx r12, rax",
            "adox r13, rcx",
            "mulx rcx, rax, [rsi + 32]",
            "adcx r13, rax",
            "adox r14, rcx",
            "mulx rcx, rax, [rsi + 40]",
            "adcx r14, rax",
            "adox r15, rcx",
            "adc r15, 0",
            // 7 to 9,
            "mov rdx, [rsi + 24]",
            "xor edi, edi",
            "mulx rcx, rax, [rsi + 32]",
            "adcx r14, rax",
            "adox r15, rcx",
            "mulx rcx, rax, [rsi + 40]",
            "adcx r15, rax",
            "adox rdi, rcx",
            "adc rdi, 0",
            // 9 and 10.
            "mov rdx, [rsi + 32]",
            "mulx rcx, rax, [rsi + 40]",
            "add rdi, rax",
            "adc rcx, 0",
            // Doubling (ADCX chain) plus the squares on the diagonal (ADOX chain).
            "xor eax, eax",
            "mov rdx, [rsi]",
            "mulx rdx, rax, rdx",
            "movq {low}, rax",
            "adcx r8, r8",
            "adox r8, rdx",
            "mov rdx, [rsi + 8]",
            "mulx rdx, rax, rdx",
            "adcx r9, r9",
            "adox r9, rax",
            "adcx r10, r10",
            "adox r10, rdx",
            "mov rdx, [rsi + 16]",
            "mulx rdx, rax, rdx",
            "adcx r11, r11",
            "adox r11, rax",
            "adcx r12, r12",
            "adox r12, rdx",
            "mov rdx, [rsi + 24]",
            "mulx rdx, rax, rdx",
            "adcx r13, r13",
            "adox r13, rax",
            "adcx r14, r14",
            "adox r14, rdx",
            "mov rdx, [rsi + 32]",
            "mulx rdx, rax, rdx",
            "adcx r15, r15",
            "adox r15, rax",
            "adcx rdi, rdi",
            "adox rdi, rdx",
            "mov rdx, [rsi + 40]",
            "mulx rdx, rax, rdx",
            "adcx rcx, rcx",
            "adox rcx, rax",
            "mov eax, 0",
            "adcx rdx, rax",
            "adox rdx, rax",
            "movq rsi, {low}",
            inout("rsi") a.as_ptr() => low[0],
            out("r8") low[1],
            out("r9") low[2],
            out("r10") low[3],
            out("r11") low[4],
            out("r12") low[5],
            out("r13") high[0],
            out("r14") high[1],
            out("r15") high[2],
            out("rdi") high[3],
            out("rcx") high[4],
            out("rdx") high[5],
            out("rax") _,
            low = out(xmm_reg) _,
            options(pure, readonly, nostack),
        );
    }
    [low, high]
}
