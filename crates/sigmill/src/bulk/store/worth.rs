//! What a table saves and what it costs to build, to compare keys with each other.
//!
//! The unit is the product of two 64-bit limbs: a field multiplication of l limbs is l² of them.
//! The counts are those of docs/verification.md within a tenth; only their ratios matter, and
//! these hold on every backend, as all strategies are made of the same field operations.

use crate::CurveName;
use crate::recode::booth_digits;

/// An addition of a point, in field multiplications.
const ADDITION: u64 = 8;
/// A mixed addition to a Jacobian point, where a fresh key needs it.
const MIXED_ADDITION: u64 = 11;
/// A doubling.
const DOUBLING: u64 = 8;
/// The odd multiples of a fresh key.
const ODD_MULTIPLES: u64 = 159;
/// A point of a table under construction.
const TABLE_POINT: u64 = 6;
/// An inversion.
const INVERSION: u64 = 120;

fn bits(curve: CurveName) -> u64 {
    8 * curve.field_len() as u64
}

/// Limb products in a field multiplication.
fn multiplication(curve: CurveName) -> u64 {
    let limbs = bits(curve) / 64;
    limbs * limbs
}

fn rows(curve: CurveName, window: u32) -> u64 {
    u64::from(booth_digits(bits(curve) as u32, window))
}

/// What one verification saves by a table of this window. Window 0 stands for no table.
pub(super) fn saving(curve: CurveName, window: u32) -> u64 {
    if window == 0 {
        return 0;
    }
    let bits = bits(curve);
    let fresh = bits * DOUBLING + bits / 6 * MIXED_ADDITION + ODD_MULTIPLES;
    // One digit in 2^window is zero.
    let rows = rows(curve, window);
    let prepared = (rows - (rows >> window)) * ADDITION;
    fresh.saturating_sub(prepared) * multiplication(curve)
}

/// What building a table of this window costs.
pub(super) fn building(curve: CurveName, window: u32) -> u64 {
    let points = rows(curve, window) << (window - 1);
    let work = points * TABLE_POINT + bits(curve) * DOUBLING + u64::from(window) * INVERSION;
    work * multiplication(curve)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_the_counts_of_the_essay() {
        // docs/verification.md: fresh less prepared, and to build, M + S on P-256.
        let table = [
            (1, 2924 - 1332, 3865),
            (4, 2924 - 703, 5500),
            (7, 2924 - 513, 16609),
            (9, 2924 - 452, 46983),
        ];
        for (window, saves, builds) in table {
            let near = |value: u64, counted: u64| value.abs_diff(counted * 16) * 10 <= counted * 16;
            assert!(near(saving(CurveName::P256, window), saves), "{window}");
            assert!(near(building(CurveName::P256, window), builds), "{window}");
        }
        assert_eq!(saving(CurveName::P256, 0), 0);
    }

    #[test]
    fn wider_windows_save_more_and_cost_more() {
        for &curve in CurveName::ALL {
            for window in 1..11 {
                assert!(saving(curve, window) < saving(curve, window + 1));
                assert!(window < 3 || building(curve, window) < building(curve, window + 1));
            }
        }
        assert!(saving(CurveName::P384, 4) > 2 * saving(CurveName::P256, 4));
    }
}
