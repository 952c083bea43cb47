//! The contract of fields that are several values wide, with the conversions into and out of lanes.

use core::fmt::Debug;

use zeroize::Zeroize;

use crate::ct;
use crate::field::{Factors, Field, Limbs as _, PrimeField};
use crate::limbs::X8;

/// Elements of the single values that go into lanes of `L`.
pub type SingleElement<L> = <<L as Lanes>::Single as Field>::Element;

/// Integers of the single values that go into lanes of `L`.
pub type SingleInteger<L> = <<L as Lanes>::Single as PrimeField>::Integer;

/// Number of entries in a block.
pub const LOOKUP_BLOCK: usize = 8;

/// Largest number of lanes of any field.
pub const MOST_LANES: usize = 8;

/// The item of a lane. Lanes that are left over repeat the last item.
#[inline(always)]
pub(crate) fn lane_item<T>(items: &[T], lane: usize) -> &T {
    &items[lane.min(items.len() - 1)]
}

/// A field whose elements are in registers, for loops that keep them there from one operation to
/// the next.
pub trait Registers: Factors {
    /// An element in memory.
    type Stored: Copy;

    /// The content of one lane, in the lane's own representation.
    type Lane: Copy + Debug + Send + Sync + 'static;

    /// A single value, in the form stored in tables that all lanes share.
    type Entry: Copy + 'static;

    /// Loads an element from memory.
    fn load(self, a: &Self::Stored) -> Self::Element;

    /// Stores an element to memory.
    fn store(self, a: &Self::Element) -> Self::Stored;

    /// The element whose lane i holds `values[i]`. Entries beyond the width are not read.
    fn gather_values(self, values: [&Self::Entry; MOST_LANES]) -> Self::Element;

    /// The element whose lane i holds `values[i]`, negated where the mask holds.
    #[inline(always)]
    fn gather_signed(
        self,
        values: [&Self::Entry; MOST_LANES],
        negative: Self::Mask,
    ) -> Self::Element {
        self.negate_if(&self.gather_values(values), negative)
    }

    /// The element whose lane i holds `lanes[i]`, which came from any lane of any element. Entries
    /// beyond the width are not read.
    fn gather_lanes(self, lanes: [&Self::Lane; MOST_LANES]) -> Self::Element;

    /// Lanes whose number equals `number`. Constant time if the registers are for secrets.
    fn is_number(self, numbers: &X8, number: u64) -> Self::Mask;
}

/// Registers that may hold secrets. Every operation is constant time, and a table look-up reads the
/// whole table, whichever entry is wanted.
pub trait SecretRegisters: Registers {
    /// [`LOOKUP_BLOCK`] entries of two values each, laid out for look-ups.
    type LookupBlock: Copy;

    /// Creates a block from entries.
    fn lookup_block(self, entries: [[&Self::Entry; 2]; LOOKUP_BLOCK]) -> Self::LookupBlock;

    /// Returns in each lane the entry with that lane's number, counted over all blocks. Reads all
    /// blocks in order, whatever the numbers. Constant time.
    fn look_up(self, blocks: &[Self::LookupBlock], numbers: &X8) -> [Self::Element; 2];
}

/// Body of a loop.
pub trait Body<L: Lanes> {
    /// Performs step `i`. Implementations are `#[inline(always)]`, so that they are compiled for
    /// the instructions of the field.
    fn step(&mut self, field: L::Registers, i: usize);
}

/// A field of [`WIDTH`](Self::WIDTH) values side by side. A field of single values is one lane
/// wide.
pub trait Lanes: Field<Element: Zeroize> {
    /// The field of a single lane.
    type Single: PrimeField;

    /// The content of one lane, in the lane's own representation.
    type Lane: Copy + Debug + Send + Sync + 'static;

    /// The contents of all lanes, first lane first.
    type LaneArray: AsRef<[Self::Lane]>;

    /// The same field, with elements in registers.
    type Registers: Registers<
            Stored = Self::Element,
            Lane = Self::Lane,
            Mask = Self::Mask,
            Entry = SingleElement<Self>,
        >;

    /// Number of lanes: a power of two.
    const WIDTH: usize;

    /// Number of chains of squares that run interleaved, 2 to 4. Each square waits for the one
    /// before it, so several chains are needed to keep the execution ports busy. Measure with
    /// `bench -- --only '*/hinted/bulk-one-key'` after a change, also with `SIGMILL_CPU=adx`.
    const CHAINS_BESIDE: usize = 2;

    /// True if products are long. Formulas that a call runs only a few times then use the
    /// operations of this field, each a separate function, and are not bodies of loops. The reason
    /// is compile time: each product in a body costs the compiler as much as a function.
    const HAS_LONG_PRODUCTS: bool = false;

    /// The backend of single values that belongs to this one.
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

    /// R in all lanes. Multiplying the result of [`pack_over_r`](Self::pack_over_r) by it yields
    /// the integers: one product instead of one for each lane.
    fn r(self) -> Self::Element {
        let single = self.single();
        // The words of 1 are R modulo p.
        let r = single.from_integer(&Self::Single::to_words(&single.one()));
        let r = r.unwrap_or(single.zero());
        self.pack(|_| &r)
    }

    /// Writes lane i to `values[i]`, for all lanes.
    fn unpack(self, a: &Self::Element, values: &mut [SingleElement<Self>]);

    /// Writes the integer of lane i, in `0 .. p`, to `integers[i]`, for all lanes.
    fn to_integers(self, a: &Self::Element, integers: &mut [SingleInteger<Self>]);

    /// The contents of all lanes, first lane first, for tables in which each lane looks up its own
    /// entry.
    fn lanes(self, a: &Self::Element) -> Self::LaneArray;

    /// The element whose lane i holds `lane(i)`, which came from any lane of any element.
    fn load_lanes<'a>(self, lane: impl Fn(usize) -> &'a Self::Lane) -> Self::Element;

    /// The element whose lane i holds lane i + `by` of `a`, counted modulo the width. `by` is a
    /// power of two below the width.
    fn rotate(self, a: &Self::Element, by: usize) -> Self::Element;
}

/// Lanes that may hold secrets.
pub trait SecretLanes: Lanes<Registers: SecretRegisters> {}

impl<L: Lanes<Registers: SecretRegisters>> SecretLanes for L {}

/// Single values: the compiler keeps them in registers where it can.
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
    type LookupBlock = [[F::Element; 2]; LOOKUP_BLOCK];

    #[inline(always)]
    fn lookup_block(self, entries: [[&F::Element; 2]; LOOKUP_BLOCK]) -> Self::LookupBlock {
        entries.map(|[a, b]| [*a, *b])
    }

    #[inline(always)]
    fn look_up(self, blocks: &[Self::LookupBlock], numbers: &X8) -> [F::Element; 2] {
        let mut found = [F::Integer::ZERO; 2];
        for (i, entry) in blocks.as_flattened().iter().enumerate() {
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

    /// One function for each body, as with lanes. A strategy runs its loops in a dozen places, so
    /// inlining would make it a dozen times as large.
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
