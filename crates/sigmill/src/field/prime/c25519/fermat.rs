//! The inverse as the power p - 2 = 2^255 - 21, by an addition chain. Compiled only for comparison.

use super::{C25519Field, FieldElement, FoldKernel};
use crate::field::Field as _;

impl<K: FoldKernel> C25519Field<K> {
    /// `1 / a`, zero for zero: 254 squarings and 11 products (Bernstein, *Curve25519: new
    /// Diffie-Hellman speed records*, 2006, §4).
    pub fn invert_fermat(self, a: &FieldElement) -> FieldElement {
        let mul = |a: &_, b: &_| self.mul(a, b);
        let squares = |a: &FieldElement, count: u32| (0..count).fold(*a, |a, _| self.square(&a));
        let a2 = self.square(a);
        let a9 = mul(&squares(&a2, 2), a);
        let a11 = mul(&a9, &a2);
        // power_n is a to the power 2^n - 1.
        let power_5 = mul(&self.square(&a11), &a9);
        let power_10 = mul(&squares(&power_5, 5), &power_5);
        let power_20 = mul(&squares(&power_10, 10), &power_10);
        let power_40 = mul(&squares(&power_20, 20), &power_20);
        let power_50 = mul(&squares(&power_40, 10), &power_10);
        let power_100 = mul(&squares(&power_50, 50), &power_50);
        let power_200 = mul(&squares(&power_100, 100), &power_100);
        let power_250 = mul(&squares(&power_200, 50), &power_50);
        // 2^5 (2^250 - 1) + 11 = 2^255 - 21.
        mul(&squares(&power_250, 5), &a11)
    }
}
