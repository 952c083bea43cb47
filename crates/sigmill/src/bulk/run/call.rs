//! The state that the threads of one call share, apart from the rows.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::control::Control;
use super::planner::Planner;
use super::threads::Threads;
use crate::Policy;
use crate::bulk::locks::lock;
use crate::bulk::plan::{GroupKey, Plan};

/// One call in progress.
pub(super) struct Call<'a> {
    control: Control<'a>,
    done: AtomicUsize,
    plan: Option<Mutex<Plan>>,
    /// The threads that do the work.
    pub(super) threads: &'a Threads,
    pub(super) planner: &'a Planner,
    /// The rules of acceptance beyond the equation.
    pub(super) policy: Policy,
}

impl<'a> Call<'a> {
    /// Creates a call on these threads.
    pub(super) fn new(
        planner: &'a Planner,
        policy: Policy,
        threads: &'a Threads,
        control: &Control<'a>,
    ) -> Self {
        Self {
            control: *control,
            done: AtomicUsize::new(0),
            plan: control.explain.then(Mutex::default),
            threads,
            planner,
            policy,
        }
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.control
            .cancel
            .is_some_and(|cancel| cancel.load(Relaxed))
    }

    /// Returns true if the plan is wanted.
    pub(super) fn explains(&self) -> bool {
        self.plan.is_some()
    }

    /// Returns true if the hints of valid rows are wanted.
    pub(super) fn wants_hints(&self) -> bool {
        self.control.hints
    }

    /// Adds the plan of a section.
    pub(super) fn plan_section(&self, section: &Plan) {
        if let Some(plan) = &self.plan {
            *lock(plan) += section;
        }
    }

    /// Records the time of a block of a group.
    pub(super) fn add_time(&self, group: GroupKey, time: Duration) {
        if let Some(plan) = &self.plan {
            *lock(plan).group(group).actual.get_or_insert_default() += time;
        }
    }

    /// Records that `rows` more rows are judged.
    pub(super) fn advance(&self, rows: usize) {
        if rows == 0 {
            return;
        }
        let done = self.done.fetch_add(rows, Relaxed) + rows;
        if let Some(progress) = self.control.progress {
            progress(done);
        }
    }

    /// Returns the plan as it was carried out, if it is wanted.
    pub(super) fn into_plan(self) -> Option<Plan> {
        let plan = self.plan?.into_inner();
        let mut plan = plan.unwrap_or_else(PoisonError::into_inner);
        plan.set_carried_out();
        Some(plan)
    }
}
