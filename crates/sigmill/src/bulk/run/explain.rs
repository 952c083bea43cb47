//! The plan of a call, without carrying it out.

use std::collections::HashMap;
use std::time::Duration;

use super::batch_options::BatchOptions;
use super::planner::Planner;
use super::section::SECTION;
use crate::Policy;
use crate::bulk::columns::{DistinctKeys, RowKey, Rows};
use crate::bulk::plan::{Plan, PlannedStrategy};

/// The state in which earlier sections would have left a key.
struct Past {
    seen: u64,
    window: u32,
}

/// Returns the plan of a call, section by section as the call itself would make it on one thread,
/// if the store accepts every table that it is offered.
pub(super) fn explain(planner: &Planner, policy: Policy, rows: &Rows<'_>) -> Plan {
    let mut plan = Plan::default();
    #[allow(
        clippy::mutable_key_type,
        reason = "the tables that a curve builds for itself take no part in the hash of a key"
    )]
    let mut past: HashMap<RowKey<'_>, Past> = HashMap::new();
    for start in (0..rows.len()).step_by(SECTION) {
        let range = start..rows.len().min(start + SECTION);
        let block_rows = range.len() as u64;
        let store = &planner.store;
        let distinct = DistinctKeys::find(rows, range, |key| store.hash_of_row_key(key));
        let workload = planner.workload(block_rows, distinct.keys.len() as u64);
        let batches = BatchOptions::new(planner, policy, rows, start, &distinct, |rows| rows);
        let mut section = Plan::default();
        for (i, (key, count)) in distinct.keys.iter().zip(distinct.row_counts()).enumerate() {
            let (curve, count) = (key.curve(), u64::from(count));
            let Ok(known) = store.lookup_key(key) else {
                let unusable = (curve, PlannedStrategy::Unusable, 0);
                section.add(unusable, count, Duration::ZERO);
                continue;
            };
            let past = past.entry(*key).or_insert_with(|| Past {
                seen: known.rows_seen(),
                window: store.table(&known).map_or(0, |table| table.window()),
            });
            let batch = batches.of_key(i, curve);
            let decision = planner.decide(curve, workload, count, past.seen, past.window, batch);
            let group = decision.group(curve);
            past.seen += count;
            past.window = past.window.max(group.2);
            section.add(group, count, decision.extra_cost);
        }
        section.add_costs(|group| planner.estimate(group, block_rows));
        plan += &section;
    }
    plan
}
