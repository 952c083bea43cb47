//! The generic Montgomery product on x86-64 with MULX (BMI2), ADCX and ADOX (ADX), in rows of one
//! to nine limbs.

use core::arch::asm;

use super::LimbCount;
use crate::cpu::Adx;
use crate::field::Modulus;
use crate::field::modulus::reduce_once;
use crate::limbs::{add_with_carry, array_from_fn};

/// The two carry chains meet in the limb above: ADCX for the low halves of the products, ADOX for
/// the high halves.
macro_rules! impl_row {
    ($limbs:literal, $(($t:ident, $i:literal, $next:literal)),*; $last:ident, $last_i:literal) => {
        impl LimbCount for [u64; $limbs] {
            #[inline(always)]
            fn multiple(_: Adx, a: &Self, m: u64) -> (Self, u64) {
                let mut multiple = [0; $limbs];
                let above;
                // SAFETY: the token proves that the CPU has BMI2. The code reads the limbs behind
                // the reference, writes no memory, and every register it changes is an output.
                unsafe {
                    asm!(
                        "xor {t0:e}, {t0:e}",
                        $(
                            concat!("mulx {t", $next, "}, {low}, [{a} + 8 * ", $i, "]"),
                            concat!("adc {", stringify!($t), "}, {low}"),
                        )*
                        concat!("mulx {high}, {low}, [{a} + 8 * ", $last_i, "]"),
                        concat!("adc {", stringify!($last), "}, {low}"),
                        "adc {high}, 0",
                        a = in(reg) a.as_ptr(),
                        low = out(reg) _,
                        high = out(reg) above,
                        $($t = out(reg) multiple[$i],)*
                        $last = out(reg) multiple[$last_i],
                        in("rdx") m,
                        options(pure, readonly, nostack),
                    );
                }
                (multiple, above)
            }

            #[inline(always)]
            fn add_multiple(&mut self, _: Adx, a: &Self, m: u64) -> u64 {
                let above;
                // SAFETY: the token proves that the CPU has BMI2 and ADX. The code reads the limbs
                // behind the reference, writes no memory, and every register it changes is an
                // output.
                unsafe {
                    asm!(
                        "xor {low:e}, {low:e}",
                        $(
                            concat!("mulx {high}, {low}, [{a} + 8 * ", $i, "]"),
                            concat!("adcx {", stringify!($t), "}, {low}"),
                            concat!("adox {t", $next, "}, {high}"),
                        )*
                        concat!("mulx {high}, {low}, [{a} + 8 * ", $last_i, "]"),
                        concat!("adcx {", stringify!($last), "}, {low}"),
                        "mov {low:e}, 0",
                        "adcx {high}, {low}",
                        "adox {high}, {low}",
                        a = in(reg) a.as_ptr(),
                        low = out(reg) _,
                        high = out(reg) above,
                        $($t = inout(reg) self[$i],)*
                        $last = inout(reg) self[$last_i],
                        in("rdx") m,
                        options(pure, readonly, nostack),
                    );
                }
                above
            }
        }
    };
}

impl_row!(1, ; t0, 0);
impl_row!(2, (t0, 0, 1); t1, 1);
impl_row!(3, (t0, 0, 1), (t1, 1, 2); t2, 2);
impl_row!(4, (t0, 0, 1), (t1, 1, 2), (t2, 2, 3); t3, 3);
impl_row!(5, (t0, 0, 1), (t1, 1, 2), (t2, 2, 3), (t3, 3, 4); t4, 4);
impl_row!(6, (t0, 0, 1), (t1, 1, 2), (t2, 2, 3), (t3, 3, 4), (t4, 4, 5); t5, 5);
impl_row!(7, (t0, 0, 1), (t1, 1, 2), (t2, 2, 3), (t3, 3, 4), (t4, 4, 5), (t5, 5, 6); t6, 6);
impl_row!(
    8,
    (t0, 0, 1), (t1, 1, 2), (t2, 2, 3), (t3, 3, 4), (t4, 4, 5), (t5, 5, 6), (t6, 6, 7); t7, 7
);
impl_row!(
    9,
    (t0, 0, 1), (t1, 1, 2), (t2, 2, 3), (t3, 3, 4), (t4, 4, 5), (t5, 5, 6), (t6, 6, 7),
    (t7, 7, 8); t8, 8
);

/// a b / R mod p for R = 2^(64 N), by coarsely integrated operand scanning. The portable code has
/// the argument for the bounds.
#[inline(always)]
pub(super) fn multiply<const N: usize>(
    proof: Adx,
    modulus: &Modulus<N>,
    a: &[u64; N],
    b: &[u64; N],
) -> [u64; N]
where
    [u64; N]: LimbCount,
{
    let mut t = [0; N];
    let mut top = 0;
    for &limb in a {
        let carry = t.add_multiple(proof, b, limb);
        let (high, overflow) = add_with_carry(top, carry, 0);
        let q = t[0].wrapping_mul(modulus.negated_inverse());
        let carry = t.add_multiple(proof, modulus.prime(), q);
        let (high, second) = add_with_carry(high, carry, 0);
        t = array_from_fn(|i| if i + 1 < N { t[i + 1] } else { high });
        top = overflow + second;
    }
    reduce_once(modulus, &t, top)
}
