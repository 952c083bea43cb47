//! From shared inverses to slopes, and from slopes to sums: the loops of the steps.

use super::{DoubledPoint, FirstSum};
use crate::curve::{Curve, Group, LanesOf};
use crate::field::{Body, Factors, Field, Lanes, Registers, Stages, each_pipelined};

/// From 1 / 2y to the slopes of tangents.
pub(super) struct TangentSlopes<'a, C: Curve, L: LanesOf<C>> {
    pub(super) group: Group<C, L>,
    pub(super) points: &'a [DoubledPoint<L::Element>],
    pub(super) slopes: &'a mut [L::Element],
}

impl<C: Curve, L: LanesOf<C>> Stages<L> for TangentSlopes<'_, C, L> {
    type Between = <L::Registers as Factors>::Factor;

    #[inline(always)]
    fn begin(&self, field: L::Registers, i: usize) -> Self::Between {
        let group = self.group.in_registers(field);
        group.affine_tangent_factor(&field.load(&self.points[i].x))
    }

    #[inline(always)]
    fn finish(&mut self, field: L::Registers, i: usize, tangent: Self::Between) {
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
#[inline(always)]
pub(super) fn add_by_slopes<L: Lanes>(
    field: L,
    slopes: &[L::Element],
    points: &mut [DoubledPoint<L::Element>],
    others: Others<'_, L::Element>,
) {
    let sums = Sums::<L> {
        slopes,
        points,
        others,
    };
    each_pipelined(field, slopes.len(), sums);
}

/// From slopes to sums, in the places of the points: x-coordinates, and then y-coordinates.
struct Sums<'a, L: Lanes> {
    slopes: &'a [L::Element],
    points: &'a mut [DoubledPoint<L::Element>],
    others: Others<'a, L::Element>,
}

impl<L: Lanes> Stages<L> for Sums<'_, L> {
    type Between = <L::Registers as Field>::Element;

    #[inline(always)]
    fn begin(&self, field: L::Registers, i: usize) -> Self::Between {
        sum_x::<L>(field, &self.slopes[i], &self.points[i], self.others, i)
    }

    #[inline(always)]
    fn finish(&mut self, field: L::Registers, i: usize, x: Self::Between) {
        let point = &mut self.points[i];
        let slope = field.load(&self.slopes[i]);
        let run = field.difference(&field.load(&point.x), &x);
        let double_y = field.double_times_sub(&run, &slope, &field.load(&point.double_y));
        *point = DoubledPoint {
            x: field.store(&x),
            double_y: field.store(&double_y),
        };
    }
}

/// From slopes to what is kept of first sums.
pub(super) struct FirstSums<'a, L: Lanes> {
    pub(super) slopes: &'a [L::Element],
    pub(super) points: &'a [DoubledPoint<L::Element>],
    pub(super) others: Others<'a, L::Element>,
    pub(super) sums: &'a mut [FirstSum<L::Element>],
}

impl<L: Lanes> Body<L> for FirstSums<'_, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let x = sum_x::<L>(field, &self.slopes[i], &self.points[i], self.others, i);
        self.sums[i] = FirstSum {
            slope: self.slopes[i],
            x: field.store(&x),
        };
    }
}

/// The x-coordinate of a point plus another.
#[inline(always)]
fn sum_x<L: Lanes>(
    field: L::Registers,
    slope: &L::Element,
    point: &DoubledPoint<L::Element>,
    others: Others<'_, L::Element>,
    i: usize,
) -> <L::Registers as Field>::Element {
    let other = match others {
        Others::Same => &point.x,
        Others::Points(others, first) => &cyclic(others, first + i).x,
        Others::FirstSums(sums) => &sums[i].x,
    };
    field.square_sub_both(
        &field.load(slope),
        &field.load(&point.x),
        &field.load(other),
    )
}

/// Element i of elements that are taken again and again.
#[inline(always)]
pub(super) fn cyclic<T>(all: &[T], i: usize) -> &T {
    match all.get(i) {
        Some(one) => one,
        None => &all[i % all.len()],
    }
}
