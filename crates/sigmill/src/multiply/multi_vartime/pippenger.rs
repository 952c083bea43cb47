//! Pippenger's method. Each window of the integers has a bucket for each digit; points are added to
//! the bucket of their digit, and then the buckets are added up by worth.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::list_sums::{ListSums, Sums};
use super::lists::{Entry, List, lists_of};
use super::{MultiCounts, MultiVartime, length};
use crate::curve::{Curve, LanesOf};
use crate::field::{Body, Lanes, Limbs, MOST_LANES};
use crate::recode::{BoothLanes, booth_digit, booth_digits};
use crate::scalar::Half;

/// The window of the last digits, whose absolute values are 1 and 2.
const LAST: u32 = 2;

/// The approximate number of digits that are added up together. With all of them together, a batch
/// of 4,096 rows needs so much memory that the allocator returns it after each call and requests it
/// again page by page; larger parts share little more. Run `bench -- --only verify/hinted` after
/// changing it.
pub const DIGITS_TOGETHER: usize = 65536;

/// The factor of a bucket: `weight`, which is odd, times 2 to the power `position`.
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

/// The approximate number of buckets that have a point, for this number of points in all buckets.
/// With x points for each bucket, a share of exp(-x) is empty, which is near 1 / (1 + x + x^2 / 2).
fn occupied(buckets: u64, points: u64) -> u64 {
    let (all, points) = (buckets as f64, points as f64);
    let have_some = 2.0 * points * all + points * points;
    (all * have_some / (2.0 * all * all + have_some) + 0.5) as u64
}

/// The approximate work for a window in which this number of integers have a digit: the additions
/// of the buckets, and of the stages that follow until all weights are one.
pub(super) fn counts(window: u32, digits: u64) -> MultiCounts {
    // One digit in 2^window is zero.
    let digits = digits - (digits >> window);
    let lists = occupied(1 << (window - 1), digits);
    let (mut buckets, mut additions) = (lists, digits - lists);
    let (mut bits, mut are_odd) = (window, 0);
    while bits > 6 {
        // Two digits each, unless one is zero. The weights of the lists of their sums are odd.
        let half = half_of(bits);
        let digits = 2 * buckets - (buckets >> (half - 2));
        buckets = occupied(u64::from(bits - half + 2) << (half - 2), digits);
        additions += digits - buckets;
        (bits, are_odd) = (half, 1);
    }
    // In quarters, as counted for weights of this number of bits: last digits that are not zero,
    // and a few more for odd weights. Each power of two is a list at the end.
    let digits = buckets * (u64::from(bits) + 2 + are_odd) / 4;
    additions += digits - occupied(window.into(), digits);
    MultiCounts { additions, lists }
}

/// The bit length of the digits into which a weight of this number of bits is cut: halves, or last
/// digits.
fn half_of(bits: u32) -> u32 {
    if bits > 6 { bits.div_ceil(2) } else { LAST }
}

/// Points whose multiples by powers of two, which their keys name, add up to the sum of the terms.
///
/// The sum of j B_j over all buckets is computed by rows and columns. With j = 2^h u + v, it is 2^h
/// times the sum of u times row u, plus the sum of v times column v; the sums of rows and columns
/// are computed in the same way. This costs twice as many additions as there are buckets, as a
/// running sum does, but these additions need not wait for each other.
///
/// A few windows are processed at a time, so that intermediate results need little memory, however
/// many terms there are. No two windows yield the same power, because the highest bit of a digit is
/// below the next window.
#[inline(never)]
pub(super) fn powers<C: Curve, L: LanesOf<C>>(
    terms: &MultiVartime<C, L>,
    sums: &mut ListSums<C, L>,
    window: u32,
) -> Sums<L::Lane> {
    let reach = reach(&terms.scalars, window);
    let mut buckets = Buckets::default();
    let (mut powers, mut first) = (Sums::with_room(0), 0);
    while first < reach.len() {
        let mut part = first..first + 1;
        let mut digits = reach[first];
        while part.end < reach.len() && digits + reach[part.end] <= DIGITS_TOGETHER {
            digits += reach[part.end];
            part.end += 1;
        }
        first = part.end;
        buckets.fill(terms, window, &reach, part);
        let part = powers_of(terms, sums, window, &buckets);
        powers.keys.extend(part.keys);
        powers.points.extend(part.points);
    }
    powers
}

/// For each window, the number of integers up to the last one that has a digit in it. So if short
/// integers follow long ones, the upper windows cover only the few long ones.
fn reach<I: Limbs>(scalars: &[Half<I>], window: u32) -> Vec<usize> {
    let mut reach = vec![];
    for (i, k) in scalars.iter().enumerate() {
        let windows = booth_digits(length(&k.magnitude), window) as usize;
        if windows > reach.len() {
            reach.resize(windows, 0);
        }
        if let Some(last) = windows.checked_sub(1) {
            reach[last] = i + 1;
        }
    }
    let mut above = 0;
    for reach in reach.iter_mut().rev() {
        above = above.max(*reach);
        *reach = above;
    }
    reach
}

/// The powers for the digits in these buckets.
fn powers_of<C: Curve, L: LanesOf<C>>(
    terms: &MultiVartime<C, L>,
    sums: &mut ListSums<C, L>,
    window: u32,
    buckets: &Buckets,
) -> Sums<L::Lane> {
    let mut buckets = sums.add_up(&terms.points, &buckets.entries, &buckets.lists);
    let mut worths = worths_of_buckets(&buckets.keys, window);
    let mut bits = window;
    while let Some((entries, lists)) = cut(&worths, half_of(bits)) {
        bits = half_of(bits);
        buckets = sums.add_up(&buckets.points, &entries, &lists);
        worths = worths_of_digits(&buckets.keys, bits);
    }
    for (key, worth) in buckets.keys.iter_mut().zip(&worths) {
        *key = worth.position;
    }
    buckets
}

/// The factors of the buckets with these keys.
fn worths_of_buckets(keys: &[u32], window: u32) -> Vec<Worth> {
    let of = |key: u32| {
        let number = key & ((1 << (window - 1)) - 1);
        Worth::new((key >> (window - 1)) * window, number + 1)
    };
    keys.iter().map(|&key| of(key)).collect()
}

/// Cuts the weights into digits of this number of bits, with keys for [`worths_of_digits`]; `None`
/// if all weights are one.
fn cut(worths: &[Worth], bits: u32) -> Option<(Vec<Entry>, Vec<List>)> {
    if worths.iter().all(|worth| worth.weight == 1) {
        return None;
    }
    let mut keyed = Vec::with_capacity(2 * worths.len());
    for (worth, i) in worths.iter().zip(0..) {
        let weight = [u64::from(worth.weight)];
        for index in 0..booth_digits(u32::BITS - worth.weight.leading_zeros(), bits) {
            let digit = booth_digit(&weight, bits, index);
            if digit != 0 {
                let worth = Worth::new(worth.position + bits * index, digit.unsigned_abs());
                let key = (worth.position << bits) + worth.weight;
                keyed.push((key, Entry::new(i, digit < 0)));
            }
        }
    }
    Some(lists_of(keyed))
}

/// The factors of the lists with these keys, for digits of this number of bits.
fn worths_of_digits(keys: &[u32], bits: u32) -> Vec<Worth> {
    let of = |key: u32| Worth {
        position: key >> bits,
        weight: key & ((1 << bits) - 1),
    };
    keys.iter().map(|&key| of(key)).collect()
}

/// The points of each bucket of some windows, in memory that is reused for all windows.
#[derive(Default)]
struct Buckets {
    /// The buckets that have points. The key of a bucket is the index of its window, followed by
    /// its digit less one.
    lists: Vec<List>,
    /// The points of the lists.
    entries: Vec<Entry>,
    /// The digits of each term in each window.
    digits: Vec<u16>,
    /// The place of the next point of each bucket of a window.
    ends: Vec<u32>,
}

impl Buckets {
    /// Puts the points of these windows into their buckets; `reach` is the number of integers for
    /// each window.
    fn fill<C: Curve, L: LanesOf<C>>(
        &mut self,
        terms: &MultiVartime<C, L>,
        window: u32,
        reach: &[usize],
        windows: Range<usize>,
    ) {
        let reach = &reach[windows.clone()];
        let total = reach.iter().sum();
        self.digits.clear();
        self.digits.resize(total, 0);
        let cutting = Cutting {
            scalars: &terms.scalars,
            window,
            first: windows.start,
            reach,
            lanes: BoothLanes::new(C::Integer::ZERO.as_ref().len()),
            digits: &mut self.digits,
        };
        let steps = reach[0].div_ceil(MOST_LANES);
        terms.group.field().each(steps, cutting);
        self.gather(window, reach, windows);
    }

    /// Puts the digits of these windows into their buckets.
    fn gather(&mut self, window: u32, reach: &[usize], windows: Range<usize>) {
        let total = self.digits.len();
        let number = |digit: u16| usize::from(digit & !NEGATIVE);
        let most = 1 << (window - 1);
        self.entries.resize(total, Entry::new(0, false));
        self.lists.clear();
        self.ends.resize(most + 1, 0);
        let ends = &mut self.ends[..];
        let (mut start, mut digits) = (0, &self.digits[..]);
        for (index, &reach) in windows.zip(reach) {
            let (of_window, rest) = digits.split_at(reach);
            digits = rest;
            ends.fill(0);
            for &digit in of_window {
                ends[number(digit)] += 1;
            }
            for (number, end) in ends.iter_mut().enumerate().skip(1) {
                let key = (index << (window - 1) | (number - 1)) as u32;
                let length = *end;
                if length > 0 {
                    self.lists.push(List { key, start, length });
                }
                *end = start;
                start += length;
            }
            for (i, &digit) in of_window.iter().enumerate() {
                if number(digit) > 0 {
                    let end = &mut ends[number(digit)];
                    self.entries[*end as usize] = Entry::new(i, digit & NEGATIVE != 0);
                    *end += 1;
                }
            }
        }
    }
}

/// The bit that marks a negative digit.
const NEGATIVE: u16 = 1 << 15;

/// Cuts integers into signed digits, eight integers in each step.
struct Cutting<'a, I> {
    scalars: &'a [Half<I>],
    window: u32,
    /// The index of the first window.
    first: usize,
    /// For each window, the number of integers that are cut.
    reach: &'a [usize],
    lanes: BoothLanes,
    /// The digits of the first window, then of the second one, and so on.
    digits: &'a mut [u16],
}

impl<L: Lanes, I: Limbs> Body<L> for Cutting<'_, I> {
    #[inline(always)]
    fn step(&mut self, _: L::Registers, i: usize) {
        let first = i * MOST_LANES;
        let scalars = &self.scalars[first..];
        let scalars = &scalars[..scalars.len().min(MOST_LANES)];
        let (mut magnitudes, mut negative) = ([I::ZERO; MOST_LANES], [0; MOST_LANES]);
        for (lane, k) in scalars.iter().enumerate() {
            magnitudes[lane] = k.magnitude;
            negative[lane] = k.negative;
        }
        self.lanes.set(&magnitudes);
        let mut start = first;
        for (index, &reach) in (self.first..).zip(self.reach) {
            // The number falls from window to window.
            if reach <= first {
                break;
            }
            let cut = self.lanes.digits(MOST_LANES, self.window, index as u32);
            let mut digits = [0; MOST_LANES];
            for lane in 0..MOST_LANES {
                let sign = (cut.negative.0[lane] ^ negative[lane]) & 1;
                digits[lane] = (cut.numbers.0[lane] | sign << 15) as u16;
            }
            let place = &mut self.digits[start..];
            match place.first_chunk_mut() {
                Some(place) if reach - first >= MOST_LANES => *place = digits,
                _ => {
                    let count = (reach - first).min(MOST_LANES);
                    place[..count].copy_from_slice(&digits[..count]);
                }
            }
            start += reach;
        }
    }
}
