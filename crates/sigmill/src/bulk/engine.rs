//! The engine: a row in, a verdict out.

use core::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{Input, KeyStore, Row};
use crate::table::MAX_WINDOW;
use crate::{Error, Policy};

/// The sighting of a key at which its table is built.
///
/// A table of window 7 takes as long to build as seven verifications save by having it on P-256,
/// and six on P-384; a key that came that often is likely to come as often again (`bench`:
/// operations `table-build/w7`, `verify/fresh/single`, `verify/prepared/single`).
const PROMOTE_AT: u32 = 6;

/// The window of the tables unless told otherwise: Fig. 1 of Drucker and Gueron flattens here.
const DEFAULT_WINDOW: u32 = 7;

/// The memory for tables unless told otherwise: 1,771 keys on P-256 at window 7.
const DEFAULT_KEY_MEMORY: usize = 256 << 20;

/// Verifies rows, remembering keys. Any number of threads may share it by reference; it starts
/// none of its own.
///
/// ```
/// use sigmill::bulk::{Engine, Input, Row};
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
/// # Ok::<(), Error>(())
/// ```
pub struct Engine {
    store: KeyStore,
    policy: Policy,
    window: u32,
    fresh: AtomicU64,
    prepared: AtomicU64,
}

/// The choices of an [`Engine`].
#[derive(Clone, Copy, Debug)]
pub struct EngineBuilder {
    key_memory: usize,
    window: u32,
    policy: Policy,
}

/// What an engine has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Rows that were verified with a key that has no table.
    pub fresh: u64,
    /// Rows that were verified with a key that has one.
    pub prepared: u64,
    /// Tables built.
    pub tables_built: u64,
    /// The memory that the tables take, in bytes.
    pub table_bytes: u64,
    /// Different usable keys, however encoded.
    pub distinct_keys: u64,
    /// Whether there were more keys than are counted (2^20): then `distinct_keys` is a lower bound.
    pub distinct_keys_saturated: bool,
    /// The window of the tables, in bits.
    pub window: u32,
    /// The sighting of a key at which its table is built.
    pub promote_at: u32,
}

impl Engine {
    /// The default choices: 256 MiB for tables of window 7, high s accepted.
    pub fn builder() -> EngineBuilder {
        EngineBuilder {
            key_memory: DEFAULT_KEY_MEMORY,
            window: DEFAULT_WINDOW,
            policy: Policy::default(),
        }
    }

    /// The verdict of one row: what the single call says of it.
    ///
    /// A key is parsed at its first sight and gets a table when it comes back often enough and the
    /// memory for tables allows it.
    ///
    /// # Errors
    /// The rule that the row breaks: those of the key's and the signature's encoding,
    /// [`Error::DigestEmpty`], [`Error::HighS`] where the policy forbids it, and
    /// [`Error::SignatureMismatch`].
    pub fn verify_row(&self, row: &Row<'_>) -> Result<(), Error> {
        let known = self.store.lookup(row.algorithm.curve, row.key)?;
        let hashed;
        let digest = match row.input {
            Input::Digest(digest) => digest,
            Input::Message(message) => {
                hashed = row.algorithm.hash.digest(message);
                &hashed
            }
        };
        self.store.sight(&known, 1);
        let table = self.store.table(&known).or_else(|| {
            (known.sightings() >= u64::from(PROMOTE_AT))
                .then(|| self.store.promote(&known, self.window))
                .flatten()
        });
        match table {
            None => {
                self.fresh.fetch_add(1, Relaxed);
                let key = known.key();
                key.verify_prehash(digest, row.signature, row.format, self.policy)
            }
            Some(key) => {
                self.prepared.fetch_add(1, Relaxed);
                key.verify_prehash(digest, row.signature, row.format, self.policy)
            }
        }
    }

    /// What was done so far. Counts of other threads' rows may lag behind by a moment.
    pub fn stats(&self) -> Stats {
        let store = self.store.stats();
        Stats {
            fresh: self.fresh.load(Relaxed),
            prepared: self.prepared.load(Relaxed),
            tables_built: store.promotions,
            table_bytes: store.table_bytes,
            distinct_keys: store.distinct_keys,
            distinct_keys_saturated: store.distinct_keys_saturated,
            window: self.window,
            promote_at: PROMOTE_AT,
        }
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("policy", &self.policy)
            .field("stats", &self.stats())
            .finish()
    }
}

impl EngineBuilder {
    /// The memory that tables may take, in bytes; 0 for no tables.
    #[must_use]
    pub fn key_memory(mut self, bytes: usize) -> Self {
        self.key_memory = bytes;
        self
    }

    /// The window of the tables, 1 to 11 bits.
    #[must_use]
    pub fn window(mut self, window: u32) -> Self {
        self.window = window;
        self
    }

    /// What is accepted beyond the equation.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// The engine.
    ///
    /// # Errors
    /// [`Error::WindowOutOfRange`].
    pub fn build(self) -> Result<Engine, Error> {
        let Self {
            key_memory,
            window,
            policy,
        } = self;
        if !(1..=MAX_WINDOW).contains(&window) {
            return Err(Error::WindowOutOfRange { window });
        }
        Ok(Engine {
            store: KeyStore::new(key_memory),
            policy,
            window,
            fresh: AtomicU64::new(0),
            prepared: AtomicU64::new(0),
        })
    }
}
