//! The weights for a decision about a key.

use super::count;
use super::memory::MemorySpeed;
use super::shape::Shape;
use super::speed::FieldSpeed;
use crate::recode::booth_digits;
use crate::table::MAX_WINDOW;

/// The number of windows that a table may have.
pub(in crate::bulk) const WINDOWS: usize = MAX_WINDOW as usize;

/// The narrowest window that is built, unless the engine allows only narrower ones: narrower tables
/// save little.
const NARROWEST: u32 = 4;

/// The costs of rows and tables on a curve for one number of rows judged together, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(in crate::bulk) struct Weights {
    /// The cost of a row, by the window of its key's table; 0 for none.
    rows: [RowCost; WINDOWS + 1],
    /// The cost of a table, by its window.
    builds: [u64; WINDOWS + 1],
    /// By the window that a key has: this many rows or fewer are worth no wider one.
    not_worth: [u64; WINDOWS + 1],
    memory: MemorySpeed,
    in_block: bool,
}

/// The cost of a row of a key.
#[derive(Clone, Copy, Debug, Default)]
struct RowCost {
    /// With all points in near caches, in nanoseconds.
    near: u64,
    /// The cache lines of the key's table that are looked up.
    lines: f64,
    /// The bytes of the table.
    bytes: f64,
    /// The number of points among which each look-up chooses.
    choices: f64,
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

impl Weights {
    pub(super) fn new(
        shape: &Shape,
        field: &FieldSpeed,
        memory: &MemorySpeed,
        together: u64,
    ) -> Self {
        let mut rows = [RowCost::default(); WINDOWS + 1];
        let mut builds = [0; WINDOWS + 1];
        let fresh = count::fresh_in_block(shape, field.lanes, together);
        rows[0].near = field.nanoseconds(&fresh) as u64;
        for window in 1..=MAX_WINDOW {
            let work = count::prepared_in_block(shape, window, field.lanes, together);
            let choices = 1_u64 << (window - 1);
            let points = u64::from(booth_digits(shape.bits, window)) * choices;
            rows[window as usize] = RowCost {
                near: field.nanoseconds(&work) as u64,
                lines: work.key_points * (shape.point_bytes as f64 / 64.0),
                bytes: (points * shape.point_bytes as u64) as f64,
                choices: choices as f64,
            };
            builds[window as usize] = field.nanoseconds(&count::build(shape, window)) as u64;
        }
        let mut weights = Self {
            rows,
            builds,
            not_worth: [u64::MAX; WINDOWS + 1],
            memory: *memory,
            in_block: together > 1,
        };
        for have in 0..MAX_WINDOW {
            // The most that a wider table can save: all points of the present table are far, and
            // none of its own.
            let far = weights.rows[index(have)].lines * memory.nanoseconds(f64::MAX, false);
            let wider = have + 1..=MAX_WINDOW;
            let repaid = wider.filter_map(|window| weights.repaid(have, far as u64, window));
            weights.not_worth[index(have)] = repaid.min().unwrap_or(u64::MAX);
        }
        weights
    }

    /// Returns the saving of one row with a table of this window, with all points near.
    pub(in crate::bulk) fn saving(&self, window: u32) -> u64 {
        self.rows[0]
            .near
            .saturating_sub(self.rows[index(window)].near)
    }

    /// Returns the cost of one row with a table of this window, 0 for none, with all points near.
    pub(in crate::bulk) fn row(&self, window: u32) -> u64 {
        self.rows[index(window)].near
    }

    /// Returns the cost of building a table of this window.
    pub(in crate::bulk) fn building(&self, window: u32) -> u64 {
        self.builds[index(window)]
    }

    /// Returns the most rows that do not pay for a table of this window in place of the present
    /// one, whose rows cost `far` nanoseconds more; `None` if it saves nothing.
    fn repaid(&self, have: u32, far: u64, window: u32) -> Option<u64> {
        let (from, to) = (self.rows[index(have)].near, self.rows[index(window)].near);
        let saves = from.saturating_add(far).checked_sub(to)?;
        self.building(window).checked_div(saves)
    }

    /// Returns the fewest rows for which a key without a table gets one, when tables may be as wide
    /// as `widest`.
    pub(super) fn pays_from(&self, widest: u32) -> Option<u64> {
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
        if key.have >= widest || expected <= self.not_worth[index(key.have)] {
            return key.have;
        }
        let rows = |window| {
            expected as f64 * (self.rows[index(window)].near as f64 + self.far(key, window))
        };
        let mut best = (key.have, rows(key.have));
        for window in NARROWEST.min(widest).max(key.have + 1)..=widest {
            let cost = rows(window) + self.building(window) as f64;
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
        let row = &self.rows[index(window)];
        let line = self
            .memory
            .nanoseconds(key.keys_alike * row.bytes, self.in_block);
        let fetched = match self.in_block {
            true => (row.choices / key.rows.max(1) as f64).min(1.0),
            false => 1.0,
        };
        row.lines * fetched * line
    }
}

/// Returns the index of a window.
fn index(window: u32) -> usize {
    (window as usize).min(WINDOWS)
}

#[cfg(test)]
mod tests {
    use super::super::speed::Speed;
    use super::*;
    use crate::CurveName;

    /// Returns weights at fixed speed and at that of a CPU with lanes, for single calls and for
    /// blocks.
    fn all() -> Vec<Weights> {
        let fixed = Speed::FIXED;
        let mut lanes = fixed;
        for &curve in CurveName::ALL {
            let field = lanes.of_mut(curve);
            field.lanes = 8;
            field.wide.in_turn *= 2;
        }
        let mut all = vec![];
        for speed in [fixed, lanes] {
            for &curve in CurveName::ALL {
                for together in [1, 8, 64, 2048] {
                    let shape = Shape::of(curve);
                    let field = speed.of(curve);
                    all.push(Weights::new(&shape, field, &speed.memory, together));
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
        for mut weights in all() {
            weights.memory.second_level_bytes = u64::MAX;
            for widest in 1..=MAX_WINDOW {
                // A row that shares doublings in lanes may cost less than one of window 1.
                let Some(rows) = weights.pays_from(widest) else {
                    assert!(widest < NARROWEST);
                    assert_eq!(weights.best_window(&key(u64::MAX, 0), widest), 0);
                    continue;
                };
                assert_eq!(weights.best_window(&key(rows - 1, 0), widest), 0);
                assert_ne!(weights.best_window(&key(rows, 0), widest), 0);
            }
        }
    }

    #[test]
    fn the_best_window_is_the_cheapest() {
        for mut weights in all() {
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
                            let best = weights.best_window(&key, widest);
                            assert!(best >= have && best <= widest.max(have));
                            assert!(best == have || best >= NARROWEST.min(widest));
                            let cost = |window: u32| {
                                let row = &weights.rows[window as usize];
                                let build = if window == have {
                                    0
                                } else {
                                    weights.building(window)
                                };
                                let row = row.near as f64 + weights.far(&key, window);
                                build as f64 + rows as f64 * row
                            };
                            let others = NARROWEST.min(widest).max(have + 1)..=widest;
                            let least = others.chain([have]).map(cost).fold(f64::MAX, f64::min);
                            assert_eq!(cost(best), least);
                        }
                    }
                }
            }
            weights.memory.second_level_bytes = u64::MAX;
            assert_eq!(weights.best_window(&key(1, 0), MAX_WINDOW), 0);
            assert_eq!(weights.best_window(&key(1000, 0), 3), 3);
            assert_eq!(
                weights.best_window(&key(u64::MAX, 0), MAX_WINDOW),
                MAX_WINDOW
            );
        }
    }

    #[test]
    fn wider_tables_cost_more_to_build_and_less_a_row() {
        for weights in all() {
            let windows = NARROWEST..=9;
            assert!(
                windows
                    .clone()
                    .is_sorted_by_key(|window| weights.building(window))
            );
            assert!(windows.is_sorted_by_key(|window| weights.saving(window)));
            assert!(weights.saving(NARROWEST) > 0);
            assert_eq!(weights.saving(0), 0);
        }
    }

    /// Tables that do not fit into the caches make the widest window a bad choice: here 64 keys
    /// alternate.
    #[test]
    fn many_keys_in_use_ask_for_narrower_tables() {
        let speed = Speed::FIXED;
        let shape = Shape::of(CurveName::P256);
        let weights = Weights::new(&shape, speed.of(CurveName::P256), &speed.memory, 1);
        let window = |keys_alike| {
            let key = KeyUse {
                keys_alike,
                ..key(1 << 20, 0)
            };
            weights.best_window(&key, 10)
        };
        assert_eq!(window(1.0), 10);
        assert!((6..9).contains(&window(64.0)), "{}", window(64.0));
    }
}
