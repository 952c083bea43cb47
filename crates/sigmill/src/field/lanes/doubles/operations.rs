//! The operations of lanes of doubles on elements in memory.

use core::marker::PhantomData;

use super::reduction::DoublesReduction;
use super::registers::DoublesRegisters;
use super::{DoublesLane, DoublesResidue};
use crate::field::lanes::LaneMask;
use crate::field::{Body, Field as _, Lanes, MOST_LANES, Registers as _, Residue};
use crate::limbs::{Doubles, DoublesOperation};

/// An element of the field with reduction `K`.
type Element<D, K, const N: usize, const L: usize, const WIDTH: usize> =
    DoublesResidue<<K as DoublesReduction<N, L>>::Tag, <D as Doubles<WIDTH>>::Stored, L>;

/// Operations of the field in registers: load, compute, store.
macro_rules! operations {
    ($($name:ident($($a:ident),*) = $method:ident;)*) => {
        $(
            pub(super) struct $name<
                'a,
                D: Doubles<WIDTH>,
                K: DoublesReduction<N, L>,
                const N: usize,
                const L: usize,
                const WIDTH: usize,
            > {
                pub(super) reduction: K,
                $(pub(super) $a: &'a Element<D, K, N, L, WIDTH>,)*
            }

            impl<
                D: Doubles<WIDTH>,
                K: DoublesReduction<N, L>,
                const N: usize,
                const L: usize,
                const WIDTH: usize,
            > DoublesOperation<D, WIDTH> for $name<'_, D, K, N, L, WIDTH>
            {
                type Output = Element<D, K, N, L, WIDTH>;

                #[inline(always)]
                fn run(self, doubles: D) -> Self::Output {
                    let field = DoublesRegisters::new(doubles, self.reduction);
                    field.store(&field.$method($(&field.load(self.$a)),*))
                }
            }
        )*
    };
}

operations! {
    Add(a, b) = add;
    Sub(a, b) = sub;
    Negate(a) = negate;
    Half(a) = half;
    Mul(a, b) = mul;
    Square(a) = square;
}

/// Selects a or b by a mask.
pub(super) struct Select<
    'a,
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    const N: usize,
    const L: usize,
    const WIDTH: usize,
> {
    pub(super) reduction: K,
    pub(super) condition: LaneMask<WIDTH>,
    pub(super) a: &'a Element<D, K, N, L, WIDTH>,
    pub(super) b: &'a Element<D, K, N, L, WIDTH>,
}

impl<
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    const N: usize,
    const L: usize,
    const WIDTH: usize,
> DoublesOperation<D, WIDTH> for Select<'_, D, K, N, L, WIDTH>
{
    type Output = Element<D, K, N, L, WIDTH>;

    #[inline(always)]
    fn run(self, doubles: D) -> Self::Output {
        let field = DoublesRegisters::new(doubles, self.reduction);
        let (a, b) = (field.load(self.a), field.load(self.b));
        field.store(&field.select(self.condition, &a, &b))
    }
}

/// The lanes in which a value is zero.
pub(super) struct IsZero<
    'a,
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    const N: usize,
    const L: usize,
    const WIDTH: usize,
> {
    pub(super) reduction: K,
    pub(super) a: &'a Element<D, K, N, L, WIDTH>,
}

impl<
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    const N: usize,
    const L: usize,
    const WIDTH: usize,
> DoublesOperation<D, WIDTH> for IsZero<'_, D, K, N, L, WIDTH>
{
    type Output = LaneMask<WIDTH>;

    #[inline(always)]
    fn run(self, doubles: D) -> LaneMask<WIDTH> {
        let field = DoublesRegisters::new(doubles, self.reduction);
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

impl<D, K, F, B, const N: usize, const L: usize, const WIDTH: usize> DoublesOperation<D, WIDTH>
    for Each<K, F, B>
where
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    F: Lanes<Registers = DoublesRegisters<D, K, N, L, WIDTH>>,
    B: Body<F>,
{
    type Output = ();

    #[inline(always)]
    fn run(mut self, doubles: D) {
        for i in 0..self.count {
            self.body
                .step(DoublesRegisters::new(doubles, self.reduction), i);
        }
    }
}

/// Single values, one for each lane.
pub(super) struct Pack<'a, K: DoublesReduction<N, L>, const N: usize, const L: usize> {
    pub(super) reduction: K,
    pub(super) values: [&'a Residue<K::Tag, N>; MOST_LANES],
}

impl<
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    const N: usize,
    const L: usize,
    const WIDTH: usize,
> DoublesOperation<D, WIDTH> for Pack<'_, K, N, L>
{
    type Output = Element<D, K, N, L, WIDTH>;

    #[inline(always)]
    fn run(self, doubles: D) -> Self::Output {
        let field = DoublesRegisters::new(doubles, self.reduction);
        field.store(&field.gather_values(self.values))
    }
}

/// The contents of the lanes.
pub(super) struct LoadLanes<'a, K: DoublesReduction<N, L>, const N: usize, const L: usize> {
    pub(super) reduction: K,
    pub(super) lanes: [&'a DoublesLane<K::Tag, L>; MOST_LANES],
}

impl<
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    const N: usize,
    const L: usize,
    const WIDTH: usize,
> DoublesOperation<D, WIDTH> for LoadLanes<'_, K, N, L>
{
    type Output = Element<D, K, N, L, WIDTH>;

    #[inline(always)]
    fn run(self, doubles: D) -> Self::Output {
        let field = DoublesRegisters::new(doubles, self.reduction);
        field.store(&field.gather_lanes(self.lanes))
    }
}

/// The contents of the lanes in words: single values or integers.
pub(super) struct ToWords<
    'a,
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    const N: usize,
    const L: usize,
    const WIDTH: usize,
    const SINGLE: bool,
> {
    pub(super) reduction: K,
    pub(super) a: &'a Element<D, K, N, L, WIDTH>,
}

impl<
    D: Doubles<WIDTH>,
    K: DoublesReduction<N, L>,
    const N: usize,
    const L: usize,
    const WIDTH: usize,
    const SINGLE: bool,
> DoublesOperation<D, WIDTH> for ToWords<'_, D, K, N, L, WIDTH, SINGLE>
{
    type Output = [[u64; N]; MOST_LANES];

    #[inline(always)]
    fn run(self, doubles: D) -> Self::Output {
        let field = DoublesRegisters::new(doubles, self.reduction);
        let a = field.load(self.a);
        let words = match SINGLE {
            true => field.to_single_words(&a),
            false => field.to_integer_words(&a),
        };
        let mut rows = [[0; N]; MOST_LANES];
        for (j, &word) in words.iter().enumerate() {
            let numbers = doubles.store(doubles.from_bits(word));
            for (row, number) in rows.iter_mut().zip(numbers.as_ref()) {
                row[j] = number.to_bits();
            }
        }
        rows
    }
}
