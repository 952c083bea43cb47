//! Inverses of many public elements, zeros among them, for the price of one inversion.

use super::many::{Denominators, Inversion, running_products, walk_back};
use crate::field::{Body, Factors, Field as _, Lanes, Mask as _, PrimeField, Registers as _};

/// For public values, whose zeros stay zeros: [`invert_all_vartime`].
#[derive(Clone, Copy, Debug)]
pub struct VariableTime;

impl Inversion for VariableTime {
    const WIPES: bool = false;

    #[inline(always)]
    fn invert<F: PrimeField>(field: F, a: &F::Element) -> F::Element {
        let Some(inverse) = field.invert_vartime(a) else {
            unreachable!("not zero");
        };
        inverse
    }

    #[inline(always)]
    fn share<L: Lanes, D: Denominators<L> + ?Sized>(
        field: L,
        denominators: &mut D,
        scratch: &mut [L::Element],
    ) -> bool {
        invert_all_vartime(field, denominators, scratch)
    }
}

/// Inverts all denominators, with one inversion for all lanes of all elements and three
/// multiplications an element. `scratch` is as long as there are denominators. Says whether there
/// was a zero. Variable time: for public values only.
///
/// Zeros are found by the products that they make zero: without one, nobody looks.
///
/// # Panics
/// When `scratch` has another length.
#[inline(always)]
pub fn invert_all_vartime<L: Lanes, D: Denominators<L> + ?Sized>(
    field: L,
    denominators: &mut D,
    scratch: &mut [L::Element],
) -> bool {
    assert_eq!(
        denominators.count(),
        scratch.len(),
        "one scratch place for each denominator"
    );
    let products = running_products::<VariableTime, _, _>(field, denominators, scratch);
    let mut zeros = field.is_zero(&products[0]);
    for product in &products[1..] {
        zeros = zeros.or(field.is_zero(product));
    }
    if !zeros.any() {
        walk_back::<VariableTime, _, _>(field, denominators, &products, scratch);
        return false;
    }
    let mut others = WithoutZeros {
        field,
        denominators,
    };
    let products = running_products::<VariableTime, _, _>(field, &others, scratch);
    walk_back::<VariableTime, _, _>(field, &mut others, &products, scratch);
    true
}

/// Denominators with ones in the places of zeros; their inverses become zeros again.
struct WithoutZeros<'a, L, D: ?Sized> {
    field: L,
    denominators: &'a mut D,
}

impl<L: Lanes, D: Denominators<L> + ?Sized> Denominators<L> for WithoutZeros<'_, L, D> {
    fn count(&self) -> usize {
        self.denominators.count()
    }

    #[inline(always)]
    fn denominator(&self, field: L::Registers, i: usize) -> <L::Registers as Factors>::Factor {
        let denominator = self.denominators.denominator(field, i);
        let zero = is_zero(field, &denominator);
        field.choose(zero, &field.factor(&field.one()), &denominator)
    }

    #[inline(always)]
    fn are_doubled(&self) -> bool {
        self.denominators.are_doubled()
    }

    #[inline(always)]
    fn take(&mut self, first: usize, inverses: &mut [L::Element], _: bool) {
        let zeroing = Zeroing {
            denominators: &*self.denominators,
            first,
            inverses,
        };
        self.field.each(zeroing.inverses.len(), zeroing);
        self.denominators.take(first, inverses, true);
    }
}

/// Makes the inverses of zeros zero.
struct Zeroing<'a, L: Lanes, D: ?Sized> {
    denominators: &'a D,
    first: usize,
    inverses: &'a mut [L::Element],
}

impl<L: Lanes, D: Denominators<L> + ?Sized> Body<L> for Zeroing<'_, L, D> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let denominator = self.denominators.denominator(field, self.first + i);
        let zero = is_zero(field, &denominator);
        let inverse = field.load(&self.inverses[i]);
        self.inverses[i] = field.store(&field.select(zero, &field.zero(), &inverse));
    }
}

#[inline(always)]
fn is_zero<F: Factors>(field: F, a: &F::Factor) -> F::Mask {
    field.is_zero(&field.times(a, &field.one()))
}
