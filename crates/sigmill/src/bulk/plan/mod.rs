//! Costs, and the plans for the rows of a call that follow from them. Operations are counted, and
//! the machine is timed.

mod costs;
mod count;
mod count_batch;
mod key_costs;
mod memory;
mod speed;
mod summary;
mod timing;
mod work;

pub use costs::Costs;
pub use count_batch::BatchWork;
pub use speed::Speed;
pub use summary::{Plan, PlanGroup, PlannedStrategy};
pub use work::{Operations, Work};

pub(super) use costs::{BatchCosts, BlockCosts};
pub(super) use key_costs::{KeyCosts, KeyUse, WINDOWS};
pub(super) use summary::GroupKey;
