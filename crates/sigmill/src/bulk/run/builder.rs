//! The choices of an engine.

use std::sync::Arc;

use super::engine::Engine;
use super::planner::Planner;
use super::threads::Threads;
use crate::bulk::plan::{Costs, Speed};
use crate::bulk::store::KeyStore;
use crate::stack::on_own_stack;
use crate::table::MAX_WINDOW;
use crate::{Error, Policy};

/// The widest window of the tables unless told otherwise: of a key that came in a thousand rows and
/// more, so that the memory of some narrower tables goes to it. One bit more saves 3 % of a row.
const DEFAULT_WINDOW: u32 = 10;

/// The memory for keys and tables unless told otherwise: some 1,500 keys on P-256 at window 7.
const DEFAULT_KEY_MEMORY: usize = 256 << 20;

/// The choices of an [`Engine`].
#[derive(Clone, Debug)]
pub struct EngineBuilder {
    threads: usize,
    keys: Keys,
    window: u32,
    policy: Policy,
    speed: Option<Speed>,
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
            speed: None,
        }
    }
}

impl Engine {
    /// The default choices: the caller's thread, 256 MiB for keys and tables of window 10 at most,
    /// high s accepted.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }
}

impl EngineBuilder {
    /// How many threads work on a call. 1 is the caller's own; more are a pool that the engine
    /// starts when it is built and ends when it is dropped, and the caller's thread waits. 0 is as
    /// many as this machine runs side by side
    /// ([`available_parallelism`](std::thread::available_parallelism)), one where that cannot be
    /// asked. A call of few rows is done by the caller's thread in any case.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// The memory that keys and their tables may take between calls, in bytes; 0 for none. It is
    /// taken as it is used, so a large number costs nothing by itself; but where it is more than
    /// the machine has, the program may end as those do whose allocations fail. Besides, a call
    /// builds tables for itself alone where a key has many rows in it and no room in this memory:
    /// some megabytes for each thread.
    ///
    /// Replaces an earlier [`key_store`](Self::key_store).
    #[must_use]
    pub fn key_memory(mut self, bytes: usize) -> Self {
        self.keys = Keys::Memory(bytes);
        self
    }

    /// A store of the caller's, which other engines may share, and which may know keys already.
    ///
    /// Replaces an earlier [`key_memory`](Self::key_memory).
    #[must_use]
    pub fn key_store(mut self, store: Arc<KeyStore>) -> Self {
        self.keys = Keys::Store(store);
        self
    }

    /// The widest window of the tables that are built, 1 to 11 bits. Keys that are not worth it
    /// (yet) get narrower ones, of 4 bits at least.
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

    /// How fast the planner takes this machine to be: what
    /// [`calibrate`](crate::bulk::calibrate()) measured, or [`Speed::FIXED`] for decisions that are
    /// the same everywhere. Without it, [`Speed::measured`] counts.
    #[must_use]
    pub fn speed(mut self, speed: Speed) -> Self {
        self.speed = Some(speed);
        self
    }

    /// The engine.
    ///
    /// # Errors
    /// [`Error::WindowOutOfRange`]; [`Error::SpeedOutOfRange`]; [`Error::ThreadsNotStarted`].
    pub fn build(self) -> Result<Engine, Error> {
        // Costs are tables of many KiB.
        on_own_stack(|| self.build_here())
    }

    fn build_here(self) -> Result<Engine, Error> {
        let window = self.window;
        if !(1..=MAX_WINDOW).contains(&window) {
            return Err(Error::WindowOutOfRange { window });
        }
        let costs = match self.speed {
            Some(speed) => Arc::new(Costs::new(speed)?),
            None => Costs::measured(),
        };
        let store = match self.keys {
            Keys::Memory(bytes) => Arc::new(KeyStore::new(bytes)),
            Keys::Store(store) => store,
        };
        let threads = Threads::new(self.threads)?;
        let planner = Planner::new(store, costs, window);
        Ok(Engine::new(planner, threads, self.policy))
    }
}
