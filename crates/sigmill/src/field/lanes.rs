//! Fields several values wide: the ways into the lanes and out of them, and inversions that many
//! elements share.

use super::{Field, Mask, PrimeField};

/// The elements of the single values that go into lanes of `L`.
pub type SingleElement<L> = <<L as Lanes>::Single as Field>::Element;

/// The integers of the single values that go into lanes of `L`.
pub type SingleInteger<L> = <<L as Lanes>::Single as PrimeField>::Integer;

/// A field of [`WIDTH`](Self::WIDTH) values side by side; a field of single values is one lane
/// wide.
pub trait Lanes: Field {
    /// The field of what is in one lane.
    type Single: PrimeField;

    /// How many lanes there are.
    const WIDTH: usize;

    /// The backend of single values that goes with this one.
    fn single(self) -> Self::Single;

    /// The element whose lane i holds `value(i)`.
    fn pack<'a>(self, value: impl Fn(usize) -> &'a SingleElement<Self>) -> Self::Element;

    /// Writes lane i to `values[i]`, for all lanes.
    fn unpack(self, a: &Self::Element, values: &mut [SingleElement<Self>]);

    /// Writes the integer of lane i, in `0 .. p`, to `integers[i]`, for all lanes.
    fn to_integers(self, a: &Self::Element, integers: &mut [SingleInteger<Self>]);

    /// The element whose lane i is lane i of `entry(i)`. Variable time in the indices that
    /// `entry` uses.
    fn lookup_vartime<'a>(self, entry: impl Fn(usize) -> &'a Self::Element) -> Self::Element;

    /// The same lanes, with the upper half of them in the place of the lower and the other way
    /// round; one lane stays where it is.
    fn swap_halves(self, a: &Self::Element) -> Self::Element;

    /// Replaces every value by its inverse, zero by zero, with one inversion for all lanes of all
    /// elements and three multiplications an element (Montgomery's trick). `scratch` is as long as
    /// `elements`. Says whether there was a zero. Variable time: for public values only.
    ///
    /// The running products form interleaved chains, so that a product need not wait for the one
    /// before. Zeros are found by the products that they make zero: without one, nobody looks.
    ///
    /// # Panics
    /// When the two slices differ in length.
    #[inline(always)]
    fn batch_invert_vartime(
        self,
        elements: &mut [Self::Element],
        scratch: &mut [Self::Element],
    ) -> bool {
        assert_eq!(
            elements.len(),
            scratch.len(),
            "one scratch place per element"
        );
        let mut products = running_products(self, elements, scratch);
        let mut zeros = self.is_zero(&products[0]);
        for product in &products[1..] {
            zeros = zeros.or(self.is_zero(product));
        }
        if !zeros.any() {
            invert_by_products(self, &products, elements, scratch);
            return false;
        }
        // Ones in the places of zeros, and zeros again in the end.
        let one = self.one();
        let marks: alloc::vec::Vec<_> = elements.iter().map(|e| self.is_zero(e)).collect();
        for (element, &mark) in elements.iter_mut().zip(&marks) {
            *element = self.select(mark, &one, element);
        }
        products = running_products(self, elements, scratch);
        invert_by_products(self, &products, elements, scratch);
        let zero = self.zero();
        for (element, &mark) in elements.iter_mut().zip(&marks) {
            *element = self.select(mark, &zero, element);
        }
        true
    }
}

/// How many chains of products run beside each other.
const CHAINS: usize = 4;

/// `before[i]` = the product of the elements before i in the chain of i; returns the products of
/// the whole chains.
#[inline(always)]
fn running_products<L: Lanes>(
    field: L,
    elements: &[L::Element],
    before: &mut [L::Element],
) -> [L::Element; CHAINS] {
    let mut products = [field.one(); CHAINS];
    let (fours, rest) = elements.as_chunks::<CHAINS>();
    let (before_fours, before_rest) = before.as_chunks_mut::<CHAINS>();
    for (four, before) in fours.iter().zip(before_fours) {
        *before = products;
        for (product, element) in products.iter_mut().zip(four) {
            *product = field.mul(product, element);
        }
    }
    for ((element, before), product) in rest.iter().zip(before_rest).zip(&mut products) {
        *before = *product;
        *product = field.mul(product, element);
    }
    products
}

/// The inverses of the elements, given the products of the chains, none of them zero.
#[inline(always)]
fn invert_by_products<L: Lanes>(
    field: L,
    products: &[L::Element; CHAINS],
    elements: &mut [L::Element],
    before: &[L::Element],
) {
    let mul = |a, b| field.mul(a, b);
    let [a, b, c, d] = products;
    let (ab, cd) = (mul(a, b), mul(c, d));
    let inverse = invert_lanes(field, &mul(&ab, &cd));
    let (ab_inverse, cd_inverse) = (mul(&inverse, &cd), mul(&inverse, &ab));
    let mut inverses = [
        mul(&ab_inverse, b),
        mul(&ab_inverse, a),
        mul(&cd_inverse, d),
        mul(&cd_inverse, c),
    ];
    let (fours, rest) = elements.as_chunks_mut::<CHAINS>();
    let (before_fours, before_rest) = before.as_chunks::<CHAINS>();
    let one_step = |inverse: &mut L::Element, element: &mut L::Element, before: &L::Element| {
        let next = field.mul(inverse, element);
        *element = field.mul(inverse, before);
        *inverse = next;
    };
    for ((element, before), inverse) in rest.iter_mut().zip(before_rest).zip(&mut inverses) {
        one_step(inverse, element, before);
    }
    for (four, before) in fours.iter_mut().zip(before_fours).rev() {
        for ((element, before), inverse) in four.iter_mut().zip(before).zip(&mut inverses) {
            one_step(inverse, element, before);
        }
    }
}

/// The inverses of all lanes of one element without a zero lane: 3 products of single values a
/// lane, and one inversion.
#[inline(always)]
fn invert_lanes<L: Lanes>(field: L, a: &L::Element) -> L::Element {
    const MOST: usize = 8;
    const { assert!(L::WIDTH <= MOST) };
    let single = field.single();
    let mut values = [single.one(); MOST];
    field.unpack(a, &mut values[..L::WIDTH]);
    let mut before = values;
    let mut product = values[0];
    for i in 1..L::WIDTH {
        before[i] = product;
        product = single.mul(&product, &values[i]);
    }
    let Some(mut inverse) = single.invert_vartime(&product) else {
        unreachable!("no lane of the product is zero");
    };
    for i in (1..L::WIDTH).rev() {
        let next = single.mul(&inverse, &values[i]);
        values[i] = single.mul(&inverse, &before[i]);
        inverse = next;
    }
    values[0] = inverse;
    field.pack(|i| &values[i])
}

/// Every field of single values is one lane wide.
impl<F: PrimeField> Lanes for F {
    type Single = F;

    const WIDTH: usize = 1;

    #[inline(always)]
    fn single(self) -> F {
        self
    }

    #[inline(always)]
    fn pack<'a>(self, value: impl Fn(usize) -> &'a F::Element) -> F::Element {
        *value(0)
    }

    #[inline(always)]
    fn unpack(self, a: &F::Element, values: &mut [F::Element]) {
        values[0] = *a;
    }

    #[inline(always)]
    fn to_integers(self, a: &F::Element, integers: &mut [F::Integer]) {
        integers[0] = self.to_integer(a);
    }

    #[inline(always)]
    fn lookup_vartime<'a>(self, entry: impl Fn(usize) -> &'a F::Element) -> F::Element {
        *entry(0)
    }

    #[inline(always)]
    fn swap_halves(self, a: &F::Element) -> F::Element {
        *a
    }
}
