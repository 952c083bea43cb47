//! Steps that many points in affine coordinates take together: doublings and additions, each step
//! of all points sharing one inversion.

use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;

use crate::curve::{AffinePoint, Curve, Group, LanesOf};
use crate::field::{
    Body, Denominators, Factors, Field, Inversion, Lanes, Mask as _, Registers as _,
};

/// A point of which 2y is kept in place of y: it is what the slope of the tangent is divided by, and
/// the sum of two points is no more work.
#[derive(Clone, Copy, Debug)]
pub(super) struct DoubledPoint<E> {
    pub(super) x: E,
    pub(super) double_y: E,
}

impl<E> DoubledPoint<E> {
    #[inline(always)]
    pub(super) fn from_affine<F: Field<Element = E>>(field: F, p: AffinePoint<E>) -> Self {
        Self {
            x: p.x,
            double_y: field.double(&p.y),
        }
    }

    #[inline(always)]
    pub(super) fn into_affine<F: Field<Element = E>>(self, field: F) -> AffinePoint<E> {
        AffinePoint {
            x: self.x,
            y: field.half(&self.double_y),
        }
    }
}

/// Points that take steps together, and what that needs.
///
/// `I` says how they share inversions. With [`VariableTime`](crate::field::VariableTime) each step
/// marks the lanes where it had no slope, in which the result is wrong. With
/// [`ConstantTime`](crate::field::ConstantTime) nothing looks at a value: every step must have a slope
/// in every lane, and `wrong` is not touched and may be empty.
pub(super) struct Steps<C: Curve, L: LanesOf<C>, I> {
    group: Group<C, L>,
    scratch: Vec<L::Element>,
    /// The slopes of first additions, and the x-coordinates of their sums.
    first: Vec<[L::Element; 2]>,
    inversion: PhantomData<I>,
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
    #[inline(always)]
    pub(super) fn double(
        &mut self,
        points: &mut [DoubledPoint<L::Element>],
        wrong: &mut [L::Mask],
    ) {
        let group = self.group;
        self.share(Doubling {
            group,
            points,
            wrong,
        });
    }

    /// Adds another point to every point; fewer others are taken again and again. 5M + 1S each.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        points: &mut [DoubledPoint<L::Element>],
        wrong: &mut [L::Mask],
        others: &[DoubledPoint<L::Element>],
    ) {
        let group = self.group;
        self.share(Adding {
            group,
            points,
            others,
            wrong,
            half: None,
        });
    }

    /// From P to 2P + Q as (P + Q) + P, of which the first sum needs no y (K. Eisentraeger,
    /// K. Lauter, P. L. Montgomery, *Fast elliptic curve arithmetic and improved Weil pairing
    /// evaluation*, 2003). 9M + 2S each.
    #[inline(always)]
    pub(super) fn double_and_add(
        &mut self,
        points: &mut [DoubledPoint<L::Element>],
        wrong: &mut [L::Mask],
        others: &[DoubledPoint<L::Element>],
    ) {
        let group = self.group;
        let mut first = core::mem::take(&mut self.first);
        first.resize(points.len(), [group.field().zero(); 2]);
        self.share(Adding {
            group,
            points: &mut *points,
            others,
            wrong: &mut *wrong,
            half: Some(&mut first),
        });
        self.share(AddingAgain {
            group,
            points,
            first: &first,
            wrong,
        });
        self.first = first;
    }

    /// Takes a step.
    #[inline(always)]
    fn share(&mut self, mut step: impl Denominators<L>) {
        let field = self.group.field();
        self.scratch.resize(step.count(), field.zero());
        I::share(field, &mut step, &mut self.scratch);
    }

    /// Overwrites what the steps of secret points have left.
    #[inline(always)]
    pub(super) fn wipe(&mut self) {
        let field = self.group.field();
        field.wipe(&mut self.scratch);
        field.wipe(self.first.as_flattened_mut());
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
        field.each(slopes.points.len(), slopes);
        let third = ThirdPoints::<L> {
            slopes: inverses,
            points,
            others: None,
        };
        field.each(third.points.len(), third);
    }
}

/// Points to which others are added.
struct Adding<'a, C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    points: &'a mut [DoubledPoint<L::Element>],
    others: &'a [DoubledPoint<L::Element>],
    wrong: &'a mut [L::Mask],
    /// For the first half of 2P + Q: takes the slope and x of the sum, and the point stays.
    half: Option<&'a mut [[L::Element; 2]]>,
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
        if let Some(half) = &mut self.half {
            let sums = FirstSums::<L> {
                points: &*points,
                others: &self.others[first..],
                inverses,
                first: &mut half[first..],
            };
            return field.each(sums.points.len(), sums);
        }
        let slopes = ChordSlopes::<L> {
            points: &*points,
            others: self.others,
            first,
            slopes: &mut *inverses,
        };
        field.each(slopes.points.len(), slopes);
        let third = ThirdPoints::<L> {
            slopes: inverses,
            points,
            others: Some((self.others, first)),
        };
        field.each(third.points.len(), third);
    }
}

/// Element i of elements that are taken again and again.
#[inline(always)]
fn cyclic<T>(all: &[T], i: usize) -> &T {
    match all.get(i) {
        Some(one) => one,
        None => &all[i % all.len()],
    }
}

/// From 1 / 2(x' - x) to the slopes of chords and the x-coordinates of sums.
struct FirstSums<'a, L: Lanes> {
    points: &'a [DoubledPoint<L::Element>],
    others: &'a [DoubledPoint<L::Element>],
    inverses: &'a [L::Element],
    first: &'a mut [[L::Element; 2]],
}

impl<L: Lanes> Body<L> for FirstSums<'_, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let (p, q) = (&self.points[i], &self.others[i]);
        let rise = field.difference(&field.load(&q.double_y), &field.load(&p.double_y));
        let slope = field.times(&rise, &field.load(&self.inverses[i]));
        let x = field.square_sub_both(&slope, &field.load(&p.x), &field.load(&q.x));
        self.first[i] = [field.store(&slope), field.store(&x)];
    }
}

/// (P + Q) + P from the slope and x of P + Q: the second half of 2P + Q.
///
/// With P + Q = (x', -m (x' - x) - y) and m the slope of the first chord, the slope of the second
/// one is ((-m (x' - x) - y) - y) / (x' - x) = -(m + 2y / (x' - x)).
struct AddingAgain<'a, C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    points: &'a mut [DoubledPoint<L::Element>],
    first: &'a [[L::Element; 2]],
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
            &field.load(&self.first[i][1]),
            &field.load(&self.points[i].x),
        )
    }

    #[inline(always)]
    fn take(&mut self, first: usize, inverses: &mut [L::Element], zeros: bool) {
        let field = self.group.field();
        if zeros {
            note_zeros(field, inverses, &mut self.wrong[first..]);
        }
        let sums = SecondSums::<L> {
            points: &mut self.points[first..],
            inverses,
            first: &self.first[first..],
        };
        field.each(sums.inverses.len(), sums);
    }
}

/// From 1 / (x' - x) to 2P + Q.
struct SecondSums<'a, L: Lanes> {
    points: &'a mut [DoubledPoint<L::Element>],
    inverses: &'a [L::Element],
    first: &'a [[L::Element; 2]],
}

impl<L: Lanes> Body<L> for SecondSums<'_, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let x = field.load(&self.points[i].x);
        let double_y = field.load(&self.points[i].double_y);
        let (slope, first_x) = (field.load(&self.first[i][0]), field.load(&self.first[i][1]));
        let quotient = field.mul(&double_y, &field.load(&self.inverses[i]));
        // The slope with its sign changed; its square is the same.
        let slope = field.add(&slope, &quotient);
        let sum_x = field.square_sub_both(&slope, &x, &first_x);
        let run = field.difference(&sum_x, &x);
        self.points[i] = DoubledPoint {
            x: field.store(&sum_x),
            double_y: field.store(&field.double_times_sub(&run, &slope, &double_y)),
        };
    }
}

/// From 1 / 2y to the slopes of tangents.
struct TangentSlopes<'a, C: Curve, L: LanesOf<C>> {
    group: Group<C, L>,
    points: &'a [DoubledPoint<L::Element>],
    slopes: &'a mut [L::Element],
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
struct ChordSlopes<'a, L: Lanes> {
    points: &'a [DoubledPoint<L::Element>],
    others: &'a [DoubledPoint<L::Element>],
    first: usize,
    slopes: &'a mut [L::Element],
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

/// From slopes to sums; without others, of the points and themselves.
struct ThirdPoints<'a, L: Lanes> {
    slopes: &'a [L::Element],
    points: &'a mut [DoubledPoint<L::Element>],
    others: Option<(&'a [DoubledPoint<L::Element>], usize)>,
}

impl<L: Lanes> Body<L> for ThirdPoints<'_, L> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let slope = field.load(&self.slopes[i]);
        let x = field.load(&self.points[i].x);
        let double_y = field.load(&self.points[i].double_y);
        let other = match self.others {
            None => x,
            Some((others, first)) => field.load(&cyclic(others, first + i).x),
        };
        let sum_x = field.square_sub_both(&slope, &x, &other);
        let run = field.difference(&x, &sum_x);
        self.points[i] = DoubledPoint {
            x: field.store(&sum_x),
            double_y: field.store(&field.double_times_sub(&run, &slope, &double_y)),
        };
    }
}

/// Where an inverse is zero, the denominator was: the result there is wrong.
fn note_zeros<F: Field>(field: F, inverses: &[F::Element], wrong: &mut [F::Mask]) {
    for (wrong, inverse) in wrong.iter_mut().zip(inverses) {
        *wrong = wrong.or(field.is_zero(inverse));
    }
}
