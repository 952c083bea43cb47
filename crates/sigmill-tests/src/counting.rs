//! A field that counts its operations.

use std::cell::Cell;
use std::ops::{AddAssign, Sub};

use sigmill::hazmat::field::{Field, PrimeField};

/// Products (conversions included), squares and inversions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    pub products: f64,
    pub squares: f64,
    pub inversions: f64,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.products += other.products;
        self.squares += other.squares;
        self.inversions += other.inversions;
    }
}

impl Sub for Count {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            products: self.products - other.products,
            squares: self.squares - other.squares,
            inversions: self.inversions - other.inversions,
        }
    }
}

impl Count {
    /// The count per item, for `number` items.
    pub fn over(self, number: usize) -> Self {
        let [products, squares, inversions] =
            [self.products, self.squares, self.inversions].map(|sum| sum / number as f64);
        Self {
            products,
            squares,
            inversions,
        }
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:.0}M + {:.0}S | {:.2}",
            self.products, self.squares, self.inversions
        )
    }
}

thread_local! {
    static SO_FAR: Cell<Count> = const {
        Cell::new(Count { products: 0.0, squares: 0.0, inversions: 0.0 })
    };
}

fn note(products: f64, squares: f64, inversions: f64) {
    let mut count = SO_FAR.get();
    count += Count {
        products,
        squares,
        inversions,
    };
    SO_FAR.set(count);
}

/// Returns the operations of `work`.
pub fn count(work: impl FnOnce()) -> Count {
    let before = SO_FAR.get();
    work();
    SO_FAR.get() - before
}

/// The field `F`, counting every product.
#[derive(Clone, Copy, Debug)]
pub struct Counting<F>(pub F);

impl<F: Field> Field for Counting<F> {
    type Element = F::Element;
    type Mask = F::Mask;

    fn zero(self) -> F::Element {
        self.0.zero()
    }

    fn one(self) -> F::Element {
        self.0.one()
    }

    fn add(self, a: &F::Element, b: &F::Element) -> F::Element {
        self.0.add(a, b)
    }

    fn sub(self, a: &F::Element, b: &F::Element) -> F::Element {
        self.0.sub(a, b)
    }

    fn negate(self, a: &F::Element) -> F::Element {
        self.0.negate(a)
    }

    fn select(self, condition: F::Mask, a: &F::Element, b: &F::Element) -> F::Element {
        self.0.select(condition, a, b)
    }

    fn negate_if(self, a: &F::Element, condition: F::Mask) -> F::Element {
        self.0.negate_if(a, condition)
    }

    fn double(self, a: &F::Element) -> F::Element {
        self.0.double(a)
    }

    fn half(self, a: &F::Element) -> F::Element {
        self.0.half(a)
    }

    fn mul(self, a: &F::Element, b: &F::Element) -> F::Element {
        note(1.0, 0.0, 0.0);
        self.0.mul(a, b)
    }

    fn square(self, a: &F::Element) -> F::Element {
        note(0.0, 1.0, 0.0);
        self.0.square(a)
    }

    fn equal(self, a: &F::Element, b: &F::Element) -> F::Mask {
        self.0.equal(a, b)
    }

    fn is_zero(self, a: &F::Element) -> F::Mask {
        self.0.is_zero(a)
    }
}

impl<F: PrimeField> PrimeField for Counting<F> {
    type Integer = F::Integer;

    fn bits(self) -> u32 {
        self.0.bits()
    }

    fn modulus(self) -> F::Integer {
        self.0.modulus()
    }

    fn from_integer(self, integer: &F::Integer) -> Option<F::Element> {
        note(1.0, 0.0, 0.0);
        self.0.from_integer(integer)
    }

    fn to_integer(self, a: &F::Element) -> F::Integer {
        note(1.0, 0.0, 0.0);
        self.0.to_integer(a)
    }

    fn from_be_bytes(self, bytes: &[u8]) -> Option<F::Element> {
        note(1.0, 0.0, 0.0);
        self.0.from_be_bytes(bytes)
    }

    fn to_words(a: &F::Element) -> F::Integer {
        F::to_words(a)
    }

    fn from_words(words: F::Integer) -> F::Element {
        F::from_words(words)
    }

    fn invert(self, a: &F::Element) -> F::Element {
        note(1.0, 0.0, 1.0);
        self.0.invert(a)
    }

    fn legendre(self, a: &F::Element) -> i32 {
        self.0.legendre(a)
    }

    fn invert_vartime(self, a: &F::Element) -> Option<F::Element> {
        note(1.0, 0.0, 1.0);
        self.0.invert_vartime(a)
    }

    fn sqrt_vartime(self, a: &F::Element) -> Option<F::Element> {
        self.0.sqrt_vartime(a)
    }
}
