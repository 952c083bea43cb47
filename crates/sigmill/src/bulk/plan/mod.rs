//! What things cost, and what follows from it for the rows of a call.

mod by_curve;
mod calibrate;
mod costs;
mod summary;

pub use calibrate::calibrate;
pub use costs::{Costs, CurveCosts};
pub use summary::{Plan, PlanGroup, PlannedStrategy};

pub(super) use costs::WINDOWS;
pub(super) use summary::{GroupKey, PlanBuilder};
