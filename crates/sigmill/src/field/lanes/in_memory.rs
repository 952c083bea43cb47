//! Lanes with elements in memory: each operation loads, computes in registers, and stores. It is a
//! function of its own, so that its code exists once.

use core::fmt::Debug;
use core::marker::PhantomData;

use zeroize::Zeroize;

use crate::field::{
    Body, Field, Kernel, Lanes, MOST_LANES, MontgomeryField, Registers, Residue, SingleElement,
};
use crate::limbs::{VectorOperation, Vectors};

/// Registers of one kind of vectors, for lanes that hold residues of `N` words.
pub trait LaneRegisters<const N: usize>:
    Registers<Stored: Zeroize + Debug + Send + Sync + 'static, Entry = Residue<Self::Tag, N>>
{
    /// The tag of the modulus.
    type Tag: Copy + Debug + Send + Sync + 'static;

    /// The backend of vectors.
    type Vectors: Vectors;

    /// The contents of all lanes, first lane first.
    type LaneArray: AsRef<[Self::Lane]>;

    /// [`Lanes::WIDTH`].
    const WIDTH: usize;

    /// [`Lanes::CHAINS_BESIDE`].
    const CHAINS_BESIDE: usize = 2;

    /// [`Lanes::HAS_LONG_PRODUCTS`].
    const HAS_LONG_PRODUCTS: bool = false;

    /// The backend of vectors.
    fn vectors(self) -> Self::Vectors;

    /// Zero in all lanes, in memory.
    fn stored_zero(self) -> Self::Stored;

    /// One in all lanes, in memory.
    fn stored_one(self) -> Self::Stored;

    /// The factor, if any, by which an element is multiplied before its lanes have this form.
    fn factor_of(self, form: Form) -> Option<Self::Stored>;

    /// The lanes of an element, after the product by [`factor_of`](Self::factor_of), in words.
    fn rows(self, a: &Self::Element, form: Form) -> [[u64; N]; MOST_LANES];

    /// The contents of the lanes, after the product by [`factor_of`](Self::factor_of).
    fn lane_array(self, a: &Self::Stored) -> Self::LaneArray;

    /// [`Lanes::rotate`] by `BY` lanes.
    fn rotate<const BY: usize>(self, a: &Self::Element) -> Self::Element;
}

/// A form in which lanes leave a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The words of single values.
    Single,
    /// Integers below the modulus.
    Integer,
    /// The contents of lanes.
    Lane,
}

/// The field of registers `R` with elements in memory. `S` is the kernel for the corresponding
/// single values.
#[derive(Clone, Copy, Debug)]
pub struct InMemory<R, S, const N: usize> {
    registers: R,
    single: S,
}

impl<R, S, const N: usize> InMemory<R, S, N> {
    /// The field of these registers, with single values by this kernel of the same prime.
    #[inline(always)]
    pub(super) fn of(registers: R, single: S) -> Self {
        Self { registers, single }
    }

    /// The same field, with elements in registers.
    pub fn registers(self) -> R {
        self.registers
    }
}

/// Operations of the field in registers: load, compute, store.
macro_rules! operations {
    ($($name:ident($($a:ident),*) = $method:ident;)*) => {$(
        struct $name<'a, R: Registers> {
            registers: R,
            $($a: &'a R::Stored,)*
        }

        impl<V, R: Registers> VectorOperation<V> for $name<'_, R> {
            type Output = R::Stored;

            #[inline(always)]
            fn run(self, _: V) -> R::Stored {
                let field = self.registers;
                field.store(&field.$method($(&field.load(self.$a)),*))
            }
        }
    )*};
}

/// Methods of [`Field`] that run these operations.
macro_rules! calls {
    ($($name:ident($($a:ident),*) = $operation:ident;)*) => {$(
        #[inline(always)]
        fn $name(self, $($a: &R::Stored),*) -> R::Stored {
            let registers = self.registers;
            registers.vectors().call($operation { registers, $($a),* })
        }
    )*};
}

operations! {
    Add(a, b) = add;
    Sub(a, b) = sub;
    SubBoth(a, b, c) = sub_both;
    Negate(a) = negate;
    Half(a) = half;
    Mul(a, b) = mul;
    Square(a) = square;
}

/// Selects a or b by a mask.
struct Select<'a, R: Registers> {
    registers: R,
    condition: R::Mask,
    a: &'a R::Stored,
    b: &'a R::Stored,
}

impl<V, R: Registers> VectorOperation<V> for Select<'_, R> {
    type Output = R::Stored;

    #[inline(always)]
    fn run(self, _: V) -> R::Stored {
        let field = self.registers;
        let (a, b) = (field.load(self.a), field.load(self.b));
        field.store(&field.select(self.condition, &a, &b))
    }
}

/// The lanes in which a value is zero.
struct IsZero<'a, R: Registers> {
    registers: R,
    a: &'a R::Stored,
}

impl<V, R: Registers> VectorOperation<V> for IsZero<'_, R> {
    type Output = R::Mask;

    #[inline(always)]
    fn run(self, _: V) -> R::Mask {
        let field = self.registers;
        field.is_zero(&field.load(self.a))
    }
}

/// A loop whose body stays in registers.
struct Each<R, F, B> {
    registers: R,
    count: usize,
    body: B,
    lanes: PhantomData<F>,
}

impl<V, R, F, B> VectorOperation<V> for Each<R, F, B>
where
    R: Registers,
    F: Lanes<Registers = R>,
    B: Body<F>,
{
    type Output = ();

    #[inline(always)]
    fn run(mut self, _: V) {
        for i in 0..self.count {
            self.body.step(self.registers, i);
        }
    }
}

/// Single values, one for each lane.
struct Pack<'a, R: Registers> {
    registers: R,
    values: [&'a R::Entry; MOST_LANES],
}

impl<V, R: Registers> VectorOperation<V> for Pack<'_, R> {
    type Output = R::Stored;

    #[inline(always)]
    fn run(self, _: V) -> R::Stored {
        let field = self.registers;
        field.store(&field.gather_values(self.values))
    }
}

/// The contents of lanes.
struct LoadLanes<'a, R: Registers> {
    registers: R,
    lanes: [&'a R::Lane; MOST_LANES],
}

impl<V, R: Registers> VectorOperation<V> for LoadLanes<'_, R> {
    type Output = R::Stored;

    #[inline(always)]
    fn run(self, _: V) -> R::Stored {
        let field = self.registers;
        field.store(&field.gather_lanes(self.lanes))
    }
}

/// Moves lane i + `BY` to lane i.
struct Rotate<'a, R: Registers, const N: usize, const BY: usize> {
    registers: R,
    a: &'a R::Stored,
}

impl<V, R: LaneRegisters<N>, const N: usize, const BY: usize> VectorOperation<V>
    for Rotate<'_, R, N, BY>
{
    type Output = R::Stored;

    #[inline(always)]
    fn run(self, _: V) -> R::Stored {
        let field = self.registers;
        field.store(&field.rotate::<BY>(&field.load(self.a)))
    }
}

/// The lanes in words.
pub(super) struct Rows<'a, R: Registers, const N: usize> {
    pub(super) registers: R,
    pub(super) a: &'a R::Stored,
    pub(super) form: Form,
}

impl<V, R: LaneRegisters<N>, const N: usize> VectorOperation<V> for Rows<'_, R, N> {
    type Output = [[u64; N]; MOST_LANES];

    #[inline(always)]
    fn run(self, _: V) -> Self::Output {
        let field = self.registers;
        field.rows(&field.load(self.a), self.form)
    }
}

impl<R, S, const N: usize> InMemory<R, S, N>
where
    R: LaneRegisters<N>,
    S: Kernel<N, Tag = R::Tag>,
{
    /// An element whose lanes can be read in this form.
    #[inline(always)]
    fn in_form(self, a: &R::Stored, form: Form) -> R::Stored {
        match self.registers.factor_of(form) {
            Some(factor) => self.mul(a, &factor),
            None => *a,
        }
    }

    #[inline(always)]
    fn rows(self, a: &R::Stored, form: Form) -> [[u64; N]; MOST_LANES] {
        self.registers.vectors().call(Rows {
            registers: self.registers,
            a: &self.in_form(a, form),
            form,
        })
    }

    #[inline(always)]
    fn rotated<const BY: usize>(self, a: &R::Stored) -> R::Stored {
        self.registers.vectors().call(Rotate::<R, N, BY> {
            registers: self.registers,
            a,
        })
    }
}

/// References to `width` values. The entries beyond the width repeat the first one.
#[inline(always)]
fn references<'a, T>(width: usize, value: impl Fn(usize) -> &'a T) -> [&'a T; MOST_LANES] {
    let mut values = [value(0); MOST_LANES];
    for (lane, place) in values[..width].iter_mut().enumerate() {
        *place = value(lane);
    }
    values
}

impl<R, S, const N: usize> Field for InMemory<R, S, N>
where
    R: LaneRegisters<N>,
    S: Kernel<N, Tag = R::Tag>,
{
    type Element = R::Stored;
    type Mask = R::Mask;

    #[inline(always)]
    fn zero(self) -> R::Stored {
        self.registers.stored_zero()
    }

    #[inline(always)]
    fn one(self) -> R::Stored {
        self.registers.stored_one()
    }

    calls! {
        add(a, b) = Add;
        sub(a, b) = Sub;
        sub_both(a, b, c) = SubBoth;
        negate(a) = Negate;
        half(a) = Half;
        mul(a, b) = Mul;
        square(a) = Square;
    }

    #[inline(always)]
    fn select(self, condition: R::Mask, a: &R::Stored, b: &R::Stored) -> R::Stored {
        self.registers.vectors().call(Select {
            registers: self.registers,
            condition,
            a,
            b,
        })
    }

    #[inline(always)]
    fn is_zero(self, a: &R::Stored) -> R::Mask {
        let registers = self.registers;
        registers.vectors().call(IsZero { registers, a })
    }
}

impl<R, S, const N: usize> Lanes for InMemory<R, S, N>
where
    R: LaneRegisters<N>,
    S: Kernel<N, Tag = R::Tag>,
{
    type Single = MontgomeryField<S, N>;

    type Lane = R::Lane;
    type LaneArray = R::LaneArray;

    type Registers = R;

    const WIDTH: usize = R::WIDTH;
    const CHAINS_BESIDE: usize = R::CHAINS_BESIDE;
    const HAS_LONG_PRODUCTS: bool = R::HAS_LONG_PRODUCTS;

    #[inline(always)]
    fn single(self) -> Self::Single {
        MontgomeryField::new(self.single)
    }

    #[inline(always)]
    fn each(self, count: usize, body: impl Body<Self>) {
        self.registers.vectors().call(Each {
            registers: self.registers,
            count,
            body,
            lanes: PhantomData,
        });
    }

    #[inline(always)]
    fn pack<'a>(self, value: impl Fn(usize) -> &'a SingleElement<Self>) -> R::Stored {
        self.registers.vectors().call(Pack {
            registers: self.registers,
            values: references(R::WIDTH, value),
        })
    }

    #[inline(always)]
    fn unpack(self, a: &R::Stored, values: &mut [SingleElement<Self>]) {
        let rows = self.rows(a, Form::Single);
        for (value, words) in values[..R::WIDTH].iter_mut().zip(rows) {
            *value = Residue::from_montgomery_limbs(words);
        }
    }

    #[inline(always)]
    fn to_integers(self, a: &R::Stored, integers: &mut [[u64; N]]) {
        integers[..R::WIDTH].copy_from_slice(&self.rows(a, Form::Integer)[..R::WIDTH]);
    }

    #[inline(always)]
    fn lanes(self, a: &R::Stored) -> R::LaneArray {
        self.registers.lane_array(&self.in_form(a, Form::Lane))
    }

    #[inline(always)]
    fn load_lanes<'a>(self, lane: impl Fn(usize) -> &'a R::Lane) -> R::Stored {
        self.registers.vectors().call(LoadLanes {
            registers: self.registers,
            lanes: references(R::WIDTH, lane),
        })
    }

    #[inline(always)]
    fn rotate(self, a: &R::Stored, by: usize) -> R::Stored {
        match by {
            1 => self.rotated::<1>(a),
            2 => self.rotated::<2>(a),
            4 if const { R::WIDTH == 8 } => self.rotated::<4>(a),
            _ => unreachable!("half of a power of two of lanes"),
        }
    }
}
