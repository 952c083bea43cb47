//! A block: some hundred rows of one curve, parsed and judged together.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::Input;
use super::engine::Engine;
use super::key_store::KnownKey;
use super::plan::{GroupKey, PlannedStrategy};
use super::rows::Rows;
use super::section::lock;
use crate::curve::{NamedCurve, P256, P384};
use crate::ecdsa::{
    AnyPreparedKey, AnyVerifyingKey, MessageDigest, PreparedKey, Signature, Strategy, Verify,
    VerifyingKey, verify_many_vartime,
};
use crate::{CurveName, Error};

/// Rows that are judged together: a range of those in order, and the keys that they are of.
pub(super) struct Block {
    pub(super) groups: Range<usize>,
    pub(super) rows: Range<usize>,
}

/// A key with the rows that it has in a section, and how it is used for them.
///
/// Its table is fetched or built when the first block needs it, and let go when the last one is
/// done: so that a call holds few tables beyond those of the store.
pub(super) struct KeyGroup {
    known: Arc<KnownKey>,
    curve: CurveName,
    rows: u32,
    strategy: PlannedStrategy,
    /// 0 without a table.
    window: u32,
    table: Mutex<SharedTable>,
}

#[derive(Default)]
struct SharedTable {
    is_fetched: bool,
    table: Option<Arc<AnyPreparedKey>>,
    blocks_left: usize,
}

impl KeyGroup {
    /// Notes the rows in the store, and decides.
    pub(super) fn new(engine: &Engine, curve: CurveName, known: Arc<KnownKey>, rows: u32) -> Self {
        let store = engine.key_store();
        let seen = known.sightings();
        store.sight(&known, rows);
        let have = store.table(&known).map_or(0, |table| table.window());
        let (strategy, window) = engine.decide(curve, u64::from(rows), seen, have);
        Self {
            known,
            curve,
            rows,
            strategy,
            window,
            table: Mutex::default(),
        }
    }

    pub(super) fn curve(&self) -> CurveName {
        self.curve
    }

    pub(super) fn rows(&self) -> u32 {
        self.rows
    }

    /// The group of the plan that this key belongs to.
    pub(super) fn plan_key(&self) -> GroupKey {
        (self.curve, self.strategy, self.window)
    }

    /// What its rows cost, in nanoseconds.
    pub(super) fn estimate(&self, engine: &Engine) -> u64 {
        engine.estimate(self.plan_key(), u64::from(self.rows))
    }

    /// Says how many blocks will ask for the table.
    pub(super) fn expect_blocks(&mut self, blocks: usize) {
        let table = self.table.get_mut().unwrap_or_else(|e| e.into_inner());
        table.blocks_left = blocks;
    }

    /// The table, for one block.
    fn borrow_table(&self, engine: &Engine) -> Option<Arc<AnyPreparedKey>> {
        if self.strategy == PlannedStrategy::Fresh {
            return None;
        }
        let mut shared = lock(&self.table);
        if !shared.is_fetched {
            shared.is_fetched = true;
            shared.table = engine.table_for(&self.known, self.window, u64::from(self.rows));
        }
        shared.table.clone()
    }

    /// One block is done with the table.
    fn return_table(&self) {
        if self.strategy == PlannedStrategy::Fresh {
            return;
        }
        let mut shared = lock(&self.table);
        shared.blocks_left = shared.blocks_left.saturating_sub(1);
        if shared.blocks_left == 0 {
            shared.table = None;
        }
    }
}

/// Judges the rows of a block. `order` and `starts` are those of the section, which begins at row
/// `first` of the call.
#[allow(clippy::too_many_arguments, reason = "they are the parts of a section")]
pub(super) fn judge(
    engine: &Engine,
    rows: &Rows<'_>,
    first: usize,
    groups: &[KeyGroup],
    order: &[u32],
    starts: &[u32],
    block: &Block,
    verdicts: &mut [Result<(), Error>],
) {
    let job = Job {
        engine,
        rows,
        first,
        groups: &groups[block.groups.clone()],
        order,
        starts: &starts[block.groups.start..],
        range: block.rows.clone(),
    };
    match groups[block.groups.start].curve {
        CurveName::P256 => job.judge::<P256>(verdicts),
        CurveName::P384 => job.judge::<P384>(verdicts),
    }
}

/// A block with all that it needs.
struct Job<'a, 'r> {
    engine: &'a Engine,
    rows: &'a Rows<'r>,
    first: usize,
    groups: &'a [KeyGroup],
    order: &'a [u32],
    /// `starts[i]` belongs to `groups[i]`.
    starts: &'a [u32],
    range: Range<usize>,
}

/// A row that is well formed.
struct Parsed<'a, C: BulkCurve> {
    signature: Signature<C>,
    digest: RowDigest<'a>,
    /// The place of its key in the block.
    group: usize,
    /// Its place in the block.
    place: usize,
}

/// Where the digest of a row is.
enum RowDigest<'a> {
    /// With the caller.
    Given(&'a [u8]),
    /// Among those that the block made.
    Made(usize),
}

impl<'r> Job<'_, 'r> {
    fn judge<C: BulkCurve>(&self, verdicts: &mut [Result<(), Error>]) {
        let mut parsed: Vec<Parsed<'r, C>> = Vec::with_capacity(self.range.len());
        let mut hashed = vec![];
        for (i, group) in self.groups.iter().enumerate() {
            let start = (self.starts[i] as usize).max(self.range.start);
            let end = (self.starts[i] as usize + group.rows as usize).min(self.range.end);
            for at in start..end {
                let place = at - self.range.start;
                match self.parse(self.first + self.order[at] as usize, &mut hashed) {
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
            .groups
            .iter()
            .map(|group| group.borrow_table(self.engine))
            .collect();
        self.verify(&parsed, &hashed, &tables, verdicts);
        self.groups.iter().for_each(KeyGroup::return_table);
    }

    /// What the single call looks at before the equation, in its order.
    fn parse<C: BulkCurve>(
        &self,
        row: usize,
        hashed: &mut Vec<MessageDigest>,
    ) -> Result<(Signature<C>, RowDigest<'r>), Error> {
        let input = self.rows.input(row).ok_or(Error::InputNull)?;
        let bytes = self.rows.signature(row).ok_or(Error::SignatureNull)?;
        let signature = Signature::from_bytes(bytes, self.rows.signature_format(row))?;
        self.engine.policy().check(&signature)?;
        let digest = match input {
            Input::Digest([]) => return Err(Error::DigestEmpty),
            Input::Digest(digest) => RowDigest::Given(digest),
            Input::Message(message) => {
                hashed.push(self.rows.algorithm(row).hash.digest(message));
                RowDigest::Made(hashed.len() - 1)
            }
        };
        Ok((signature, digest))
    }

    /// Notes the rows of each key, with as few atomic additions as there are windows in a row.
    fn count(&self, tables: &[Option<Arc<AnyPreparedKey>>], counts: &[u64]) {
        let mut sum = (0, 0);
        for (table, rows) in tables.iter().zip(counts) {
            let window = table.as_ref().map_or(0, |table| table.window());
            if window != sum.0 {
                self.engine.count(sum.0, sum.1);
                sum = (window, 0);
            }
            sum.1 += rows;
        }
        self.engine.count(sum.0, sum.1);
    }

    fn verify<C: BulkCurve>(
        &self,
        parsed: &[Parsed<'r, C>],
        hashed: &[MessageDigest],
        tables: &[Option<Arc<AnyPreparedKey>>],
        verdicts: &mut [Result<(), Error>],
    ) {
        let strategies: Vec<Option<Strategy<'_, C::BaseElement>>> = self
            .groups
            .iter()
            .zip(tables)
            .map(|(group, table)| match table {
                Some(table) => C::prepared(table).map(PreparedKey::strategy),
                None => C::fresh(group.known.key()).map(VerifyingKey::strategy),
            })
            .collect();
        let mut jobs = Vec::with_capacity(parsed.len());
        let mut places = Vec::with_capacity(parsed.len());
        let mut counts = vec![0_u64; self.groups.len()];
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
                digest: match row.digest {
                    RowDigest::Given(digest) => digest,
                    RowDigest::Made(place) => &hashed[place],
                },
                signature: &row.signature,
            });
        }
        self.count(tables, &counts);
        if jobs.len() == verdicts.len() {
            // Every row is there, and so at its own place.
            return verify_many_vartime(&jobs, verdicts);
        }
        let mut results = vec![Err(Error::NotJudged); jobs.len()];
        verify_many_vartime(&jobs, &mut results);
        for (place, result) in places.into_iter().zip(results) {
            verdicts[place] = result;
        }
    }
}

/// A curve of [`CurveName`], to find its keys among those of any curve.
trait BulkCurve: NamedCurve {
    /// The key, if it is on this curve.
    fn fresh(key: &AnyVerifyingKey) -> Option<&VerifyingKey<Self>>;
    /// The prepared key, if it is on this curve.
    fn prepared(key: &AnyPreparedKey) -> Option<&PreparedKey<Self>>;
}

macro_rules! bulk_curve {
    ($($curve:ident),*) => {
        $(
            impl BulkCurve for $curve {
                fn fresh(key: &AnyVerifyingKey) -> Option<&VerifyingKey<Self>> {
                    match key {
                        AnyVerifyingKey::$curve(key) => Some(key),
                        _ => None,
                    }
                }

                fn prepared(key: &AnyPreparedKey) -> Option<&PreparedKey<Self>> {
                    match key {
                        AnyPreparedKey::$curve(key) => Some(key),
                        _ => None,
                    }
                }
            }
        )*
    };
}

bulk_curve!(P256, P384);
