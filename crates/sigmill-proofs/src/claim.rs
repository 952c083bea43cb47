//! Claims about functions, and their proofs.

use std::cell::RefCell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use num_bigint::BigInt;
use num_traits::{One as _, ToPrimitive as _, Zero as _};

use crate::arena::{Value, for_each_case, plant, with};
use crate::polynomial::{Number, Polynomial, number, two_to};

/// The form of elements: position, unit and range of each limb.
#[derive(Clone, Debug)]
pub struct Form {
    /// Start of each limb in bits.
    pub positions: Vec<u32>,
    /// The exponent of the power of two that represents a limb of 1.
    pub unit: i32,
    /// The least and the largest integer that each limb can be.
    pub ranges: Vec<[Number; 2]>,
    /// True if limbs below the highest are words of 64 bits that are read only up to the start of
    /// the next limb.
    pub is_cut: bool,
}

impl Form {
    /// Limbs that start every `bits` bits, in these ranges.
    pub fn new(bits: u32, ranges: impl IntoIterator<Item = Range<u128>>) -> Self {
        let ranges = ranges.into_iter();
        let ranges: Vec<_> = ranges
            .map(|range| [number(range.start), number(range.end - 1)])
            .collect();
        Self {
            positions: (0..ranges.len() as u32).map(|limb| limb * bits).collect(),
            unit: 0,
            ranges,
            is_cut: false,
        }
    }

    /// Limbs of `bits` bits, not negative; the highest is below `bound`.
    pub fn unsigned(limbs: usize, bits: u32, bound: u128) -> Self {
        let bound = |limb: usize| if limb + 1 == limbs { bound } else { 1 << bits };
        Self::new(bits, (0..limbs).map(|limb| 0..bound(limb)))
    }

    /// Words of 64 bits.
    pub fn words(count: usize) -> Self {
        Self::unsigned(count, 64, 1 << 64)
    }

    /// The same form, of which limbs below the highest may have higher bits that are not read.
    #[must_use]
    pub fn cut(self) -> Self {
        Self {
            is_cut: true,
            ..self
        }
    }

    /// The largest integer of this form.
    pub fn largest(&self) -> Number {
        let limbs = self.ranges.iter().zip(&self.positions);
        limbs
            .map(|([_, most], position)| most * two_to(position.cast_signed()))
            .sum()
    }

    /// The same form for integers below a bound, which limits the highest limb.
    #[must_use]
    pub fn below(&self, bound: &BigInt) -> Self {
        let mut form = self.clone();
        if let (Some([_, most]), Some(position)) = (form.ranges.last_mut(), self.positions.last()) {
            let bound = number((bound - BigInt::one()) >> *position);
            *most = most.clone().min(bound);
        }
        form
    }

    /// The digits of an integer at the positions of this form. The highest keeps the rest.
    pub fn digits(&self, integer: &BigInt) -> Vec<BigInt> {
        let ends = self.positions[1..].iter().map(Some).chain([None]);
        let digit = |(start, end): (&u32, Option<&u32>)| match end {
            Some(end) => (integer >> *start) % (BigInt::one() << (end - start)),
            None => integer >> *start,
        };
        self.positions.iter().zip(ends).map(digit).collect()
    }

    /// Any element of this form.
    pub fn element<const L: usize>(&self) -> [Value; L] {
        assert_eq!(self.ranges.len(), L);
        std::array::from_fn(|limb| {
            with(|arena| {
                let value = arena.variable(self.ranges[limb].clone(), self.unit);
                let Some(bits) = self.cut_of(limb) else {
                    return value;
                };
                let most = two_to(64 - bits.cast_signed()) - Number::one();
                let above = arena.variable([Number::zero(), most], 0);
                arena.joined(value, bits, above)
            })
        })
    }

    /// The number of bits that are read of a limb, if not all are.
    fn cut_of(&self, limb: usize) -> Option<u32> {
        let next = self.positions.get(limb + 1).filter(|_| self.is_cut)?;
        Some(next - self.positions[limb])
    }

    /// The integer that limbs of this form amount to.
    pub fn integer(&self, limbs: &[Value]) -> Polynomial {
        assert_eq!(limbs.len(), self.ranges.len());
        with(|arena| {
            let mut integer = Polynomial::default();
            for (i, (&limb, position)) in limbs.iter().zip(&self.positions).enumerate() {
                let limb = match self.cut_of(i) {
                    Some(bits) => arena.low(limb, bits),
                    None => limb,
                };
                let factor = two_to(position.cast_signed() - self.unit);
                integer = integer.plus(&arena.polynomial(limb), &factor);
            }
            integer
        })
    }

    /// Records the limbs that are out of range. Returns the end of the highest limb's range as a
    /// share of its bound.
    pub fn check(&self, limbs: &[Value]) -> f64 {
        assert_eq!(limbs.len(), self.ranges.len());
        let (mut share, factor) = (Number::zero(), two_to(self.unit));
        for (i, (&limb, range)) in limbs.iter().zip(&self.ranges).enumerate() {
            if self.cut_of(i).is_some() {
                continue;
            }
            let [least, most] = range.each_ref().map(|end| end * &factor);
            with(|arena| {
                if arena.unit(limb) < self.unit {
                    arena.fail(format!("limb {i} may be no multiple of its unit"));
                }
                let is_out = |(low, high): (Number, Number)| low < least || high > most;
                if is_out(arena.range(limb)) {
                    arena.tighten(limb);
                }
                let (low, high) = arena.range(limb);
                if is_out((low.clone(), high.clone())) && !arena.is_impossible() {
                    let range = format!("limb {i}: {low} ..= {high}, not {least} ..= {most}");
                    arena.fail(range);
                }
                share = high.max(-low) / &most;
            });
        }
        share.to_f64().unwrap_or(f64::NAN)
    }
}

/// The outcome of a proof.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Number of cases.
    pub cases: usize,
    /// The end of the range of the result's highest limb, as a share of its bound.
    pub share: f64,
    /// Why the proof fails; empty for a proof.
    pub failures: Vec<String>,
}

impl Outcome {
    /// Reports whether the claim is proved.
    pub fn is_proof(&self) -> bool {
        self.failures.is_empty() && self.cases > 0
    }

    /// Prints a line for a proof.
    ///
    /// # Panics
    /// If the proof fails.
    pub fn assert_proved(&self, name: &str) {
        assert!(self.is_proof(), "{name}: {:#?}", self.failures);
        let (cases, share) = (self.cases, self.share);
        println!("proved: {name} ({cases} cases, {share:.3} of the bound)");
    }
}

/// Reports whether a proof fails, by its outcome or by a debug assertion of the library.
pub fn fails(prove: impl FnOnce() -> Outcome) -> bool {
    match catch_unwind(AssertUnwindSafe(prove)) {
        Ok(outcome) => !outcome.is_proof(),
        Err(panic) => {
            let message = panic.downcast_ref::<String>().map(String::as_str);
            let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
            // Assertions of ranges print the values, if anything.
            let is_assertion = |message: &str| {
                message.starts_with("assertion failed") || message.starts_with("[Value(")
            };
            if !message.is_some_and(is_assertion) {
                resume_unwind(panic);
            }
            true
        }
    }
}

/// Asserts that a proof fails if the code loses any one of its operations.
pub fn lose_each_operation(prove: impl Fn() -> Outcome) {
    assert!(!fails(&prove));
    for operation in 0..plant(None) {
        plant(Some(operation));
        assert!(fails(&prove), "operation {operation} is of no use");
    }
    plant(None);
}

/// The integer of these words, lowest first.
pub fn integer(words: &[u64]) -> BigInt {
    let mut integer = BigInt::zero();
    for &word in words.iter().rev() {
        integer = (integer << 64) + word;
    }
    integer
}

/// Proves for all inputs that the limbs which `run` returns are in the range of `form`, that
/// nothing on the way is out of range, and that `residue` is a multiple of `modulus`. `residue`
/// receives the integer of the result and the second part of what `run` returns.
pub fn prove<I>(
    form: &Form,
    modulus: &BigInt,
    run: impl Fn() -> (Vec<Value>, I),
    residue: impl Fn(&Polynomial, &I) -> Polynomial,
) -> Outcome {
    let mut outcome = Outcome::default();
    let result = RefCell::new(None);
    outcome.cases = for_each_case(
        || *result.borrow_mut() = Some(run()),
        || {
            let (limbs, inputs) = result.take().expect("a result");
            outcome.share = outcome.share.max(form.check(&limbs));
            let residue = residue(&form.integer(&limbs), &inputs);
            with(|arena| {
                let residue = residue.substituted(&arena.substitution());
                if !residue.is_multiple_of(modulus) {
                    arena.fail("not congruent to what it should be");
                }
                for failure in arena.failures() {
                    if !outcome.failures.contains(failure) {
                        outcome.failures.push(failure.clone());
                    }
                }
            });
        },
    );
    outcome
}

/// [`prove`] for a function of inputs of these forms. `residue` receives the integers of the result
/// and of the inputs.
pub fn outcome<const N: usize, const L: usize, const M: usize>(
    modulus: &BigInt,
    inputs: [&Form; N],
    result: &Form,
    run: impl Fn(&[[Value; L]; N]) -> [Value; M],
    residue: impl Fn(&Polynomial, &[Polynomial; N]) -> Polynomial,
) -> Outcome {
    let once = || {
        let limbs = inputs.map(Form::element);
        let integers = std::array::from_fn(|i| inputs[i].integer(&limbs[i]));
        (run(&limbs).to_vec(), integers)
    };
    prove(result, modulus, once, residue)
}

/// Proves that a comparison with zero modulo a prime is right for every element of a form: it holds
/// only for multiples of the prime, and fails only if the element has a digit other than those of
/// each multiple that elements can be. All limbs must be digits, so that each integer has one form.
pub fn comparison<const L: usize>(
    form: &Form,
    prime: &BigInt,
    is_zero: impl Fn(&[Value; L]) -> bool,
) -> Outcome {
    let most = form.largest();
    let multiples = (0..).map(|k| BigInt::from(k) * prime);
    let multiples = multiples.take_while(|multiple| number(multiple.clone()) <= most);
    let multiples: Vec<_> = multiples.map(|multiple| form.digits(&multiple)).collect();
    let run = || {
        let a: [Value; L] = form.element();
        let is_zero = is_zero(&a);
        let residue = match is_zero {
            true => form.integer(&a),
            false => Polynomial::default(),
        };
        with(|arena| {
            let nonzeros = arena.nonzeros();
            for digits in multiples.iter().filter(|_| !is_zero) {
                let differences = a.iter().zip(digits).map(|(&limb, digit)| {
                    &arena.polynomial(limb) - &Polynomial::constant(number(digit.clone()))
                });
                let differences: Vec<_> = differences.collect();
                let is_excluded = nonzeros.iter().any(|parts| {
                    let parts = parts.iter().map(|&part| arena.polynomial(part));
                    parts.collect::<Vec<_>>() == differences
                });
                if !is_excluded {
                    arena.fail(format!("{digits:?} may be overlooked"));
                }
            }
        });
        (a.to_vec(), residue)
    };
    prove(form, prime, run, |_, residue| residue.clone())
}
