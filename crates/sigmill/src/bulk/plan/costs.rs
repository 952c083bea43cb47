//! What things cost: the one place with the numbers that the planner weighs.

use serde::{Deserialize, Serialize};

use super::by_curve::ByCurve;
use crate::table::MAX_WINDOW;
use crate::{CurveName, Error, cpu};

/// The number of windows that a table may have.
pub(in crate::bulk) const WINDOWS: usize = MAX_WINDOW as usize;

/// What verification costs, in nanoseconds: of the reference machine
/// ([`reference`](Self::reference)), or of this one ([`calibrate`](super::calibrate())).
///
/// Only the ratios decide what an engine does; the numbers themselves appear in
/// [`Plan`](super::Plan)s. Serializes as an object with a member for each curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Costs(ByCurve<CurveCosts>);

/// What verification on one curve costs, in nanoseconds of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CurveCosts {
    /// One row of a key without a table, among many rows.
    pub fresh: u64,
    /// One row of a key with a table, among many rows: of window 1, 2, and so on up to 11.
    pub prepared: [u64; WINDOWS],
    /// Building the table of one key: of window 1, 2, and so on up to 11.
    pub build: [u64; WINDOWS],
}

// What `calibrate` says on the reference machine, to three digits, of P-256 and P-384. The other
// curves, which were not there then, follow from these by what their products take.

/// One core of an AMD Zen 3 server, 64-bit integer code.
const PORTABLE: [CurveCosts; 2] = [
    CurveCosts {
        fresh: 58_500,
        prepared: [
            23_300, 17_800, 14_500, 12_300, 10_900, 9_750, 8_880, 8_280, 7_830, 7_480, 7_310,
        ],
        build: [
            77_800, 83_300, 96_000, 119_000, 159_000, 227_000, 351_000, 582_000, 979_000,
            1_710_000, 3_110_000,
        ],
    },
    CurveCosts {
        fresh: 282_000,
        prepared: [
            101_000, 79_800, 66_400, 57_600, 50_600, 47_200, 42_700, 41_700, 38_000, 36_000, 34_700,
        ],
        build: [
            346_000, 358_000, 411_000, 511_000, 681_000, 997_000, 1_530_000, 2_540_000, 4_310_000,
            7_630_000, 13_500_000,
        ],
    },
];

/// The same core, MULX/ADCX/ADOX.
const ADX: [CurveCosts; 2] = [
    CurveCosts {
        fresh: 42_400,
        prepared: [
            17_300, 13_000, 10_500, 9_010, 7_930, 7_150, 6_490, 6_060, 5_730, 5_570, 5_430,
        ],
        build: [
            53_600, 58_900, 67_600, 83_900, 111_000, 158_000, 243_000, 400_000, 672_000, 1_170_000,
            2_120_000,
        ],
    },
    CurveCosts {
        fresh: 220_000,
        prepared: [
            82_900, 64_700, 53_600, 46_100, 40_800, 37_200, 34_400, 32_400, 30_600, 29_400, 28_500,
        ],
        build: [
            287_000, 301_000, 344_000, 426_000, 561_000, 814_000, 1_230_000, 2_040_000, 3_420_000,
            6_050_000, 10_700_000,
        ],
    },
];

impl Costs {
    /// What `of` says of every curve.
    pub(super) fn of_every(of: impl FnMut(CurveName) -> CurveCosts) -> Self {
        Self(ByCurve::of_every(of))
    }

    /// The costs on the reference machine of the backend that this process uses (see
    /// [`cpu::backends`]).
    pub fn reference() -> Self {
        let used = cpu::backends().into_iter().find(|backend| backend.used);
        let [p256, p384] = match used.map_or("portable", |backend| backend.name) {
            "portable" => PORTABLE,
            // Also for lanes, where a row of many costs a quarter of this without a table and a
            // third with one, but a single call as much as here. For calls of many rows tables are
            // built early, for single rows in time; `calibrate` measures many rows.
            _ => ADX,
        };
        Self::of_every(|curve| match curve {
            CurveName::P256 | CurveName::Secp256k1 => p256,
            // A product takes half as long again as on P-256.
            CurveName::BrainpoolP256r1 => p256.times(3, 2),
            CurveName::P384 => p384,
            // A product takes more than twice as long as on P-384, and there are a third more.
            CurveName::P521 => p384.times(3, 1),
        })
    }

    /// The costs of a curve.
    pub fn of(&self, curve: CurveName) -> &CurveCosts {
        &self.0[curve]
    }

    /// The costs of a curve, to change them.
    pub fn of_mut(&mut self, curve: CurveName) -> &mut CurveCosts {
        &mut self.0[curve]
    }

    /// Says whether every cost is above 0.
    pub(in crate::bulk) fn check(&self) -> Result<(), Error> {
        let mut costs = self.0.values().flat_map(|curve| {
            let tables = curve.prepared.into_iter().chain(curve.build);
            tables.chain([curve.fresh])
        });
        if costs.any(|cost| cost == 0) {
            return Err(Error::CostZero);
        }
        Ok(())
    }
}

impl CurveCosts {
    /// All costs times a fraction.
    fn times(self, numerator: u64, denominator: u64) -> Self {
        let scaled = |cost: u64| cost * numerator / denominator;
        Self {
            fresh: scaled(self.fresh),
            prepared: self.prepared.map(scaled),
            build: self.build.map(scaled),
        }
    }

    /// The costs of which only that without a table is known.
    pub(super) fn new(fresh: u64) -> Self {
        Self {
            fresh,
            prepared: [fresh; WINDOWS],
            build: [u64::MAX; WINDOWS],
        }
    }

    /// Sets what a table of this window costs, and a row with it.
    pub(super) fn set_window(&mut self, window: u32, row: u64, build: u64) {
        self.prepared[index(window)] = row;
        self.build[index(window)] = build;
    }

    /// One row of a key with a table of this window; of one without a table at window 0.
    pub(in crate::bulk) fn row(&self, window: u32) -> u64 {
        match window {
            0 => self.fresh,
            window => self.prepared[index(window)],
        }
    }

    /// Building a table of this window.
    pub(in crate::bulk) fn build(&self, window: u32) -> u64 {
        self.build[index(window)]
    }
}

/// The place of a window from 1 to 11.
fn index(window: u32) -> usize {
    (window as usize).clamp(1, WINDOWS) - 1
}

/// The narrowest table that is built for a key that may come back wider: narrower ones save
/// little.
const NARROWEST: u32 = 4;

impl CurveCosts {
    /// The window of the table that a key is best used with now, 0 for none: `have` is that of the
    /// table it has, `full` the widest that may be built.
    ///
    /// `rows` is how many rows are expected: those at hand, and as many as have come before. A key
    /// that came often comes as often again, as far as anybody knows; whoever buys when the rent
    /// paid so far reaches the price pays at most twice what a prophet would.
    pub(in crate::bulk) fn best_window(&self, rows: u64, have: u32, full: u32) -> u32 {
        let mut best = (have, rows.saturating_mul(self.row(have)));
        for window in NARROWEST.min(full).max(have + 1)..=full {
            let cost = rows
                .saturating_mul(self.row(window))
                .saturating_add(self.build(window));
            if cost < best.1 {
                best = (window, cost);
            }
        }
        best.0
    }
}

impl CurveCosts {
    /// The fewest rows for which a key without a table gets one, when tables may be as wide as
    /// `widest`, 1 to 11 bits; `None` where a table never pays.
    pub fn pays_from(&self, widest: u32) -> Option<u64> {
        let windows = NARROWEST.min(widest)..=widest;
        let pays = windows.filter_map(|window| {
            let saved = self.fresh.checked_sub(self.row(window))?;
            // More is saved than the table costs, not as much.
            Some(self.build(window).checked_div(saved)?.saturating_add(1))
        });
        pays.min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_pays_from_where_one_is_built() {
        for mut costs in [PORTABLE[0], ADX[1]] {
            for widest in 1..=MAX_WINDOW {
                let rows = costs.pays_from(widest).unwrap();
                assert_eq!(costs.best_window(rows - 1, 0, widest), 0);
                assert_ne!(costs.best_window(rows, 0, widest), 0);
            }
            costs.fresh = 1;
            assert_eq!(costs.pays_from(MAX_WINDOW), None);
        }
    }

    #[test]
    fn the_best_window_is_the_cheapest() {
        for costs in [PORTABLE[0], PORTABLE[1], ADX[0], ADX[1]] {
            for full in 1..=MAX_WINDOW {
                for rows in (0..60).chain([100, 1000, 1_000_000, u64::MAX]) {
                    let mut best = 0;
                    for have in [0, 4, 5, 8, 11] {
                        best = costs.best_window(rows, have, full);
                        assert!(best >= have && best <= full.max(have));
                        assert!(best == have || best >= NARROWEST.min(full));
                        let cost = |window: u32| {
                            let build = if window == have {
                                0
                            } else {
                                costs.build(window)
                            };
                            u128::from(build) + u128::from(rows) * u128::from(costs.row(window))
                        };
                        let others = NARROWEST.min(full).max(have + 1)..=full;
                        // Beyond 2^64 nanoseconds all are alike.
                        if rows < u64::MAX {
                            assert!(others.chain([have]).all(|other| cost(best) <= cost(other)));
                        }
                    }
                    // More rows never ask for less.
                    assert!(costs.best_window(rows.saturating_mul(2), best, full) >= best);
                }
            }
            assert_eq!(costs.best_window(1, 0, MAX_WINDOW), 0);
            assert_eq!(costs.best_window(1000, 0, 3), 3);
            assert_eq!(costs.best_window(1 << 40, 0, MAX_WINDOW), MAX_WINDOW);
        }
    }

    #[test]
    fn wider_tables_cost_more_to_build_and_less_a_row() {
        Costs::reference().check().unwrap();
        for curve in PORTABLE.into_iter().chain(ADX) {
            for curve in [curve, curve.times(3, 2), curve.times(3, 1)] {
                assert!(curve.build.is_sorted());
                assert!(curve.prepared.iter().rev().is_sorted());
                assert!(curve.fresh > curve.row(NARROWEST));
            }
        }
    }
}
