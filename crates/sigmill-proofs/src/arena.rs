//! The values of one run of a function: a range and a polynomial for each, and the cases that the
//! run goes through.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};

use num_bigint::BigInt;
use num_traits::Zero as _;

use crate::polynomial::{Number, Polynomial, Variable, two_to};

mod cases;
mod split;

pub use cases::for_each_case;

/// A value of the current run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub(crate) u32);

/// How a value follows from another one, so that a case for the one narrows the other, and parts of
/// values that were split in several places fit together.
#[derive(Clone, Copy, Debug)]
enum Link {
    None,
    /// floor(v / 2^bits).
    Floor(Value, u32),
    /// v modulo 2^bits.
    Low(Value, u32),
    /// low + 2^bits high, for integers; low is below 2^bits.
    Joined(Value, u32, Value),
    Sum(Value, Value),
    Difference(Value, Value),
    /// v c for an integer v and a constant c.
    Times(Value, Value),
    /// Bits of both. Zero only if both are.
    Or(Value, Value),
}

/// A value's range, unit, polynomial and origin.
#[derive(Clone, Debug)]
struct Node {
    low: Number,
    high: Number,
    /// The value is a multiple of 2^`unit`.
    unit: i32,
    polynomial: Polynomial,
    link: Link,
}

/// The values of one run.
#[derive(Default)]
pub struct Arena {
    nodes: Vec<Node>,
    variables: Variable,
    /// The value of each variable.
    named: HashMap<Variable, Value>,
    /// The number below 2^bits that each floor leaves, for [`tighten`](Self::tighten).
    rests: HashMap<Variable, Value>,
    floors: HashMap<(Value, u32), Value>,
    lows: HashMap<(Value, u32), Value>,
    /// The bits at which a value was split.
    cuts: HashMap<Value, BTreeSet<u32>>,
    /// Values below 2^bits by their polynomials modulo 2^bits.
    residues: HashMap<(Polynomial, u32), Value>,
    products: HashMap<(Value, Value), Value>,
    /// The ranges of integers that several words amount to.
    integers: Vec<(Polynomial, [Number; 2])>,
    /// The ranges of polynomials without constant terms.
    facts: HashMap<Polynomial, (Number, Number)>,
    /// The summands of exact sums of doubles.
    pub(crate) summands: HashMap<Value, [Value; 2]>,
    /// Polynomials that are zero in this case.
    zeros: Vec<Polynomial>,
    /// Values that are not zero in this case.
    nonzeros: Vec<Value>,
    choices: Vec<(i64, i64)>,
    next_choice: usize,
    failures: Vec<String>,
    is_impossible: bool,
    operations: usize,
    /// Words that transpositions return next.
    pub words_in: Vec<Value>,
    /// Words that were transposed back.
    pub words_out: Vec<Value>,
}

thread_local! {
    static ARENA: RefCell<Arena> = RefCell::default();
    static PLANTED: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Plants a defect: in each run, operation number `number` is lost. A sum or difference is then its
/// first operand, a masked value is not masked, and a shifted one is zero. For tests of the proofs,
/// which must then fail. Returns the number of operations of the last run.
pub fn plant(number: Option<usize>) -> usize {
    PLANTED.set(number);
    with(|arena| arena.operations)
}

/// Accesses the arena of this thread.
pub fn with<T>(access: impl FnOnce(&mut Arena) -> T) -> T {
    ARENA.with(|arena| access(&mut arena.borrow_mut()))
}

impl Arena {
    /// The failures of this run so far.
    pub fn failures(&self) -> &[String] {
        &self.failures
    }

    /// Records that a requirement of the code is not met.
    pub fn fail(&mut self, failure: impl Into<String>) {
        self.failures.push(failure.into());
    }

    /// The result of an operation, or what it is if the operation is lost. Operations without an
    /// effect, such as the addition of zero, do not count.
    pub(crate) fn kept(&mut self, result: Value, lost: Value) -> Value {
        if self.node(result).polynomial == self.node(lost).polynomial {
            return result;
        }
        self.operations += 1;
        match PLANTED.get() == Some(self.operations - 1) {
            true => lost,
            false => result,
        }
    }

    /// Reports whether no input leads to this case.
    pub fn is_impossible(&self) -> bool {
        self.is_impossible
    }

    /// No input leads to this case. After a failure, all cases are judged.
    fn set_impossible(&mut self) {
        self.is_impossible = self.failures.is_empty();
    }

    fn node(&self, value: Value) -> &Node {
        &self.nodes[value.0 as usize]
    }

    /// The least and the largest number that a value can be.
    pub fn range(&self, value: Value) -> (Number, Number) {
        let node = self.node(value);
        (node.low.clone(), node.high.clone())
    }

    /// The exponent k of the unit: the value is a multiple of 2^k.
    pub fn unit(&self, value: Value) -> i32 {
        self.node(value).unit
    }

    /// The polynomial of a value.
    pub fn polynomial(&self, value: Value) -> Polynomial {
        self.node(value).polynomial.clone()
    }

    /// The number that a value is, if it is the same for all inputs.
    pub fn as_constant(&self, value: Value) -> Option<Number> {
        let node = self.node(value);
        (node.low == node.high).then(|| node.low.clone())
    }

    fn push(
        &mut self,
        [mut low, mut high]: [Number; 2],
        unit: i32,
        polynomial: Polynomial,
        link: Link,
    ) -> Value {
        let constant = polynomial.constant_term();
        if let Some((least, most)) = self.facts.get(&polynomial.without_constant()) {
            low = low.max(least + &constant);
            high = high.min(most + &constant);
        }
        if low > high {
            self.set_impossible();
            high = low.clone();
        }
        if let Some(constant) = polynomial.as_constant() {
            (low, high) = (constant.clone(), constant);
        }
        self.nodes.push(Node {
            low,
            high,
            unit,
            polynomial,
            link,
        });
        Value(u32::try_from(self.nodes.len() - 1).expect("few values"))
    }

    /// A number.
    pub fn constant(&mut self, value: Number) -> Value {
        let unit = trailing_zeros(&value);
        let polynomial = Polynomial::constant(value.clone());
        self.push([value.clone(), value], unit, polynomial, Link::None)
    }

    /// A new variable: an integer in this range, times 2^`unit`.
    pub fn variable(&mut self, [low, high]: [Number; 2], unit: i32) -> Value {
        self.linked_variable([low, high], unit, Link::None)
    }

    fn linked_variable(&mut self, [low, high]: [Number; 2], unit: i32, link: Link) -> Value {
        self.variables += 1;
        let factor = two_to(unit);
        let polynomial = Polynomial::variable(self.variables).times(&factor);
        let value = self.push([low * &factor, high * &factor], unit, polynomial, link);
        self.named.insert(self.variables, value);
        value
    }

    /// Narrows the range of a value by that of its polynomial, in which floors are replaced: where
    /// f = floor(a / 2^bits), f is (a - r) / 2^bits, for r in 0 .. 2^bits. So terms that were added
    /// and subtracted along different paths cancel.
    ///
    /// The last floor is replaced first. The value that it is a floor of has only earlier ones.
    pub fn tighten(&mut self, value: Value) {
        let mut polynomial = self.polynomial(value);
        self.narrow_by(value, &polynomial);
        while let Some((variable, coefficient)) = self.last_floor(&polynomial) {
            let Link::Floor(of, bits) = self.node(self.named[&variable]).link else {
                unreachable!("a floor")
            };
            let unit = two_to(bits.cast_signed());
            let rest = match self.rests.get(&variable) {
                Some(&rest) => rest,
                None => {
                    let most = &unit - two_to(self.unit(of));
                    self.variable([Number::zero(), most.max(Number::zero())], 0)
                }
            };
            self.rests.insert(variable, rest);
            let floor = &self.polynomial(of) - &self.polynomial(rest);
            polynomial = polynomial
                .plus(&Polynomial::variable(variable), &-&coefficient)
                .plus(&floor, &(coefficient / unit));
        }
        self.narrow_by(value, &polynomial);
    }

    /// Narrows the range of a value by that of a polynomial which is equal to it.
    fn narrow_by(&mut self, value: Value, polynomial: &Polynomial) {
        let unit = two_to(self.unit(value));
        let [low, high] = self.bounds(polynomial);
        let range = [(low / &unit).ceil() * &unit, (high / &unit).floor() * unit];
        self.narrow(value, range);
    }

    /// The last floor in a polynomial that is not a constant: its variable and coefficient.
    fn last_floor(&self, polynomial: &Polynomial) -> Option<(Variable, Number)> {
        let floors = polynomial.terms().filter_map(|(monomial, coefficient)| {
            let &[variable] = monomial else { return None };
            let node = self.node(self.named[&variable]);
            let is_floor = matches!(node.link, Link::Floor(..));
            (is_floor && node.high > node.low).then(|| (variable, coefficient.clone()))
        });
        floors.max_by_key(|(variable, _)| *variable)
    }

    /// Limits the integer that several words amount to, for [`tighten`](Self::tighten).
    pub fn limit(&mut self, integer: Polynomial, range: [Number; 2]) {
        self.integers.push((integer, range));
    }

    /// The range of a polynomial: by those of its variables, and by those of integers that are a
    /// part of it.
    fn bounds(&self, polynomial: &Polynomial) -> [Number; 2] {
        let [mut low, mut high] = self.bounds_by_variables(polynomial);
        for (integer, [least, most]) in &self.integers {
            let Some(factor) = polynomial.quotient_of_leading_terms(integer) else {
                continue;
            };
            let rest = polynomial.clone().plus(integer, &-&factor);
            let rest = self.bounds_by_variables(&rest);
            let ends = corners(&[least.clone(), most.clone()], &[factor.clone(), factor]);
            let [less, more] = ends;
            low = low.max(&rest[0] + less);
            high = high.min(&rest[1] + more);
        }
        [low, high]
    }

    /// The range of a polynomial by those of its variables.
    fn bounds_by_variables(&self, polynomial: &Polynomial) -> [Number; 2] {
        let mut bounds = [Number::zero(), Number::zero()];
        for (monomial, coefficient) in polynomial.terms() {
            let mut range = [coefficient.clone(), coefficient.clone()];
            for variable in monomial {
                let node = self.node(self.named[variable]);
                let scale = two_to(-node.unit);
                range = corners(&range, &[&node.low * &scale, &node.high * scale]);
            }
            for (bound, end) in bounds.iter_mut().zip(range) {
                *bound += end;
            }
        }
        bounds
    }

    /// Records the range of a polynomial, in addition to what is known of it.
    pub fn learn(&mut self, polynomial: &Polynomial, [low, high]: [Number; 2]) {
        let constant = polynomial.constant_term();
        let rest = polynomial.without_constant();
        let (mut low, mut high) = (low - &constant, high - constant);
        if let Some((least, most)) = self.facts.get(&rest) {
            low = low.max(least.clone());
            high = high.min(most.clone());
        }
        self.facts.insert(-&rest, (-high.clone(), -low.clone()));
        self.facts.insert(rest, (low, high));
    }

    /// A sum, without any limit.
    pub fn sum(&mut self, a: Value, b: Value) -> Value {
        let (x, y) = (self.node(a), self.node(b));
        let link = Link::Sum(a, b);
        let range = [&x.low + &y.low, &x.high + &y.high];
        let (unit, polynomial) = (x.unit.min(y.unit), &x.polynomial + &y.polynomial);
        self.push(range, unit, polynomial, link)
    }

    /// A difference, without any limit.
    pub fn difference(&mut self, a: Value, b: Value) -> Value {
        let (x, y) = (self.node(a), self.node(b));
        let link = Link::Difference(a, b);
        let range = [&x.low - &y.high, &x.high - &y.low];
        let (unit, polynomial) = (x.unit.min(y.unit), &x.polynomial - &y.polynomial);
        self.push(range, unit, polynomial, link)
    }

    /// A product, without any limit.
    pub fn product(&mut self, a: Value, b: Value) -> Value {
        let (x, y) = (self.node(a), self.node(b));
        let [low, high] = corners(
            &[x.low.clone(), x.high.clone()],
            &[y.low.clone(), y.high.clone()],
        );
        let low = if a == b { low.max(Number::zero()) } else { low };
        let link = match (x.low == x.high, y.low == y.high) {
            (false, true) if x.unit >= 0 => Link::Times(a, b),
            (true, false) if y.unit >= 0 => Link::Times(b, a),
            _ => Link::None,
        };
        let (unit, polynomial) = (x.unit + y.unit, &x.polynomial * &y.polynomial);
        self.push([low, high], unit, polynomial, link)
    }

    /// A value times 2^`bits`, without any limit.
    pub fn scaled(&mut self, a: Value, bits: i32) -> Value {
        let (x, factor) = (self.node(a), two_to(bits));
        let range = [&x.low * &factor, &x.high * &factor];
        let (unit, polynomial) = (x.unit + bits, x.polynomial.times(&factor));
        let link = match u32::try_from(bits) {
            Ok(bits) if x.unit >= 0 => {
                let zero = self.constant(Number::zero());
                Link::Joined(zero, bits, a)
            }
            _ => Link::None,
        };
        self.push(range, unit, polynomial, link)
    }
}

/// The range of products of numbers from two ranges.
fn corners([a, b]: &[Number; 2], [c, d]: &[Number; 2]) -> [Number; 2] {
    let products = [a * c, a * d, b * c, b * d];
    let least = products.iter().min().expect("four").clone();
    [least, products.into_iter().max().expect("four")]
}

/// The exponent of the largest power of two that divides a number.
fn trailing_zeros(value: &Number) -> i32 {
    let count = |integer: &BigInt| integer.trailing_zeros().unwrap_or(64);
    let [up, down] = [count(value.numer()), count(value.denom())];
    i32::try_from(up).expect("small") - i32::try_from(down).expect("small")
}
