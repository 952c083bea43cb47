//! The state that the threads of one call share, apart from the rows.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::control::{Control, Progress};
use super::planner::Planner;
use super::threads::Threads;
use crate::Policy;
use crate::bulk::locks::lock;
use crate::bulk::plan::{GroupKey, Plan, PlanBuilder};

/// One call in progress.
pub(super) struct Call<'a> {
    cancel: Option<&'a AtomicBool>,
    progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    total: usize,
    done: AtomicUsize,
    plan: Option<Mutex<PlanBuilder>>,
    /// True if the hints of valid rows are wanted.
    pub(super) wants_hints: bool,
    /// The threads that do the work.
    pub(super) threads: &'a Threads,
    pub(super) planner: &'a Planner,
    /// The rules of acceptance beyond the equation.
    pub(super) policy: Policy,
}

impl<'a> Call<'a> {
    /// Creates a call of `total` rows on these threads.
    pub(super) fn new(
        planner: &'a Planner,
        policy: Policy,
        threads: &'a Threads,
        control: &Control<'a>,
        total: usize,
    ) -> Self {
        Self {
            cancel: control.cancel,
            progress: control.progress,
            total,
            done: AtomicUsize::new(0),
            plan: control.explain.then(Mutex::default),
            wants_hints: control.hints,
            threads,
            planner,
            policy,
        }
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|cancel| cancel.load(Relaxed))
    }

    /// Returns true if the plan is wanted.
    pub(super) fn explains(&self) -> bool {
        self.plan.is_some()
    }

    /// Adds the plan of a section in which at most `block_rows` rows are judged together.
    pub(super) fn plan_section(&self, section: PlanBuilder, block_rows: u64) {
        if let Some(plan) = &self.plan {
            lock(plan).add_section(section, |group, keys, rows| {
                self.planner.estimate(group, keys, rows, block_rows)
            });
        }
    }

    /// Records the time of a block of a group.
    pub(super) fn add_time(&self, group: GroupKey, time: Duration) {
        if let Some(plan) = &self.plan {
            lock(plan).add_actual(group, time);
        }
    }

    /// Records that `rows` more rows are judged.
    pub(super) fn advance(&self, rows: usize) {
        if rows == 0 {
            return;
        }
        let done = self.done.fetch_add(rows, Relaxed) + rows;
        if let Some(progress) = self.progress {
            progress(Progress {
                done,
                total: self.total,
            });
        }
    }

    /// Returns the plan as it was carried out, if it is wanted.
    pub(super) fn into_plan(self) -> Option<Plan> {
        let plan = self.plan?;
        let plan = plan.into_inner().unwrap_or_else(PoisonError::into_inner);
        Some(plan.finish(true))
    }
}
