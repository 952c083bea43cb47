//! Inverses of many public elements, possibly zero, at the cost of one inversion.

use alloc::vec;
use alloc::vec::Vec;

use super::many::{
    CHAINS, Denominators, Inversion, TOGETHER, backward_pass, running_products, to_memory,
};
use crate::field::{Lanes, Mask as _, PrimeField};

/// For public values, whose zeros stay zero. See [`invert_all_vartime`].
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
/// multiplications per element. `scratch` has one entry for each denominator. Reports whether one
/// of them is zero. Variable time: for public values only.
///
/// A zero shows because it makes a product zero. If no product is zero, elements are not checked.
///
/// # Panics
/// If `scratch` has another length.
#[inline(never)]
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
    if any_zero(field, &products) {
        invert_beside_zeros(field, denominators, scratch);
        return true;
    }
    backward_pass::<VariableTime, _, _>(field, denominators, &products, scratch);
    false
}

/// Reports whether an element is zero in any lane.
#[inline(never)]
fn any_zero<L: Lanes>(field: L, elements: &[L::Element; CHAINS]) -> bool {
    let mut zeros = field.is_zero(&elements[0]);
    for element in &elements[1..] {
        zeros = zeros.or(field.is_zero(element));
    }
    zeros.any()
}

/// [`invert_all_vartime`] in the rare case of zeros: goes through memory.
#[cold]
#[inline(never)]
fn invert_beside_zeros<L: Lanes, D: Denominators<L> + ?Sized>(
    field: L,
    denominators: &mut D,
    scratch: &mut [L::Element],
) {
    let mut elements = vec_of(field.one(), scratch.len());
    to_memory(field, denominators, &mut elements, scratch);
    invert_elements_beside_zeros(field, &mut elements, scratch, denominators.are_doubled());
    for first in (0..elements.len()).step_by(TOGETHER).rev() {
        let count = TOGETHER.min(elements.len() - first);
        denominators.receive(first, &mut elements[first..][..count], true);
    }
}

#[cold]
#[inline(never)]
fn vec_of<E: Copy>(element: E, count: usize) -> Vec<E> {
    vec![element; count]
}

/// Replaces elements by their inverses, or by those of their doubles if `are_doubled` is true.
/// Zeros stay zero.
#[cold]
#[inline(never)]
fn invert_elements_beside_zeros<L: Lanes>(
    field: L,
    elements: &mut [L::Element],
    scratch: &mut [L::Element],
    are_doubled: bool,
) {
    let (zero, one) = (field.zero(), field.one());
    let mut zeros = Vec::with_capacity(elements.len());
    for element in elements.iter_mut() {
        let is_zero = field.is_zero(element);
        *element = field.select(is_zero, &one, element);
        zeros.push(is_zero);
    }
    invert_all_vartime(field, elements, scratch);
    for (element, is_zero) in elements.iter_mut().zip(zeros) {
        if are_doubled {
            *element = field.half(element);
        }
        *element = field.select(is_zero, &zero, element);
    }
}
