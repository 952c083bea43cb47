//! `--explain`: the strategies that verified the rows, with estimated and actual cost.

use std::io::Write;

use serde::Serialize;
use sigmill::bulk::{Plan, PlanGroup, PlannedStrategy};

use crate::error::CliError;
use crate::output::style;

/// The sum of the plans of all chunks.
#[derive(Debug, Default)]
pub(crate) struct Explanation(Plan);

/// Rows of one curve, strategy and window, as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct GroupLine {
    curve: String,
    strategy: String,
    /// Null if no table was used.
    window: Option<u32>,
    /// A key counts once in each chunk in which it occurs.
    keys: u64,
    rows: u64,
    estimated_seconds: f64,
    actual_seconds: Option<f64>,
}

impl Explanation {
    pub(crate) fn add(&mut self, plan: &Plan) {
        self.0 += plan;
    }

    /// Returns the groups as JSON objects.
    pub(crate) fn lines(&self) -> Vec<GroupLine> {
        self.0.groups().iter().map(GroupLine::from).collect()
    }

    /// Writes the plan as text.
    pub(crate) fn write(&self, out: &mut dyn Write) -> Result<(), CliError> {
        let (bold, dim) = (style::BOLD, style::DIM);
        write!(
            out,
            "\n{bold}plan{bold:#} {dim}(time is the sum over threads; a key counts once per chunk \
             of rows){dim:#}\n"
        )?;
        for line in self.0.to_string().lines() {
            writeln!(out, "  {line}")?;
        }
        Ok(())
    }
}

impl From<&PlanGroup> for GroupLine {
    fn from(group: &PlanGroup) -> Self {
        let strategy = match group.strategy {
            PlannedStrategy::Unusable => "unusable",
            PlannedStrategy::Fresh => "fresh",
            PlannedStrategy::Prepared => "prepared",
            PlannedStrategy::Build => "build",
            _ => "other",
        };
        Self {
            curve: group.curve.to_string(),
            strategy: strategy.to_owned(),
            window: Some(group.window).filter(|&window| window > 0),
            keys: group.keys,
            rows: group.rows,
            estimated_seconds: group.estimated.as_secs_f64(),
            actual_seconds: group.actual.map(|actual| actual.as_secs_f64()),
        }
    }
}
