//! Blocks: rows of one curve, parsed and judged together.

use std::ops::Range;
use std::sync::Arc;

use super::batch_options::hint;
use super::call::Call;
use super::key_group::KeyGroup;
use super::outcomes::{OutcomeColumns, Outcomes};
use super::rows_by_key::RowsByKey;
use super::trials::Trial;
use crate::bulk::columns::{Digests, RowDigest};
use crate::curve::{BaseElement, NamedCurve, for_curve};
use crate::ecdsa::{
    Hint, HintedVerify, LowS, RecoveryId, Signature, Strategy, Verify, verify_batch_or_vartime,
    verify_friendly, verify_many_recoverable_vartime, verify_many_vartime,
};
use crate::error::Error;
use crate::keys::{AnyPreparedKey, AnyVerifyingKey, OfKind, PreparedKey, VerifyingKey};

/// The rows that are judged together: the number that share inversions in the curve code. More
/// would not fit the second-level cache, and would leave threads without work at the end of a
/// section.
pub(super) const BLOCK_ROWS: usize = crate::multiply::MOST_TOGETHER;

/// The fewest rows in a block when threads share a small call: fewer are not worth waking one.
pub(super) const SMALLEST_BLOCK: usize = 64;

/// Rows that are judged together: their places and their keys, all on one curve.
pub(super) struct Block {
    pub(super) groups: Range<usize>,
    pub(super) places: Range<usize>,
}

impl Block {
    /// Judges the rows, which belong to `call`.
    pub(super) fn judge(&self, call: &Call<'_>, rows: &RowsByKey<'_, '_>, out: &mut Outcomes<'_>) {
        let job = Job {
            call,
            rows,
            block: self,
        };
        for_curve!(rows.groups[self.groups.start].curve(), domain => job.judge(domain, out));
    }
}

/// A block with the data that it needs.
struct Job<'j, 'a, 'r> {
    call: &'j Call<'j>,
    rows: &'j RowsByKey<'a, 'r>,
    block: &'j Block,
}

/// A row that is well formed.
struct Parsed<'a, C: NamedCurve> {
    signature: Signature<C>,
    digest: RowDigest<'a>,
    /// The index of its key in the block.
    group: usize,
    /// Its place in the block.
    place: usize,
}

/// The strategy for the rows of a key: `None` if the store was asked for a key on this curve and
/// returned one on another.
type KeyStrategy<'t, C> = Option<Strategy<'t, BaseElement<C>>>;

impl<'a, 'r> Job<'_, 'a, 'r> {
    /// Returns the keys.
    fn groups(&self) -> &[KeyGroup<'a>] {
        &self.rows.groups[self.block.groups.clone()]
    }

    fn judge<C: NamedCurve>(&self, domain: C, out: &mut Outcomes<'_>)
    where
        AnyVerifyingKey: OfKind<VerifyingKey<C>>,
        AnyPreparedKey: OfKind<PreparedKey<C>>,
    {
        let tables: Vec<Option<Arc<AnyPreparedKey>>> = self
            .groups()
            .iter()
            .map(|group| group.borrow_table(self.call.planner))
            .collect();
        let strategies: Vec<KeyStrategy<'_, C>> = self
            .groups()
            .iter()
            .zip(&tables)
            .map(|(group, table)| match table {
                Some(table) => table.on(domain).map(PreparedKey::strategy),
                None => group.key().on(domain).map(VerifyingKey::strategy),
            })
            .collect();
        let places = &self.block.places;
        let mut parsed: Vec<Parsed<'r, C>> = Vec::with_capacity(places.len());
        let mut digests = Digests::default();
        for (i, group) in self.block.groups.clone().enumerate() {
            let of_group = self.rows.places(group);
            for place in of_group.start.max(places.start)..of_group.end.min(places.end) {
                let row = self.rows.row(place);
                let place = place - places.start;
                let read = match strategies[i] {
                    Some(_) => self.parse(domain, row, &mut digests, |signature, digest| {
                        parsed.push(Parsed {
                            signature,
                            digest,
                            group: i,
                            place,
                        });
                    }),
                    None => Err(Error::KeyEncodingUnknown),
                };
                if let Err(error) = read {
                    out.put(place, (Err(error), None));
                }
            }
        }
        let jobs = parsed.iter().filter_map(|row| {
            Some(Verify {
                strategy: strategies[row.group]?,
                digest: digests.get(row.digest),
                signature: row.signature.scalars(),
            })
        });
        self.verify(domain, &parsed, jobs, &tables, out);
        self.groups().iter().for_each(KeyGroup::return_table);
    }

    /// Makes the checks of the single call that come before the equation, in the same order. `take`
    /// receives what was read while it is still in registers.
    #[inline(always)]
    fn parse<C: NamedCurve>(
        &self,
        domain: C,
        row: usize,
        digests: &mut Digests,
        take: impl FnOnce(Signature<C>, RowDigest<'r>),
    ) -> Result<(), Error> {
        let rows = self.rows.rows;
        let input = rows.input(row).ok_or(Error::InputNull)?;
        let bytes = rows.signature(row).ok_or(Error::SignatureNull)?;
        let signature = Signature::from_bytes_on(domain, bytes, rows.signature_format(row))?;
        self.call.policy.check(&signature)?;
        take(signature, digests.add(input, rows.algorithm(row).hash)?);
        Ok(())
    }

    /// Counts the rows of each key, with one atomic addition for each run of keys with one window.
    fn count(&self, tables: &[Option<Arc<AnyPreparedKey>>], counts: &[u64]) {
        let mut sum = (0, 0);
        for (table, rows) in tables.iter().zip(counts) {
            let window = table.as_ref().map_or(0, |table| table.window());
            if window != sum.0 {
                self.call.planner.count(sum.0, sum.1);
                sum = (window, 0);
            }
            sum.1 += rows;
        }
        self.call.planner.count(sum.0, sum.1);
    }

    /// Judges the rows that are well formed; `jobs` yields one job for each.
    fn verify<'v, C: NamedCurve>(
        &self,
        domain: C,
        parsed: &[Parsed<'r, C>],
        jobs: impl Iterator<Item = Verify<'v, C::Curve>>,
        tables: &[Option<Arc<AnyPreparedKey>>],
        out: &mut Outcomes<'_>,
    ) {
        let judge = |out: &mut Outcomes<'_>| {
            let mut counts = vec![0_u64; self.block.groups.len()];
            let trials = self.call.planner.trials();
            let is_batched = self.groups().iter().any(KeyGroup::is_batched);
            if is_batched && trials.may_batch() {
                self.verify_batch(domain, parsed, jobs, &mut counts, out);
                self.count(tables, &counts);
            } else {
                if is_batched {
                    trials.pass_over(parsed.len());
                }
                parsed.iter().for_each(|row| counts[row.group] += 1);
                self.count(tables, &counts);
                let mut all = Vec::with_capacity(parsed.len());
                all.extend(jobs);
                self.verify_rows(domain, &all, out);
            }
        };
        if parsed.len() == out.len() {
            // Every row is well formed, and so at its own place.
            return judge(out);
        }
        let mut results = OutcomeColumns::new(parsed.len(), self.call.wants_hints());
        judge(&mut results.places());
        for (i, row) in parsed.iter().enumerate() {
            out.put(row.place, results.get(i));
        }
    }

    /// Judges rows without batches.
    fn verify_rows<C: NamedCurve>(
        &self,
        domain: C,
        jobs: &[Verify<'_, C::Curve>],
        out: &mut Outcomes<'_>,
    ) {
        let curve = domain.curve();
        match &mut out.ids {
            // This policy needs y(R) too, which rows that share their sums do not have.
            _ if self.call.policy.low_s == LowS::Friendly => {
                for (i, job) in jobs.iter().enumerate() {
                    let verdict = verify_friendly(curve, *job);
                    out.put(i, (verdict, verdict.ok().map(|()| RecoveryId::FRIENDLY)));
                }
            }
            Some(ids) => verify_many_recoverable_vartime(curve, jobs, out.verdicts, ids),
            None => verify_many_vartime(curve, jobs, out.verdicts),
        }
    }

    /// Judges rows by batches if their keys are planned so and they have hints; counts the others.
    /// If recovery ids are wanted, they are the hints of the rows that a batch accepts.
    fn verify_batch<'v, C: NamedCurve>(
        &self,
        domain: C,
        parsed: &[Parsed<'r, C>],
        verifies: impl Iterator<Item = Verify<'v, C::Curve>>,
        counts: &mut [u64],
        out: &mut Outcomes<'_>,
    ) {
        let (first, policy) = (self.block.places.start, self.call.policy);
        let wants_ids = self.call.wants_hints();
        let mut jobs = Vec::with_capacity(parsed.len());
        let Outcomes { verdicts, ids } = out;
        for (i, (row, verify)) in parsed.iter().zip(verifies).enumerate() {
            let hint = match self.groups()[row.group].is_batched() {
                true => hint(policy, self.rows.rows, self.rows.row(first + row.place)),
                false => None,
            };
            // A y does not say whether x(R) is r + n.
            let hint = hint.filter(|hint| !wants_ids || matches!(hint, Hint::Id(_)));
            if let (Some(ids), Some(Hint::Id(id))) = (&mut *ids, hint) {
                ids[i] = Some(id);
            }
            jobs.push(HintedVerify { verify, hint });
        }
        let mut judge_rest = |rows: &[usize], jobs: &[Verify<'_, C::Curve>], verdicts: &mut [_]| {
            rows.iter().for_each(|&row| counts[parsed[row].group] += 1);
            let mut own = wants_ids.then(|| vec![None; jobs.len()]);
            let mut out = Outcomes {
                verdicts,
                ids: own.as_deref_mut(),
            };
            self.verify_rows(domain, jobs, &mut out);
            if let (Some(ids), Some(own)) = (&mut *ids, own) {
                rows.iter().zip(own).for_each(|(&row, id)| ids[row] = id);
            }
        };
        let hinted = jobs.iter().filter(|job| job.hint.is_some()).count();
        let batch = verify_batch_or_vartime(domain.curve(), &jobs, verdicts, &mut judge_rest);
        let speedups = parsed
            .iter()
            .map(|row| self.groups()[row.group].batch_speedup());
        self.call.planner.trials().note(Trial {
            // Hints that name no point were checked in vain.
            summed: batch.summed + hinted - batch.batched,
            accepted: batch.accepted,
            speedup: speedups.sum::<f64>() / parsed.len().max(1) as f64,
        });
        self.call.planner.count_batched(batch.accepted as u64);
    }
}
