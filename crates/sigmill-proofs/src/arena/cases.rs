//! The cases that a run goes through: what is chosen, and how that narrows other values.

use std::collections::BTreeMap;

use num_traits::{One as _, ToPrimitive as _, Zero as _};

use super::{Arena, Link, Value, with};
use crate::polynomial::{Number, Polynomial, Variable, number, two_to};

/// Largest number of cases for one value.
const MOST_CASES: i64 = 256;

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
            judge();
            cases += usize::from(with(|arena| !arena.is_impossible));
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
    /// Limits a value to a range in the rest of this run.
    pub fn narrow(&mut self, value: Value, [low, high]: [Number; 2]) {
        let node = &mut self.nodes[value.0 as usize];
        if low <= node.low && high >= node.high {
            return;
        }
        node.low = low.max(node.low.clone());
        node.high = high.min(node.high.clone());
        if node.low > node.high {
            self.set_impossible();
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
        let integer = |number: Number| number.to_integer().to_i64();
        let (Some(low), Some(high)) = (integer(low), integer(high)) else {
            self.fail("too many cases");
            return 0;
        };
        if high - low >= MOST_CASES || self.unit(value) < 0 {
            self.fail("too many cases, or no integer");
            return low;
        }
        let chosen = self.choose(low, high);
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
        self.nonzeros.push(value);
        if self.unit(value) < 0 {
            self.fail("a comparison of what is no integer");
        }
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
    pub fn nonzeros(&self) -> Vec<Vec<Value>> {
        let values = self.nonzeros.iter();
        values.map(|&value| self.parts(value)).collect()
    }

    fn parts(&self, value: Value) -> Vec<Value> {
        match self.node(value).link {
            Link::Or(a, b) => [self.parts(a), self.parts(b)].concat(),
            _ => vec![value],
        }
    }
}
