//! The contract of fields several values wide: the ways into the lanes and out of them.

use core::fmt::Debug;

use zeroize::Zeroize;

use crate::ct;
use crate::field::{Factors, Field, Limbs as _, PrimeField};
use crate::limbs::X8;

/// The elements of the single values that go into lanes of `L`.
pub type SingleElement<L> = <<L as Lanes>::Single as Field>::Element;

/// The integers of the single values that go into lanes of `L`.
pub type SingleInteger<L> = <<L as Lanes>::Single as PrimeField>::Integer;

/// The entries of a shelf.
pub const SHELF: usize = 8;

/// The most lanes that a field has.
pub const MOST_LANES: usize = 8;

/// A field whose elements are in registers, for loops that keep them there from one operation to
/// the next.
pub trait Registers: Factors {
    /// An element in memory.
    type Stored: Copy;

    /// What one lane holds, taken out of it as it is.
    type Lane: Copy + Debug + Send + Sync + 'static;

    /// A single value, as tables have it that all lanes look into.
    type Entry: Copy + 'static;

    /// From memory.
    fn load(self, a: &Self::Stored) -> Self::Element;

    /// To memory.
    fn store(self, a: &Self::Element) -> Self::Stored;

    /// The element whose lane i holds `values[i]`. Nothing is read for lanes that there are not.
    fn gather_values(self, values: [&Self::Entry; MOST_LANES]) -> Self::Element;

    /// The element whose lane i holds `values[i]`, or its negative where the mask says so.
    #[inline(always)]
    fn gather_signed(
        self,
        values: [&Self::Entry; MOST_LANES],
        negative: Self::Mask,
    ) -> Self::Element {
        self.negate_if(&self.gather_values(values), negative)
    }

    /// The element whose lane i holds `lanes[i]`, which came from any lane of any element. Nothing
    /// is read for lanes that there are not.
    fn gather_lanes(self, lanes: [&Self::Lane; MOST_LANES]) -> Self::Element;

    /// Where the number of a lane is this one. Constant time where the registers are for secrets.
    fn is_number(self, numbers: &X8, number: u64) -> Self::Mask;
}

/// Registers that secrets may be in: every operation takes constant time, and tables can be read
/// whole, whatever entry is wanted.
pub trait SecretRegisters: Registers {
    /// [`SHELF`] entries of two values each, as look-ups want them.
    type Shelf: Copy;

    /// A shelf of entries.
    fn shelve(self, entries: [[&Self::Entry; 2]; SHELF]) -> Self::Shelf;

    /// In each lane the entry that its number says, counted over all shelves. Reads all of them in
    /// order, whatever the numbers. Constant time.
    fn look_up(self, shelves: &[Self::Shelf], numbers: &X8) -> [Self::Element; 2];
}

/// The body of a loop.
pub trait Body<L: Lanes> {
    /// Step `i`. Implementations are `#[inline(always)]`, so that they are compiled for the
    /// instructions of the field.
    fn step(&mut self, field: L::Registers, i: usize);
}

/// A field of [`WIDTH`](Self::WIDTH) values side by side; a field of single values is one lane
/// wide.
pub trait Lanes: Field<Element: Zeroize> {
    /// The field of what is in one lane.
    type Single: PrimeField;

    /// What one lane holds, taken out of it as it is.
    type Lane: Copy + Debug + Send + Sync + 'static;

    /// What all lanes hold, the first lane first.
    type LaneArray: AsRef<[Self::Lane]>;

    /// The same field on elements in registers.
    type Registers: Registers<
            Stored = Self::Element,
            Lane = Self::Lane,
            Mask = Self::Mask,
            Entry = SingleElement<Self>,
        >;

    /// How many lanes there are: a power of two.
    const WIDTH: usize;

    /// How many chains of squares run beside each other, 2 to 4, as a square waits for the one
    /// before: so many have as much to do as there are ports for it.
    const CHAINS_BESIDE: usize = 2;

    /// Whether a product is so long that formulas of which a call runs a few only are left to the
    /// operations of this field, each a function of its own, and are no bodies of loops: the
    /// compiler takes as long for each product in a body as for a function.
    const HAS_LONG_PRODUCTS: bool = false;

    /// The backend of single values that goes with this one.
    fn single(self) -> Self::Single;

    /// Runs steps 0 to `count` - 1 of a loop, compiled as one function for the instructions of this
    /// field.
    fn each(self, count: usize, body: impl Body<Self>);

    /// The element whose lane i holds `value(i)`.
    fn pack<'a>(self, value: impl Fn(usize) -> &'a SingleElement<Self>) -> Self::Element;

    /// The element whose lane i holds `integer(i) / R`, as
    /// [`from_integer_over_r`](PrimeField::from_integer_over_r).
    #[inline(always)]
    fn pack_over_r(self, integer: impl Fn(usize) -> SingleInteger<Self>) -> Self::Element {
        let mut values = [self.single().zero(); MOST_LANES];
        for (lane, value) in values[..Self::WIDTH].iter_mut().enumerate() {
            *value = self.single().from_integer_over_r(&integer(lane));
        }
        self.pack(|lane| &values[lane])
    }

    /// R in all lanes: times this, what [`pack_over_r`](Self::pack_over_r) packs is the integers.
    /// One product instead of one for each lane.
    fn r(self) -> Self::Element {
        let single = self.single();
        // 1 is made of the words of R modulo p.
        let r = single.from_integer(&Self::Single::to_words(&single.one()));
        let r = r.unwrap_or(single.zero());
        self.pack(|_| &r)
    }

    /// Writes lane i to `values[i]`, for all lanes.
    fn unpack(self, a: &Self::Element, values: &mut [SingleElement<Self>]);

    /// Writes the integer of lane i, in `0 .. p`, to `integers[i]`, for all lanes.
    fn to_integers(self, a: &Self::Element, integers: &mut [SingleInteger<Self>]);

    /// What each lane holds, the first lane first: for tables in which each lane looks up an entry
    /// of its own.
    fn lanes(self, a: &Self::Element) -> Self::LaneArray;

    /// The element whose lane i holds `lane(i)`, which came from any lane of any element.
    fn load_lanes<'a>(self, lane: impl Fn(usize) -> &'a Self::Lane) -> Self::Element;

    /// The element whose lane i holds what lane i + `by` of `a` does, counted modulo the width.
    /// `by` is a power of two below the width.
    fn rotate(self, a: &Self::Element, by: usize) -> Self::Element;
}

/// Lanes that secrets may be in.
pub trait SecretLanes: Lanes<Registers: SecretRegisters> {}

impl<L: Lanes<Registers: SecretRegisters>> SecretLanes for L {}

/// The compiler keeps single values in registers where it can.
impl<F: PrimeField> Registers for F {
    type Stored = F::Element;

    type Lane = F::Element;

    type Entry = F::Element;

    #[inline(always)]
    fn load(self, a: &F::Element) -> F::Element {
        *a
    }

    #[inline(always)]
    fn store(self, a: &F::Element) -> F::Element {
        *a
    }

    #[inline(always)]
    fn gather_values(self, values: [&F::Element; MOST_LANES]) -> F::Element {
        *values[0]
    }

    #[inline(always)]
    fn gather_lanes(self, lanes: [&F::Element; MOST_LANES]) -> F::Element {
        *lanes[0]
    }

    #[inline(always)]
    fn is_number(self, numbers: &X8, number: u64) -> bool {
        ct::mask_equal(numbers.0[0], number) & 1 == 1
    }
}

impl<F: PrimeField> SecretRegisters for F {
    type Shelf = [[F::Element; 2]; SHELF];

    #[inline(always)]
    fn shelve(self, entries: [[&F::Element; 2]; SHELF]) -> Self::Shelf {
        entries.map(|[a, b]| [*a, *b])
    }

    #[inline(always)]
    fn look_up(self, shelves: &[Self::Shelf], numbers: &X8) -> [F::Element; 2] {
        let mut found = [F::Integer::ZERO; 2];
        for (i, entry) in shelves.as_flattened().iter().enumerate() {
            let mask = ct::mask_equal(numbers.0[0], i as u64);
            for (found, value) in found.iter_mut().zip(entry) {
                let words = F::to_words(value);
                for (found, word) in found.as_mut().iter_mut().zip(words.as_ref()) {
                    *found |= word & mask;
                }
            }
        }
        found.map(F::from_words)
    }
}

/// Every field of single values is one lane wide.
impl<F: PrimeField> Lanes for F {
    type Single = F;

    type Lane = F::Element;
    type LaneArray = [F::Element; 1];

    type Registers = F;

    const WIDTH: usize = 1;
    const CHAINS_BESIDE: usize = 4;

    /// One function for each body, as with lanes: a strategy runs its loops in a dozen places, and
    /// would be as many times as large.
    #[inline(never)]
    fn each(self, count: usize, mut body: impl Body<Self>) {
        for i in 0..count {
            body.step(self, i);
        }
    }

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
    fn lanes(self, a: &F::Element) -> [F::Element; 1] {
        [*a]
    }

    #[inline(always)]
    fn load_lanes<'a>(self, lane: impl Fn(usize) -> &'a F::Element) -> F::Element {
        *lane(0)
    }

    #[inline(always)]
    fn rotate(self, a: &F::Element, _: usize) -> F::Element {
        *a
    }
}
