//! Counts the field operations of a verification, for `docs/verification.md`: the library's own code runs
//! over a field that counts.

use std::cell::Cell;
use std::ops::{AddAssign, Sub};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sigmill::curve::{AffinePoint, BaseField, Curve, Domain as _, Group, P256, P384};
use sigmill::field::{Field, Limbs, PrimeField};
use sigmill::multiply::{
    BlockSums, double_base_mul_vartime, prepared_double_base_mul_vartime,
    variable_base_mul_lanes_vartime,
};
use sigmill::recode::WnafVartime;
use sigmill::table::{MAX_WINDOW, OddMultiples, WindowTable, generator_table};

/// Pairs of random scalars that an average is taken over.
const SAMPLES: usize = 4000;

/// Products (conversions included), squares and inversions.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    products: f64,
    squares: f64,
    inversions: f64,
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
    fn average(self) -> Self {
        self.over(SAMPLES)
    }

    /// A share of it.
    fn over(self, number: usize) -> Self {
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

/// What `work` takes.
fn count(work: impl FnOnce()) -> Count {
    let before = SO_FAR.get();
    work();
    SO_FAR.get() - before
}

/// The field `F`, with every product counted.
#[derive(Clone, Copy, Debug)]
struct Counting<F>(F);

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

/// A random integer below the order.
fn scalar<C: Curve>(curve: C, rng: &mut ChaCha8Rng) -> C::Integer {
    let order = curve.scalar_field();
    loop {
        let mut integer = C::Integer::ZERO;
        integer.as_mut().fill_with(|| rng.next_u64());
        if order.from_integer(&integer).is_some() {
            return integer;
        }
    }
}

/// 2G: another point than that of the generator's table.
fn key<C: Curve, F: BaseField<C>>(group: &Group<C, F>) -> AffinePoint<C::BaseElement> {
    let twice = group.double(&group.from_affine(group.curve().generator()));
    group.to_affine_vartime(&twice).expect("the order is not 2")
}

fn fresh<C: Curve, F: BaseField<C>>(group: &Group<C, F>, rng: &mut ChaCha8Rng) {
    let q = key(group);
    let odd = count(|| {
        OddMultiples::new_vartime(group, &q);
    });
    let (mut doublings, mut additions, mut terms) = (0, 0, 0);
    let mut sum = Count::default();
    for _ in 0..SAMPLES {
        let (u1, u2) = (scalar(group.curve(), rng), scalar(group.curve(), rng));
        let wnaf = WnafVartime::new(u2.as_ref(), OddMultiples::<C::BaseElement>::WIDTH);
        doublings += wnaf.digits().len();
        additions += wnaf.digits().iter().filter(|&&digit| digit != 0).count();
        terms += generator_table(group).terms_vartime(u1.as_ref()).count();
        sum += count(|| {
            double_base_mul_vartime(group, u1.as_ref(), &q, &u2);
        });
    }
    let [doublings, additions, terms] =
        [doublings, additions, terms].map(|sum| sum as f64 / SAMPLES as f64);
    println!("\n{}, fresh: M + S | inversions", group.curve().label());
    println!("| odd multiples | {odd} |");
    println!("| {doublings:.1} doublings, {additions:.1} additions of a multiple of Q |");
    println!("| {terms:.1} points of the generator's table |");
    println!("| together | {} |", sum.average());
}

fn prepared<C: Curve, F: BaseField<C>>(group: &Group<C, F>, rng: &mut ChaCha8Rng) {
    println!(
        "\n{}, prepared: window | bytes | points of Q's table | to build: M + S | inversions | to verify: M + S | inversions",
        group.curve().label()
    );
    let q = key(group);
    for window in 1..=MAX_WINDOW {
        let mut table = None;
        let build = count(|| {
            table = WindowTable::build_vartime(group, &q, window).ok();
        });
        let Some(table) = table else {
            continue;
        };
        let mut terms = 0;
        let mut sum = Count::default();
        for _ in 0..SAMPLES {
            let (u1, u2) = (scalar(group.curve(), rng), scalar(group.curve(), rng));
            terms += table.rows().terms_vartime(u2.as_ref()).count();
            sum += count(|| {
                prepared_double_base_mul_vartime(group, u1.as_ref(), table.rows(), u2.as_ref());
            });
        }
        println!(
            "| {window} | {} | {:.1} | {build} | {} |",
            table.memory_bytes(),
            terms as f64 / SAMPLES as f64,
            sum.average()
        );
    }
}

/// A row of a block, one lane wide: the tree of a key with a table of window 7, and what a fresh
/// key's product takes before its tree, which is that of the generator's part and one point more.
fn blocks<C: Curve, F: BaseField<C>>(group: &Group<C, F>, rng: &mut ChaCha8Rng) {
    const ROWS: usize = 64;
    let q = key(group);
    let Ok(table) = WindowTable::build_vartime(group, &q, 7) else {
        return;
    };
    let bits = group.curve().scalar_field().bits();
    let scalars: Vec<[C::Integer; 2]> = (0..ROWS)
        .map(|_| [scalar(group.curve(), rng), scalar(group.curve(), rng)])
        .collect();
    let generator = generator_table(group);
    let tree = count(|| {
        let stride = table.rows().len() + generator.len();
        let mut sums = BlockSums::new(*group, &q, ROWS, stride);
        for [u1, u2] in &scalars {
            let terms = |_| table.rows().terms_vartime(u2.as_ref());
            sums.push(None, |lane| {
                terms(lane).chain(generator.terms_vartime(u1.as_ref()))
            });
        }
        sums.add_up();
    });
    let product = count(|| {
        let terms: Vec<_> = scalars
            .iter()
            .map(|[_, u2]| (q, core::slice::from_ref(u2)))
            .collect();
        variable_base_mul_lanes_vartime(group, bits, &terms);
    });
    println!(
        "\n{}, a row of a block of {ROWS}: M + S | inversions",
        group.curve().label()
    );
    println!("| tree, window 7 | {} |", tree.over(ROWS));
    println!("| product of a fresh key | {} |", product.over(ROWS));
}

fn count_all(curve: impl Curve) {
    let group = Group::new(curve, Counting(curve.base_field()));
    // The generator's table is built before anything is counted.
    generator_table(&group);
    let rng = &mut ChaCha8Rng::seed_from_u64(0);
    fresh(&group, rng);
    prepared(&group, rng);
    blocks(&group, rng);
}

fn main() {
    count_all(P256);
    count_all(P384.curve());
}
