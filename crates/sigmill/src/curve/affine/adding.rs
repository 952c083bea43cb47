//! Affine additions through a shared inversion: from denominators to slopes, from slopes to sums.

use super::{AffineAdditions, Coordinates, FirstSum, Lines};
use crate::curve::{Curve, Group, LanesOf};
use crate::field::{
    Body, Denominators, Factors, Field, Lanes, Mask as _, Registers as _, Stages, each_pipelined,
};

/// Additions in progress through a shared inversion.
pub(super) struct Adding<'a, C: Curve, L: LanesOf<C>, A: AffineAdditions<L>> {
    pub(super) group: Group<C, L>,
    pub(super) count: usize,
    pub(super) additions: A,
    pub(super) points: &'a mut [A::Point],
    pub(super) exceptional: &'a mut [L::Mask],
    pub(super) first_sums: Option<&'a mut [FirstSum<L::Element>]>,
}

impl<C: Curve, L: LanesOf<C>, A: AffineAdditions<L>> Denominators<L> for Adding<'_, C, L, A> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.count
    }

    /// Returns the denominator; one if there is nothing to add.
    #[inline(always)]
    fn denominator(&self, field: L::Registers, i: usize) -> <L::Registers as Factors>::Factor {
        let group = self.group.in_registers(field);
        let point = self.points[self.additions.place(i)].coordinates();
        let addend = self.additions.addend(self.points, i);
        let denominator = group.denominator(point, addend, A::Point::DOUBLED_Y);
        let skipped = self.additions.skipped(self.exceptional, i);
        if skipped.any() {
            field.choose(skipped, &field.factor(&field.one()), &denominator)
        } else {
            denominator
        }
    }

    /// Doubled if they are differences of 2y.
    #[inline(always)]
    fn are_doubled(&self) -> bool {
        A::Point::DOUBLED_Y && A::LINES == Lines::Chords
    }

    #[inline(never)]
    fn receive(&mut self, first: usize, inverses: &mut [L::Element], zeros: bool) {
        let (group, field, count) = (self.group, self.group.field(), inverses.len());
        let additions = self.additions;
        if zeros {
            // No denominator is queried after this, so masks that decide which lanes are skipped
            // may change.
            for (i, inverse) in inverses.iter().enumerate() {
                let number = additions.number_of_mask(first + i);
                if let Some(exceptional) = self.exceptional.get_mut(number) {
                    *exceptional = exceptional.or(field.is_zero(inverse));
                }
            }
        }
        let slopes = Slopes {
            group,
            additions,
            points: &*self.points,
            first,
            slopes: &mut *inverses,
        };
        if const { matches!(A::LINES, Lines::Tangents) } {
            each_pipelined(field, count, slopes);
        } else {
            field.each(count, AtOnce(slopes));
        }
        if const { A::MAY_BE_FIRST }
            && let Some(sums) = &mut self.first_sums
        {
            let first_sums = FirstSums {
                group,
                additions,
                points: &*self.points,
                first,
                slopes: inverses,
                sums,
            };
            return field.each(count, first_sums);
        }
        let sums = Sums {
            group,
            additions,
            points: &mut *self.points,
            first,
            slopes: inverses,
        };
        each_pipelined(field, count, sums);
    }
}

/// Conversion of inverse denominators to slopes.
struct Slopes<'a, C: Curve, L: LanesOf<C>, A: AffineAdditions<L>> {
    group: Group<C, L>,
    additions: A,
    points: &'a [A::Point],
    /// The index of the addition that the first slope belongs to.
    first: usize,
    slopes: &'a mut [L::Element],
}

impl<C: Curve, L: LanesOf<C>, A: AffineAdditions<L>> Stages<L> for Slopes<'_, C, L, A> {
    type Between = <L::Registers as Factors>::Factor;

    #[inline(always)]
    fn begin(&self, field: L::Registers, i: usize) -> Self::Between {
        let (group, i) = (self.group.in_registers(field), self.first + i);
        let point = self.points[self.additions.place(i)].coordinates();
        let addend = self.additions.addend(self.points, i);
        group.numerator(point, addend)
    }

    #[inline(always)]
    fn finish(&mut self, field: L::Registers, i: usize, numerator: Self::Between) {
        let inverse = field.load(&self.slopes[i]);
        let slope = if const { matches!(A::LINES, Lines::SecondChords) } {
            let group = self.group.in_registers(field);
            let addend = self.additions.addend(self.points, self.first + i);
            group.second_slope(&numerator, &inverse, addend)
        } else {
            field.times(&numerator, &inverse)
        };
        self.slopes[i] = field.store(&slope);
    }
}

/// Steps whose stages are not worth a pipeline.
struct AtOnce<S>(S);

impl<L: Lanes, S: Stages<L>> Body<L> for AtOnce<S> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let between = self.0.begin(field, i);
        self.0.finish(field, i, between);
    }
}

/// Conversion of slopes to sums: first x-coordinates, then y-coordinates.
struct Sums<'a, C: Curve, L: LanesOf<C>, A: AffineAdditions<L>> {
    group: Group<C, L>,
    additions: A,
    points: &'a mut [A::Point],
    /// The index of the addition that the first slope belongs to.
    first: usize,
    slopes: &'a [L::Element],
}

impl<C: Curve, L: LanesOf<C>, A: AffineAdditions<L>> Stages<L> for Sums<'_, C, L, A> {
    type Between = <L::Registers as Field>::Element;

    #[inline(always)]
    fn begin(&self, field: L::Registers, i: usize) -> Self::Between {
        let (group, slope, i) = (
            self.group.in_registers(field),
            &self.slopes[i],
            self.first + i,
        );
        let [x, _] = self.points[self.additions.place(i)].coordinates();
        group.sum_x(slope, x, self.additions.addend(self.points, i))
    }

    #[inline(always)]
    fn finish(&mut self, field: L::Registers, i: usize, mut x: Self::Between) {
        let (group, slope, i) = (
            self.group.in_registers(field),
            &self.slopes[i],
            self.first + i,
        );
        let point = self.points[self.additions.place(i)].coordinates();
        let mut y = if self.additions.wants_y(i) {
            group.sum_y(slope, point, &x, A::Point::DOUBLED_Y)
        } else {
            field.load(point[1])
        };
        let absent = self.additions.absent(i);
        if absent.any() {
            x = field.select(absent, &field.load(point[0]), &x);
            y = field.select(absent, &field.load(point[1]), &y);
        }
        self.points[self.additions.place(i)] = A::Point::new([field.store(&x), field.store(&y)]);
    }
}

/// Conversion of slopes to the kept part of first sums.
struct FirstSums<'a, C: Curve, L: LanesOf<C>, A: AffineAdditions<L>> {
    group: Group<C, L>,
    additions: A,
    points: &'a [A::Point],
    /// The index of the addition that the first slope belongs to.
    first: usize,
    slopes: &'a [L::Element],
    sums: &'a mut [FirstSum<L::Element>],
}

impl<C: Curve, L: LanesOf<C>, A: AffineAdditions<L>> Body<L> for FirstSums<'_, C, L, A> {
    #[inline(always)]
    fn step(&mut self, field: L::Registers, i: usize) {
        let (group, slope, i) = (
            self.group.in_registers(field),
            &self.slopes[i],
            self.first + i,
        );
        let [x, _] = self.points[self.additions.place(i)].coordinates();
        let x = group.sum_x(slope, x, self.additions.addend(self.points, i));
        self.sums[i] = FirstSum {
            slope: *slope,
            x: field.store(&x),
        };
    }
}
