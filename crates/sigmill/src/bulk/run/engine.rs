//! The engine: rows in, verdicts out.

use core::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::builder::EngineBuilder;
use super::call::Run;
use super::control::Control;
use super::section::{SECTION, Section};
use super::simulation;
use super::threads::Threads;
use crate::bulk::columns::{Input, Row, Rows, Verdicts};
use crate::bulk::plan::{Costs, GroupKey, Plan, PlannedStrategy, WINDOWS};
use crate::bulk::store::{KeyStore, KnownKey};
use crate::ecdsa::AnyPreparedKey;
use crate::{CurveName, Error, Policy};

/// Verifies rows, remembering keys. Any number of threads may share it by reference; what it
/// starts is the pool that [`EngineBuilder::threads`] asks for.
///
/// The verdict of a row is what the single call says of it
/// ([`AnyVerifyingKey::verify_prehash`](crate::AnyVerifyingKey::verify_prehash)), whatever stands
/// beside it.
///
/// ```
/// use sigmill::bulk::{Engine, Input, Row, Rows};
/// use sigmill::{Algorithm, Error, SignatureFormat};
///
/// let engine = Engine::builder().key_memory(64 << 20).build()?;
/// let row = Row {
///     algorithm: Algorithm::ES256,
///     key: &[4; 65],
///     input: Input::Message(b"hello"),
///     signature: &[1; 64],
///     format: SignatureFormat::P1363,
/// };
/// assert_eq!(engine.verify_row(&row), Err(Error::KeyNotOnCurve));
/// let verdicts = engine.verify(&Rows::from(&[row; 3][..]));
/// assert_eq!(verdicts.reasons()["key-not-on-curve"], 3);
/// # Ok::<(), Error>(())
/// ```
pub struct Engine {
    store: Arc<KeyStore>,
    threads: Threads,
    policy: Policy,
    window: u32,
    costs: Costs,
    rows_by_window: [AtomicU64; WINDOWS + 1],
    passing_tables: AtomicU64,
}

/// What an engine has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Rows that were verified with a key that has no table.
    pub fresh: u64,
    /// Rows that were verified with a key that has one.
    pub prepared: u64,
    /// All of them by the window of the table, 1 to 11 bits; at 0 those without one.
    pub rows_by_window: [u64; WINDOWS + 1],
    /// Tables built: by the store, which may serve other engines too, and for one call each.
    pub tables_built: u64,
    /// Of these the ones for one call each: their key had many rows, but no room in the store.
    pub passing_tables: u64,
    /// The memory that the tables in the store take, in bytes.
    pub table_bytes: u64,
    /// Different usable keys, however encoded.
    pub distinct_keys: u64,
    /// Whether there were more keys than a 64th of the store's memory holds the hashes of (294,784
    /// at 256 MiB): then `distinct_keys` is a lower bound.
    pub distinct_keys_saturated: bool,
    /// The widest window of the tables, in bits.
    pub window: u32,
}

impl Engine {
    /// The default choices: the caller's thread, 256 MiB for keys and tables of window 10 at most,
    /// high s accepted.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    pub(super) fn new(
        store: Arc<KeyStore>,
        threads: Threads,
        policy: Policy,
        window: u32,
        costs: Costs,
    ) -> Self {
        Self {
            store,
            threads,
            policy,
            window,
            costs,
            rows_by_window: Default::default(),
            passing_tables: AtomicU64::new(0),
        }
    }

    /// The verdicts of all rows, in their order.
    ///
    /// Keys are parsed once each, and get a table when their rows here and before are worth it.
    /// Takes about 40 bytes of memory a row besides what the store holds.
    pub fn verify(&self, rows: &Rows<'_>) -> Verdicts {
        self.verify_with(rows, &Control::default())
    }

    /// [`verify`](Self::verify), steered and watched.
    pub fn verify_with(&self, rows: &Rows<'_>, control: &Control<'_>) -> Verdicts {
        self.verify_in(rows, Run::new(control, None, &self.threads, rows.len()))
    }

    /// [`verify`](Self::verify) as part of a call.
    pub(super) fn verify_in(&self, rows: &Rows<'_>, run: Run<'_>) -> Verdicts {
        let mut verdicts = vec![Err(Error::NotJudged); rows.len()];
        match verdicts.as_mut_slice() {
            [verdict] if !run.explains() && !run.is_cancelled() && rows.row(0).is_some() => {
                if let Some(row) = rows.row(0) {
                    *verdict = self.verify_row(&row);
                    run.advance(1);
                }
            }
            verdicts => {
                let sections = verdicts.chunks_mut(SECTION).enumerate().collect();
                run.threads().for_each(sections, |(i, verdicts)| {
                    if run.is_cancelled() {
                        return;
                    }
                    let range = i * SECTION..i * SECTION + verdicts.len();
                    let section = Section::plan(self, rows, range.clone(), verdicts, &run);
                    section.judge(self, rows, &range, verdicts, &run);
                });
            }
        }
        Verdicts::new(verdicts, rows.caller_ids(), run.into_plan())
    }

    /// The verdict of one row: what the single call says of it.
    ///
    /// # Errors
    /// The rule that the row breaks: those of the key's and the signature's encoding,
    /// [`Error::DigestEmpty`], [`Error::HighS`] where the policy forbids it, and
    /// [`Error::SignatureMismatch`].
    pub fn verify_row(&self, row: &Row<'_>) -> Result<(), Error> {
        let curve = row.algorithm.curve;
        let known = self.store.lookup(curve, row.key)?;
        let hashed;
        let digest = match row.input {
            Input::Digest(digest) => digest,
            Input::Message(message) => {
                hashed = row.algorithm.hash.digest(message);
                &hashed
            }
        };
        let seen = known.sightings();
        self.store.sight(&known, 1);
        let table = self.store.table(&known);
        let have = table.as_ref().map_or(0, |table| table.window());
        let table = match self.decide(curve, 1, seen, have) {
            (PlannedStrategy::Build, window) => self.store.promote(&known, window).or(table),
            _ => table,
        };
        match table {
            None => {
                self.count(0, 1);
                let key = known.key();
                key.verify_prehash(digest, row.signature, row.format, self.policy)
            }
            Some(key) => {
                self.count(key.window(), 1);
                key.verify_prehash(digest, row.signature, row.format, self.policy)
            }
        }
    }

    /// What [`verify`](Self::verify) would do with these rows now, and what it would cost.
    ///
    /// Reads the keys, which the store then remembers; builds nothing. The store may think
    /// otherwise about a table when it is asked for it, and other calls may come between.
    pub fn explain(&self, rows: &Rows<'_>) -> Plan {
        simulation::explain(self, rows)
    }

    /// What was done so far. Counts of other threads' rows may lag behind by a moment.
    pub fn stats(&self) -> Stats {
        let store = self.store.stats();
        let passing_tables = self.passing_tables.load(Relaxed);
        let rows_by_window = self
            .rows_by_window
            .each_ref()
            .map(|rows| rows.load(Relaxed));
        Stats {
            fresh: rows_by_window[0],
            prepared: rows_by_window[1..].iter().sum(),
            rows_by_window,
            tables_built: store.promotions + passing_tables,
            passing_tables,
            table_bytes: store.table_bytes,
            distinct_keys: store.distinct_keys,
            distinct_keys_saturated: store.distinct_keys_saturated,
            window: self.window,
        }
    }

    /// The store of keys, which other engines may share.
    pub fn key_store(&self) -> &Arc<KeyStore> {
        &self.store
    }

    /// What the planner takes things to cost.
    pub fn costs(&self) -> &Costs {
        &self.costs
    }

    pub(super) fn threads(&self) -> &Threads {
        &self.threads
    }

    pub(super) fn policy(&self) -> Policy {
        self.policy
    }

    /// Notes that so many rows were verified with a table of this window, or without one (0).
    pub(super) fn count(&self, window: u32, rows: u64) {
        self.rows_by_window[(window as usize).min(WINDOWS)].fetch_add(rows, Relaxed);
    }

    /// How a key is to be used that has so many rows here and had so many before, and a table of
    /// the window `have` (0: none): the strategy and its window (0: no table).
    pub(super) fn decide(
        &self,
        curve: CurveName,
        rows: u64,
        seen: u64,
        have: u32,
    ) -> (PlannedStrategy, u32) {
        let expected = rows.saturating_add(seen);
        match self
            .costs
            .of(curve)
            .best_window(expected, have, self.window)
        {
            0 => (PlannedStrategy::Fresh, 0),
            window if window == have => (PlannedStrategy::Prepared, window),
            window => (PlannedStrategy::Build, window),
        }
    }

    /// What the rows of a key cost, in nanoseconds.
    pub(super) fn estimate(&self, (curve, strategy, window): GroupKey, rows: u64) -> u64 {
        let costs = self.costs.of(curve);
        let build = match strategy {
            PlannedStrategy::Unusable => return 0,
            PlannedStrategy::Build => costs.build(window),
            PlannedStrategy::Fresh | PlannedStrategy::Prepared => 0,
        };
        rows.saturating_mul(costs.row(window)).saturating_add(build)
    }

    /// The table that a key is to be used with: of at least this window if the store has it or
    /// takes it, else one for this call alone if its rows are worth it, else what the store has.
    pub(super) fn table_for(
        &self,
        known: &Arc<KnownKey>,
        window: u32,
        rows: u64,
    ) -> Option<Arc<AnyPreparedKey>> {
        let table = self.store.table(known);
        let have = table.as_ref().map_or(0, |table| table.window());
        if have >= window {
            return table;
        }
        if let Some(table) = self.store.promote(known, window) {
            return Some(table);
        }
        let key = known.key();
        match self.decide(key.curve(), rows, 0, have) {
            (PlannedStrategy::Build, window) => match key.prepare(window) {
                Ok(table) => {
                    self.passing_tables.fetch_add(1, Relaxed);
                    Some(Arc::new(table))
                }
                Err(_) => table,
            },
            _ => table,
        }
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("threads", &self.threads.count())
            .field("policy", &self.policy)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}
