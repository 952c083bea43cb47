//! The options of an engine.

use std::sync::Arc;

use super::engine::Engine;
use super::planner::Planner;
use super::threads::Threads;
use crate::bulk::plan::{Costs, Speed};
use crate::bulk::store::KeyStore;
use crate::stack::on_own_stack;
use crate::table::MAX_WINDOW;
use crate::{Error, Policy};

/// The default for the widest window. A key that came in a thousand rows or more gets it, in place
/// of several narrower tables. One bit more saves 3 % of a row. Measure with `bench -- --only
/// 'p256/verify/prepared/bulk'` after a change.
const DEFAULT_WINDOW: u32 = 10;

/// The default memory for keys and tables: some 1,500 keys on P-256 at window 7.
const DEFAULT_KEY_MEMORY: usize = 256 << 20;

/// The options of an [`Engine`].
#[derive(Clone, Debug)]
pub struct EngineBuilder {
    threads: usize,
    keys: Keys,
    window: u32,
    policy: Policy,
    speed: Speed,
}

#[derive(Clone, Debug)]
enum Keys {
    Memory(usize),
    Store(Arc<KeyStore>),
}

impl Default for EngineBuilder {
    fn default() -> Self {
        Self {
            threads: 1,
            keys: Keys::Memory(DEFAULT_KEY_MEMORY),
            window: DEFAULT_WINDOW,
            policy: Policy::default(),
            speed: Speed::default(),
        }
    }
}

impl Engine {
    /// Returns the default options: the caller's thread, 256 MiB for keys and tables of window 10
    /// at most, high s accepted.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }
}

impl EngineBuilder {
    /// Sets the number of threads that work on a call. 1 means the caller's thread. With more, the
    /// engine has a pool that it starts when it is built and ends when it is dropped; the caller's
    /// thread waits. 0 means the number that this machine runs side by side
    /// ([`available_parallelism`](std::thread::available_parallelism)), or one if that is unknown.
    /// The caller's thread does a call of few rows in any case.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets the memory for keys and their tables between calls, in bytes; 0 for none. Memory is
    /// allocated as it is used, so a large number costs nothing by itself. But if it is more than
    /// the machine has, an allocation may fail, which ends the program. In addition, a call builds
    /// tables for itself alone if a key has many rows in it and no room in this memory: some
    /// megabytes for each thread.
    ///
    /// Replaces an earlier [`key_store`](Self::key_store).
    #[must_use]
    pub fn key_memory(mut self, bytes: usize) -> Self {
        self.keys = Keys::Memory(bytes);
        self
    }

    /// Sets a store of the caller's. Other engines may share it, and it may know keys already.
    ///
    /// Replaces an earlier [`key_memory`](Self::key_memory).
    #[must_use]
    pub fn key_store(mut self, store: Arc<KeyStore>) -> Self {
        self.keys = Keys::Store(store);
        self
    }

    /// Sets the widest window of the tables that are built, 1 to 11 bits. Keys that are not worth
    /// it (yet) get narrower ones, of at least 4 bits.
    #[must_use]
    pub fn window(mut self, window: u32) -> Self {
        self.window = window;
        self
    }

    /// Sets the policy: the rules of acceptance beyond the equation.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets the speed of the machine for the planner. The default is [`Speed::Measured`].
    #[must_use]
    pub fn speed(mut self, speed: Speed) -> Self {
        self.speed = speed;
        self
    }

    /// Builds the engine.
    ///
    /// # Errors
    /// [`Error::WindowOutOfRange`]; [`Error::ThreadsNotStarted`].
    pub fn build(self) -> Result<Engine, Error> {
        // Costs are tables of many KiB.
        on_own_stack(|| self.build_here())
    }

    fn build_here(self) -> Result<Engine, Error> {
        let window = self.window;
        if !(1..=MAX_WINDOW).contains(&window) {
            return Err(Error::WindowOutOfRange { window });
        }
        let costs = Costs::at(self.speed);
        let store = match self.keys {
            Keys::Memory(bytes) => Arc::new(KeyStore::new(bytes)),
            Keys::Store(store) => store,
        };
        let threads = Threads::new(self.threads)?;
        let planner = Planner::new(store, costs, window);
        Ok(Engine::new(planner, threads, self.policy))
    }
}
