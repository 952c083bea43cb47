//! Square roots of many elements, side by side.

use super::power::{Chain, powers, shift_right};
use crate::field::{Body, Lanes, Limbs, PrimeField as _, Registers as _};

/// Replaces each element a by a^((p + 1) / 4). This is a square root of a if a is a square,
/// otherwise of -a. Returns `false`, and does nothing, if p is not 3 modulo 4.
///
/// One squaring per bit of p, and one product per five bits. Constant time.
#[inline(always)]
pub fn roots_of_all<L: Lanes>(field: L, elements: &mut [L::Element]) -> bool {
    let Some(exponent) = root_exponent(field.single().modulus()) else {
        return false;
    };
    let count = elements.len().div_ceil(L::CHAINS_BESIDE);
    let chain = &Chain::new(exponent.as_ref());
    field.each(count, Roots::<L> { chain, elements });
    true
}

/// The numbers of products and of squares for a root of [`roots_of_all`] modulo p; `None` if p is
/// not 3 modulo 4.
#[cfg(feature = "bulk")]
pub fn operations_of_root<I: Limbs>(p: I) -> Option<[usize; 2]> {
    let exponent = root_exponent(p)?;
    Some(Chain::new(exponent.as_ref()).operations())
}

/// (p + 1) / 4 if p is 3 modulo 4. The power of a square with this exponent is a root of it.
pub(super) fn root_exponent<I: Limbs>(p: I) -> Option<I> {
    let mut exponent = p;
    if exponent.as_ref()[0] & 3 != 3 {
        return None;
    }
    // This is p / 4, rounded down, plus one.
    shift_right(exponent.as_mut(), 2);
    let mut carry = true;
    for limb in exponent.as_mut() {
        (*limb, carry) = limb.overflowing_add(u64::from(carry));
    }
    Some(exponent)
}

struct Roots<'a, L: Lanes> {
    chain: &'a Chain,
    elements: &'a mut [L::Element],
}

impl<L: Lanes> Body<L> for Roots<'_, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        const { assert!(matches!(L::CHAINS_BESIDE, 2..=4)) };
        if const { L::CHAINS_BESIDE == 2 } {
            self.raise::<2>(field, i);
        } else if const { L::CHAINS_BESIDE == 3 } {
            self.raise::<3>(field, i);
        } else {
            self.raise::<4>(field, i);
        }
    }
}

impl<L: Lanes> Roots<'_, L> {
    #[inline(always)]
    fn raise<const COUNT: usize>(&mut self, field: L::Registers, i: usize) {
        let first = COUNT * i;
        let last = self.elements.len() - 1;
        let mut bases = [field.load(&self.elements[first]); COUNT];
        for (k, base) in bases.iter_mut().enumerate() {
            *base = field.load(&self.elements[last.min(first + k)]);
        }
        let roots = powers(field, &bases, self.chain);
        for (k, root) in roots.iter().enumerate() {
            self.elements[last.min(first + k)] = field.store(root);
        }
    }
}
