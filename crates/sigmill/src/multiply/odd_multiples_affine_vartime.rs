//! The odd multiples of a great many public points, computed by steps in affine coordinates.

use alloc::vec;
use alloc::vec::Vec;

use super::affine_steps::{AffineSteps, DoubledPoint};
use crate::curve::{Curve, Group, LanesOf};
use crate::field::{Mask as _, VariableTime};

/// The window of the digits, in bits. A wider one needs as many products, but more reads: for 256
/// bits, look-ups of secrets would read 832 points for each row in place of 512, and tables would
/// be twice as large. Measure with `bench -- --only 'p256/verify/fresh/bulk'` after a change.
pub(super) const WINDOW: u32 = 4;

/// The number of points in each table: P, 3P, 5P ... (2^WINDOW - 1) P.
pub(super) const TABLE: usize = 1 << (WINDOW - 1);

/// The number of groups whose tables are built side by side. Their points should stay in the
/// second-level cache, and they share six inversions. Measure with `bench -- --only
/// 'p256/verify/fresh/bulk'` after a change.
pub(super) const BUILDING: usize = 64;

/// Builds tables side by side, at most [`BUILDING`] at a time.
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

    /// Builds the tables of groups of points, and returns true if some step had no slope, which
    /// requires an order below 2^6. 10 steps each.
    ///
    /// `odd` has room for [`TABLE`] multiples of each point. Multiple j of group i goes to index j
    /// times the number of groups, plus i. Variable time: for public points only.
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
        // Adding 2P, 4P, 8P ... to the known odd multiples doubles their number.
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
