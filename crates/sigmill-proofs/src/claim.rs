//! Claims about functions, and their proofs.

use num_bigint::BigInt;
use num_traits::{One as _, ToPrimitive as _, Zero as _};

use crate::arena::{Value, for_each_case, with};
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
}

impl Form {
    /// Limbs of `bits` bits, not negative; the highest is below `bound`.
    pub fn unsigned(limbs: usize, bits: u32, bound: u64) -> Self {
        let most = |limb: usize| match limb + 1 == limbs {
            true => Number::from(BigInt::from(bound - 1)),
            false => Number::from(BigInt::from((1u64 << bits) - 1)),
        };
        Self {
            positions: (0..limbs).map(|limb| limb as u32 * bits).collect(),
            unit: 0,
            ranges: (0..limbs)
                .map(|limb| [Number::zero(), most(limb)])
                .collect(),
        }
    }

    /// Words of 64 bits; the highest is at most `highest`.
    pub fn words(count: usize, highest: u64) -> Self {
        let most = |word: usize| match word + 1 == count {
            true => number(highest),
            false => number(u64::MAX),
        };
        Self {
            positions: (0..count).map(|word| word as u32 * 64).collect(),
            unit: 0,
            ranges: (0..count)
                .map(|word| [Number::zero(), most(word)])
                .collect(),
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
        let (Some([_, most]), Some(position)) = (form.ranges.last_mut(), self.positions.last())
        else {
            return form;
        };
        *most = most
            .clone()
            .min(number((bound - BigInt::one()) >> *position));
        form
    }

    /// The digits of an integer, `bits` bits each.
    pub fn digits(integer: &BigInt, bits: u32, count: usize) -> Vec<u64> {
        let mask = (BigInt::one() << bits) - BigInt::one();
        let digit = |i: usize| ((integer >> (i as u32 * bits)) & &mask).to_u64();
        (0..count).map(|i| digit(i).expect("64 bits")).collect()
    }

    /// Any element of this form.
    pub fn element<const L: usize>(&self) -> [Value; L] {
        assert_eq!(self.ranges.len(), L);
        std::array::from_fn(|limb| {
            with(|arena| arena.variable(self.ranges[limb].clone(), self.unit))
        })
    }

    /// The integer that limbs of this form amount to.
    pub fn integer(&self, limbs: &[Value]) -> Polynomial {
        with(|arena| {
            let mut integer = Polynomial::default();
            for (limb, position) in limbs.iter().zip(&self.positions) {
                let factor = two_to(position.cast_signed() - self.unit);
                integer = integer.plus(&arena.polynomial(*limb), &factor);
            }
            integer
        })
    }

    /// Records the limbs that are out of range. Returns the largest share of its range that a
    /// highest limb takes.
    pub fn check(&self, limbs: &[Value]) -> f64 {
        with(|arena| {
            let factor = two_to(self.unit);
            for (i, (limb, [least, most])) in limbs.iter().zip(&self.ranges).enumerate() {
                let (low, high) = arena.range(*limb);
                if arena.unit(*limb) < self.unit {
                    arena.fail(format!("limb {i} may be no multiple of its unit"));
                }
                if low < least * &factor || high > most * &factor {
                    arena.fail(format!(
                        "limb {i}: {low} ..= {high}, not {least} ..= {most}"
                    ));
                }
            }
            let (highest, [_, most]) = (limbs[limbs.len() - 1], &self.ranges[limbs.len() - 1]);
            let share = arena.range(highest).1 / (most * factor);
            share.to_f64().unwrap_or(f64::NAN)
        })
    }
}

/// The outcome of a proof.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Number of cases.
    pub cases: usize,
    /// The share of its range that the highest limb of the result takes.
    pub share: f64,
    /// Why the proof fails; empty for a proof.
    pub failures: Vec<String>,
}

impl Outcome {
    /// Prints a line for a proof.
    ///
    /// # Panics
    /// If the proof fails.
    pub fn assert_proved(&self, name: &str) {
        let Self {
            cases,
            share,
            failures,
        } = self;
        assert!(failures.is_empty() && *cases > 0, "{name}: {failures:#?}");
        println!("proved: {name} ({cases} cases, {share:.3} of the bound)");
    }
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
/// nothing on the way is out of range, and that `residue` is a multiple of `modulus`. It receives
/// the integer of the result, and what else `run` returns.
pub fn prove<I>(
    form: &Form,
    modulus: &BigInt,
    mut run: impl FnMut() -> (Vec<Value>, I),
    residue: impl Fn(&Polynomial, &I) -> Polynomial,
) -> Outcome {
    let mut outcome = Outcome::default();
    let result = std::cell::RefCell::new(None);
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
