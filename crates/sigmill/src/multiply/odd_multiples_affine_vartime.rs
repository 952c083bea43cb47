//! The odd multiples of a great many public points, by steps in affine coordinates.

use alloc::vec;
use alloc::vec::Vec;

use super::affine_steps::{AffineSteps, DoubledPoint};
use crate::curve::{Curve, Group, LanesOf};
use crate::field::{Mask as _, VariableTime};

/// The window of the digits, in bits. A wider one is as many products, but more to read: for 256
/// bits look-ups of secrets read 832 points a row in place of 512, and tables are twice as large.
pub(super) const WINDOW: u32 = 4;

/// The points of each table: P, 3P, 5P ... (2^WINDOW - 1) P.
pub(super) const TABLE: usize = 1 << (WINDOW - 1);

/// The groups whose tables are built side by side: their points should stay in the second-level
/// cache, and share six inversions.
pub(super) const BUILDING: usize = 64;

/// Makes tables side by side, at most [`BUILDING`] at a time.
pub(super) struct OddMultiples<C: Curve, L: LanesOf<C>> {
    steps: AffineSteps<C, L, VariableTime>,
    even: Vec<DoubledPoint<L::Element>>,
    exceptional: Vec<L::Mask>,
}

impl<C: Curve, L: LanesOf<C>> OddMultiples<C, L> {
    #[inline(always)]
    pub(super) fn new(group: &Group<C, L>) -> Self {
        Self {
            steps: AffineSteps::new(*group),
            even: vec![],
            exceptional: vec![],
        }
    }

    /// Makes the tables of groups of points, and says whether some step had no slope, which takes
    /// an order below 2^6. 10 steps each.
    ///
    /// `odd` has room for [`TABLE`] multiples of each; multiple j of group i goes to j times the
    /// number of groups + i. Variable time: for public points only.
    #[inline(never)]
    pub(super) fn make_vartime(
        &mut self,
        points: &[DoubledPoint<L::Element>],
        odd: &mut [DoubledPoint<L::Element>],
    ) -> bool {
        let groups = points.len();
        assert_eq!(odd.len(), TABLE * groups, "room for the tables");
        self.even.clear();
        self.even.extend_from_slice(points);
        odd[..groups].copy_from_slice(points);
        self.exceptional.clear();
        self.exceptional
            .resize(TABLE / 2 * groups, L::Mask::from_lanes(|_| false));
        // The odd multiples double their number by adding 2P, 4P, 8P ... to those there are.
        let mut known = groups;
        while known < odd.len() {
            self.steps.double(&mut self.even, &mut self.exceptional);
            odd.copy_within(..known, known);
            let new = &mut odd[known..2 * known];
            self.steps.add(new, &mut self.exceptional, &self.even);
            known *= 2;
        }
        self.exceptional.iter().any(|exceptional| exceptional.any())
    }
}
