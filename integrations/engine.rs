//! The engine of the process, with its key store. Several integrations link to this file.

use std::sync::Arc;

use once_cell::race::OnceBox;
use sigmill::bulk::Engine;

/// The default memory for keys and their tables, in bytes: 64 MiB. [`set_engine`] changes it.
pub const KEY_MEMORY: usize = 64 << 20;

/// Has no lock, because a forked child could find the lock held.
static ENGINE: OnceBox<Arc<Engine>> = OnceBox::new();

/// Returns the engine that verifies all signatures of the process. It has counts, and a
/// [`key_store`](Engine::key_store) in which keys can be pinned. The first use builds it in half a
/// millisecond, unless [`set_engine`] set one. A forked child has the same engine with its own key
/// store.
pub fn engine() -> &'static Arc<Engine> {
    ENGINE.get_or_init(|| {
        let builder = Engine::builder().key_memory(KEY_MEMORY);
        let engine = builder.build();
        let engine = engine.expect("the default options are valid and start no thread");
        Box::new(Arc::new(engine))
    })
}

/// Sets another engine for the process: one with more memory, or with a key store that others
/// share. Call it before the first signature is verified. The engine's policy applies to all of
/// them.
///
/// # Errors
/// Returns the engine if the process already has one.
pub fn set_engine(engine: Arc<Engine>) -> Result<(), Arc<Engine>> {
    ENGINE.set(Box::new(engine)).map_err(|engine| *engine)
}
