//! Inverses of many elements at the cost of one inversion (P. L. Montgomery, 1987).

use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use zeroize::Zeroize;

use crate::field::{Body, Factors, Field as _, Lanes, MOST_LANES, PrimeField, Registers as _};

/// Number of chains of products that run interleaved, so that a product need not wait for the one
/// before. Measure with `bench -- --only '*/table-build/w7'` after a change.
pub(super) const CHAINS: usize = 4;
const _: () = assert!(CHAINS.is_power_of_two());

/// Number of inverses that are handed over together; they should still be in the first-level cache.
/// Measure with `bench -- --only 'p256/verify/prepared/bulk'` after a change.
pub const TOGETHER: usize = 16;

/// Elements to invert, and the consumer of their inverses.
///
/// Elements need not be in memory: each is requested twice. A consumer that uses the inverses at
/// once, while they are in the first-level cache, saves a round trip to memory.
pub trait Denominators<L: Lanes> {
    /// Number of elements.
    fn count(&self) -> usize;

    /// Returns element i. Implementations are `#[inline(always)]`.
    fn denominator(&self, field: L::Registers, i: usize) -> <L::Registers as Factors>::Factor;

    /// Reports whether the inverses of the doubled elements are wanted. They cost nothing extra.
    #[inline(always)]
    fn are_doubled(&self) -> bool {
        false
    }

    /// Receives the inverses of the elements from `first` on, at most [`TOGETHER`], zero for zero.
    /// `zeros` shows whether any of all elements is zero in any lane. Every element comes once,
    /// last elements first.
    fn receive(&mut self, first: usize, inverses: &mut [L::Element], zeros: bool);
}

/// Replaces each element by its inverse.
impl<L: Lanes> Denominators<L> for [L::Element] {
    #[inline(always)]
    fn count(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn denominator(&self, field: L::Registers, i: usize) -> <L::Registers as Factors>::Factor {
        field.factor(&field.load(&self[i]))
    }

    #[inline(always)]
    fn receive(&mut self, first: usize, inverses: &mut [L::Element], _: bool) {
        self[first..][..inverses.len()].copy_from_slice(inverses);
    }
}

/// A way for elements to share an inversion. The choice depends on who may see the elements.
pub trait Inversion {
    /// True if intermediate values are wiped.
    const WIPES: bool;

    /// `1 / a` for an element that is not zero.
    fn invert<F: PrimeField>(field: F, a: &F::Element) -> F::Element;

    /// Inverts all denominators with one inversion, and reports whether one of them was found to be
    /// zero. `scratch` has one entry for each denominator.
    fn share<L: Lanes, D: Denominators<L> + ?Sized>(
        field: L,
        denominators: &mut D,
        scratch: &mut [L::Element],
    ) -> bool;
}

/// For secrets, none of which is zero. See [`invert_all`].
#[derive(Clone, Copy, Debug)]
pub struct ConstantTime;

impl Inversion for ConstantTime {
    const WIPES: bool = true;

    #[inline(always)]
    fn invert<F: PrimeField>(field: F, a: &F::Element) -> F::Element {
        field.invert(a)
    }

    #[inline(always)]
    fn share<L: Lanes, D: Denominators<L> + ?Sized>(
        field: L,
        denominators: &mut D,
        scratch: &mut [L::Element],
    ) -> bool {
        invert_all(field, denominators, scratch);
        false
    }
}

/// Inverts all denominators, none of which is zero in any lane. Uses one inversion for all lanes of
/// all elements and three multiplications per element. `scratch` has one entry for each
/// denominator. Constant time: zeros are not detected, and a zero makes every inverse zero.
///
/// # Panics
/// If `scratch` has another length.
#[inline(never)]
pub fn invert_all<L: Lanes, D: Denominators<L> + ?Sized>(
    field: L,
    denominators: &mut D,
    scratch: &mut [L::Element],
) {
    assert_eq!(
        denominators.count(),
        scratch.len(),
        "one scratch place for each denominator"
    );
    let products = running_products::<ConstantTime, L, D>(field, denominators, scratch);
    backward_pass::<ConstantTime, L, D>(field, denominators, &products, scratch);
}

/// Intermediate value of an inversion. Wiped on drop if inversion `I` is for secrets.
pub(super) struct Intermediate<I: Inversion, T: Zeroize>(T, PhantomData<I>);

impl<I: Inversion, T: Zeroize> Intermediate<I, T> {
    #[inline(always)]
    fn new(value: T) -> Self {
        Self(value, PhantomData)
    }
}

impl<I: Inversion, T: Zeroize> Drop for Intermediate<I, T> {
    #[inline(always)]
    fn drop(&mut self) {
        if const { I::WIPES } {
            self.0.zeroize();
        }
    }
}

impl<I: Inversion, T: Zeroize> Deref for Intermediate<I, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<I: Inversion, T: Zeroize> DerefMut for Intermediate<I, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// Sets `before[i]` to the product of the elements before i in the chain of i. Returns the products
/// of the whole chains.
#[inline(always)]
pub(super) fn running_products<I: Inversion, L: Lanes, D: Denominators<L> + ?Sized>(
    field: L,
    denominators: &D,
    before: &mut [L::Element],
) -> Intermediate<I, [L::Element; CHAINS]> {
    let mut products = Intermediate::new(ones(field));
    let forward = ForwardPass::<L, D> {
        denominators,
        chains: CHAINS - 1,
        products: &mut *products,
        before,
    };
    field.each(forward.before.len(), forward);
    products
}

/// Writes fully computed denominators to memory, as the products of chains of one element each.
/// `elements` are ones on input. The values written to `scratch` have no meaning.
#[inline(always)]
pub(super) fn to_memory<L: Lanes, D: Denominators<L> + ?Sized>(
    field: L,
    denominators: &D,
    elements: &mut [L::Element],
    scratch: &mut [L::Element],
) {
    let forward = ForwardPass::<L, D> {
        denominators,
        chains: usize::MAX,
        products: elements,
        before: scratch,
    };
    field.each(forward.before.len(), forward);
}

/// The products of empty chains.
#[inline(never)]
fn ones<L: Lanes>(field: L) -> [L::Element; CHAINS] {
    [field.one(); CHAINS]
}

/// The forward pass along the chains.
struct ForwardPass<'a, L: Lanes, D: ?Sized> {
    denominators: &'a D,
    /// The bits of an element's number that select its chain.
    chains: usize,
    products: &'a mut [L::Element],
    before: &'a mut [L::Element],
}

impl<L: Lanes, D: Denominators<L> + ?Sized> Body<L> for ForwardPass<'_, L, D> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let chain = i & self.chains;
        let product = field.load(&self.products[chain]);
        self.before[i] = field.store(&product);
        let denominator = self.denominators.denominator(field, i);
        self.products[chain] = field.store(&field.times(&denominator, &product));
    }
}

/// Turns the products of the chains, none zero in any lane, into the inverses of their elements,
/// last elements first.
#[inline(always)]
pub(super) fn backward_pass<I: Inversion, L: Lanes, D: Denominators<L> + ?Sized>(
    field: L,
    denominators: &mut D,
    products: &[L::Element; CHAINS],
    before: &mut [L::Element],
) {
    let mut inverses = invert_each::<I, L>(field, products, denominators.are_doubled());
    for first in (0..before.len()).step_by(TOGETHER).rev() {
        let count = TOGETHER.min(before.len() - first);
        let backward = BackwardPass::<L, D> {
            denominators: &*denominators,
            inverses: &mut inverses,
            first,
            before: &mut before[first..][..count],
        };
        field.each(count, backward);
        denominators.receive(first, &mut before[first..][..count], false);
    }
}

/// The backward pass along the chains. The inverse of each element replaces the product before it.
struct BackwardPass<'a, L: Lanes, D: ?Sized> {
    denominators: &'a D,
    inverses: &'a mut [L::Element; CHAINS],
    first: usize,
    before: &'a mut [L::Element],
}

impl<L: Lanes, D: Denominators<L> + ?Sized> Body<L> for BackwardPass<'_, L, D> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let place = self.before.len() - 1 - i;
        let chain = (self.first + place) % CHAINS;
        let inverse = field.load(&self.inverses[chain]);
        let denominator = self.denominators.denominator(field, self.first + place);
        self.inverses[chain] = field.store(&field.times(&denominator, &inverse));
        let before = field.load(&self.before[place]);
        self.before[place] = field.store(&field.mul(&inverse, &before));
    }
}

/// The inverses of the products of the chains, none of them zero in any lane; half of each if
/// `are_doubled` is true.
#[inline(never)]
fn invert_each<I: Inversion, L: Lanes>(
    field: L,
    products: &[L::Element; CHAINS],
    are_doubled: bool,
) -> Intermediate<I, [L::Element; CHAINS]> {
    let [a, b, c, d] = products;
    let mut intermediate = Intermediate::<I, _>::new([*a; 4]);
    let [ab, cd, inverse, ab_inverse] = &mut *intermediate;
    *ab = field.mul(a, b);
    *cd = field.mul(c, d);
    *inverse = field.mul(ab, cd);
    invert_lanes::<I, L>(field, inverse);
    if are_doubled {
        *inverse = field.half(inverse);
    }
    *ab_inverse = field.mul(inverse, cd);
    let cd_inverse = cd;
    *cd_inverse = field.mul(inverse, ab);
    Intermediate::new([
        field.mul(ab_inverse, b),
        field.mul(ab_inverse, a),
        field.mul(cd_inverse, d),
        field.mul(cd_inverse, c),
    ])
}

/// Inverts all lanes of one element without a zero lane: 6 products of eight lanes, and one
/// inversion.
///
/// Let w be the product of an element and its rotation; then 1 / a = rotated a / w. So the products
/// of two lanes, of four and of all are computed, until every lane holds the last one. After its
/// inversion the same products lead back.
#[inline(always)]
pub(crate) fn invert_lanes<I: Inversion, L: Lanes>(field: L, a: &mut L::Element) {
    const LEVELS: usize = 3;
    const { assert!(L::WIDTH <= MOST_LANES && L::WIDTH.is_power_of_two()) };
    let mut rotated = Intermediate::<I, _>::new([*a; LEVELS]);
    let mut level = 0;
    while L::WIDTH >> level > 1 {
        rotated[level] = field.rotate(a, L::WIDTH >> (level + 1));
        *a = field.mul(a, &rotated[level]);
        level += 1;
    }
    let single = field.single();
    let mut values = Intermediate::<I, _>::new([single.zero(); MOST_LANES]);
    field.unpack(a, &mut values[..L::WIDTH]);
    values[0] = I::invert(single, &values[0]);
    *a = field.pack(|_| &values[0]);
    for other in rotated[..level].iter().rev() {
        *a = field.mul(a, other);
    }
}
