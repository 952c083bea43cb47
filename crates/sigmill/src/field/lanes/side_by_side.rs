//! Single values, one in each lane. Used for fields without vector lanes, such as integers modulo
//! an order, next to lanes of another field.

use crate::field::factors::factors_are_elements;
use crate::field::{
    Body, Factors, Field, LaneMask, Lanes, MOST_LANES, Mask, PrimeField, Registers,
};
use crate::limbs::{X8, array_from_fn};

/// The field `F`, `WIDTH` values wide, computed one after the other.
#[derive(Clone, Copy, Debug)]
pub struct SideBySide<F, const WIDTH: usize>(pub F);

impl<F: PrimeField, const WIDTH: usize> Field for SideBySide<F, WIDTH> {
    type Element = [F::Element; WIDTH];
    type Mask = LaneMask<WIDTH>;

    #[inline(always)]
    fn zero(self) -> Self::Element {
        [self.0.zero(); WIDTH]
    }

    #[inline(always)]
    fn one(self) -> Self::Element {
        [self.0.one(); WIDTH]
    }

    #[inline(always)]
    fn add(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        array_from_fn(|i| self.0.add(&a[i], &b[i]))
    }

    #[inline(always)]
    fn sub(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        array_from_fn(|i| self.0.sub(&a[i], &b[i]))
    }

    #[inline(always)]
    fn select(self, condition: Self::Mask, a: &Self::Element, b: &Self::Element) -> Self::Element {
        array_from_fn(|i| self.0.select(condition.lane(i), &a[i], &b[i]))
    }

    #[inline(always)]
    fn half(self, a: &Self::Element) -> Self::Element {
        a.map(|a| self.0.half(&a))
    }

    #[inline(always)]
    fn mul(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        array_from_fn(|i| self.0.mul(&a[i], &b[i]))
    }

    #[inline(always)]
    fn square(self, a: &Self::Element) -> Self::Element {
        a.map(|a| self.0.square(&a))
    }

    #[inline(always)]
    fn equal(self, a: &Self::Element, b: &Self::Element) -> Self::Mask {
        LaneMask::from_lanes(|i| self.0.equal(&a[i], &b[i]))
    }

    #[inline(always)]
    fn is_zero(self, a: &Self::Element) -> Self::Mask {
        LaneMask::from_lanes(|i| self.0.is_zero(&a[i]))
    }
}

/// Every factor is an element.
impl<F: PrimeField, const WIDTH: usize> Factors for SideBySide<F, WIDTH> {
    factors_are_elements!();

    #[inline(always)]
    fn difference(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        self.sub(a, b)
    }

    #[inline(always)]
    fn square_triple_add(self, a: &Self::Element, b: &Self::Element) -> Self::Element {
        array_from_fn(|i| self.0.square_triple_add(&a[i], &b[i]))
    }

    #[inline(always)]
    fn double_times_sub(
        self,
        a: &Self::Element,
        b: &Self::Element,
        c: &Self::Element,
    ) -> Self::Element {
        array_from_fn(|i| self.0.double_times_sub(&a[i], &b[i], &c[i]))
    }
}

impl<F: PrimeField, const WIDTH: usize> Registers for SideBySide<F, WIDTH> {
    type Stored = Self::Element;

    type Lane = F::Element;

    type Entry = F::Element;

    #[inline(always)]
    fn load(self, a: &Self::Element) -> Self::Element {
        *a
    }

    #[inline(always)]
    fn store(self, a: &Self::Element) -> Self::Element {
        *a
    }

    #[inline(always)]
    fn gather_values(self, values: [&F::Element; MOST_LANES]) -> Self::Element {
        array_from_fn(|i| *values[i])
    }

    #[inline(always)]
    fn gather_lanes(self, lanes: [&F::Element; MOST_LANES]) -> Self::Element {
        array_from_fn(|i| *lanes[i])
    }

    #[inline(always)]
    fn is_number(self, numbers: &X8, number: u64) -> Self::Mask {
        LaneMask::from_lanes(|i| numbers.0[i] == number)
    }
}

impl<F: PrimeField, const LANES: usize> Lanes for SideBySide<F, LANES> {
    type Single = F;

    type Lane = F::Element;
    type LaneArray = [F::Element; LANES];

    type Registers = Self;

    const WIDTH: usize = LANES;

    #[inline(always)]
    fn single(self) -> F {
        self.0
    }

    #[inline(never)]
    fn each(self, count: usize, mut body: impl Body<Self>) {
        for i in 0..count {
            body.step(self, i);
        }
    }

    #[inline(always)]
    fn pack<'a>(self, value: impl Fn(usize) -> &'a F::Element) -> Self::Element {
        array_from_fn(|i| *value(i))
    }

    #[inline(always)]
    fn unpack(self, a: &Self::Element, values: &mut [F::Element]) {
        values[..LANES].copy_from_slice(a);
    }

    #[inline(always)]
    fn to_integers(self, a: &Self::Element, integers: &mut [F::Integer]) {
        for (integer, a) in integers[..LANES].iter_mut().zip(a) {
            *integer = self.0.to_integer(a);
        }
    }

    #[inline(always)]
    fn lanes(self, a: &Self::Element) -> [F::Element; LANES] {
        *a
    }

    #[inline(always)]
    fn load_lanes<'a>(self, lane: impl Fn(usize) -> &'a F::Element) -> Self::Element {
        array_from_fn(|i| *lane(i))
    }

    #[inline(always)]
    fn rotate(self, a: &Self::Element, by: usize) -> Self::Element {
        array_from_fn(|i| a[(i + by) % LANES])
    }
}
