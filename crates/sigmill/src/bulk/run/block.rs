//! A block: some hundred rows of one curve, parsed and judged together.

use std::ops::Range;
use std::sync::Arc;

use super::call::Call;
use super::key_group::KeyGroup;
use super::rows_by_key::RowsByKey;
use crate::Error;
use crate::bulk::columns::{Digests, RowDigest};
use crate::curve::{BaseElement, NamedCurve, for_curve};
use crate::ecdsa::{
    AnyPreparedKey, AnyVerifyingKey, OfKind, PreparedKey, Signature, Strategy, Verify,
    VerifyingKey, verify_many_vartime,
};

/// The rows that are judged together. More share the inversions of a block among more rows, and
/// ask for more memory than the second-level cache has.
pub(super) const PREPARED_BLOCK: usize = 1024;

/// The rows of fresh keys that are judged together: they share many more inversions.
pub(super) const FRESH_BLOCK: usize = 2048;

/// The rows of a block when a small call is shared among threads: fewer are not worth waking one.
pub(super) const SMALLEST_BLOCK: usize = 64;

/// Rows that are judged together: their places, and the keys that they are of, all on one curve.
pub(super) struct Block {
    pub(super) groups: Range<usize>,
    pub(super) places: Range<usize>,
}

impl Block {
    /// Judges the rows, which are of a call.
    pub(super) fn judge(
        &self,
        call: &Call<'_>,
        rows: &RowsByKey<'_, '_>,
        verdicts: &mut [Result<(), Error>],
    ) {
        let job = Job {
            call,
            rows,
            block: self,
        };
        for_curve!(rows.groups[self.groups.start].curve(), domain => job.judge(domain, verdicts));
    }
}

/// A block with all that it needs.
struct Job<'j, 'a, 'r> {
    call: &'j Call<'j>,
    rows: &'j RowsByKey<'a, 'r>,
    block: &'j Block,
}

/// A row that is well formed.
struct Parsed<'a, C: NamedCurve> {
    signature: Signature<C>,
    digest: RowDigest<'a>,
    /// The place of its key in the block.
    group: usize,
    /// Its place in the block.
    place: usize,
}

impl<'a, 'r> Job<'_, 'a, 'r> {
    /// The keys.
    fn groups(&self) -> &[KeyGroup<'a>] {
        &self.rows.groups[self.block.groups.clone()]
    }

    fn judge<C: NamedCurve>(&self, domain: C, verdicts: &mut [Result<(), Error>])
    where
        AnyVerifyingKey: OfKind<VerifyingKey<C>>,
        AnyPreparedKey: OfKind<PreparedKey<C>>,
    {
        let places = &self.block.places;
        let mut parsed: Vec<Parsed<'r, C>> = Vec::with_capacity(places.len());
        let mut digests = Digests::default();
        for (i, group) in self.block.groups.clone().enumerate() {
            let of_group = self.rows.places(group);
            for place in of_group.start.max(places.start)..of_group.end.min(places.end) {
                let row = self.parse(domain, self.rows.row(place), &mut digests);
                let place = place - places.start;
                match row {
                    Ok((signature, digest)) => parsed.push(Parsed {
                        signature,
                        digest,
                        group: i,
                        place,
                    }),
                    Err(error) => verdicts[place] = Err(error),
                }
            }
        }
        let tables: Vec<Option<Arc<AnyPreparedKey>>> = self
            .groups()
            .iter()
            .map(|group| group.borrow_table(self.call.planner()))
            .collect();
        self.verify(domain, &parsed, &digests, &tables, verdicts);
        self.groups().iter().for_each(KeyGroup::return_table);
    }

    /// What the single call looks at before the equation, in its order.
    fn parse<C: NamedCurve>(
        &self,
        domain: C,
        row: usize,
        digests: &mut Digests,
    ) -> Result<(Signature<C>, RowDigest<'r>), Error> {
        let rows = self.rows.rows;
        let input = rows.input(row).ok_or(Error::InputNull)?;
        let bytes = rows.signature(row).ok_or(Error::SignatureNull)?;
        let signature = Signature::from_bytes_on(domain, bytes, rows.signature_format(row))?;
        self.call.policy().check(&signature)?;
        let digest = digests.add(input, rows.algorithm(row).hash)?;
        Ok((signature, digest))
    }

    /// Notes the rows of each key, with as few atomic additions as there are windows in a row.
    fn count(&self, tables: &[Option<Arc<AnyPreparedKey>>], counts: &[u64]) {
        let mut sum = (0, 0);
        for (table, rows) in tables.iter().zip(counts) {
            let window = table.as_ref().map_or(0, |table| table.window());
            if window != sum.0 {
                self.call.planner().count(sum.0, sum.1);
                sum = (window, 0);
            }
            sum.1 += rows;
        }
        self.call.planner().count(sum.0, sum.1);
    }

    fn verify<C: NamedCurve>(
        &self,
        domain: C,
        parsed: &[Parsed<'r, C>],
        digests: &Digests,
        tables: &[Option<Arc<AnyPreparedKey>>],
        verdicts: &mut [Result<(), Error>],
    ) where
        AnyVerifyingKey: OfKind<VerifyingKey<C>>,
        AnyPreparedKey: OfKind<PreparedKey<C>>,
    {
        let strategies: Vec<Option<Strategy<'_, BaseElement<C>>>> = self
            .groups()
            .iter()
            .zip(tables)
            .map(|(group, table)| match table {
                Some(table) => table.on(domain).map(PreparedKey::strategy),
                None => group.key().on(domain).map(VerifyingKey::strategy),
            })
            .collect();
        let mut jobs = Vec::with_capacity(parsed.len());
        let mut places = Vec::with_capacity(parsed.len());
        let mut counts = vec![0_u64; self.block.groups.len()];
        for row in parsed {
            let Some(strategy) = strategies[row.group] else {
                // The store was asked for a key on this curve and gave none on another.
                verdicts[row.place] = Err(Error::KeyEncodingUnknown);
                continue;
            };
            counts[row.group] += 1;
            places.push(row.place);
            jobs.push(Verify {
                strategy,
                digest: digests.get(row.digest),
                signature: row.signature.scalars(),
            });
        }
        self.count(tables, &counts);
        if jobs.len() == verdicts.len() {
            // Every row is there, and so at its own place.
            return verify_many_vartime(domain.curve(), &jobs, verdicts);
        }
        let mut results = vec![Err(Error::NotJudged); jobs.len()];
        verify_many_vartime(domain.curve(), &jobs, &mut results);
        for (place, result) in places.into_iter().zip(results) {
            verdicts[place] = result;
        }
    }
}
