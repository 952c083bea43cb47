//! A field in lanes under test, the range of its elements, and values that are hard for it.

use std::ops::RangeInclusive;

use num_bigint::{BigInt, BigUint};
use rand_chacha::rand_core::Rng;
use sigmill::hazmat::field::{Field, Lanes, PrimeField, SingleElement};
use sigmill_tests::numbers::{from_limbs, nasty_below, random_below, rng};

/// The largest number of lanes.
pub(super) const MOST: usize = 8;

/// Properties of a representation of values in lanes.
pub(super) trait Representation: Lanes {
    /// The single value whose form in memory is this number below the prime.
    fn single_of(self, form: &BigUint) -> SingleElement<Self>;

    /// The stored value of each lane. Checks its limbs.
    fn stored(self, lanes: &Self::Element) -> Vec<BigInt>;

    /// The range of elements.
    fn range(self) -> RangeInclusive<BigInt>;

    /// The size that long walks reach (`extremes.rs`).
    fn reached(self) -> BigUint;

    /// Forms of single values that are hard for the limbs.
    fn hard(self) -> Vec<BigUint>;
}

/// A field under test, with its prime in big integers.
pub(super) struct Subject<L> {
    pub(super) field: L,
    p: BigUint,
}

/// Values with their lanes.
#[derive(Clone, Copy)]
pub(super) struct Values<L: Lanes> {
    pub(super) single: [SingleElement<L>; MOST],
    pub(super) lanes: L::Element,
}

impl<L: Representation> Subject<L> {
    pub(super) fn new(field: L) -> Self {
        let p = from_limbs(field.single().modulus().as_ref());
        Self { field, p }
    }

    /// Values with the given forms in memory.
    pub(super) fn values(&self, mut next: impl FnMut() -> BigUint) -> Values<L> {
        let single = std::array::from_fn(|_| self.field.single_of(&next()));
        Values {
            lanes: self.field.pack(|lane| &single[lane]),
            single,
        }
    }

    /// Checks a result lane by lane: its values, their conversion to integers, and its bounds.
    #[track_caller]
    pub(super) fn check(
        &self,
        name: &str,
        lanes: &L::Element,
        expected: impl Fn(usize) -> SingleElement<L>,
    ) {
        let (field, single, p) = (self.field, self.field.single(), &self.p);
        for (lane, value) in field.stored(lanes).iter().enumerate() {
            let is_element = field.range().contains(value);
            assert!(is_element, "{name}, lane {lane}: {value:x}, p {p:x}");
        }
        let mut values = [single.zero(); MOST];
        field.unpack(lanes, &mut values[..L::WIDTH]);
        let mut integers = values.map(|_| single.modulus());
        field.to_integers(lanes, &mut integers[..L::WIDTH]);
        for lane in 0..L::WIDTH {
            let expected = expected(lane);
            let is_it = single.equal(&values[lane], &expected);
            let value = values[lane];
            assert!(
                is_it,
                "{name}, lane {lane}: {value:?}, not {expected:?}, p {p:x}"
            );
            assert_eq!(
                integers[lane],
                single.to_integer(&expected),
                "{name}, lane {lane} as an integer, p {p:x}"
            );
        }
    }

    /// The largest absolute value of a lane.
    pub(super) fn largest(&self, lanes: &L::Element) -> BigUint {
        let stored = self.field.stored(lanes);
        let sizes = stored.iter().map(|value| value.magnitude().clone());
        sizes.max().unwrap()
    }

    /// Calls `run` repeatedly with a source of hard values and random ones; the same values for
    /// each backend.
    pub(super) fn for_rounds(
        &self,
        rounds: usize,
        mut run: impl FnMut(&mut dyn FnMut() -> BigUint),
    ) {
        let mut hard = self.field.hard();
        hard.extend(nasty_below(&self.p));
        let mut rng = rng(52);
        for round in 0..rounds {
            run(&mut || {
                if rng.next_u32() % 4 < if round % 2 == 0 { 3 } else { 1 } {
                    hard[rng.next_u32() as usize % hard.len()].clone()
                } else {
                    random_below(&mut rng, &self.p)
                }
            });
        }
    }
}
