//! The generic Montgomery product on x86-64 with MULX (BMI2), ADCX and ADOX (ADX), for primes of
//! four and of six limbs.

use core::arch::asm;
use core::marker::PhantomData;

use super::Kernel;
use super::montgomery::reduce_once;
use crate::cpu::Adx;
use crate::field::Modulus;
use crate::limbs::add_with_carry;

/// Products modulo any odd prime of four or six limbs on a CPU with BMI2 and ADX, of which the
/// token is the proof.
#[derive(Clone, Copy, Debug)]
pub struct AdxKernel<M> {
    proof: Adx,
    modulus: PhantomData<M>,
}

impl<M> AdxKernel<M> {
    /// The kernel of a CPU that has the instructions.
    pub const fn new(proof: Adx) -> Self {
        Self {
            proof,
            modulus: PhantomData,
        }
    }
}

/// An integer that a multiple of another one can be added to.
pub trait Row: Sized {
    /// `self += a m`; returns the limb above: (2^(64 N) - 1) + (2^(64 N) - 1) (2^64 - 1) is below
    /// 2^(64 (N + 1)).
    fn add_multiple(&mut self, proof: Adx, a: &Self, m: u64) -> u64;
}

/// The two carry chains, ADCX for the low and ADOX for the high halves of the products, meet in
/// the limb above.
macro_rules! impl_row {
    ($limbs:literal, $(($t:ident, $i:literal, $next:literal)),+; $last:ident, $last_i:literal) => {
        impl Row for [u64; $limbs] {
            #[inline(always)]
            fn add_multiple(&mut self, _: Adx, a: &Self, m: u64) -> u64 {
                let above;
                // SAFETY: the token proves that the CPU has BMI2 and ADX; the code reads the limbs
                // behind the reference, writes no memory, and every register it changes is an
                // output.
                unsafe {
                    asm!(
                        "xor {low:e}, {low:e}",
                        $(
                            concat!("mulx {high}, {low}, [{a} + 8 * ", $i, "]"),
                            concat!("adcx {", stringify!($t), "}, {low}"),
                            concat!("adox {t", $next, "}, {high}"),
                        )+
                        concat!("mulx {high}, {low}, [{a} + 8 * ", $last_i, "]"),
                        concat!("adcx {", stringify!($last), "}, {low}"),
                        "mov {low:e}, 0",
                        "adcx {high}, {low}",
                        "adox {high}, {low}",
                        a = in(reg) a.as_ptr(),
                        low = out(reg) _,
                        high = out(reg) above,
                        $($t = inout(reg) self[$i],)+
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

impl_row!(4, (t0, 0, 1), (t1, 1, 2), (t2, 2, 3); t3, 3);
impl_row!(6, (t0, 0, 1), (t1, 1, 2), (t2, 2, 3), (t3, 3, 4), (t4, 4, 5); t5, 5);

/// Coarsely integrated operand scanning, as in the portable kernel; the bounds are argued there.
fn multiply<M: Modulus<N>, const N: usize>(proof: Adx, a: &[u64; N], b: &[u64; N]) -> [u64; N]
where
    [u64; N]: Row,
{
    let mut t = [0; N];
    let mut top = 0;
    for &limb in a {
        let carry = t.add_multiple(proof, b, limb);
        let (high, overflow) = add_with_carry(top, carry, 0);
        let q = t[0].wrapping_mul(M::NEGATED_INVERSE);
        let carry = t.add_multiple(proof, &M::MODULUS, q);
        let (high, second) = add_with_carry(high, carry, 0);
        t = core::array::from_fn(|i| if i + 1 < N { t[i + 1] } else { high });
        top = overflow + second;
    }
    reduce_once::<M, N>(&t, top)
}

/// Calls, as so long a product gains nothing from being inlined.
impl<M: Modulus<N>, const N: usize> Kernel<N> for AdxKernel<M>
where
    [u64; N]: Row,
{
    type Modulus = M;

    #[inline(always)]
    fn mul(self, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
        multiply::<M, N>(self.proof, a, b)
    }

    #[inline(always)]
    fn square(self, a: &[u64; N]) -> [u64; N] {
        multiply::<M, N>(self.proof, a, a)
    }
}
