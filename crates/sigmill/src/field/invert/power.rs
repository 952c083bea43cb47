//! Powers with a public exponent.

use alloc::vec;
use alloc::vec::Vec;

use crate::field::Field;
use crate::limbs;

/// The longest window of the sliding-window exponentiation, in bits.
const WINDOW: usize = 5;

/// How many powers a table has, of either kind.
const TABLE: usize = 1 << (WINDOW - 1);

/// How many steps the exponents of long runs have, at most: these take one allocation.
const LIKELY: usize = 32;

/// Where the table keeps the square that leads from an odd power to the next.
const SQUARE: usize = TABLE;

/// `base^exponent` by a table of powers, over the bits of a public exponent.
///
/// About one squaring a bit. Beside them, for an exponent of a few long runs of ones, as the primes
/// of NIST have them, seven to sixteen products; for any other one product a window of up to five
/// bits, and at most 16 for the odd powers; none for a power of two. The time depends on the
/// exponent only.
#[inline(never)]
pub(super) fn power<F: Field>(field: F, base: &F::Element, exponent: &[u64]) -> F::Element {
    let [result] = powers(field, &[*base], &Chain::new(exponent));
    result
}

/// The way to a power: the same for all fields, so that each compiles one square and one product.
#[derive(Debug)]
pub(super) struct Chain(Vec<Step>);

/// Squarings, and then perhaps a product.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The power in the table that it begins with, if not what the step before has left.
    from: Option<usize>,
    squarings: usize,
    /// The power in the table that is multiplied by.
    by: Option<usize>,
    /// The place in the table that takes the result.
    to: Option<usize>,
}

impl Chain {
    /// The way to the power with this exponent, little-endian in limbs.
    #[inline(never)]
    pub(super) fn new(exponent: &[u64]) -> Self {
        let ones_below = |top: usize| run_below(exponent, top, true);
        let mut top = 64 * exponent.len();
        top -= run_below(exponent, top, false);
        if top == 0 {
            return Self(vec![]);
        }
        // The powers in the table are 2^(2^i) - 1, as far as they are on the way to the first run,
        // or 2i + 1.
        let runs = run_table(exponent, ones_below(top));
        // What is taken at once is top-1 down to a bottom that is a one, and has this power.
        let next = |top: usize| match runs {
            Some(last) => {
                let index = last.min(ones_below(top).ilog2() as usize);
                (top - (1 << index), index)
            }
            None => {
                let mut bottom = top.saturating_sub(WINDOW);
                while limbs::bits(exponent, bottom as u32, 1) == 0 {
                    bottom += 1;
                }
                let window = limbs::bits(exponent, bottom as u32, (top - bottom) as u32);
                (bottom, window as usize / 2)
            }
        };
        let (bottom, index) = next(top);
        let mut steps = Vec::with_capacity(LIKELY);
        steps.push(Step::on(0, None).beginning_with(index));
        // The last power of the table that is taken.
        let mut most = index;
        top = bottom;
        while top > 0 {
            let above = top;
            top -= run_below(exponent, top, false);
            let mut by = None;
            if top > 0 {
                let (bottom, index) = next(top);
                (top, by) = (bottom, Some(index));
                most = most.max(index);
            }
            steps.push(Step::on(above - top, by));
        }
        // What is taken from the table is there beforehand.
        let count = steps.len();
        match runs {
            Some(_) => steps.extend((1..=most).map(Step::to_longer_run)),
            None => steps.extend(Step::to_odd_powers(most)),
        }
        steps.rotate_left(count);
        Self(steps)
    }
}

#[cfg(feature = "bulk")]
impl Chain {
    /// How many products and how many squares.
    pub(super) fn operations(&self) -> [usize; 2] {
        let products = self.0.iter().filter(|step| step.by.is_some()).count();
        [products, self.0.iter().map(|step| step.squarings).sum()]
    }
}

impl Step {
    fn on(squarings: usize, by: Option<usize>) -> Self {
        let (from, to) = (None, None);
        Self {
            from,
            squarings,
            by,
            to,
        }
    }

    fn beginning_with(mut self, from: usize) -> Self {
        self.from = Some(from);
        self
    }

    fn writing(mut self, to: usize) -> Self {
        self.to = Some(to);
        self
    }

    /// From 2^(2^(i - 1)) - 1 to 2^(2^i) - 1.
    fn to_longer_run(i: usize) -> Self {
        let run = 1 << (i - 1);
        Self::on(run, Some(i - 1)).beginning_with(i - 1).writing(i)
    }

    /// To the odd powers of the table up to place `most`.
    fn to_odd_powers(most: usize) -> impl Iterator<Item = Self> {
        let square = Self::on(1, None).beginning_with(0).writing(SQUARE);
        let next = |i| {
            let step = Self::on(0, Some(SQUARE));
            step.beginning_with(i - 1).writing(i)
        };
        let square = (most > 0).then_some(square);
        square.into_iter().chain((1..=most).map(next))
    }
}

/// The powers of several bases side by side, so that a product need not wait for the one before.
#[inline(always)]
pub(super) fn powers<F: Field, const N: usize>(
    field: F,
    bases: &[F::Element; N],
    chain: &Chain,
) -> [F::Element; N] {
    if chain.0.is_empty() {
        return [field.one(); N];
    }
    let mut table = [*bases; TABLE + 1];
    let mut values = *bases;
    for step in &chain.0 {
        if let Some(from) = step.from {
            values = table[from];
        }
        field.square_often(&mut values, step.squarings);
        if let Some(by) = step.by {
            for (value, factor) in values.iter_mut().zip(&table[by]) {
                *value = field.mul(value, factor);
            }
        }
        if let Some(to) = step.to {
            table[to] = values;
        }
    }
    values
}

/// How many bits of an integer are ones, or zeros, from the one below bit `top` downwards.
fn run_below(integer: &[u64], top: usize, ones: bool) -> usize {
    let mut bottom = top;
    while bottom > 0 {
        // The bits of this limb that are below, at its top.
        let count = (bottom - 1) % 64 + 1;
        let limb = integer[(bottom - 1) / 64] << (64 - count);
        let run = if ones {
            limb.leading_ones()
        } else {
            limb.leading_zeros()
        };
        let run = count.min(run as usize);
        bottom -= run;
        if run < count {
            break;
        }
    }
    top - bottom
}

/// Whether an exponent whose first run of ones has this length is raised to run by run: the last
/// power in the table then, which has a run of 2^last ones. Squarings on the way there are those
/// that the first run takes anyway.
fn run_table(exponent: &[u64], first_run: usize) -> Option<usize> {
    // Runs that cross limbs count twice.
    let begins = |limb: &u64| (limb & !(limb << 1)).count_ones();
    let runs: u32 = exponent.iter().map(begins).sum();
    let is_worth_it = first_run >= 16 && runs as usize <= 4 * exponent.len();
    is_worth_it.then(|| (first_run.ilog2() as usize).min(TABLE - 1))
}

/// Shifts right in place by any number of bits.
pub(super) fn shift_right(integer: &mut [u64], mut bits: u32) {
    while bits > 0 {
        let step = bits.min(63);
        let mut above = 0;
        for limb in integer.iter_mut().rev() {
            let shifted = *limb >> step | above;
            above = *limb << (64 - step);
            *limb = shifted;
        }
        bits -= step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest prime below 2^32, and integers modulo it: no field of the rooms below.
    const PRIME: u64 = 0xffff_fffb;

    #[derive(Clone, Copy, Debug)]
    struct Plain;

    impl Field for Plain {
        type Element = u64;
        type Mask = bool;

        fn zero(self) -> u64 {
            0
        }
        fn one(self) -> u64 {
            1
        }
        fn add(self, a: &u64, b: &u64) -> u64 {
            (a + b) % PRIME
        }
        fn sub(self, a: &u64, b: &u64) -> u64 {
            (a + PRIME - b) % PRIME
        }
        fn negate(self, a: &u64) -> u64 {
            self.sub(&0, a)
        }
        fn select(self, condition: bool, a: &u64, b: &u64) -> u64 {
            if condition { *a } else { *b }
        }
        fn negate_if(self, a: &u64, condition: bool) -> u64 {
            self.select(condition, &self.negate(a), a)
        }
        fn double(self, a: &u64) -> u64 {
            self.add(a, a)
        }
        fn half(self, a: &u64) -> u64 {
            self.mul(a, &PRIME.div_ceil(2))
        }
        fn mul(self, a: &u64, b: &u64) -> u64 {
            a * b % PRIME
        }
        fn square(self, a: &u64) -> u64 {
            self.mul(a, a)
        }
        fn equal(self, a: &u64, b: &u64) -> bool {
            a == b
        }
        fn is_zero(self, a: &u64) -> bool {
            *a == 0
        }
    }

    /// Exponents of long runs, of short ones, and of both.
    #[test]
    fn powers_are_those_of_squaring_and_multiplying() {
        let (field, bases) = (Plain, [3, 0x1234_5677]);
        let mut exponents =
            alloc::vec![[0, 0], [1, 0], [u64::MAX; 2], [0, u64::MAX], [u64::MAX, 0]];
        let mut state = 1u64;
        for i in 0..200 {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            exponents.push([state, state.rotate_left(17) >> (i % 64)]);
            exponents.push([u64::MAX << (i % 64), u64::MAX >> (i % 50)]);
            exponents.push([state >> (i % 64), 0xffff_8000_0000_0001]);
            exponents.push([state, u64::MAX << (i % 64) >> (i % 5)]);
        }
        for exponent in &exponents {
            let mut expected = [field.one(); 2];
            for i in (0..128).rev() {
                expected = expected.map(|value| field.square(&value));
                if exponent[i / 64] >> (i % 64) & 1 == 1 {
                    expected = [0, 1].map(|k| field.mul(&expected[k], &bases[k]));
                }
            }
            let chain = Chain::new(exponent);
            assert_eq!(powers(field, &bases, &chain), expected, "{exponent:x?}");
        }
        // The roots of P-256 and of P-521.
        let products = |exponent: &[u64]| {
            let steps = Chain::new(exponent).0;
            steps.iter().filter(|step| step.by.is_some()).count()
        };
        let p256 = [0, 1 << 30, 1 << 62, 0x3fff_ffff_c000_0000];
        assert_eq!((products(&p256), products(&[0, 1 << 7])), (7, 0));
        let few = |exponent: &[u64]| run_table(exponent, 32).is_some();
        assert!(few(&[u64::MAX, 0, 1 << 63, u64::MAX]) && !few(&[0x5555_5555; 4]));
    }
}
