//! Sums of multiples of many points that are used once, in affine coordinates: by Straus's method
//! for few points, by Pippenger's for many.

mod horner;
mod list_sums;
mod lists;
mod pippenger;
mod straus;

use alloc::vec::Vec;

use super::parts;
use crate::curve::{AffinePoint, Curve, Group, JacobianPoint, LanesOf, Points};
use crate::field::{Limbs, MOST_LANES, lane_item};
use crate::scalar::Half;
use list_sums::ListSums;

pub use list_sums::POINTS_TOGETHER;
pub use pippenger::DIGITS_TOGETHER;

/// A sum of terms k P. Variable time: for public values only.
///
/// The sum is exact for every list of points on the curve, including repeated and opposite points.
#[derive(Clone, Debug)]
pub struct MultiVartime<C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    points: Points<L::Lane>,
    /// The factor of each point.
    scalars: Vec<Half<C::Integer>>,
}

/// The method of adding up the terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultiMethod {
    /// A table of odd multiples for each point, indexed by digits (E. G. Straus, 1964): for few
    /// points.
    Straus,
    /// One bucket for each digit of this number of bits (N. Pippenger, 1976): for many points.
    Pippenger(u32),
}

/// The possible windows of Pippenger's digits.
const WINDOWS: core::ops::RangeInclusive<u32> = 3..=14;

/// The fewest points for buckets. For fewer, the cost that is not modelled decides: a mixed
/// addition for each power of two.
const FEWEST_FOR_BUCKETS: u64 = 8;

/// A number of points, and the bit length of the integers that multiply them.
pub type MultiTerms = (u64, u32);

/// The approximate amount of work of a method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MultiCounts {
    /// The number of affine additions.
    pub additions: u64,
    /// The number of lists of points that are added up first: one for each bit, or the buckets.
    pub lists: u64,
}

impl MultiMethod {
    /// Returns the fastest method. A list of points costs one and a half additions in addition to
    /// those of its points, because it is cut, sorted, and has a part in lanes of the next stage.
    /// All of Straus's lists and additions cost a tenth more, because its tables are written and
    /// read.
    ///
    /// Measured for 16 to 4,096 rows of one key and of as many keys on P-256, secp256k1 and P-384,
    /// with IFMA and with FMA: within 9 % of the fastest method, and the fastest itself in two
    /// cases of three.
    #[must_use]
    pub fn best(terms: &[MultiTerms]) -> Self {
        let cost = |method: Self| {
            let counts = method.counts(terms);
            let twentieths = if method == Self::Straus { 22 } else { 20 };
            twentieths * (2 * counts.additions + 3 * counts.lists)
        };
        let mut best = (Self::Straus, cost(Self::Straus));
        let points: u64 = terms.iter().map(|&(points, _)| points).sum();
        if points < FEWEST_FOR_BUCKETS {
            return best.0;
        }
        let mut cheapest = u64::MAX;
        for window in WINDOWS {
            let pippenger = Self::Pippenger(window);
            let cost = cost(pippenger);
            // Wider windows have ever more lists.
            if cost - cost / 8 > cheapest {
                break;
            }
            cheapest = cheapest.min(cost);
            if cost < best.1 {
                best = (pippenger, cost);
            }
        }
        best.0
    }

    /// Returns the approximate number of affine additions, and of lists.
    ///
    /// Straus: 10 for each table, and one for each digit except the first at each bit; one in six
    /// bits begins a digit. Pippenger: one for each digit except the first of each bucket, and then
    /// about two for each bucket that is not empty.
    #[must_use]
    pub fn counts(self, terms: &[MultiTerms]) -> MultiCounts {
        match self {
            Self::Straus => {
                let digits = |&(points, bits): &MultiTerms| points * u64::from(bits) / 6;
                let digits: u64 = terms.iter().map(digits).sum();
                let lists = digits.min(longest(terms).into());
                let tables: u64 = terms.iter().map(|&(points, _)| 10 * points).sum();
                MultiCounts {
                    additions: tables + digits - lists,
                    lists,
                }
            }
            Self::Pippenger(window) => {
                let mut sum = MultiCounts::default();
                let (mut last, mut counts) = (0, MultiCounts::default());
                for start in (0..=longest(terms)).step_by(window as usize) {
                    let reach = terms.iter().filter(|&&(_, bits)| bits >= start);
                    let digits = reach.map(|&(points, _)| points).sum();
                    // Most windows have as many digits as the one before.
                    if digits != last {
                        (last, counts) = (digits, pippenger::counts(window, digits));
                    }
                    sum.additions += counts.additions;
                    sum.lists += counts.lists;
                }
                sum
            }
        }
    }
}

/// The bit length of the longest terms.
fn longest(terms: &[MultiTerms]) -> u32 {
    terms.iter().map(|&(_, bits)| bits).max().unwrap_or(0)
}

impl<C: Curve, L: LanesOf<C>> MultiVartime<C, L> {
    /// Creates an empty sum with room for this number of terms.
    #[inline(always)]
    #[must_use]
    pub fn new(group: &Group<C, L>, room: usize) -> Self {
        let parts = parts::count(group.curve());
        Self {
            group: *group,
            points: Points::with_capacity(64, parts * room),
            scalars: Vec::with_capacity(parts * room),
        }
    }

    /// Adds a term: the point as a lane holds it, and an integer whose absolute value is below the
    /// order.
    #[inline(always)]
    pub fn push(&mut self, point: AffinePoint<L::Lane>, scalar: Half<C::Integer>) {
        self.points.push(point);
        self.scalars.push(scalar);
    }

    /// Returns the sum of the terms; infinity if there are none. `order_bits` is the length of the
    /// order.
    ///
    /// Uses affine additions of 5M + 1S that share inversions: between a fifth and a twelfth of one
    /// for each bit of an integer, fewer the more terms there are. Also uses one doubling for each
    /// bit of the order.
    #[inline(always)]
    #[must_use]
    pub fn sum(self, order_bits: u32) -> JacobianPoint<C::BaseElement> {
        let method = MultiMethod::best(&self.terms(order_bits));
        self.sum_by(method, order_bits)
    }

    /// Returns the number of terms of each length, which determines the choice of a method.
    #[must_use]
    pub fn terms(&self, order_bits: u32) -> Vec<MultiTerms> {
        let halves = parts::bits(self.group.curve(), order_bits);
        let mut terms: Vec<MultiTerms> = Vec::new();
        for k in &self.scalars {
            // A longer integer will be split into two of half the length. Rounding to the next byte
            // is close enough.
            let (points, bits) = match length(&k.magnitude) {
                bits if bits > halves => (2, halves),
                bits => (1, bits.next_multiple_of(8).min(halves)),
            };
            match terms.iter_mut().find(|(_, other)| *other == bits) {
                Some((count, _)) => *count += points,
                None => terms.push((points, bits)),
            }
        }
        terms
    }

    /// Returns the [`sum`](Self::sum), computed by a method of the caller's choice.
    ///
    /// # Panics
    /// Panics if the window of Pippenger's method is not 3 to 14 bits.
    #[inline(never)]
    #[must_use]
    pub fn sum_by(mut self, method: MultiMethod, order_bits: u32) -> JacobianPoint<C::BaseElement> {
        if let MultiMethod::Pippenger(window) = method {
            assert!(WINDOWS.contains(&window), "a window of 3 to 14 bits");
        }
        self.split(order_bits);
        let mut sums = ListSums::new(&self.group);
        let powers = match method {
            // Tables for points of a tiny order contain infinity.
            MultiMethod::Straus => match straus::powers(&self, &mut sums) {
                Some(powers) => powers,
                None => pippenger::powers(&self, &mut sums, *WINDOWS.start()),
            },
            MultiMethod::Pippenger(window) => pippenger::powers(&self, &mut sums, window),
        };
        self.add_up_powers(&powers.keys, &powers.points)
    }

    /// If the curve has an endomorphism, replaces long terms k P by k1 P + k2 (lambda P).
    #[inline(never)]
    fn split(&mut self, order_bits: u32) {
        let Some(endomorphism) = self.group.curve().endomorphism() else {
            return;
        };
        let group = self.group;
        let halves = parts::bits(group.curve(), order_bits);
        let beta = parts::beta(&group);
        let short = |k: &Half<C::Integer>| length(&k.magnitude) <= halves;
        let (terms, mut next) = (self.scalars.len(), 0);
        while next < terms {
            // Collects one long term for each lane.
            let (mut places, mut found) = ([0; MOST_LANES], 0);
            while next < terms && found < L::WIDTH {
                if !short(&self.scalars[next]) {
                    places[found] = next;
                    found += 1;
                }
                next += 1;
            }
            if found == 0 {
                break;
            }
            let places = &places[..found];
            let points = group.load_lanes(|lane| &self.points[*lane_item(places, lane)]);
            let images = group.endomorphism(&beta, &points);
            group.take_lanes(&images, places, |&place, image| {
                let scalar = self.scalars[place];
                let [mut k1, mut k2] = endomorphism.split.halves(&scalar.magnitude);
                k1.negative ^= scalar.negative;
                k2.negative ^= scalar.negative;
                self.scalars[place] = k1;
                self.push(image, k2);
            });
        }
    }

    /// The sum of 2^position P over all points.
    #[inline(never)]
    fn add_up_powers(
        &self,
        positions: &[u32],
        points: &[AffinePoint<L::Lane>],
    ) -> JacobianPoint<C::BaseElement> {
        if const { L::WIDTH > 1 }
            && let Some(sum) = horner::in_lanes(&self.group, positions, points)
        {
            return sum;
        }
        let single = self.group.single();
        horner::one_by_one(&single, positions, &self.singles(points))
    }

    /// Converts points as lanes hold them to single points.
    #[inline(never)]
    fn singles(&self, points: &[AffinePoint<L::Lane>]) -> Vec<AffinePoint<C::BaseElement>> {
        let mut singles = Vec::with_capacity(points.len());
        for points in points.chunks(L::WIDTH) {
            let wide = self.group.load_lanes(|lane| lane_item(points, lane));
            self.group
                .unpack(&wide, points.len(), |_, point| singles.push(point));
        }
        singles
    }
}

/// The bit length of an integer.
fn length<I: Limbs>(integer: &I) -> u32 {
    for (i, limb) in integer.as_ref().iter().enumerate().rev() {
        if *limb != 0 {
            return 64 * i as u32 + 64 - limb.leading_zeros();
        }
    }
    0
}
