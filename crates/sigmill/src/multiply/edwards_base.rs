//! k B on edwards25519 for a secret k, by additions of points looked up under masks.

use zeroize::Zeroizing;

use crate::curve::{EDWARDS_ORDER, Edwards25519, EdwardsPoint};
use crate::field::c25519::FoldKernel;
use crate::recode::{make_odd, odd_digit};
use crate::table::{
    EDWARDS_DIGITS, EDWARDS_POINTS, EDWARDS_WINDOW, edwards_base_table, masked_edwards_multiple,
};

/// 8 k B or -8 k B, for the base point B and k in 1 .. L - 1, little-endian in limbs. Both have the
/// same y. Constant time. Wiped when dropped.
///
/// k, or L - k if k is even, is the sum of 51 odd digits d_i 32^i. The [table](edwards_base_table)
/// has d 1024^i 8 B, so digits of even and of odd index are summed side by side, from the same
/// rows, and products need not wait for each other. Five doublings of the sum for odd indices bring
/// both together (Bernstein, Duif, Lange, Schwabe, Yang, *High-speed high-security signatures*,
/// 2011, §4, with radix 16 and digits of any parity). The 50 mixed additions, 5 doublings and one
/// addition cost 387M + 15S. No addition has an exceptional case.
#[inline(never)]
pub fn edwards_base_mul<K: FoldKernel>(
    group: Edwards25519<K>,
    k: &[u64; 4],
) -> Zeroizing<EdwardsPoint> {
    let table = edwards_base_table(group);
    let (odd, _) = make_odd(k, &EDWARDS_ORDER);
    let term = |index: u32| {
        let start = index as usize / 2 * EDWARDS_POINTS;
        let digit = odd_digit(&*odd, EDWARDS_WINDOW, index, EDWARDS_DIGITS);
        masked_edwards_multiple(&table[start..start + EDWARDS_POINTS], digit)
    };
    let (first, negative) = term(0);
    let mut sums = [group.from_addend(&first, negative), EdwardsPoint::NEUTRAL];
    for index in (1..EDWARDS_DIGITS).step_by(2) {
        sums = group.add_addends(&sums, &[term(index + 1), term(index)]);
    }
    let [even_sum, mut odd_sum] = sums;
    for _ in 0..EDWARDS_WINDOW {
        odd_sum = group.double(&odd_sum);
    }
    Zeroizing::new(group.add(&even_sum, &odd_sum))
}
