//! Polynomials with rational coefficients, in the inputs of a function and in further variables.

use std::collections::BTreeMap;
use std::ops::{Add, Mul, Neg, Sub};

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_rational::BigRational;
use num_traits::{One as _, Zero as _};

/// The number of a variable.
pub type Variable = u32;

/// The variables of a product, in ascending order; with none, the constant term.
type Monomial = Vec<Variable>;

/// An exact number.
pub type Number = BigRational;

/// The number 2^`exponent`.
pub fn two_to(exponent: i32) -> Number {
    let power = Number::from(BigInt::one() << exponent.unsigned_abs());
    if exponent < 0 { power.recip() } else { power }
}

/// An integer as a number.
pub fn number(integer: impl Into<BigInt>) -> Number {
    Number::from(integer.into())
}

/// A sum of monomials, each with a coefficient that is not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Polynomial(BTreeMap<Monomial, Number>);

impl Polynomial {
    /// The polynomial of a constant.
    pub fn constant(value: Number) -> Self {
        let mut polynomial = Self::default();
        polynomial.add_term(Monomial::new(), &value);
        polynomial
    }

    /// The polynomial of a variable.
    pub fn variable(variable: Variable) -> Self {
        Self(BTreeMap::from([(vec![variable], Number::one())]))
    }

    fn add_term(&mut self, monomial: Monomial, coefficient: &Number) {
        if coefficient.is_zero() {
            return;
        }
        let sum = self.0.entry(monomial.clone()).or_default();
        *sum += coefficient;
        if sum.is_zero() {
            self.0.remove(&monomial);
        }
    }

    /// This polynomial plus `factor` times another one.
    #[must_use]
    pub fn plus(mut self, other: &Self, factor: &Number) -> Self {
        for (monomial, coefficient) in &other.0 {
            self.add_term(monomial.clone(), &(coefficient * factor));
        }
        self
    }

    /// This polynomial times a number.
    #[must_use]
    pub fn times(&self, factor: &Number) -> Self {
        Self::default().plus(self, factor)
    }

    /// The products of variables, each with its coefficient.
    pub fn terms(&self) -> impl Iterator<Item = (&[Variable], &Number)> {
        let terms = self.0.iter();
        terms.map(|(monomial, coefficient)| (monomial.as_slice(), coefficient))
    }

    /// The constant term.
    pub fn constant_term(&self) -> Number {
        self.0.get(&Monomial::new()).cloned().unwrap_or_default()
    }

    /// The polynomial without its constant term.
    #[must_use]
    pub fn without_constant(&self) -> Self {
        let mut rest = self.clone();
        rest.0.remove(&Monomial::new());
        rest
    }

    /// The value of a polynomial without variables.
    pub fn as_constant(&self) -> Option<Number> {
        self.without_constant()
            .0
            .is_empty()
            .then(|| self.constant_term())
    }

    /// For a polynomial k v + c: the variable v, and the number -c / k that v is where the
    /// polynomial is zero.
    pub fn root(&self) -> Option<(Variable, Number)> {
        let rest = self.without_constant();
        let [(monomial, coefficient)] = rest.0.iter().collect::<Vec<_>>()[..] else {
            return None;
        };
        match monomial[..] {
            [variable] => Some((variable, -self.constant_term() / coefficient)),
            _ => None,
        }
    }

    /// The coefficient that this polynomial has at the leading term of another one, divided by that
    /// of the other one.
    pub fn quotient_of_leading_terms(&self, other: &Self) -> Option<Number> {
        let (monomial, coefficient) = other.0.last_key_value()?;
        Some(self.0.get(monomial)? / coefficient)
    }

    /// The polynomial with numbers in place of some variables.
    #[must_use]
    pub fn substituted(&self, values: &BTreeMap<Variable, Number>) -> Self {
        let mut result = Self::default();
        for (monomial, coefficient) in &self.0 {
            let mut coefficient = coefficient.clone();
            let mut rest = Monomial::new();
            for variable in monomial {
                match values.get(variable) {
                    Some(value) => coefficient *= value,
                    None => rest.push(*variable),
                }
            }
            result.add_term(rest, &coefficient);
        }
        result
    }

    /// The polynomial with coefficients in 0 .. 2^`bits`; `None` if some are not integers. If two
    /// have the same residue, their values are congruent modulo 2^`bits`.
    pub fn residue(&self, bits: u32) -> Option<Self> {
        let unit = BigInt::one() << bits;
        let mut residue = Self::default();
        for (monomial, coefficient) in &self.0 {
            if !coefficient.is_integer() {
                return None;
            }
            let rest = coefficient.numer().mod_floor(&unit);
            residue.add_term(monomial.clone(), &Number::from(rest));
        }
        Some(residue)
    }

    /// Reports whether every coefficient is an integer and a multiple of `modulus`.
    pub fn is_multiple_of(&self, modulus: &BigInt) -> bool {
        let is_multiple = |coefficient: &Number| {
            coefficient.is_integer() && coefficient.numer().is_multiple_of(modulus)
        };
        self.0.values().all(is_multiple)
    }
}

impl Add for &Polynomial {
    type Output = Polynomial;

    fn add(self, other: Self) -> Polynomial {
        self.clone().plus(other, &Number::one())
    }
}

impl Sub for &Polynomial {
    type Output = Polynomial;

    fn sub(self, other: Self) -> Polynomial {
        self.clone().plus(other, &-Number::one())
    }
}

impl Neg for &Polynomial {
    type Output = Polynomial;

    fn neg(self) -> Polynomial {
        self.times(&-Number::one())
    }
}

impl Mul for &Polynomial {
    type Output = Polynomial;

    fn mul(self, other: Self) -> Polynomial {
        let mut product = Polynomial::default();
        for (a, of_a) in &self.0 {
            for (b, of_b) in &other.0 {
                let mut monomial = [a.as_slice(), b].concat();
                monomial.sort_unstable();
                product.add_term(monomial, &(of_a * of_b));
            }
        }
        product
    }
}
