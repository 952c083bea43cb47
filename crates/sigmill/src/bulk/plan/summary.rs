//! Plans: how the rows of a call are judged, and what that costs.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;
use std::time::Duration;

use crate::CurveName;

/// How the rows of a call are judged, in groups of one curve and strategy; from
/// [`Engine::explain`](crate::bulk::Engine::explain) before the work, or from
/// [`Verdicts::plan`](crate::bulk::Verdicts::plan) after it. Displays as a table.
///
/// Large calls are planned in sections of some ten thousand rows, so that their rows stay in the
/// caches: a key that comes in several sections counts once in each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    groups: Vec<PlanGroup>,
}

/// How a key's rows are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PlannedStrategy {
    /// Rejected with the key, which is unusable or missing.
    Unusable,
    /// Without a table: doublings.
    Fresh,
    /// With the table that the store has.
    Prepared,
    /// With a table that is built first, for this and later calls.
    Build,
    /// By batches of random weights, as hints say which points R are: see
    /// [`Policy::with_batch`](crate::Policy::with_batch).
    Batch,
}

/// The rows of a plan that have one curve, strategy and window.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanGroup {
    /// The curve that the algorithm names.
    pub curve: CurveName,
    /// How they are judged.
    pub strategy: PlannedStrategy,
    /// The window of the tables, in bits; 0 where there are none.
    pub window: u32,
    /// The different encoded keys.
    pub keys: u64,
    /// The rows.
    pub rows: u64,
    /// What they cost by the engine's [`Costs`](super::Costs), on one thread.
    pub estimated: Duration,
    /// What they did cost, summed over the threads; of a plan that was carried out.
    pub actual: Option<Duration>,
}

/// What tells groups apart.
pub(in crate::bulk) type GroupKey = (CurveName, PlannedStrategy, u32);

/// The groups of a plan while it is made.
#[derive(Debug, Default)]
pub(in crate::bulk) struct PlanBuilder {
    groups: BTreeMap<GroupKey, PlanGroup>,
}

impl Plan {
    /// The groups, curve by curve.
    pub fn groups(&self) -> &[PlanGroup] {
        &self.groups
    }

    /// The rows of all groups.
    pub fn rows(&self) -> u64 {
        self.groups.iter().map(|group| group.rows).sum()
    }

    /// What all rows cost by the engine's [`Costs`](super::Costs), on one thread.
    pub fn estimated(&self) -> Duration {
        self.groups.iter().map(|group| group.estimated).sum()
    }

    /// What all rows did cost, summed over the threads; of a plan that was carried out.
    pub fn actual(&self) -> Option<Duration> {
        self.groups.iter().map(|group| group.actual).sum()
    }
}

impl AddAssign<&Plan> for Plan {
    /// Adds the groups of another plan, of the next batch say: what both have is summed up, keys
    /// too.
    fn add_assign(&mut self, other: &Plan) {
        let mut groups = PlanBuilder::default();
        for group in self.groups.iter().chain(&other.groups) {
            let sum = groups.group((group.curve, group.strategy, group.window));
            sum.keys += group.keys;
            sum.rows += group.rows;
            sum.estimated += group.estimated;
            if let Some(actual) = group.actual {
                *sum.actual.get_or_insert_default() += actual;
            }
        }
        *self = groups.finish(false);
    }
}

impl PlanBuilder {
    /// Adds a key with its rows, and what these cost beside the group's.
    pub(in crate::bulk) fn add(&mut self, key: GroupKey, rows: u64, beside: Duration) {
        let group = self.group(key);
        group.keys += 1;
        group.rows += rows;
        group.estimated += beside;
    }

    /// Adds the groups of a section, each with what `cost` says of so many keys and rows.
    pub(in crate::bulk) fn add_section(
        &mut self,
        section: Self,
        cost: impl Fn(GroupKey, u64, u64) -> Duration,
    ) {
        for (key, group) in section.groups {
            let sum = self.group(key);
            sum.keys += group.keys;
            sum.rows += group.rows;
            sum.estimated += group.estimated + cost(key, group.keys, group.rows);
        }
    }

    /// Adds what rows of a group did cost.
    pub(in crate::bulk) fn add_actual(&mut self, key: GroupKey, actual: Duration) {
        *self.group(key).actual.get_or_insert_default() += actual;
    }

    fn group(&mut self, key: GroupKey) -> &mut PlanGroup {
        let (curve, strategy, window) = key;
        self.groups.entry(key).or_insert(PlanGroup {
            curve,
            strategy,
            window,
            keys: 0,
            rows: 0,
            estimated: Duration::ZERO,
            actual: None,
        })
    }

    /// The plan. Of one that was carried out, every group has a time.
    pub(in crate::bulk) fn finish(self, carried_out: bool) -> Plan {
        let mut groups: Vec<_> = self.groups.into_values().collect();
        if carried_out {
            for group in &mut groups {
                group.actual.get_or_insert_default();
            }
        }
        Plan { groups }
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

/// A line of the table of a plan, as text.
struct Line {
    cells: [String; 6],
    /// Of a plan that was carried out.
    actual: Option<String>,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [curve, strategy, window, keys, rows, estimated] = &self.cells;
        write!(
            f,
            "{curve:<6} {strategy:<15} {window:>6} {keys:>9} {rows:>11} {estimated:>11}"
        )?;
        match &self.actual {
            Some(actual) => writeln!(f, " {actual:>11}"),
            None => writeln!(f),
        }
    }
}

impl fmt::Display for Plan {
    /// A line for each group, a heading above and the sums below, all ended by line feeds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |duration: Duration| format!("{duration:.2?}");
        let is_carried_out = self.groups.iter().any(|group| group.actual.is_some());
        let heading = Line {
            cells: ["curve", "strategy", "window", "keys", "rows", "estimated"].map(str::to_owned),
            actual: is_carried_out.then(|| "actual".to_owned()),
        };
        heading.fmt(f)?;
        for group in &self.groups {
            let window = match group.window {
                0 => "-".to_owned(),
                window => window.to_string(),
            };
            let line = Line {
                cells: [
                    group.curve.to_string(),
                    group.strategy.to_string(),
                    window,
                    group.keys.to_string(),
                    group.rows.to_string(),
                    time(group.estimated),
                ],
                actual: group.actual.map(time),
            };
            line.fmt(f)?;
        }
        let keys: u64 = self.groups.iter().map(|group| group.keys).sum();
        let sums = Line {
            cells: [
                "total".to_owned(),
                String::new(),
                String::new(),
                keys.to_string(),
                self.rows().to_string(),
                time(self.estimated()),
            ],
            actual: self.actual().filter(|_| is_carried_out).map(time),
        };
        sums.fmt(f)
    }
}
