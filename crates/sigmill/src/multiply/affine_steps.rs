//! Steps of many points in affine coordinates: doublings and additions. Each step of all points
//! shares one inversion.

use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;

use zeroize::Zeroize;

use crate::curve::{
    Addend, AffineAdditions, AffinePoint, Coordinates, Curve, FirstSum, Group, LanesOf, Lines,
};
use crate::field::{Field, Inversion, Lanes};

/// A point stored with 2y in place of y.
#[derive(Clone, Copy, Debug)]
pub(super) struct DoubledPoint<E> {
    pub(super) x: E,
    pub(super) double_y: E,
}

impl<E: Copy> DoubledPoint<E> {
    #[inline(always)]
    pub(super) fn from_affine<F: Field<Element = E>>(field: F, p: &AffinePoint<E>) -> Self {
        Self {
            x: p.x,
            double_y: field.double(&p.y),
        }
    }

    /// A placeholder for a point.
    #[inline(always)]
    pub(super) fn zeros<F: Field<Element = E>>(field: F) -> Self {
        Self {
            x: field.zero(),
            double_y: field.zero(),
        }
    }

    #[inline(always)]
    pub(super) fn to_affine<F: Field<Element = E>>(self, field: F) -> AffinePoint<E> {
        AffinePoint {
            x: self.x,
            y: field.half(&self.double_y),
        }
    }
}

impl<E: Copy> Coordinates<E> for DoubledPoint<E> {
    const DOUBLED_Y: bool = true;

    #[inline(always)]
    fn new([x, double_y]: [E; 2]) -> Self {
        Self { x, double_y }
    }

    #[inline(always)]
    fn coordinates(&self) -> [&E; 2] {
        [&self.x, &self.double_y]
    }
}

impl<E: Zeroize> Zeroize for DoubledPoint<E> {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.double_y.zeroize();
    }
}

/// The state of steps that many points perform together. It is wiped when dropped if the points are
/// secret.
///
/// `I` determines how they share inversions. With [`VariableTime`](crate::field::VariableTime),
/// each step marks the lanes without a slope as exceptional, and results there are meaningless.
/// With [`ConstantTime`](crate::field::ConstantTime), nothing checks a value: every step must have
/// a slope in every lane, and `exceptional` is not touched and may be empty.
pub(super) struct AffineSteps<C: Curve, L: LanesOf<C>, I: Inversion> {
    group: Group<C, L>,
    scratch: Vec<L::Element>,
    /// The slopes of first additions, and the x-coordinates of their sums.
    first: Vec<FirstSum<L::Element>>,
    inversion: PhantomData<I>,
}

impl<C: Curve, L: LanesOf<C>, I: Inversion> AffineSteps<C, L, I> {
    #[inline(always)]
    pub(super) fn new(group: Group<C, L>) -> Self {
        Self {
            group,
            scratch: vec![],
            first: vec![],
            inversion: PhantomData,
        }
    }

    /// Doubles every point. 5M + 2S each.
    #[inline(never)]
    pub(super) fn double(
        &mut self,
        points: &mut [DoubledPoint<L::Element>],
        exceptional: &mut [L::Mask],
    ) {
        let zero = self.group.field().zero();
        self.scratch.resize(points.len(), zero);
        self.group
            .add_affine::<I, _>(Same, points, exceptional, None, &mut self.scratch);
    }

    /// Adds another point to every point. If there are fewer others, they repeat cyclically. 5M +
    /// 1S each.
    #[inline(never)]
    pub(super) fn add(
        &mut self,
        points: &mut [DoubledPoint<L::Element>],
        exceptional: &mut [L::Mask],
        others: &[DoubledPoint<L::Element>],
    ) {
        let zero = self.group.field().zero();
        self.scratch.resize(points.len(), zero);
        self.group
            .add_affine::<I, _>(Others(others), points, exceptional, None, &mut self.scratch);
    }

    /// Replaces P by 2P + Q, computed as (P + Q) + P, where the first sum needs no y. 9M + 2S each.
    #[inline(never)]
    pub(super) fn double_and_add(
        &mut self,
        points: &mut [DoubledPoint<L::Element>],
        exceptional: &mut [L::Mask],
        others: &[DoubledPoint<L::Element>],
    ) {
        let zero = self.group.field().zero();
        self.scratch.resize(points.len(), zero);
        let Self {
            group,
            scratch,
            first,
            ..
        } = self;
        first.resize(
            points.len(),
            FirstSum {
                slope: zero,
                x: zero,
            },
        );
        group.add_affine::<I, _>(Others(others), points, exceptional, Some(first), scratch);
        group.add_affine::<I, _>(FirstSums(first), points, exceptional, None, scratch);
    }
}

impl<C: Curve, L: LanesOf<C>, I: Inversion> Drop for AffineSteps<C, L, I> {
    fn drop(&mut self) {
        if const { I::WIPES } {
            self.scratch.zeroize();
            self.first.zeroize();
        }
    }
}

/// Additions of points to themselves.
#[derive(Clone, Copy)]
struct Same;

impl<L: Lanes> AffineAdditions<L> for Same {
    type Point = DoubledPoint<L::Element>;
    const LINES: Lines = Lines::Tangents;

    #[inline(always)]
    fn addend<'a>(&'a self, _: &'a [Self::Point], _: usize) -> Addend<'a, L::Element> {
        Addend::Itself
    }
}

/// Additions of other points, which repeat cyclically.
#[derive(Clone, Copy)]
struct Others<'o, E>(&'o [DoubledPoint<E>]);

impl<L: Lanes> AffineAdditions<L> for Others<'_, L::Element> {
    type Point = DoubledPoint<L::Element>;
    const MAY_BE_FIRST: bool = true;

    #[inline(always)]
    fn addend<'a>(&'a self, _: &'a [Self::Point], i: usize) -> Addend<'a, L::Element> {
        let other = match self.0.get(i) {
            Some(other) => other,
            None => &self.0[i % self.0.len()],
        };
        Addend::Point(other.coordinates())
    }
}

/// Additions of P + Q to P: the second half of 2P + Q.
#[derive(Clone, Copy)]
struct FirstSums<'s, E>(&'s [FirstSum<E>]);

impl<L: Lanes> AffineAdditions<L> for FirstSums<'_, L::Element> {
    type Point = DoubledPoint<L::Element>;
    const LINES: Lines = Lines::SecondChords;

    #[inline(always)]
    fn addend<'a>(&'a self, _: &'a [Self::Point], i: usize) -> Addend<'a, L::Element> {
        Addend::FirstSum(&self.0[i])
    }
}
