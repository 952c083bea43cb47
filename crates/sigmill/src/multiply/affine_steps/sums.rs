//! From shared inverses to slopes, and from slopes to sums: the loops of the steps.

use super::{DoubledPoint, FirstSum};
use crate::curve::{Curve, Group, LanesOf};
use crate::field::{Body, Factors as _, Field as _, Lanes, Registers as _, TOGETHER};

/// From 1 / 2y to the slopes of tangents.
pub(super) struct TangentSlopes<'a, C: Curve, L: LanesOf<C>> {
    pub(super) group: Group<C, L>,
    pub(super) points: &'a [DoubledPoint<L::Element>],
    pub(super) slopes: &'a mut [L::Element],
}

impl<C: Curve, L: LanesOf<C>> Body<L> for TangentSlopes<'_, C, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let group = self.group.in_registers(field);
        let tangent = group.affine_tangent_factor(&field.load(&self.points[i].x));
        let slope = field.times(&tangent, &field.load(&self.slopes[i]));
        self.slopes[i] = field.store(&slope);
    }
}

/// From 1 / 2(x' - x) to the slopes of chords.
pub(super) struct ChordSlopes<'a, L: Lanes> {
    pub(super) points: &'a [DoubledPoint<L::Element>],
    pub(super) others: &'a [DoubledPoint<L::Element>],
    pub(super) first: usize,
    pub(super) slopes: &'a mut [L::Element],
}

impl<L: Lanes> Body<L> for ChordSlopes<'_, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let other = cyclic(self.others, self.first + i);
        let rise = field.difference(
            &field.load(&other.double_y),
            &field.load(&self.points[i].double_y),
        );
        let slope = field.times(&rise, &field.load(&self.slopes[i]));
        self.slopes[i] = field.store(&slope);
    }
}

/// From 1 / (x - x') to the slopes of second chords.
pub(super) struct SecondSlopes<'a, L: Lanes> {
    pub(super) points: &'a [DoubledPoint<L::Element>],
    pub(super) first: &'a [FirstSum<L::Element>],
    pub(super) slopes: &'a mut [L::Element],
}

impl<L: Lanes> Body<L> for SecondSlopes<'_, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let double_y = field.load(&self.points[i].double_y);
        let inverse = field.load(&self.slopes[i]);
        let slope = field.mul_sub(&double_y, &inverse, &field.load(&self.first[i].slope));
        self.slopes[i] = field.store(&slope);
    }
}

/// The second points of additions.
#[derive(Clone, Copy)]
pub(super) enum Others<'a, E> {
    /// The first ones again.
    Same,
    /// Points from a place on, cyclically.
    Points(&'a [DoubledPoint<E>], usize),
    FirstSums(&'a [FirstSum<E>]),
}

/// The points plus others, given the slopes.
///
/// First all x-coordinates, then all y-coordinates: neighbouring products do not wait for each
/// other.
#[inline(always)]
pub(super) fn add_by_slopes<L: Lanes>(
    field: L,
    slopes: &[L::Element],
    points: &mut [DoubledPoint<L::Element>],
    others: Others<'_, L::Element>,
) {
    let mut sums = [field.zero(); TOGETHER];
    let sums = &mut sums[..slopes.len()];
    add_x(field, slopes, points, others, sums);
    let y = SumY::<L> {
        slopes,
        sums,
        points,
    };
    field.each(slopes.len(), y);
}

/// The x-coordinates of the sums.
#[inline(always)]
pub(super) fn add_x<L: Lanes>(
    field: L,
    slopes: &[L::Element],
    points: &[DoubledPoint<L::Element>],
    others: Others<'_, L::Element>,
    sums: &mut [L::Element],
) {
    let x = SumX::<L> {
        slopes,
        points,
        others,
        sums,
    };
    field.each(slopes.len(), x);
}

struct SumX<'a, L: Lanes> {
    slopes: &'a [L::Element],
    points: &'a [DoubledPoint<L::Element>],
    others: Others<'a, L::Element>,
    sums: &'a mut [L::Element],
}

impl<L: Lanes> Body<L> for SumX<'_, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let x = &self.points[i].x;
        let other = match self.others {
            Others::Same => x,
            Others::Points(others, first) => &cyclic(others, first + i).x,
            Others::FirstSums(sums) => &sums[i].x,
        };
        let slope = field.load(&self.slopes[i]);
        let sum = field.square_sub_both(&slope, &field.load(x), &field.load(other));
        self.sums[i] = field.store(&sum);
    }
}

struct SumY<'a, L: Lanes> {
    slopes: &'a [L::Element],
    sums: &'a [L::Element],
    points: &'a mut [DoubledPoint<L::Element>],
}

impl<L: Lanes> Body<L> for SumY<'_, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let point = &mut self.points[i];
        let slope = field.load(&self.slopes[i]);
        let run = field.difference(&field.load(&point.x), &field.load(&self.sums[i]));
        let double_y = field.double_times_sub(&run, &slope, &field.load(&point.double_y));
        *point = DoubledPoint {
            x: self.sums[i],
            double_y: field.store(&double_y),
        };
    }
}

/// Element i of elements that are taken again and again.
#[inline(always)]
pub(super) fn cyclic<T>(all: &[T], i: usize) -> &T {
    match all.get(i) {
        Some(one) => one,
        None => &all[i % all.len()],
    }
}
