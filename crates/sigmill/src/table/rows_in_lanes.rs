//! Rows of multiples in lanes, one row per lane.

use alloc::vec;
use alloc::vec::Vec;

use crate::curve::{Addend, AffineAdditions, AffinePoint, Curve, Group, LanesOf};
use crate::field::{Lanes, MOST_LANES, VariableTime};

/// Fills rows of `width` points, a power of two, whose first points are present: point j becomes
/// (j + 1) times the first.
///
/// All rows grow together, doubling their length by affine additions that share one inversion:
/// about 6 products per point, for all lanes at once. The order is above twice the width, so no sum
/// is infinity and no two points of a sum share x, except for the one that is doubled. Variable
/// time: for public values only.
#[inline(never)]
pub(super) fn fill_rows_in_lanes_vartime<C: Curve, L: LanesOf<C>>(
    group: &Group<C, L>,
    points: &mut [AffinePoint<C::BaseElement>],
    width: usize,
) {
    const { assert!(L::WIDTH <= MOST_LANES) };
    let field = group.field();
    let rows = points.len() / width;
    let zero = field.zero();
    let mut wide = vec![AffinePoint::filled(zero); rows.div_ceil(L::WIDTH) * width];
    for (i, row) in wide.chunks_exact_mut(width).enumerate() {
        // Unused lanes repeat the last row.
        row[0] = group.pack(|lane| &points[(i * L::WIDTH + lane).min(rows - 1) * width]);
    }
    let mut scratch = Vec::with_capacity(wide.len() / 2);
    for level in 0..width.ilog2() {
        let known = 1 << level;
        for row in wide.chunks_exact_mut(width) {
            row.copy_within(..known, known);
        }
        scratch.clear();
        scratch.resize(wide.len() / width * known, zero);
        let growing = Growing { width, level };
        group.add_affine::<VariableTime, _>(growing, &mut wide, &mut [], None, &mut scratch);
    }
    for (i, point) in wide.iter().enumerate() {
        let (first, place) = (i / width * L::WIDTH, i % width);
        group.unpack(point, L::WIDTH.min(rows - first), |lane, point| {
            points[(first + lane) * width + place] = point;
        });
    }
}

/// Adds the last of the 2^level known points of each row to all of them, in copies that follow
/// them.
#[derive(Clone, Copy)]
struct Growing {
    width: usize,
    level: u32,
}

impl Growing {
    /// Place of the last known point of the row of addition i.
    #[inline(always)]
    fn last(self, i: usize) -> usize {
        (i >> self.level) * self.width + (1 << self.level) - 1
    }

    /// Number of the known point of addition i.
    #[inline(always)]
    fn number(self, i: usize) -> usize {
        i & ((1 << self.level) - 1)
    }
}

impl<L: Lanes> AffineAdditions<L> for Growing {
    type Point = AffinePoint<L::Element>;

    #[inline(always)]
    fn place(self, i: usize) -> usize {
        self.last(i) + 1 + self.number(i)
    }

    #[inline(always)]
    fn addend<'a>(&'a self, points: &'a [Self::Point], i: usize) -> Addend<'a, L::Element> {
        if self.number(i) == self.number(usize::MAX) {
            return Addend::Itself;
        }
        let last = &points[self.last(i)];
        Addend::Point([&last.x, &last.y])
    }
}
