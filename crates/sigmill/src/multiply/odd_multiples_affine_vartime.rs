//! The odd multiples of a great many public points, by steps in affine coordinates.

use alloc::vec;
use alloc::vec::Vec;

use super::affine_steps::{AffineSteps, DoubledPoint};
use crate::curve::{Curve, Group, LanesOf};
use crate::field::{Mask as _, VariableTime};

/// The groups whose tables are built side by side: their points should stay in the second-level
/// cache, and share six inversions or eight.
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

    /// Makes the tables of groups of points: P, 3P, 5P ... (2T - 1) P where there is room in `odd`
    /// for T multiples of each, a power of two. Says whether some step had no slope, which takes an
    /// order below 4T. T + log2(T) - 1 steps each.
    ///
    /// Multiple j of group i goes to j times the number of groups + i. Variable time: for public
    /// points only.
    #[inline(never)]
    pub(super) fn make_vartime(
        &mut self,
        points: &[DoubledPoint<L::Element>],
        odd: &mut [DoubledPoint<L::Element>],
    ) -> bool {
        let groups = points.len();
        let multiples = odd.len() / groups;
        assert!(
            multiples.is_power_of_two() && odd.len() == multiples * groups,
            "tables"
        );
        self.even.clear();
        self.even.extend_from_slice(points);
        odd[..groups].copy_from_slice(points);
        self.exceptional.clear();
        self.exceptional.resize(
            multiples.div_ceil(2) * groups,
            L::Mask::from_lanes(|_| false),
        );
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
