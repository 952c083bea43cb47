//! Steps that many points in affine coordinates take together: doublings and additions, each step
//! of all points sharing one inversion.

mod sums;

use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;

use zeroize::Zeroize;

use sums::{ChordSlopes, FirstSums, Others, SecondSlopes, TangentSlopes, add_by_slopes, cyclic};

use crate::curve::{AffinePoint, Curve, Group, LanesOf};
use crate::field::{
    Denominators, Factors, Field, Inversion, Lanes, Mask as _, Registers as _, each_pipelined,
};

/// A point of which 2y is kept in place of y: it is what the slope of the tangent is divided by, and
/// the sum of two points is no more work.
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

    /// No point, but a place for one.
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

impl<E: Zeroize> Zeroize for DoubledPoint<E> {
    fn zeroize(&mut self) {
        self.x.zeroize();
        self.double_y.zeroize();
    }
}

impl<E: Zeroize> Zeroize for FirstSum<E> {
    fn zeroize(&mut self) {
        self.slope.zeroize();
        self.x.zeroize();
    }
}

/// Points that take steps together, and what that needs; of secret points it is wiped when it is
/// dropped.
///
/// `I` says how they share inversions. With [`VariableTime`](crate::field::VariableTime) each step
/// marks the lanes where it had no slope, in which the result is wrong. With
/// [`ConstantTime`](crate::field::ConstantTime) nothing looks at a value: every step must have a slope
/// in every lane, and `wrong` is not touched and may be empty.
pub(super) struct Steps<C: Curve, L: LanesOf<C>, I: Inversion> {
    group: Group<C, L>,
    scratch: Vec<L::Element>,
    /// The slopes of first additions, and the x-coordinates of their sums.
    first: Vec<FirstSum<L::Element>>,
    inversion: PhantomData<I>,
}

/// What is kept of P + Q on the way to 2P + Q.
#[derive(Clone, Copy)]
struct FirstSum<E> {
    slope: E,
    x: E,
}

impl<C: Curve, L: LanesOf<C>, I: Inversion> Steps<C, L, I> {
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
        wrong: &mut [L::Mask],
    ) {
        let group = self.group;
        let doubling = Doubling {
            group,
            points,
            wrong,
        };
        share::<L, I>(group.field(), doubling, &mut self.scratch);
    }

    /// Adds another point to every point; fewer others are taken again and again. 5M + 1S each.
    #[inline(never)]
    pub(super) fn add(
        &mut self,
        points: &mut [DoubledPoint<L::Element>],
        wrong: &mut [L::Mask],
        others: &[DoubledPoint<L::Element>],
    ) {
        let group = self.group;
        let adding = Adding {
            group,
            points,
            others,
            wrong,
            half: None,
        };
        share::<L, I>(group.field(), adding, &mut self.scratch);
    }

    /// From P to 2P + Q as (P + Q) + P, of which the first sum needs no y (K. Eisentraeger,
    /// K. Lauter, P. L. Montgomery, *Fast elliptic curve arithmetic and improved Weil pairing
    /// evaluation*, 2003). 9M + 2S each.
    #[inline(never)]
    pub(super) fn double_and_add(
        &mut self,
        points: &mut [DoubledPoint<L::Element>],
        wrong: &mut [L::Mask],
        others: &[DoubledPoint<L::Element>],
    ) {
        let group = self.group;
        let (field, zero) = (group.field(), group.field().zero());
        let Self { scratch, first, .. } = self;
        first.resize(
            points.len(),
            FirstSum {
                slope: zero,
                x: zero,
            },
        );
        let adding = Adding {
            group,
            points: &mut *points,
            others,
            wrong: &mut *wrong,
            half: Some(&mut *first),
        };
        share::<L, I>(field, adding, scratch);
        let adding_again = AddingAgain {
            group,
            points,
            first,
            wrong,
        };
        share::<L, I>(field, adding_again, scratch);
    }
}

/// Takes a step.
#[inline(always)]
fn share<L: Lanes, I: Inversion>(
    field: L,
    mut step: impl Denominators<L>,
    scratch: &mut Vec<L::Element>,
) {
    scratch.resize(step.count(), field.zero());
    I::share(field, &mut step, scratch);
}

impl<C: Curve, L: LanesOf<C>, I: Inversion> Drop for Steps<C, L, I> {
    fn drop(&mut self) {
        if I::WIPES {
            self.scratch.zeroize();
            self.first.zeroize();
        }
    }
}

/// Points that become twice as much.
struct Doubling<'a, C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    points: &'a mut [DoubledPoint<L::Element>],
    wrong: &'a mut [L::Mask],
}

impl<C: Curve, L: LanesOf<C>> Denominators<L> for Doubling<'_, C, L> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.points.len()
    }

    #[inline(always)]
    fn denominator(&self, field: L::Registers, i: usize) -> <L::Registers as Factors>::Factor {
        field.factor(&field.load(&self.points[i].double_y))
    }

    #[inline(always)]
    fn take(&mut self, first: usize, inverses: &mut [L::Element], zeros: bool) {
        let field = self.group.field();
        if zeros {
            note_zeros(field, inverses, &mut self.wrong[first..]);
        }
        let points = &mut self.points[first..][..inverses.len()];
        let slopes = TangentSlopes {
            group: self.group,
            points: &*points,
            slopes: &mut *inverses,
        };
        each_pipelined(field, slopes.points.len(), slopes);
        add_by_slopes(field, inverses, points, Others::Same);
    }
}

/// Points to which others are added.
struct Adding<'a, C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    points: &'a mut [DoubledPoint<L::Element>],
    others: &'a [DoubledPoint<L::Element>],
    wrong: &'a mut [L::Mask],
    /// For the first half of 2P + Q: takes what is kept of the sum, and the point stays.
    half: Option<&'a mut [FirstSum<L::Element>]>,
}

impl<C: Curve, L: LanesOf<C>> Denominators<L> for Adding<'_, C, L> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.points.len()
    }

    #[inline(always)]
    fn denominator(&self, field: L::Registers, i: usize) -> <L::Registers as Factors>::Factor {
        field.difference(
            &field.load(&cyclic(self.others, i).x),
            &field.load(&self.points[i].x),
        )
    }

    /// As the differences of y are.
    #[inline(always)]
    fn are_doubled(&self) -> bool {
        true
    }

    #[inline(always)]
    fn take(&mut self, first: usize, inverses: &mut [L::Element], zeros: bool) {
        let field = self.group.field();
        if zeros {
            note_zeros(field, inverses, &mut self.wrong[first..]);
        }
        let points = &mut self.points[first..][..inverses.len()];
        let slopes = ChordSlopes::<L> {
            points: &*points,
            others: self.others,
            first,
            slopes: &mut *inverses,
        };
        field.each(slopes.points.len(), slopes);
        let others = Others::Points(self.others, first);
        let Some(half) = &mut self.half else {
            return add_by_slopes(field, inverses, points, others);
        };
        let sums = FirstSums::<L> {
            slopes: inverses,
            points,
            others,
            sums: &mut half[first..],
        };
        field.each(inverses.len(), sums);
    }
}

/// (P + Q) + P from the slope and x of P + Q: the second half of 2P + Q.
///
/// With P + Q = (x', -m (x' - x) - y) and m the slope of the first chord, the slope of the second
/// one is ((-m (x' - x) - y) - y) / (x' - x) = 2y / (x - x') - m.
struct AddingAgain<'a, C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    points: &'a mut [DoubledPoint<L::Element>],
    first: &'a [FirstSum<L::Element>],
    wrong: &'a mut [L::Mask],
}

impl<C: Curve, L: LanesOf<C>> Denominators<L> for AddingAgain<'_, C, L> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.points.len()
    }

    #[inline(always)]
    fn denominator(&self, field: L::Registers, i: usize) -> <L::Registers as Factors>::Factor {
        field.difference(
            &field.load(&self.points[i].x),
            &field.load(&self.first[i].x),
        )
    }

    #[inline(always)]
    fn take(&mut self, first: usize, inverses: &mut [L::Element], zeros: bool) {
        let field = self.group.field();
        if zeros {
            note_zeros(field, inverses, &mut self.wrong[first..]);
        }
        let points = &mut self.points[first..][..inverses.len()];
        let first = &self.first[first..];
        let slopes = SecondSlopes::<L> {
            points: &*points,
            first,
            slopes: &mut *inverses,
        };
        field.each(slopes.points.len(), slopes);
        add_by_slopes(field, inverses, points, Others::FirstSums(first));
    }
}

/// Where an inverse is zero, the denominator was: the result there is wrong.
fn note_zeros<F: Field>(field: F, inverses: &[F::Element], wrong: &mut [F::Mask]) {
    for (wrong, inverse) in wrong.iter_mut().zip(inverses) {
        *wrong = wrong.or(field.is_zero(inverse));
    }
}
