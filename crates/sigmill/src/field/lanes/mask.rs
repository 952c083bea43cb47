//! Results of comparisons in several lanes.

use zeroize::Zeroize;

use crate::field::Mask;

/// One bit for each of `WIDTH` lanes; at most eight lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneMask<const WIDTH: usize>(pub(super) u8);

impl<const WIDTH: usize> Zeroize for LaneMask<WIDTH> {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl<const WIDTH: usize> Mask for LaneMask<WIDTH> {
    #[inline(always)]
    fn any(self) -> bool {
        self.0 != 0
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    #[inline(always)]
    fn from_lanes(holds: impl Fn(usize) -> bool) -> Self {
        let mut mask = 0;
        for lane in 0..WIDTH {
            mask |= u8::from(holds(lane)) << lane;
        }
        Self(mask)
    }

    #[inline(always)]
    fn lane(self, i: usize) -> bool {
        self.0 >> i & 1 == 1
    }
}
