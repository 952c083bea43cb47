//! The engine: rows in, verdicts out.

use core::fmt;
use std::sync::Arc;

use super::call::Call;
use super::control::Control;
use super::heap;
use super::outcomes::OutcomeColumns;
use super::planner::Planner;
use super::section::{SECTION, Section};
use super::threads::Threads;
use super::{explain, recover};
use crate::bulk::columns::{KeyedRow, RecoverRows, Recovered, Row, Rows, Verdicts};
use crate::bulk::forks::PerProcess;
use crate::bulk::plan::{Plan, WINDOWS};
use crate::bulk::store::KeyStore;
use crate::keys::VerifyOptions;
use crate::stack::on_own_stack;
use crate::{CurveName, Error, Policy};

/// Verifies rows and remembers their keys. Any number of threads may share it by reference. It
/// starts no threads except the pool that [`EngineBuilder::threads`](super::EngineBuilder::threads)
/// sets.
///
/// The verdict of a row is that of the single call
/// ([`AnyVerifyingKey::verify_prehash`](crate::AnyVerifyingKey::verify_prehash)), whatever the
/// other rows are. Batches are the only exception, if [`Policy::with_batch`] allows them: they
/// accept a row that is not valid with a probability of at most 2^-120.
///
/// The engine works in the child of a process that forks, whatever its threads do at that moment.
/// The child has its own store of keys, which is empty at first, and judges all rows on the
/// caller's thread. A call that is in progress when the process forks belongs to the parent alone.
///
/// The first call of 256 rows or more in a process lets glibc keep up to 16 MiB of free memory at
/// the end of its heap, and take blocks of up to 8 MiB from there. So the memory of a call is not
/// returned to the system and requested again by the next one. A program that has set
/// `M_TRIM_THRESHOLD` or `M_MMAP_THRESHOLD` (`mallopt(3)`) itself, or has another allocator, keeps
/// its settings.
///
/// ```
/// use sigmill::bulk::{Engine, Input, Row, Rows};
/// use sigmill::{Algorithm, Error, SignatureFormat};
///
/// let engine = Engine::builder().key_memory(64 << 20).build()?;
/// let row = Row::new(
///     Algorithm::ES256,
///     &[4; 65],
///     Input::Message(b"hello"),
///     &[1; 64],
///     SignatureFormat::P1363,
/// );
/// assert_eq!(engine.verify_row(&row), Err(Error::KeyNotOnCurve));
/// let verdicts = engine.verify(&Rows::from(&[row; 3][..]));
/// assert_eq!(verdicts.reasons()["key-not-on-curve"], 3);
/// # Ok::<(), Error>(())
/// ```
pub struct Engine {
    planner: Planner,
    threads: PerProcess<Threads>,
    policy: Policy,
}

/// Counts of the work that an engine has done so far. Those of its store are
/// [`KeyStore::stats`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Rows that were verified with a key that has no table.
    pub fresh: u64,
    /// Rows that were verified with a key that has a table.
    pub prepared: u64,
    /// Rows that a batch of random weights accepted. Their keys need no table.
    pub batched: u64,
    /// The rows that no batch accepted, by the window of their key's table, 1 to 11 bits; at index
    /// 0, those whose key has no table.
    pub rows_by_window: [u64; WINDOWS + 1],
    /// Tables built: by the store, which may serve other engines too, and for one call each.
    pub tables_built: u64,
    /// Tables built for one call each: their key had many rows, but the store had no room.
    pub passing_tables: u64,
    /// The widest window of the tables, in bits.
    pub window: u32,
}

impl Engine {
    pub(super) fn new(planner: Planner, threads: Threads, policy: Policy) -> Self {
        Self {
            planner,
            threads: PerProcess::with(threads),
            policy,
        }
    }

    /// Creates a call of `rows` rows.
    fn call<'a>(&'a self, control: &Control<'a>, rows: usize) -> Call<'a> {
        heap::keep_between_calls(rows);
        Call::new(&self.planner, self.policy, self.threads(), control)
    }

    /// Returns the verdicts of all rows, in their order.
    ///
    /// Each encoded key is parsed once. A key gets a table when its rows here and before are worth
    /// it. Needs about 40 bytes of memory per row in addition to the store.
    pub fn verify(&self, rows: &Rows<'_>) -> Verdicts {
        self.verify_with(rows, &Control::default())
    }

    /// [`verify`](Self::verify) with options.
    pub fn verify_with(&self, rows: &Rows<'_>, control: &Control<'_>) -> Verdicts {
        let call = self.call(control, rows.len());
        let mut outcomes = OutcomeColumns::new(rows.len(), call.wants_hints());
        let is_single =
            rows.len() == 1 && !(call.explains() || call.wants_hints() || call.is_cancelled());
        match is_single.then(|| rows.row(0)).flatten() {
            Some(row) => {
                outcomes.verdicts[0] = self.verify_single(&row);
                call.advance(1);
            }
            None => {
                let mut sections = vec![];
                let mut rest = outcomes.places();
                for first in (0..rows.len()).step_by(SECTION) {
                    let (own, others) = rest.split_at(SECTION.min(rows.len() - first));
                    rest = others;
                    sections.push((first, own));
                }
                call.threads.for_each(sections, |(first, mut out)| {
                    if call.is_cancelled() {
                        return;
                    }
                    let range = first..first + out.len();
                    Section::plan(&call, rows, range, out.verdicts).judge(&mut out);
                });
            }
        }
        let OutcomeColumns { verdicts, ids } = outcomes;
        Verdicts::new(verdicts, ids, call.into_plan())
    }

    /// Returns the verdict of one row, which is that of the single call.
    ///
    /// # Errors
    /// The rule that the row breaks: those of the encodings of the key and the signature,
    /// [`Error::DigestEmpty`], [`Error::HighS`] or [`Error::NotFriendly`] if the policy forbids it,
    /// and [`Error::SignatureMismatch`].
    pub fn verify_row(&self, row: &Row<'_>) -> Result<(), Error> {
        on_own_stack(|| self.verify_single(&KeyedRow::from(row)))
    }

    fn verify_single(&self, row: &KeyedRow<'_>) -> Result<(), Error> {
        let planner = &self.planner;
        let store = &planner.store;
        let known = store.lookup_key(&row.key)?;
        let table = store.table(&known);
        let have = table.as_ref().map_or(0, |table| table.window());
        let (_, room) = planner.decide_for(&known, planner.workload(1, 1), 1, have, None);
        let built = room.and_then(|room| room.build(&known));
        let table = built.or(table);
        let options = VerifyOptions::new().hash(row.hash).policy(self.policy);
        match table {
            None => {
                planner.count(0, 1);
                let key = known.key();
                key.verify_with(row.input, row.signature, row.format, &options)
            }
            Some(key) => {
                planner.count(key.window(), 1);
                key.verify_with(row.input, row.signature, row.format, &options)
            }
        }
    }

    /// Returns the public keys of all rows, in their order, or the reason why a row has none.
    ///
    /// The policy is the engine's. The default accepts every s and every recovery id.
    /// [`Policy::ETHEREUM_PRECOMPILE`](crate::Policy::ETHEREUM_PRECOMPILE) accepts only the ids 0
    /// and 1, and [`Policy::ETHEREUM_TRANSACTION`](crate::Policy::ETHEREUM_TRANSACTION) no high s
    /// either. A row costs about as much as a row with a new key in [`verify`](Self::verify), plus
    /// a square root; nothing is remembered. Needs about 90 bytes of memory per row.
    pub fn recover(&self, rows: &RecoverRows<'_>) -> Recovered {
        self.recover_with(rows, &Control::default())
    }

    /// [`recover`](Self::recover) with options. There is no plan, so [`explain`](Control::explain)
    /// has no effect.
    pub fn recover_with(&self, rows: &RecoverRows<'_>, control: &Control<'_>) -> Recovered {
        recover::recover(rows, &self.call(control, rows.len()))
    }

    /// Returns the plan that [`verify`](Self::verify) would carry out with these rows now, with its
    /// costs.
    ///
    /// Reads the keys, which the store then remembers; builds nothing. The store may decide
    /// otherwise when it is asked for a table, and other calls may come between.
    pub fn explain(&self, rows: &Rows<'_>) -> Plan {
        explain::explain(&self.planner, self.policy, rows)
    }

    /// Returns counts of the work so far. Those of other threads' rows may lag behind by a moment.
    pub fn stats(&self) -> Stats {
        let promotions = self.planner.store.stats().promotions;
        let passing_tables = self.planner.passing_tables();
        let rows_by_window = self.planner.rows_by_window();
        Stats {
            fresh: rows_by_window[0],
            prepared: rows_by_window[1..].iter().sum(),
            batched: self.planner.batched(),
            rows_by_window,
            tables_built: promotions + passing_tables,
            passing_tables,
            window: self.planner.window,
        }
    }

    /// Returns the store of keys, which other engines may share.
    pub fn key_store(&self) -> &Arc<KeyStore> {
        &self.planner.store
    }

    /// Returns the fewest rows for which a key without a table gets one, if `rows` rows are judged
    /// together; `None` if a table never pays.
    pub fn table_pays_from(&self, curve: CurveName, rows: u64) -> Option<u64> {
        let Planner { costs, window, .. } = &self.planner;
        costs.in_block(rows)[curve].pays_from(*window)
    }

    /// Returns the threads that the engine was built with. They do not exist in the child of a
    /// process that has forked; it uses the caller's thread.
    pub(super) fn threads(&self) -> &Threads {
        self.threads.get_or_make(|| Threads::Caller)
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("threads", &self.threads().count())
            .field("policy", &self.policy)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bulk::forks::tests::in_child;
    use crate::{Algorithm, Input, SignatureFormat};

    /// The threads of an engine do not exist in the child of a process that forks.
    #[test]
    fn a_child_does_all_rows_on_the_callers_thread() {
        let engine = Engine::builder().threads(2).build().unwrap();
        let (key, signature) = ([4; 65], [1; 64]);
        let row = Row::new(
            Algorithm::ES256,
            &key,
            Input::Message(b"hello"),
            &signature,
            SignatureFormat::P1363,
        );
        let rows = vec![row; 3000];
        let counts = || {
            let verdicts = engine.verify(&Rows::from(&rows[..]));
            (engine.threads().count(), verdicts.rejected())
        };
        assert_eq!(counts(), (2, 3000));
        assert_eq!(in_child(1, counts), (1, 3000));
        assert_eq!(counts(), (2, 3000));
        // The child has no threads to end either.
        in_child(1, || drop(engine));
    }
}
