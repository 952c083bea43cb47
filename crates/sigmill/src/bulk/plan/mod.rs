//! Costs, and the plans for the rows of a call that follow from them. Operations are counted, and
//! the machine is timed.

mod by_curve;
mod calibrate;
mod costs;
mod count;
mod count_batch;
mod memory;
mod shape;
mod speed;
mod summary;
mod timing;
mod weights;
mod work;

pub use calibrate::calibrate;
pub use costs::Costs;
pub use memory::MemorySpeed;
pub use speed::{FieldSpeed, OperationSpeed, Speed};
pub use summary::{Plan, PlanGroup, PlannedStrategy};
pub use work::{Operations, Work};

pub(super) use costs::{BatchCosts, Worth};
pub(super) use summary::{GroupKey, PlanBuilder};
pub(super) use weights::{KeyUse, WINDOWS};
