//! Parts of integers: bits above and below a place, and integers joined from parts.

use num_bigint::BigInt;
use num_traits::{One as _, Zero as _};

use super::{Arena, Link, Value};
use crate::polynomial::{Number, Polynomial, number, two_to};

impl Arena {
    /// `low` + 2^`bits` `high`, where the low value is in 0 .. 2^`bits`.
    pub fn joined(&mut self, low: Value, bits: u32, high: Value) -> Value {
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
        let floor = self.new_floor(a, bits);
        self.narrow(floor, [low, high]);
        self.cuts.entry(a).or_default().insert(bits);
        self.floors.insert((a, bits), floor);
        floor
    }

    fn new_floor(&mut self, a: Value, bits: u32) -> Value {
        match self.node(a).link {
            Link::Joined(_, shift, high) if bits >= shift => {
                return self.floor(high, bits - shift);
            }
            Link::Joined(low, shift, high) => {
                let low = self.floor(low, bits);
                return self.joined(low, shift - bits, high);
            }
            // A floor that was recorded is split itself. Any other becomes a floor of the value
            // that it is a floor of.
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
            return self.fresh_floor(floor, bits - below);
        }
        let above = cuts.and_then(|cuts| cuts.range(bits + 1..).next().copied());
        if let Some(above) = above {
            let high = self.floors[&(a, above)];
            let rest = self.low(a, above);
            let floor = self.fresh_floor(rest, bits);
            self.floors.insert((rest, bits), floor);
            return self.joined(floor, above - bits, high);
        }
        self.fresh_floor(a, bits)
    }

    /// A floor: from the known residue if there is one, otherwise a new variable.
    fn fresh_floor(&mut self, a: Value, bits: u32) -> Value {
        let unit = two_to(bits.cast_signed());
        let node = self.node(a).clone();
        let range = [(&node.low / &unit).floor(), (&node.high / &unit).floor()];
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
}
