//! Powers with a public exponent.

use alloc::vec;
use alloc::vec::Vec;

use crate::field::Field;
use crate::limbs;

/// The longest window of the sliding-window exponentiation, in bits.
const WINDOW: usize = 5;

/// Number of powers in a table, of either kind.
const TABLE: usize = 1 << (WINDOW - 1);

/// Largest number of steps for exponents of long runs: these need one allocation.
const LIKELY: usize = 32;

/// Place in the table for the square that leads from one odd power to the next.
const SQUARE: usize = TABLE;

/// `base^exponent` by a table of powers, over the bits of a public exponent.
///
/// About one squaring per bit. The number of additional products depends on the exponent. A few
/// long runs of ones, as in the primes of NIST: seven to sixteen. A power of two: none. Any other
/// exponent: one for each window of up to five bits, and at most 16 for the odd powers. The time
/// depends only on the exponent.
#[inline(never)]
pub(super) fn power<F: Field>(field: F, base: &F::Element, exponent: &[u64]) -> F::Element {
    let [result] = powers(field, &[*base], &Chain::new(exponent));
    result
}

/// The steps to a power. They are the same for all fields, so that each compiles one square and one
/// product.
#[derive(Debug)]
pub(super) struct Chain(Vec<Step>);

/// Squarings, then optionally a product.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The power in the table that it starts with, or `None` for the result of the previous step.
    from: Option<usize>,
    squarings: usize,
    /// The power in the table to multiply by.
    by: Option<usize>,
    /// The place in the table for the result.
    to: Option<usize>,
}

impl Chain {
    /// The steps to the power with this exponent, little-endian in limbs.
    #[inline(never)]
    pub(super) fn new(exponent: &[u64]) -> Self {
        let ones_below = |top: usize| run_below(exponent, top, true);
        let mut top = 64 * exponent.len();
        top -= run_below(exponent, top, false);
        if top == 0 {
            return Self(vec![]);
        }
        // The table holds the powers 2^(2^i) - 1 that lead to the first run, or the powers 2i + 1.
        let runs = run_table(exponent, ones_below(top));
        // Returns the bottom of the bits from top - 1 down that are used at once, and the index of
        // their power. The bottom bit is a one.
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
        // The last power of the table that is used.
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
        // The powers of the table are computed before they are used.
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
    /// The numbers of products and of squares.
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

    /// The steps to the odd powers of the table, up to place `most`.
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

/// The powers of several bases, interleaved so that a product need not wait for the one before.
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

/// Number of equal bits, ones or zeros, from the one below bit `top` downwards.
fn run_below(integer: &[u64], top: usize, ones: bool) -> usize {
    let mut bottom = top;
    while bottom > 0 {
        // The bits of this limb that are below `bottom`, moved to the top.
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

/// Decides whether an exponent is processed run by run; its first run of ones has the given length.
/// If so, returns the last power in the table, which has a run of 2^last ones. The squarings that
/// lead to it are those that the first run needs anyway.
fn run_table(exponent: &[u64], first_run: usize) -> Option<usize> {
    // Runs that cross limbs are counted twice.
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

    /// Integers modulo the largest prime below 2^32: a field that is independent of the later
    /// modules.
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
        fn select(self, condition: bool, a: &u64, b: &u64) -> u64 {
            if condition { *a } else { *b }
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

    /// Powers match plain squaring and multiplying, for exponents of long runs, of short ones, and
    /// of both.
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
        // The roots modulo the primes of P-256 and P-521.
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
