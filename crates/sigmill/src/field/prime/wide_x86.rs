//! Products and squares of nine limbs of 64 bits in eighteen, by rows with MULX (BMI2), ADCX and
//! ADOX (ADX).

use core::arch::asm;

use super::LimbCount;
use crate::cpu::Adx;
use crate::limbs::array_from_fn;

/// The lower and the upper nine limbs of `a b`: 81 MULX.
#[inline(always)]
pub(super) fn wide_product(proof: Adx, a: &[u64; 9], b: &[u64; 9]) -> [[u64; 9]; 2] {
    let (mut low, mut high) = ([0; 9], [0; 9]);
    for (low, &limb) in low.iter_mut().zip(a) {
        let above = high.add_multiple(proof, b, limb);
        *low = high[0];
        high = array_from_fn(|i| if i < 8 { high[i + 1] } else { above });
    }
    [low, high]
}

/// The lower and the upper nine limbs of `a^2`: 45 MULX.
#[inline(always)]
pub(super) fn wide_square(proof: Adx, a: &[u64; 9]) -> [[u64; 9]; 2] {
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

/// Adds the products of one limb of `a` by the `ABOVE` limbs above it, each in its place. No row
/// before has set the highest place.
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

/// From the sum of the products of distinct limbs to the square: twice (ADCX chain), plus the
/// squares on the diagonal (ADOX chain).
#[inline(always)]
fn double_and_add_squares(_: Adx, t: &mut [u64; 18], a: &[u64; 9]) {
    macro_rules! limbs {
        ($($i:literal)*) => {
            // SAFETY: the token proves that the CPU has BMI2 and ADX; the code reads the nine limbs
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
