//! Pippenger's method: for each window of the integers a bucket for each digit, to which the points
//! with this digit are added, and then the buckets by what they are worth.

use alloc::vec::Vec;
use core::ops::Range;

use super::list_sums::{ListSums, Sums};
use super::lists::{Entry, List, lists_of};
use super::{MultiCounts, MultiVartime, length};
use crate::curve::{Curve, LanesOf};
use crate::field::{Body, Lanes, Limbs, MOST_LANES};
use crate::recode::{BoothLanes, booth_digit, booth_digits};
use crate::scalar::Half;

/// The window of the last digits: their absolute values are 1 and 2.
const LAST: u32 = 2;

/// About so many digits are added up together. When it was all of them, a batch of 4,096 rows took
/// so much memory that the allocator gave it back after each call, and asked for it again page by
/// page; more share little more. `bench -- --only verify/hinted` after changing it.
pub const DIGITS_TOGETHER: usize = 65536;

/// What multiplies a bucket: `weight`, which is odd, times 2 to the power `position`.
#[derive(Clone, Copy, Debug)]
struct Worth {
    position: u32,
    weight: u32,
}

impl Worth {
    fn new(position: u32, weight: u32) -> Self {
        let zeros = weight.trailing_zeros();
        Self {
            position: position + zeros,
            weight: weight >> zeros,
        }
    }
}

/// Of so many buckets, about how many have a point, if so many points are in any of them: for x
/// points a bucket, a share of exp(-x) has none, which is near 1 / (1 + x + x^2 / 2).
fn occupied(buckets: u64, points: u64) -> u64 {
    let (all, points) = (buckets as f64, points as f64);
    let have_some = 2.0 * points * all + points * points;
    (all * have_some / (2.0 * all * all + have_some) + 0.5) as u64
}

/// About what a window takes that so many integers have a digit in: the additions of the buckets,
/// and of the stages that follow until all weights are one.
pub(super) fn counts(window: u32, digits: u64) -> MultiCounts {
    // One digit in 2^window is zero.
    let digits = digits - (digits >> window);
    let lists = occupied(1 << (window - 1), digits);
    let (mut buckets, mut additions) = (lists, digits - lists);
    let (mut bits, mut are_odd) = (window, 0);
    while bits > 6 {
        // Two digits, but where one is zero. Of the lists of their sums, the weights are odd.
        let half = half_of(bits);
        let digits = 2 * buckets - (buckets >> (half - 2));
        buckets = occupied(u64::from(bits - half + 2) << (half - 2), digits);
        additions += digits - buckets;
        (bits, are_odd) = (half, 1);
    }
    // In quarters, as counted for the weights of so many bits: last digits that are not zero, of
    // odd weights some more. Each power of two is a list in the end.
    let digits = buckets * (u64::from(bits) + 2 + are_odd) / 4;
    additions += digits - occupied(window.into(), digits);
    MultiCounts { additions, lists }
}

/// The digits that a weight of so many bits is cut into: halves, or last ones.
fn half_of(bits: u32) -> u32 {
    if bits > 6 { bits.div_ceil(2) } else { LAST }
}

/// Points whose multiples by powers of two, which their keys name, add up to the sum of the terms.
///
/// The sum of j B_j over all buckets is taken by rows and columns: with j = 2^h u + v that is
/// 2^h times the sum of u times row u, and the sum of v times column v; and so on with rows and
/// columns. That takes twice as many additions as there are buckets, as a running sum does, but
/// these need not wait for each other.
///
/// A few windows at a time, so that what stands between the terms and the sums needs little memory,
/// however many there are. No power comes of two windows: the highest bit of a digit is below the
/// next window.
#[inline(never)]
pub(super) fn powers<C: Curve, L: LanesOf<C>>(
    terms: &MultiVartime<C, L>,
    sums: &mut ListSums<C, L>,
    window: u32,
) -> Sums<L::Lane> {
    let longest = terms.scalars.iter().map(|k| length(&k.magnitude)).max();
    let windows = booth_digits(longest.unwrap_or(0), window);
    let together = (DIGITS_TOGETHER / terms.scalars.len().max(1)).max(1);
    let (mut powers, mut buckets) = (Sums::with_room(0), Buckets::default());
    for first in (0..windows).step_by(together) {
        let part = first..windows.min(first + together as u32);
        buckets.fill(terms, window, part);
        let part = powers_of(terms, sums, window, &buckets);
        powers.keys.extend(part.keys);
        powers.points.extend(part.points);
    }
    powers
}

/// The same for the digits that are in these buckets.
fn powers_of<C: Curve, L: LanesOf<C>>(
    terms: &MultiVartime<C, L>,
    sums: &mut ListSums<C, L>,
    window: u32,
    buckets: &Buckets,
) -> Sums<L::Lane> {
    let mut buckets = sums.add_up(&terms.points, &buckets.entries, &buckets.lists);
    let of = |key: u32| {
        let number = key & ((1 << (window - 1)) - 1);
        Worth::new((key >> (window - 1)) * window, number + 1)
    };
    let mut worths: Vec<Worth> = buckets.keys.iter().map(|&key| of(key)).collect();
    let mut bits = window;
    while worths.iter().any(|worth| worth.weight > 1) {
        let half = half_of(bits);
        let mut keyed = Vec::with_capacity(2 * worths.len());
        for (worth, i) in worths.iter().zip(0..) {
            let weight = [u64::from(worth.weight)];
            for index in 0..booth_digits(u32::BITS - worth.weight.leading_zeros(), half) {
                let digit = booth_digit(&weight, half, index);
                if digit != 0 {
                    let worth = Worth::new(worth.position + half * index, digit.unsigned_abs());
                    let key = (worth.position << half) + worth.weight;
                    keyed.push((key, Entry::new(i, digit < 0)));
                }
            }
        }
        let (entries, lists) = lists_of(keyed);
        buckets = sums.add_up(&buckets.points, &entries, &lists);
        worths.clear();
        worths.extend(buckets.keys.iter().map(|&key| Worth {
            position: key >> half,
            weight: key & ((1 << half) - 1),
        }));
        bits = half;
    }
    buckets.keys.clear();
    buckets
        .keys
        .extend(worths.iter().map(|worth| worth.position));
    buckets
}

/// The points of each bucket of some windows, in memory that is taken once for all windows.
#[derive(Default)]
struct Buckets {
    /// Those that have points. The key of a bucket is the number of its window, and behind that its
    /// digit less one.
    lists: Vec<List>,
    /// The points of the lists.
    entries: Vec<Entry>,
    /// Of each term in each window.
    digits: Vec<u16>,
    /// Where the next point of each bucket of a window goes.
    ends: Vec<u32>,
}

impl Buckets {
    /// Puts the points of these windows into their buckets.
    #[inline(never)]
    fn fill<C: Curve, L: LanesOf<C>>(
        &mut self,
        terms: &MultiVartime<C, L>,
        window: u32,
        windows: Range<u32>,
    ) {
        let count = terms.scalars.len();
        self.digits.clear();
        self.digits.resize(windows.len() * count, 0);
        let cutting = Cutting {
            scalars: &terms.scalars,
            window,
            windows: windows.clone(),
            lanes: BoothLanes::new(C::Integer::ZERO.as_ref().len()),
            digits: &mut self.digits,
        };
        terms
            .group
            .field()
            .each(count.div_ceil(MOST_LANES), cutting);
        let number = |digit: u16| usize::from(digit & !NEGATIVE);
        let most = 1 << (window - 1);
        self.entries
            .resize(windows.len() * count, Entry::new(0, false));
        self.lists.clear();
        self.ends.resize(most + 1, 0);
        let ends = &mut self.ends[..];
        let mut start = 0;
        for (digits, index) in self.digits.chunks_exact(count.max(1)).zip(windows) {
            ends.fill(0);
            for &digit in digits {
                ends[number(digit)] += 1;
            }
            for (number, end) in ends.iter_mut().enumerate().skip(1) {
                let (key, length) = (index << (window - 1) | (number - 1) as u32, *end);
                if length > 0 {
                    self.lists.push(List { key, start, length });
                }
                *end = start;
                start += length;
            }
            for (i, &digit) in digits.iter().enumerate() {
                if number(digit) > 0 {
                    let end = &mut ends[number(digit)];
                    self.entries[*end as usize] = Entry::new(i, digit & NEGATIVE != 0);
                    *end += 1;
                }
            }
        }
    }
}

/// The bit of a digit that says that it is negative.
const NEGATIVE: u16 = 1 << 15;

/// Cuts integers into signed digits, those of eight in each step.
struct Cutting<'a, I> {
    scalars: &'a [Half<I>],
    window: u32,
    windows: Range<u32>,
    lanes: BoothLanes,
    /// Those of the first window of all integers, of the second one and so on.
    digits: &'a mut [u16],
}

impl<L: Lanes, I: Limbs> Body<L> for Cutting<'_, I> {
    #[inline(always)]
    fn step(&mut self, _: L::Registers, i: usize) {
        let (count, first) = (self.scalars.len(), i * MOST_LANES);
        let scalars = &self.scalars[first..count.min(first + MOST_LANES)];
        let (mut magnitudes, mut longest) = ([I::ZERO; MOST_LANES], 0);
        for (magnitude, k) in magnitudes.iter_mut().zip(scalars) {
            *magnitude = k.magnitude;
            longest = length(magnitude).max(longest);
        }
        self.lanes.set(&magnitudes);
        let windows = booth_digits(longest, self.window).min(self.windows.end);
        for index in self.windows.start..windows {
            let cut = self.lanes.digits(MOST_LANES, self.window, index);
            let place = (index - self.windows.start) as usize * count + first;
            let digits = &mut self.digits[place..][..scalars.len()];
            for (lane, (digit, k)) in digits.iter_mut().zip(scalars).enumerate() {
                let negative = (cut.negative.0[lane] ^ k.negative) & 1;
                *digit = cut.numbers.0[lane] as u16 | (negative as u16) << 15;
            }
        }
    }
}
