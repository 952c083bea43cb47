//! The operations of a field of four lanes of 32-bit products on elements in memory.

use core::marker::PhantomData;

use super::reduction::words_of_limbs;
use super::registers::RegistersNarrowX4;
use super::{LaneNarrowX4, MaskNarrowX4, NarrowReduction, ResidueNarrowX4};
use crate::field::{Body, Field as _, Lanes, Registers as _, Residue};
use crate::limbs::{NarrowQuads, NarrowQuadsOperation, subtract};

/// Number of lanes of an element.
pub(super) const WIDTH: usize = 4;

/// A reference to an element of the field with reduction `K`.
type In<'a, K> = &'a ResidueNarrowX4<<K as NarrowReduction>::Tag>;

/// Operations of the field in registers: load, compute, store.
macro_rules! operations {
    ($($name:ident($($a:ident),*) = $method:ident;)*) => {
        $(
            pub(super) struct $name<'a, K: NarrowReduction> {
                pub(super) reduction: K,
                $(pub(super) $a: In<'a, K>,)*
            }

            impl<Q: NarrowQuads, K: NarrowReduction> NarrowQuadsOperation<Q> for $name<'_, K> {
                type Output = ResidueNarrowX4<K::Tag>;

                #[inline(always)]
                fn run(self, quads: Q) -> Self::Output {
                    let field = RegistersNarrowX4::new(quads, self.reduction);
                    field.store(&field.$method($(&field.load(self.$a)),*))
                }
            }
        )*
    };
}

operations! {
    Add(a, b) = add;
    Sub(a, b) = sub;
    SubBoth(a, b, c) = sub_both;
    Half(a) = half;
    Mul(a, b) = mul;
    Square(a) = square;
}

/// Selects a or b by a mask.
pub(super) struct Select<'a, K: NarrowReduction> {
    pub(super) reduction: K,
    pub(super) condition: MaskNarrowX4,
    pub(super) a: In<'a, K>,
    pub(super) b: In<'a, K>,
}

impl<Q: NarrowQuads, K: NarrowReduction> NarrowQuadsOperation<Q> for Select<'_, K> {
    type Output = ResidueNarrowX4<K::Tag>;

    #[inline(always)]
    fn run(self, quads: Q) -> Self::Output {
        let field = RegistersNarrowX4::new(quads, self.reduction);
        let (a, b) = (field.load(self.a), field.load(self.b));
        field.store(&field.select(self.condition, &a, &b))
    }
}

/// The lanes in which a value is zero.
pub(super) struct IsZero<'a, K: NarrowReduction> {
    pub(super) reduction: K,
    pub(super) a: In<'a, K>,
}

impl<Q: NarrowQuads, K: NarrowReduction> NarrowQuadsOperation<Q> for IsZero<'_, K> {
    type Output = MaskNarrowX4;

    #[inline(always)]
    fn run(self, quads: Q) -> MaskNarrowX4 {
        let field = RegistersNarrowX4::new(quads, self.reduction);
        field.is_zero(&field.load(self.a))
    }
}

/// A loop whose body stays in registers.
pub(super) struct Each<K, F, B> {
    pub(super) reduction: K,
    pub(super) count: usize,
    pub(super) body: B,
    pub(super) lanes: PhantomData<F>,
}

impl<Q, K, F, B> NarrowQuadsOperation<Q> for Each<K, F, B>
where
    Q: NarrowQuads,
    K: NarrowReduction,
    F: Lanes<Registers = RegistersNarrowX4<Q, K>>,
    B: Body<F>,
{
    type Output = ();

    #[inline(always)]
    fn run(mut self, quads: Q) {
        for i in 0..self.count {
            self.body
                .step(RegistersNarrowX4::new(quads, self.reduction), i);
        }
    }
}

/// Four single values.
pub(super) struct Pack<'a, K: NarrowReduction> {
    pub(super) reduction: K,
    pub(super) values: [&'a Residue<K::Tag, 4>; WIDTH],
}

impl<Q: NarrowQuads, K: NarrowReduction> NarrowQuadsOperation<Q> for Pack<'_, K> {
    type Output = ResidueNarrowX4<K::Tag>;

    #[inline(always)]
    fn run(self, quads: Q) -> Self::Output {
        let field = RegistersNarrowX4::new(quads, self.reduction);
        let [a, b, c, d] = self.values;
        field.store(&field.gather_values([a, b, c, d, a, b, c, d]))
    }
}

/// The contents of four lanes.
pub(super) struct LoadLanes<'a, K: NarrowReduction> {
    pub(super) reduction: K,
    pub(super) lanes: [&'a LaneNarrowX4<K::Tag>; WIDTH],
}

impl<Q: NarrowQuads, K: NarrowReduction> NarrowQuadsOperation<Q> for LoadLanes<'_, K> {
    type Output = ResidueNarrowX4<K::Tag>;

    #[inline(always)]
    fn run(self, quads: Q) -> Self::Output {
        let field = RegistersNarrowX4::new(quads, self.reduction);
        let [a, b, c, d] = self.lanes;
        field.store(&field.gather_lanes([a, b, c, d, a, b, c, d]))
    }
}

/// Moves lane i + `BY` to lane i, counted modulo four.
pub(super) struct Rotate<'a, T, const BY: usize> {
    pub(super) a: &'a ResidueNarrowX4<T>,
}

impl<Q: NarrowQuads, T, const BY: usize> NarrowQuadsOperation<Q> for Rotate<'_, T, BY> {
    type Output = ResidueNarrowX4<T>;

    #[inline(always)]
    fn run(self, quads: Q) -> Self::Output {
        let mut limbs = self.a.limbs;
        for limb in &mut limbs {
            *limb = quads.store(quads.rotate::<BY>(quads.load(limb)));
        }
        ResidueNarrowX4::from_limbs(limbs)
    }
}

/// The lanes of an element, fully reduced, in words of 64 bits.
pub(super) struct Unpack<'a, K: NarrowReduction> {
    pub(super) reduction: K,
    pub(super) a: In<'a, K>,
}

impl<Q: NarrowQuads, K: NarrowReduction> NarrowQuadsOperation<Q> for Unpack<'_, K> {
    type Output = [[u64; 4]; WIDTH];

    /// The value is below 2p, so at most one p is subtracted.
    #[inline(always)]
    fn run(self, quads: Q) -> Self::Output {
        let constants = self.reduction.constants();
        let field = RegistersNarrowX4::new(quads, self.reduction);
        let [w0, w1, w2, w3, above] = words_of_limbs(quads, &field.load(self.a));
        let above = quads.store(above).0;
        let mut rows = quads
            .transpose([w0, w1, w2, w3])
            .map(|row| quads.store(row).0);
        for (row, above) in rows.iter_mut().zip(above) {
            let (difference, borrow) = subtract(row, constants.modulus.prime());
            // Not below p if a bit is above, or there is no borrow.
            let mask = crate::ct::mask_zero(above | (borrow ^ 1));
            *row = crate::limbs::select(mask, row, &difference);
        }
        rows
    }
}
