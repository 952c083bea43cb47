//! The costs of a key's rows and tables, and the decision about its table.

use super::count::{self, Shape};
use super::memory::Caches;
use super::speed::FieldSpeed;
use crate::recode::booth_digits;
use crate::table::MAX_WINDOW;

/// The number of windows that a table may have.
pub(in crate::bulk) const WINDOWS: usize = MAX_WINDOW as usize;

/// The narrowest window that is built, unless the engine allows only narrower ones: narrower tables
/// save little.
const NARROWEST: u32 = 4;

/// The costs of rows and tables on a curve for one number of rows judged together.
#[derive(Clone, Copy, Debug)]
pub(in crate::bulk) struct KeyCosts {
    /// By the window of a key's table; 0 for none.
    windows: [WindowCosts; WINDOWS + 1],
    caches: Caches,
    in_block: bool,
}

/// The costs of a key with a table of one window, or with none.
#[derive(Clone, Copy, Debug, Default)]
struct WindowCosts {
    /// A row with all points in near caches, in nanoseconds.
    row: u64,
    /// The table, in nanoseconds.
    build: u64,
    /// This many rows or fewer are worth no wider table.
    not_worth: u64,
    /// The cache lines of the table that a row looks up.
    lines: f64,
    /// The bytes of the table.
    bytes: f64,
}

/// A key and its expected use.
#[derive(Clone, Copy, Debug)]
pub(in crate::bulk) struct KeyUse {
    /// Its rows here.
    pub(in crate::bulk) rows: u64,
    /// The rows that it had before.
    pub(in crate::bulk) seen: u64,
    /// The window of the table that it has; 0 for none.
    pub(in crate::bulk) have: u32,
    /// The number of keys that are used as often as this one.
    pub(in crate::bulk) keys_alike: f64,
}

impl KeyCosts {
    /// Returns the costs when `block_rows` rows are judged together; 1 is a single call.
    pub(super) fn new(shape: &Shape, field: &FieldSpeed, caches: Caches, block_rows: u64) -> Self {
        let mut windows = [WindowCosts::default(); WINDOWS + 1];
        for (window, costs) in (0..).zip(&mut windows) {
            let work = count::row(shape, window, field.lanes, block_rows);
            costs.row = field.nanoseconds(&work) as u64;
            if window > 0 {
                let points = u64::from(booth_digits(shape.bits, window)) * choices(window);
                costs.build = field.nanoseconds(&count::build(shape, window)) as u64;
                costs.lines =
                    count::table_points(shape, window) * (shape.point_bytes as f64 / 64.0);
                costs.bytes = (points * shape.point_bytes as u64) as f64;
            }
            costs.not_worth = u64::MAX;
        }
        let mut costs = Self {
            windows,
            caches,
            in_block: block_rows > 1,
        };
        for have in 0..MAX_WINDOW {
            // The most that a wider table can save: all points of the present table are far, and
            // none of its own.
            let far = costs.of(have).lines * caches.nanoseconds(f64::MAX, false);
            let wider = have + 1..=MAX_WINDOW;
            let repaid = wider.filter_map(|window| costs.repaid(have, far as u64, window));
            costs.windows[have as usize].not_worth = repaid.min().unwrap_or(u64::MAX);
        }
        costs
    }

    fn of(&self, window: u32) -> &WindowCosts {
        &self.windows[(window as usize).min(WINDOWS)]
    }

    /// Returns the saving of one row with a table of this window, with all points near.
    pub(in crate::bulk) fn saving(&self, window: u32) -> u64 {
        self.row(0).saturating_sub(self.row(window))
    }

    /// Returns the cost of one row with a table of this window, 0 for none, with all points near.
    pub(in crate::bulk) fn row(&self, window: u32) -> u64 {
        self.of(window).row
    }

    /// Returns the cost of building a table of this window.
    pub(in crate::bulk) fn build(&self, window: u32) -> u64 {
        self.of(window).build
    }

    /// Returns the most rows that do not pay for a table of this window in place of the present
    /// one, whose rows cost `far` nanoseconds more; `None` if it saves nothing.
    fn repaid(&self, have: u32, far: u64, window: u32) -> Option<u64> {
        let saves = self
            .row(have)
            .saturating_add(far)
            .checked_sub(self.row(window))?;
        self.build(window).checked_div(saves)
    }

    /// Returns the fewest rows for which a key without a table gets one, when tables may be as wide
    /// as `widest`.
    pub(in crate::bulk) fn pays_from(&self, widest: u32) -> Option<u64> {
        let windows = NARROWEST.min(widest)..=widest.min(MAX_WINDOW);
        // The table must save more than it costs, not just as much.
        let pays = windows.filter_map(|window| Some(self.repaid(0, 0, window)?.saturating_add(1)));
        pays.min()
    }

    /// Returns the best window for a key's table, 0 for none, when tables may be as wide as
    /// `widest`.
    ///
    /// The expected rows are those at hand plus as many as have come before: as far as anybody
    /// knows, a key comes as often again as it came before. Whoever buys when the rent paid so far
    /// reaches the price pays at most twice as much as with knowledge of the future.
    pub(in crate::bulk) fn best_window(&self, key: &KeyUse, widest: u32) -> u32 {
        let expected = key.rows.saturating_add(key.seen);
        if key.have >= widest || expected <= self.of(key.have).not_worth {
            return key.have;
        }
        let rows = |window| expected as f64 * (self.row(window) as f64 + self.far(key, window));
        let mut best = (key.have, rows(key.have));
        for window in NARROWEST.min(widest).max(key.have + 1)..=widest {
            let cost = rows(window) + self.build(window) as f64;
            if cost < best.1 {
                best = (window, cost);
            }
        }
        best.0
    }

    /// Returns the extra nanoseconds for the points of a row, compared with a table in near caches,
    /// if this key and the keys that are used as often had tables of this window.
    ///
    /// In a block the rows of a key are adjacent: if there are more of them than points that a
    /// look-up chooses among, earlier rows have fetched the points.
    pub(in crate::bulk) fn far(&self, key: &KeyUse, window: u32) -> f64 {
        let WindowCosts { lines, bytes, .. } = self.of(window);
        let line = self
            .caches
            .nanoseconds(key.keys_alike * bytes, self.in_block);
        let fetched = match self.in_block {
            true => (choices(window) as f64 / key.rows.max(1) as f64).min(1.0),
            false => 1.0,
        };
        lines * fetched * line
    }
}

/// Returns the number of points among which a look-up chooses in a table of this window.
fn choices(window: u32) -> u64 {
    1 << window >> 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CurveName;

    /// Returns costs at fixed speed and at that of a CPU with lanes, for single calls and for
    /// blocks.
    fn all() -> Vec<KeyCosts> {
        let mut all = vec![];
        for &curve in CurveName::ALL {
            let (shape, fixed) = (Shape::of(curve), FieldSpeed::fixed(curve));
            let mut lanes = fixed;
            lanes.lanes = 8;
            lanes.wide.in_turn *= 2;
            for field in [fixed, lanes] {
                for block_rows in [1, 8, 64, 2048] {
                    all.push(KeyCosts::new(&shape, &field, Caches::FIXED, block_rows));
                }
            }
        }
        all
    }

    fn key(rows: u64, have: u32) -> KeyUse {
        KeyUse {
            rows,
            seen: 0,
            have,
            keys_alike: 1.0,
        }
    }

    #[test]
    fn a_table_pays_from_where_one_is_built() {
        for mut costs in all() {
            costs.caches.second_level = u64::MAX;
            for widest in 1..=MAX_WINDOW {
                // A row that shares doublings in lanes may cost less than one of window 1.
                let Some(rows) = costs.pays_from(widest) else {
                    assert!(widest < NARROWEST);
                    assert_eq!(costs.best_window(&key(u64::MAX, 0), widest), 0);
                    continue;
                };
                assert_eq!(costs.best_window(&key(rows - 1, 0), widest), 0);
                assert_ne!(costs.best_window(&key(rows, 0), widest), 0);
            }
        }
    }

    #[test]
    fn the_best_window_is_the_cheapest() {
        for mut costs in all() {
            for widest in 1..=MAX_WINDOW {
                for rows in (1..60).chain([100, 1000, 100_000, 1 << 40]) {
                    for have in [0, 4, 5, 8, 11] {
                        for keys_alike in [1.0, 64.0, 1e5] {
                            let key = KeyUse {
                                rows: rows / 2,
                                seen: rows - rows / 2,
                                have,
                                keys_alike,
                            };
                            let best = costs.best_window(&key, widest);
                            assert!(best >= have && best <= widest.max(have));
                            assert!(best == have || best >= NARROWEST.min(widest));
                            let cost = |window: u32| {
                                let build = if window == have {
                                    0
                                } else {
                                    costs.build(window)
                                };
                                let row = costs.row(window) as f64 + costs.far(&key, window);
                                build as f64 + rows as f64 * row
                            };
                            let others = NARROWEST.min(widest).max(have + 1)..=widest;
                            let least = others.chain([have]).map(cost).fold(f64::MAX, f64::min);
                            assert_eq!(cost(best), least);
                        }
                    }
                }
            }
            costs.caches.second_level = u64::MAX;
            assert_eq!(costs.best_window(&key(1, 0), MAX_WINDOW), 0);
            assert_eq!(costs.best_window(&key(1000, 0), 3), 3);
            assert_eq!(costs.best_window(&key(u64::MAX, 0), MAX_WINDOW), MAX_WINDOW);
        }
    }

    #[test]
    fn wider_tables_cost_more_to_build_and_less_a_row() {
        for costs in all() {
            let windows = NARROWEST..=9;
            assert!(
                windows
                    .clone()
                    .is_sorted_by_key(|window| costs.build(window))
            );
            assert!(windows.is_sorted_by_key(|window| costs.saving(window)));
            assert!(costs.saving(NARROWEST) > 0);
            assert_eq!(costs.saving(0), 0);
        }
    }

    /// Tables that do not fit into the caches make the widest window a bad choice: here 64 keys
    /// alternate.
    #[test]
    fn many_keys_in_use_ask_for_narrower_tables() {
        let curve = CurveName::P256;
        let (shape, field) = (Shape::of(curve), FieldSpeed::fixed(curve));
        let costs = KeyCosts::new(&shape, &field, Caches::FIXED, 1);
        let window = |keys_alike| {
            let key = KeyUse {
                keys_alike,
                ..key(1 << 20, 0)
            };
            costs.best_window(&key, 10)
        };
        assert_eq!(window(1.0), 10);
        assert!((6..9).contains(&window(64.0)), "{}", window(64.0));
    }
}
