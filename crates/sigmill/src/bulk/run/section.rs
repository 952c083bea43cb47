//! Sections of a call: rows that are planned together, grouped by key, and judged in blocks.

use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::batch_options::BatchOptions;
use super::block::{BLOCK_ROWS, Block, SMALLEST_BLOCK};
use super::call::Call;
use super::key_group::KeyGroup;
use super::outcomes::{OutcomeColumns, Outcomes};
use super::rows_by_key::RowsByKey;
use crate::Error;
use crate::bulk::columns::{DistinctKeys, Rows};
use crate::bulk::locks::lock;
use crate::bulk::plan::{Plan, PlannedStrategy};
use crate::bulk::store::KnownKey;
use crate::ecdsa::MOST_IN_BATCH;

/// The rows that are planned together: enough to bring the rows of a key together, and few enough
/// for their columns to stay in the caches until their block comes. Measure with `bench -- --only
/// '*/bulk*'` after a change.
pub(super) const SECTION: usize = 1 << 16;

/// The keys that one thread looks up before another one may take over.
const LOOKUPS: usize = 128;

/// A section with its plan: the key of each row, and the use of each key.
pub(super) struct Section<'a, 'r> {
    call: &'a Call<'a>,
    rows: RowsByKey<'a, 'r>,
}

impl<'a, 'r> Section<'a, 'r> {
    /// Looks up the keys, decides about each, and sets the verdicts of rows whose key is unusable.
    pub(super) fn plan(
        call: &'a Call<'a>,
        rows: &'a Rows<'r>,
        range: Range<usize>,
        verdicts: &mut [Result<(), Error>],
    ) -> Self {
        let first = range.start;
        let store = &call.planner.store;
        let distinct = DistinctKeys::find(rows, range, |key| store.hash_of_row_key(key));
        let counts = distinct.row_counts();
        let (known, errors) = look_up(call, &distinct);
        let error_of = |key: usize| errors.get(key).copied().flatten();
        let planner = call.planner;
        let workload = planner.workload(verdicts.len() as u64, distinct.keys.len() as u64);
        let batches = BatchOptions::new(planner, call.policy, rows, first, &distinct, |rows| {
            fair_share(rows, call)
        });
        planner.trials().pass_over(batches.passed_over());
        let mut plan = Plan::default();
        let mut groups = vec![];
        let mut group_of_key = vec![None; distinct.keys.len()];
        for (i, (key, known)) in distinct.keys.iter().zip(known).enumerate() {
            if let Some(known) = known {
                group_of_key[i] = Some(groups.len() as u32);
                let batch = batches.of_key(i, key.curve());
                groups.push(KeyGroup::new(planner, known, workload, counts[i], batch));
            } else if call.explains() && error_of(i).is_some() {
                plan.add(
                    (key.curve(), PlannedStrategy::Unusable, 0),
                    u64::from(counts[i]),
                    Duration::ZERO,
                );
            }
        }
        if call.explains() {
            for group in &groups {
                let rows = u64::from(group.rows());
                plan.add(group.plan_key(), rows, group.extra_cost());
            }
            let block_rows = fair_share(verdicts.len(), call) as u64;
            plan.add_costs(|group| planner.estimate(group, block_rows));
            call.plan_section(&plan);
        }
        let mut rejected = 0;
        for (verdict, &key) in verdicts.iter_mut().zip(&distinct.of_row) {
            if let Some(error) = error_of(key as usize) {
                *verdict = Err(error);
                rejected += 1;
            }
        }
        call.advance(rejected);
        let group_of_row = distinct
            .of_row
            .iter()
            .map(|&key| group_of_key[key as usize]);
        Self {
            call,
            rows: RowsByKey::new(rows, first, groups, group_of_row),
        }
    }

    /// Judges the rows and puts each outcome at the place of its row in the section.
    pub(super) fn judge(mut self, out: &mut Outcomes<'_>) {
        let blocks = self.split_into_blocks();
        if self.call.explains() {
            let mut curves = vec![];
            for block in &blocks {
                let group = &self.rows.groups[block.groups.start];
                if !curves.contains(&group.curve()) {
                    curves.push(group.curve());
                    group.warm_up();
                }
            }
        }
        let mut in_order = OutcomeColumns::new(self.rows.len(), self.call.wants_hints());
        let mut rest = in_order.places();
        let mut tasks = Vec::with_capacity(blocks.len());
        for block in blocks {
            let (own, others) = rest.split_at(block.places.len());
            rest = others;
            tasks.push((block, own));
        }
        let (call, rows) = (self.call, &self.rows);
        call.threads.for_each(tasks, |(block, mut out)| {
            if call.is_cancelled() {
                return;
            }
            let begin = call.explains().then(Instant::now);
            block.judge(call, rows, &mut out);
            if let Some(begin) = begin {
                let group = &rows.groups[block.groups.start];
                call.add_time(group.plan_key(), begin.elapsed());
            }
            call.advance(block.places.len());
        });
        for (place, &row) in self.rows.order().iter().enumerate() {
            out.put(row as usize, in_order.get(place));
        }
    }

    /// Splits the rows into blocks: of one curve, and of one group of the plan if the call explains
    /// itself. Sets for each key the number of blocks with rows of it.
    fn split_into_blocks(&mut self) -> Vec<Block> {
        let pure = self.call.explains();
        let rows = self.rows.len();
        let fair = fair_share(rows, self.call);
        let most_of = |group: &KeyGroup<'_>| {
            fair.min(match group.plan_key().1 {
                PlannedStrategy::Batch => MOST_IN_BATCH,
                _ => BLOCK_ROWS,
            })
        };
        let mut blocks: Vec<Block> = Vec::with_capacity(rows / fair.min(BLOCK_ROWS) + 2);
        for i in 0..self.rows.groups.len() {
            let Range { mut start, end } = self.rows.places(i);
            let mut of_group = 0;
            while start < end {
                let group = &self.rows.groups[i];
                let joins = |block: &&mut Block| {
                    let first = &self.rows.groups[block.groups.start];
                    block.places.len() < most_of(first)
                        && if pure {
                            first.plan_key() == group.plan_key()
                        } else {
                            first.curve() == group.curve()
                        }
                };
                if let Some(block) = blocks.last_mut().filter(joins) {
                    let most = most_of(&self.rows.groups[block.groups.start]);
                    let taken = (end - start).min(most - block.places.len());
                    block.places.end += taken;
                    block.groups.end = i + 1;
                    start += taken;
                } else {
                    let taken = (end - start).min(most_of(group));
                    blocks.push(Block {
                        groups: i..i + 1,
                        places: start..start + taken,
                    });
                    start += taken;
                }
                of_group += 1;
            }
            self.rows.groups[i].expect_blocks(of_group);
        }
        blocks
    }
}

/// Returns the most of `rows` rows that one thread gets at a time.
fn fair_share(rows: usize, call: &Call<'_>) -> usize {
    rows.div_ceil(call.threads.count()).max(SMALLEST_BLOCK)
}

/// Looks up all keys, on all threads if there are many keys. Returns the store's answers, without
/// those about keys that were not looked up because the call was cancelled. Errors are apart, as
/// they are longer and rare: there are none, or one place for each key.
fn look_up(
    call: &Call<'_>,
    distinct: &DistinctKeys<'_>,
) -> (Vec<Option<Arc<KnownKey>>>, Vec<Option<Error>>) {
    let mut known = vec![None; distinct.keys.len()];
    let all_errors = Mutex::new(vec![]);
    let keys = distinct.keys.chunks(LOOKUPS);
    let keys = keys.zip(distinct.hashes.chunks(LOOKUPS));
    let tasks: Vec<_> = keys.zip(known.chunks_mut(LOOKUPS)).enumerate().collect();
    call.threads
        .for_each(tasks, |(chunk, ((keys, hashes), known))| {
            if call.is_cancelled() {
                return;
            }
            let errors = call.planner.store.lookup_many(keys, hashes, known);
            if !errors.is_empty() {
                lock(&all_errors).push((chunk * LOOKUPS, errors));
            }
        });
    let mut errors = vec![];
    for (first, some) in all_errors.into_inner().unwrap_or_else(|e| e.into_inner()) {
        errors.resize(distinct.keys.len(), None);
        some.into_iter()
            .for_each(|(i, error)| errors[first + i] = Some(error));
    }
    (known, errors)
}
