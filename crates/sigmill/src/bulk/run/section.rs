//! A section of a call: rows that are planned together, grouped by key, and judged in blocks.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use super::block::{self, Block};
use super::call::Run;
use super::engine::Engine;
use super::key_group::KeyGroup;
use crate::bulk::columns::{DistinctKeys, EncodedKey, Rows};
use crate::bulk::plan::{GroupKey, PlannedStrategy};
use crate::bulk::store::KnownKey;
use crate::{CurveName, Error};

/// The rows that are planned together: enough for the rows of a key to meet, few enough for their
/// columns to stay in the caches until their block comes.
pub(super) const SECTION: usize = 1 << 16;

/// The rows that are judged together. More share the inversions of a block among more rows, and
/// ask for more memory than the second-level cache has.
const BLOCK: usize = 256;

/// The rows of fresh keys that are judged together: they share many more inversions.
pub(super) const FRESH_BLOCK: usize = 2048;

/// The rows of a block when a small call is shared among threads: fewer are not worth waking one.
pub(super) const SMALLEST_BLOCK: usize = 64;

/// The keys that are looked up by one thread before another one may take over.
const LOOKUPS: usize = 128;

/// What the store says of an encoded key; `None` where the call was cancelled before.
type Lookup = Option<Result<Arc<KnownKey>, Error>>;

/// A section with its plan: which rows are of which key, and how each key is used.
pub(super) struct Section {
    /// The keys that are usable, in the order in which they are judged: curve by curve, and those
    /// of one strategy and window together.
    groups: Vec<KeyGroup>,
    /// The rows of the keys, counted from the start of the section: those of group i are
    /// `order[starts[i]..starts[i + 1]]`.
    order: Vec<u32>,
    starts: Vec<u32>,
}

impl Section {
    /// Looks the keys up, decides about each, and gives rows whose key is unusable their verdict.
    pub(super) fn plan(
        engine: &Engine,
        rows: &Rows<'_>,
        range: Range<usize>,
        verdicts: &mut [Result<(), Error>],
        run: &Run<'_>,
    ) -> Self {
        let distinct = DistinctKeys::find(rows, range);
        let mut counts = vec![0_u32; distinct.keys.len()];
        for &key in &distinct.of_row {
            counts[key as usize] += 1;
        }
        let lookups = look_up(engine, &distinct.keys, run);
        let mut groups = vec![];
        let mut group_of_key = vec![NO_GROUP; distinct.keys.len()];
        for (i, (&(curve, _), lookup)) in distinct.keys.iter().zip(&lookups).enumerate() {
            match lookup {
                Some(Ok(known)) => {
                    group_of_key[i] = groups.len() as u32;
                    groups.push(KeyGroup::new(engine, curve, known.clone(), counts[i]));
                }
                Some(Err(_)) => run.plan_key(
                    (curve, PlannedStrategy::Unusable, 0),
                    u64::from(counts[i]),
                    0,
                ),
                None => {}
            }
        }
        let (groups, places) = in_judging_order(groups);
        for group in &groups {
            run.plan_key(
                group.plan_key(),
                u64::from(group.rows()),
                group.estimate(engine),
            );
        }

        // Where the rows of each group begin, then a row at a time to its place.
        let mut starts = Vec::with_capacity(groups.len() + 1);
        let mut sum = 0;
        for group in &groups {
            starts.push(sum);
            sum += group.rows();
        }
        starts.push(sum);
        let mut next = starts.clone();
        let mut order = vec![0; sum as usize];
        let mut rejected = 0;
        for (row, &key) in distinct.of_row.iter().enumerate() {
            match (group_of_key[key as usize], &lookups[key as usize]) {
                (NO_GROUP, Some(Err(error))) => {
                    verdicts[row] = Err(*error);
                    rejected += 1;
                }
                (NO_GROUP, _) => {}
                (group, _) => {
                    let place = &mut next[places[group as usize] as usize];
                    order[*place as usize] = row as u32;
                    *place += 1;
                }
            }
        }
        run.advance(rejected);
        Self {
            groups,
            order,
            starts,
        }
    }

    /// Judges the rows. `rows` and `range` are those that the section was planned for.
    pub(super) fn judge(
        mut self,
        engine: &Engine,
        rows: &Rows<'_>,
        range: &Range<usize>,
        verdicts: &mut [Result<(), Error>],
        run: &Run<'_>,
    ) {
        let blocks = self.cut(run.threads().count(), run.explains());
        let mut in_order = vec![Err(Error::NotJudged); self.order.len()];
        let mut rest = &mut in_order[..];
        let mut tasks = Vec::with_capacity(blocks.len());
        for block in blocks {
            let (own, others) = rest.split_at_mut(block.rows.len());
            rest = others;
            tasks.push((block, own));
        }
        let (groups, order, starts) = (&self.groups, &self.order, &self.starts);
        run.threads().for_each(tasks, |(block, out)| {
            if run.is_cancelled() {
                return;
            }
            let begin = run.explains().then(Instant::now);
            block::judge(
                engine,
                rows,
                range.start,
                groups,
                order,
                starts,
                &block,
                out,
            );
            if let Some(begin) = begin {
                run.took(groups[block.groups.start].plan_key(), begin.elapsed());
            }
            run.advance(block.rows.len());
        });
        for (&row, verdict) in self.order.iter().zip(in_order) {
            verdicts[row as usize] = verdict;
        }
    }

    /// Cuts the rows into blocks: of one curve, and of one group of the plan where `pure`. Tells
    /// each key how many blocks have rows of it.
    fn cut(&mut self, threads: usize, pure: bool) -> Vec<Block> {
        let rows = self.order.len();
        let fair = rows.div_ceil(threads).max(SMALLEST_BLOCK);
        let most_of = |group: &KeyGroup| {
            fair.min(match group.plan_key().1 {
                PlannedStrategy::Fresh => FRESH_BLOCK,
                _ => BLOCK,
            })
        };
        let mut blocks: Vec<Block> = Vec::with_capacity(rows / fair.min(BLOCK) + 2);
        for i in 0..self.groups.len() {
            let (mut start, end) = (self.starts[i] as usize, self.starts[i + 1] as usize);
            let mut of_group = 0;
            while start < end {
                let group = &self.groups[i];
                let joins = |block: &&mut Block| {
                    let first = &self.groups[block.groups.start];
                    block.rows.len() < most_of(first)
                        && if pure {
                            first.plan_key() == group.plan_key()
                        } else {
                            first.curve() == group.curve()
                        }
                };
                if let Some(block) = blocks.last_mut().filter(joins) {
                    let most = most_of(&self.groups[block.groups.start]);
                    let taken = (end - start).min(most - block.rows.len());
                    block.rows.end += taken;
                    block.groups.end = i + 1;
                    start += taken;
                } else {
                    let taken = (end - start).min(most_of(group));
                    blocks.push(Block {
                        groups: i..i + 1,
                        rows: start..start + taken,
                    });
                    start += taken;
                }
                of_group += 1;
            }
            self.groups[i].expect_blocks(of_group);
        }
        blocks
    }
}

/// The key has no group: it is unusable.
const NO_GROUP: u32 = u32::MAX;

/// Looks up all keys, by all threads where there are many.
fn look_up(engine: &Engine, keys: &[EncodedKey<'_>], run: &Run<'_>) -> Vec<Lookup> {
    let mut lookups: Vec<Lookup> = vec![];
    lookups.resize_with(keys.len(), || None);
    let tasks = keys.chunks(LOOKUPS).zip(lookups.chunks_mut(LOOKUPS));
    run.threads().for_each(tasks.collect(), |(keys, lookups)| {
        if run.is_cancelled() {
            return;
        }
        let present = keys.iter().filter_map(|&(curve, key)| Some((curve, key?)));
        let present: Vec<_> = present.collect();
        let mut found = engine.key_store().lookup_many(&present).into_iter();
        for ((_, key), lookup) in keys.iter().zip(lookups) {
            *lookup = match key {
                Some(_) => found.next(),
                None => Some(Err(Error::KeyNull)),
            };
        }
    });
    lookups
}

/// Brings keys of one curve, window and strategy together, in this order, and says where each
/// went. Keys that are alike stay in the order in which they came.
fn in_judging_order(groups: Vec<KeyGroup>) -> (Vec<KeyGroup>, Vec<u32>) {
    let rank = |group: &KeyGroup| -> (CurveName, u32, PlannedStrategy) {
        let (curve, strategy, window): GroupKey = group.plan_key();
        (curve, window, strategy)
    };
    let mut numbered: Vec<(u32, KeyGroup)> = (0..).zip(groups).collect();
    numbered.sort_by_key(|(_, group)| rank(group));
    let mut places = vec![0; numbered.len()];
    for (place, (number, _)) in (0..).zip(&numbered) {
        places[*number as usize] = place;
    }
    (
        numbered.into_iter().map(|(_, group)| group).collect(),
        places,
    )
}
