//! Plans: the strategies for the rows of a call, and their costs.

use std::fmt;
use std::ops::AddAssign;
use std::time::Duration;

use crate::CurveName;

/// The strategies for the rows of a call, in groups of one curve and strategy. A plan comes from
/// [`Engine::explain`](crate::bulk::Engine::explain) before the work, or from
/// [`Verdicts::plan`](crate::bulk::Verdicts::plan) after it. It displays as a table.
///
/// Large calls are planned in sections of some ten thousand rows, so that their rows stay in the
/// caches. A key that comes in several sections counts once in each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// In the order of their keys.
    groups: Vec<PlanGroup>,
}

/// The strategy for the rows of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PlannedStrategy {
    /// Rejection: the key is unusable or missing.
    Unusable,
    /// No table: doublings.
    Fresh,
    /// The table that the store has.
    Prepared,
    /// A table that is built first, for this and later calls.
    Build,
    /// Batches of random weights, in which hints say which points R are: see
    /// [`Policy::with_batch`](crate::Policy::with_batch).
    Batch,
}

/// The rows of a plan that have one curve, strategy and window.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanGroup {
    /// The curve that the algorithm names.
    pub curve: CurveName,
    /// The strategy for them.
    pub strategy: PlannedStrategy,
    /// The window of the tables, in bits; 0 if there are none.
    pub window: u32,
    /// The number of distinct encoded keys.
    pub keys: u64,
    /// The number of rows.
    pub rows: u64,
    /// Their cost at the engine's [`Speed`](super::Speed), on one thread.
    pub estimated: Duration,
    /// Their actual cost, summed over the threads, if the plan was carried out.
    pub actual: Option<Duration>,
}

/// The properties that distinguish groups.
pub(in crate::bulk) type GroupKey = (CurveName, PlannedStrategy, u32);

impl Plan {
    /// Returns the groups, curve by curve.
    pub fn groups(&self) -> &[PlanGroup] {
        &self.groups
    }

    /// Returns the number of rows of all groups.
    pub fn rows(&self) -> u64 {
        self.groups.iter().map(|group| group.rows).sum()
    }

    /// Returns the cost of all rows at the engine's [`Speed`](super::Speed), on one thread.
    pub fn estimated(&self) -> Duration {
        self.groups.iter().map(|group| group.estimated).sum()
    }

    /// Returns the actual cost of all rows, summed over the threads, if the plan was carried out.
    pub fn actual(&self) -> Option<Duration> {
        self.groups.iter().map(|group| group.actual).sum()
    }

    /// Returns the group with this key, which is empty at first.
    pub(in crate::bulk) fn group(&mut self, key: GroupKey) -> &mut PlanGroup {
        let found = self.groups.binary_search_by_key(&key, PlanGroup::key);
        let place = found.unwrap_or_else(|place| {
            let (curve, strategy, window) = key;
            let group = PlanGroup {
                curve,
                strategy,
                window,
                keys: 0,
                rows: 0,
                estimated: Duration::ZERO,
                actual: None,
            };
            self.groups.insert(place, group);
            place
        });
        &mut self.groups[place]
    }

    /// Adds a key with its rows, and their cost in addition to the estimate for the group.
    pub(in crate::bulk) fn add(&mut self, key: GroupKey, rows: u64, extra_cost: Duration) {
        let group = self.group(key);
        group.keys += 1;
        group.rows += rows;
        group.estimated += extra_cost;
    }

    /// Adds to each group the cost that `cost` returns for it.
    pub(in crate::bulk) fn add_costs(&mut self, cost: impl Fn(&PlanGroup) -> Duration) {
        for group in &mut self.groups {
            group.estimated += cost(group);
        }
    }

    /// Gives every group a time.
    pub(in crate::bulk) fn set_carried_out(&mut self) {
        for group in &mut self.groups {
            group.actual.get_or_insert_default();
        }
    }
}

impl PlanGroup {
    fn key(&self) -> GroupKey {
        (self.curve, self.strategy, self.window)
    }
}

impl AddAssign<&Plan> for Plan {
    /// Adds the groups of another plan, for example that of the next batch. If both plans have a
    /// group, its numbers are added up, those of keys too.
    fn add_assign(&mut self, other: &Plan) {
        for group in &other.groups {
            let sum = self.group(group.key());
            sum.keys += group.keys;
            sum.rows += group.rows;
            sum.estimated += group.estimated;
            if let Some(actual) = group.actual {
                *sum.actual.get_or_insert_default() += actual;
            }
        }
    }
}

impl fmt::Display for PlannedStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Unusable => "key unusable",
            Self::Fresh => "fresh",
            Self::Prepared => "prepared",
            Self::Build => "build, prepared",
            Self::Batch => "batch",
        })
    }
}

impl fmt::Display for Plan {
    /// Writes a heading, a line for each group, and the sums. Every line ends with a line feed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |duration: Duration| format!("{duration:.2?}");
        let actual_time = |actual: Option<Duration>| actual.map_or_else(String::new, time);
        let is_carried_out = self.groups.iter().any(|group| group.actual.is_some());
        let mut line = |cells: [&dyn fmt::Display; 6], actual: &str| {
            let [curve, strategy, window, keys, rows, estimated] = cells;
            write!(
                f,
                "{curve:<6} {strategy:<15} {window:>6} {keys:>9} {rows:>11} {estimated:>11}"
            )?;
            match is_carried_out {
                true => writeln!(f, " {actual:>11}"),
                false => writeln!(f),
            }
        };
        let heading = ["curve", "strategy", "window", "keys", "rows", "estimated"];
        line(heading.each_ref().map(|cell| cell as _), "actual")?;
        for group in &self.groups {
            let PlanGroup {
                curve,
                strategy,
                keys,
                rows,
                ..
            } = group;
            let window: &dyn fmt::Display = match &group.window {
                0 => &"-",
                window => window,
            };
            let estimated = time(group.estimated);
            let actual = actual_time(group.actual);
            line([curve, strategy, window, keys, rows, &estimated], &actual)?;
        }
        let keys: u64 = self.groups.iter().map(|group| group.keys).sum();
        let (rows, estimated) = (self.rows(), time(self.estimated()));
        let actual = actual_time(self.actual());
        line([&"total", &"", &"", &keys, &rows, &estimated], &actual)
    }
}
