//! The engine of the process, with its store of keys.

use std::sync::Arc;

use once_cell::race::OnceBox;
use sigmill::bulk::Engine;

/// The memory for keys and their tables unless [`set_engine`] says otherwise, in bytes: 64 MiB.
pub const KEY_MEMORY: usize = 64 << 20;

/// Without a lock, which the child of a process that forks could find taken.
static ENGINE: OnceBox<Arc<Engine>> = OnceBox::new();

/// The engine that judges all signatures of the process: its counts, and its
/// [`key_store`](Engine::key_store), in which keys can be pinned. Built when it is first asked for,
/// which takes half a millisecond, unless [`set_engine`] gave one. The child of a process that
/// forks has the same engine with a store of its own.
pub fn engine() -> &'static Arc<Engine> {
    ENGINE.get_or_init(|| {
        let builder = Engine::builder().key_memory(KEY_MEMORY);
        let engine = builder.build();
        let engine = engine.expect("the default choices are valid, and start no thread");
        Box::new(Arc::new(engine))
    })
}

/// Gives the process another engine: one with more memory, or with a store of keys that others
/// share. Before the first handshake; a policy of the engine holds there too.
///
/// # Errors
/// The engine comes back if there is one already.
pub fn set_engine(engine: Arc<Engine>) -> Result<(), Arc<Engine>> {
    ENGINE.set(Box::new(engine)).map_err(|engine| *engine)
}
