//! One level of trees of affine additions, with the points in slots.

use crate::curve::{Addend, AffineAdditions, AffinePoint, Coordinates as _};
use crate::field::{Lanes, Mask as _};

/// Two slots whose points are added; the sum goes to the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotPair {
    first: u32,
    second: u32,
    mask: u32,
    wants_y: bool,
}

impl SlotPair {
    /// `mask` is the index of the mask that records lanes without a slope. Lanes already in that
    /// mask are left alone. `wants_y` is true if the sum needs y in addition to x.
    #[inline(always)]
    pub(super) fn new(first: usize, second: usize, mask: usize, wants_y: bool) -> Self {
        debug_assert!(u32::try_from(first.max(second).max(mask)).is_ok());
        Self {
            first: first as u32,
            second: second as u32,
            mask: mask as u32,
            wants_y,
        }
    }

    #[inline(always)]
    pub(super) fn first(self) -> usize {
        self.first as usize
    }

    #[inline(always)]
    pub(super) fn second(self) -> usize {
        self.second as usize
    }
}

/// The additions of one level. All code that adds points in slots uses this type, which is compiled
/// once for each field.
#[derive(Clone, Copy)]
pub(super) struct SlotPairs<'l, M> {
    pub(super) pairs: &'l [SlotPair],
    /// The lanes of each slot that hold no point. There the sum is the first point.
    pub(super) absent: &'l [M],
}

impl<L: Lanes> AffineAdditions<L> for SlotPairs<'_, L::Mask> {
    type Point = AffinePoint<L::Element>;

    #[inline(always)]
    fn place(self, i: usize) -> usize {
        self.pairs[i].first()
    }

    #[inline(always)]
    fn addend<'a>(&'a self, points: &'a [Self::Point], i: usize) -> Addend<'a, L::Element> {
        Addend::Point(points[self.pairs[i].second()].coordinates())
    }

    #[inline(always)]
    fn wants_y(self, i: usize) -> bool {
        self.pairs[i].wants_y
    }

    #[inline(always)]
    fn number_of_mask(self, i: usize) -> usize {
        self.pairs[i].mask as usize
    }

    #[inline(always)]
    fn absent(self, i: usize) -> L::Mask {
        self.absent[self.pairs[i].second()]
    }

    #[inline(always)]
    fn skipped(self, exceptional: &[L::Mask], i: usize) -> L::Mask {
        let pair = self.pairs[i];
        self.absent[pair.second()].or(exceptional[pair.mask as usize])
    }
}
