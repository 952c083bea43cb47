//! The values of one run of a function: a range and a polynomial for each, and the cases that the
//! run goes through.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};

use num_bigint::BigInt;
use num_traits::{One as _, Signed as _, ToPrimitive as _, Zero as _};

use crate::polynomial::{Number, Polynomial, Variable, number, two_to};

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

/// What is known of a value.
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
    /// The ranges of polynomials without constant terms.
    facts: HashMap<Polynomial, (Number, Number)>,
    /// The summands of exact sums of doubles.
    pub(crate) summands: HashMap<Value, [Value; 2]>,
    /// Polynomials that are zero in this case.
    zeros: Vec<Polynomial>,
    /// Values that are not zero in this case.
    others: Vec<Value>,
    choices: Vec<(i64, i64)>,
    next_choice: usize,
    failures: Vec<String>,
    is_impossible: bool,
    additions: usize,
    /// Words that transpositions return next.
    pub words_in: Vec<Value>,
    /// Words that were transposed back.
    pub words_out: Vec<Value>,
}

thread_local! {
    static ARENA: RefCell<Arena> = RefCell::default();
    static PLANTED: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Plants a defect: in each run, addition number `number` of words loses its second summand. For
/// tests of the proofs, which must then fail. Returns the number of additions of the last run.
pub fn plant(number: Option<usize>) -> usize {
    PLANTED.set(number);
    with(|arena| arena.additions)
}

/// Accesses the arena of this thread.
pub fn with<T>(access: impl FnOnce(&mut Arena) -> T) -> T {
    ARENA.with(|arena| access(&mut arena.borrow_mut()))
}

/// Runs a function once for each case. `judge` inspects the arena after each possible case.
/// Returns the number of cases.
///
/// Cases are counted like digits: each choice of a run is one, and the last one changes first.
pub fn for_each_case(mut run: impl FnMut(), mut judge: impl FnMut()) -> usize {
    let (mut choices, mut cases) = (Vec::new(), 0);
    loop {
        with(|arena| {
            *arena = Arena {
                choices,
                ..Arena::default()
            };
        });
        run();
        if with(|arena| !arena.is_impossible) {
            cases += 1;
            judge();
        }
        choices = with(|arena| std::mem::take(&mut arena.choices));
        while let Some((chosen, most)) = choices.last_mut() {
            *chosen += 1;
            if chosen <= most {
                break;
            }
            choices.pop();
        }
        if choices.is_empty() {
            return cases;
        }
    }
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

    /// Counts an addition. Returns true if it has the planted defect.
    pub(crate) fn is_planted(&mut self) -> bool {
        self.additions += 1;
        PLANTED.get() == Some(self.additions - 1)
    }

    fn node(&self, value: Value) -> &Node {
        &self.nodes[value.0 as usize]
    }

    /// The least and the largest number that a value can be.
    pub fn range(&self, value: Value) -> (Number, Number) {
        let node = self.node(value);
        (node.low.clone(), node.high.clone())
    }

    /// The unit of a value, of which it is a multiple: the exponent of a power of two.
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
            self.is_impossible = true;
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
    /// f = floor(a / 2^bits), f is (a - r) / 2^bits, for r in 0 .. 2^bits. So what was added and
    /// subtracted on different ways cancels. Floors that contribute less than 1/16 remain.
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

    /// The last floor in a polynomial that contributes to its range: its variable and coefficient.
    fn last_floor(&self, polynomial: &Polynomial) -> Option<(Variable, Number)> {
        let floors = polynomial.terms().filter_map(|(monomial, coefficient)| {
            let &[variable] = monomial else { return None };
            let node = self.node(self.named[&variable]);
            let width = (&node.high - &node.low) * coefficient.abs();
            let contributes = width * number(16) >= Number::one();
            (contributes && matches!(node.link, Link::Floor(..)))
                .then(|| (variable, coefficient.clone()))
        });
        floors.max_by_key(|(variable, _)| *variable)
    }

    /// The range of a polynomial by those of its variables.
    fn bounds(&self, polynomial: &Polynomial) -> [Number; 2] {
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

    /// `low` + 2^`bits` `high`, where the low value is in 0 .. 2^`bits`.
    fn joined(&mut self, low: Value, bits: u32, high: Value) -> Value {
        let shifted = self.scaled(high, bits.cast_signed());
        if self.as_constant(low) == Some(Number::zero()) {
            return shifted;
        }
        let (x, y) = (self.node(low), self.node(shifted));
        let range = [&x.low + &y.low, &x.high + &y.high];
        let (unit, polynomial) = (x.unit.min(y.unit), &x.polynomial + &y.polynomial);
        self.push(range, unit, polynomial, Link::Joined(low, bits, high))
    }

    /// Bits of both. Exact if the bits of one lie above those of the other.
    pub fn or(&mut self, a: Value, b: Value) -> Value {
        let zero = Number::zero();
        for (low, high) in [(a, b), (b, a)] {
            let (below, above) = (self.node(low), self.node(high));
            let unit = above.unit;
            if below.low >= zero && unit >= 0 && below.high < two_to(unit) {
                let high = self.floor(high, unit.cast_unsigned());
                return self.joined(low, unit.cast_unsigned(), high);
            }
        }
        let most = number((BigInt::one() << 64) - BigInt::one());
        self.linked_variable([zero, most], 0, Link::Or(a, b))
    }

    /// floor(a / 2^bits).
    pub fn floor(&mut self, a: Value, bits: u32) -> Value {
        if bits == 0 {
            return a;
        }
        let unit = two_to(bits.cast_signed());
        let node = self.node(a);
        let (low, high) = ((&node.low / &unit).floor(), (&node.high / &unit).floor());
        if low == high {
            return self.constant(low);
        }
        if let Some(&known) = self.floors.get(&(a, bits)) {
            return known;
        }
        let floor = self.new_floor(a, bits, [low, high]);
        self.cuts.entry(a).or_default().insert(bits);
        self.floors.insert((a, bits), floor);
        floor
    }

    fn new_floor(&mut self, a: Value, bits: u32, range: [Number; 2]) -> Value {
        match self.node(a).link {
            Link::Joined(_, shift, high) if bits >= shift => {
                return self.floor(high, bits - shift);
            }
            Link::Joined(low, shift, high) => {
                let low = self.floor(low, bits);
                return self.joined(low, shift - bits, high);
            }
            // A floor that is the cut of a value is cut itself.
            Link::Floor(of, shift) if self.floors.get(&(of, shift)) != Some(&a) => {
                return self.floor(of, shift + bits);
            }
            Link::Low(of, length) => {
                let floor = self.floor(of, bits);
                return self.low(floor, length - bits);
            }
            _ => {}
        }
        let cuts = self.cuts.get(&a);
        let below = cuts.and_then(|cuts| cuts.range(..bits).next_back().copied());
        if let Some(below) = below {
            let floor = self.floors[&(a, below)];
            return self.fresh_floor(floor, bits - below, None);
        }
        let above = cuts.and_then(|cuts| cuts.range(bits + 1..).next().copied());
        if let Some(above) = above {
            let high = self.floors[&(a, above)];
            let rest = self.low(a, above);
            let floor = self.fresh_floor(rest, bits, None);
            self.floors.insert((rest, bits), floor);
            return self.joined(floor, above - bits, high);
        }
        self.fresh_floor(a, bits, Some(range))
    }

    /// A floor: from the known residue if there is one, otherwise a new variable.
    fn fresh_floor(&mut self, a: Value, bits: u32, range: Option<[Number; 2]>) -> Value {
        let unit = two_to(bits.cast_signed());
        let node = self.node(a).clone();
        let range =
            range.unwrap_or_else(|| [(&node.low / &unit).floor(), (&node.high / &unit).floor()]);
        let inverse = unit.recip();
        let Some(residue) = node.polynomial.residue(bits) else {
            self.fail("the integer part of a polynomial with fractions");
            return self.linked_variable(range, 0, Link::Floor(a, bits));
        };
        if let Some(low) = residue.as_constant() {
            let polynomial = (&node.polynomial - &Polynomial::constant(low)).times(&inverse);
            return self.push(range, 0, polynomial, Link::Floor(a, bits));
        }
        if let Some(&low) = self.residues.get(&(residue, bits)) {
            let low = self.polynomial(low);
            let polynomial = (&node.polynomial - &low).times(&inverse);
            return self.push(range, 0, polynomial, Link::Floor(a, bits));
        }
        let floor = self.linked_variable(range, 0, Link::Floor(a, bits));
        let polynomial = &node.polynomial - &self.polynomial(floor).times(&unit);
        self.know_low(polynomial, bits);
        floor
    }

    /// Records a polynomial as its own residue modulo 2^bits, and likewise 2^bits - 1 minus it.
    fn know_low(&mut self, polynomial: Polynomial, bits: u32) {
        let most = two_to(bits.cast_signed()) - Number::one();
        let complement = &Polynomial::constant(most.clone()) - &polynomial;
        for polynomial in [polynomial, complement] {
            let residue = polynomial.residue(bits).expect("integers");
            let low = self.push([Number::zero(), most.clone()], 0, polynomial, Link::None);
            self.residues.insert((residue, bits), low);
        }
    }

    /// a modulo 2^bits.
    pub fn low(&mut self, a: Value, bits: u32) -> Value {
        let unit = two_to(bits.cast_signed());
        let node = self.node(a);
        if node.low >= Number::zero() && node.high < unit {
            return a;
        }
        if let Some(&known) = self.lows.get(&(a, bits)) {
            return known;
        }
        let low = self.new_low(a, bits);
        self.lows.insert((a, bits), low);
        low
    }

    fn new_low(&mut self, a: Value, bits: u32) -> Value {
        match self.node(a).link {
            Link::Joined(low, shift, _) if bits <= shift => return self.low(low, bits),
            Link::Joined(low, shift, high) => {
                let high = self.low(high, bits - shift);
                return self.joined(low, shift, high);
            }
            Link::Low(of, length) if bits <= length => return self.low(of, bits),
            _ => {}
        }
        let unit = two_to(bits.cast_signed());
        let floor = self.floor(a, bits);
        let (x, y) = (self.node(a), self.node(floor));
        let polynomial = x.polynomial.clone().plus(&y.polynomial, &-unit.clone());
        let range = match y.low == y.high {
            true => [&x.low - &y.low * &unit, &x.high - &y.low * &unit],
            false => [Number::zero(), unit - Number::one()],
        };
        let trailing = x.unit;
        self.push(range, trailing, polynomial, Link::Low(a, bits))
    }

    /// Both halves of a product of integers in 0 .. 2^64, split at 2^bits.
    pub fn halves(&mut self, a: Value, b: Value, bits: u32) -> [Value; 2] {
        let key = (a.min(b), a.max(b));
        let product = match self.products.get(&key) {
            Some(&product) => product,
            None => self.product(a, b),
        };
        self.products.insert(key, product);
        [self.low(product, bits), self.floor(product, bits)]
    }

    /// Limits a value to a range in the rest of this run.
    pub fn narrow(&mut self, value: Value, [low, high]: [Number; 2]) {
        let node = &mut self.nodes[value.0 as usize];
        if low <= node.low && high >= node.high {
            return;
        }
        node.low = low.max(node.low.clone());
        node.high = high.min(node.high.clone());
        if node.low > node.high {
            self.is_impossible = true;
            return;
        }
        let (low, high, one) = (node.low.clone(), node.high.clone(), Number::one());
        let (link, polynomial) = (node.link, node.polynomial.clone());
        self.learn(&polynomial, [low.clone(), high.clone()]);
        for bits in self.cuts.get(&value).cloned().unwrap_or_default() {
            let (floor, unit) = (self.floors[&(value, bits)], two_to(bits.cast_signed()));
            self.narrow(floor, [(&low / &unit).floor(), (&high / &unit).floor()]);
        }
        match link {
            Link::Floor(of, bits) => {
                let unit = two_to(bits.cast_signed());
                self.narrow(of, [&low * &unit, (&high + &one) * unit - one]);
            }
            Link::Sum(a, b) => {
                let ((a_low, a_high), (b_low, b_high)) = (self.range(a), self.range(b));
                self.narrow(a, [&low - b_high, &high - b_low]);
                self.narrow(b, [low - a_high, high - a_low]);
            }
            Link::Difference(a, b) => {
                let ((a_low, a_high), (b_low, b_high)) = (self.range(a), self.range(b));
                self.narrow(a, [&low + b_low, &high + b_high]);
                self.narrow(b, [a_low - high, a_high - low]);
            }
            Link::Times(of, factor) => {
                let Some(factor) = self
                    .as_constant(factor)
                    .filter(|factor| *factor > Number::zero())
                else {
                    return;
                };
                self.narrow(of, [(low / &factor).ceil(), (high / factor).floor()]);
            }
            Link::Joined(part, bits, above) if self.as_constant(part) == Some(Number::zero()) => {
                let unit = two_to(bits.cast_signed());
                self.narrow(above, [(low / &unit).ceil(), (high / unit).floor()]);
            }
            Link::Or(a, b) if high.is_zero() => {
                for value in [a, b] {
                    self.set_zero(value);
                }
            }
            _ => {}
        }
    }

    /// The value is zero in the rest of this run.
    fn set_zero(&mut self, value: Value) {
        self.zeros.push(self.polynomial(value));
        self.narrow(value, [Number::zero(), Number::zero()]);
    }

    /// One of the integers from `low` to `high`. The function runs once for each.
    pub fn choose(&mut self, low: i64, high: i64) -> i64 {
        if low == high {
            return low;
        }
        if self.next_choice == self.choices.len() {
            self.choices.push((low, high));
        }
        let (chosen, _) = self.choices[self.next_choice];
        self.next_choice += 1;
        chosen
    }

    /// The integer that a value is, case by case.
    pub fn each(&mut self, value: Value) -> i64 {
        let (low, high) = self.range(value);
        let integer = |number: Number| number.to_integer().to_i64().expect("few cases");
        let chosen = self.choose(integer(low), integer(high));
        let polynomial = self.polynomial(value);
        self.zeros
            .push(&polynomial - &Polynomial::constant(number(chosen)));
        self.narrow(value, [number(chosen), number(chosen)]);
        chosen
    }

    /// Reports whether a value is zero, case by case.
    pub fn is_zero(&mut self, value: Value) -> bool {
        let (low, high) = self.range(value);
        let zero = Number::zero();
        if low > zero || high < zero {
            return false;
        }
        if low == high || self.choose(0, 1) == 1 {
            self.set_zero(value);
            return true;
        }
        self.others.push(value);
        if low == zero {
            self.narrow(value, [Number::one(), high]);
        } else if high == zero {
            self.narrow(value, [low, -Number::one()]);
        }
        false
    }

    /// The variables that are numbers in this case because values are zero.
    pub fn substitution(&self) -> BTreeMap<Variable, Number> {
        self.zeros.iter().filter_map(Polynomial::root).collect()
    }

    /// The nonzero values of this case. An OR is listed as its operands, at least one of which is
    /// not zero.
    pub fn others(&self) -> Vec<Vec<Value>> {
        self.others.iter().map(|&value| self.parts(value)).collect()
    }

    fn parts(&self, value: Value) -> Vec<Value> {
        match self.node(value).link {
            Link::Or(a, b) => [self.parts(a), self.parts(b)].concat(),
            _ => vec![value],
        }
    }
}

/// The range of products of numbers from two ranges.
fn corners([a, b]: &[Number; 2], [c, d]: &[Number; 2]) -> [Number; 2] {
    let products = [a * c, a * d, b * c, b * d];
    let least = products.iter().min().expect("four").clone();
    [least, products.into_iter().max().expect("four")]
}

/// The exponent of the largest power of two of which a number is a multiple.
fn trailing_zeros(value: &Number) -> i32 {
    let count = |integer: &BigInt| integer.trailing_zeros().unwrap_or(64);
    let [up, down] = [count(value.numer()), count(value.denom())];
    i32::try_from(up).expect("small") - i32::try_from(down).expect("small")
}
