//! Keys that a program changes in place, with `EVP_PKEY_set1_encoded_public_key` or
//! `EVP_PKEY_set_octet_string_param`.
//!
//! libcrypto keeps the copy of a key that it has exported to us, and must export the key again
//! after a change. It does import the new key, but then takes the old copy for one that another
//! thread has just made: it frees the new copy and hands over the old one
//! (`evp_keymgmt_util_export_to_provider`, in every version from 3.0 to 3.5). This operation would
//! use the old key, and so would every later one.
//!
//! So each thread remembers the key whose copy is freed directly after its import. If libcrypto
//! then begins an operation with another key, the remembered key was usually a changed one, and the
//! operation fails. It does not continue with the new key: a copy is also freed unused if a program
//! makes a context for a key (`EVP_PKEY_CTX_new`) and frees both, and that key must not take the
//! place of the next operation's. If another thread really was first, both copies are of the same
//! key.
//!
//! The order of calls in a thread is always: import, free, one context for a new operation, and
//! then the operation. Any other order forgets the key.

use std::any::Any;
use std::cell::Cell;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::sync::Arc;

/// The last relevant call of a thread.
enum Last {
    Other,
    /// The import of a key into this handle.
    Import(*const c_void),
    /// The import of this key, and then the free of its handle.
    Free(Arc<dyn Any + Send + Sync>),
    /// Import and free, and then a context for a new operation.
    Context(Arc<dyn Any + Send + Sync>),
}

const OTHER: ManuallyDrop<Last> = ManuallyDrop::new(Last::Other);

thread_local! {
    /// It has no destructor, so it exists as long as the thread. At most a key that no operation
    /// followed leaks.
    static LAST: Cell<ManuallyDrop<Last>> = const { Cell::new(OTHER) };
}

fn replace(next: Last) -> Last {
    LAST.with(|last| ManuallyDrop::into_inner(last.replace(ManuallyDrop::new(next))))
}

/// Notes that a key was imported into this handle.
pub(crate) fn imported(handle: *const c_void) {
    replace(Last::Import(handle));
}

/// Notes that a handle is used in any way.
pub(crate) fn used() {
    LAST.with(|last| match ManuallyDrop::into_inner(last.replace(OTHER)) {
        Last::Import(_) => {}
        kept => last.set(ManuallyDrop::new(kept)),
    });
}

/// Notes that the handle of this key is freed.
pub(crate) fn freed<K: Send + Sync + 'static>(handle: *const c_void, key: Option<Arc<K>>) {
    if let (Last::Import(imported), Some(key)) = (replace(Last::Other), key)
        && imported == handle
    {
        replace(Last::Free(key));
    }
}

/// Notes that a new operation gets its context.
pub(crate) fn context_made() {
    if let Last::Free(key) = replace(Last::Other) {
        replace(Last::Context(key));
    }
}

/// Notes a call that is not part of beginning an operation.
pub(crate) fn interrupted() {
    replace(Last::Other);
}

/// Returns the key, if any, that was freed unused before the operation that begins in a new context
/// (`is_new`) or without one.
pub(crate) fn take<K: Send + Sync + 'static>(is_new: bool) -> Option<Arc<K>> {
    match (replace(Last::Other), is_new) {
        (Last::Context(key), true) | (Last::Free(key), false) => key.downcast().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_key_that_is_freed_unused_is_taken() {
        let handle = |n: usize| n as *const c_void;
        let free = |n| freed(handle(n), Some(Arc::new(n)));
        let drop_unused = || {
            imported(handle(1));
            free(1);
        };
        drop_unused();
        assert_eq!(take::<usize>(false).as_deref(), Some(&1));
        assert!(take::<usize>(false).is_none(), "once");
        drop_unused();
        used();
        context_made();
        used();
        assert_eq!(take::<usize>(true).as_deref(), Some(&1));

        let is_lost = |between: &dyn Fn(), is_new| {
            drop_unused();
            between();
            take::<usize>(is_new).is_none()
        };
        assert!(is_lost(&|| (), true), "no context");
        assert!(is_lost(&context_made, false), "a context");
        let two = || {
            context_made();
            context_made();
        };
        assert!(is_lost(&two, true));
        assert!(is_lost(&interrupted, false));
        assert!(is_lost(&|| free(2), false), "another one is freed");
        assert!(is_lost(&|| imported(handle(3)), false), "another import");

        imported(handle(1));
        free(2);
        assert!(take::<usize>(false).is_none(), "another handle");
        imported(handle(1));
        context_made();
        free(1);
        assert!(take::<usize>(false).is_none(), "a use before the free");
        imported(handle(1));
        used();
        free(1);
        assert!(take::<usize>(false).is_none(), "a use before the free");
        drop_unused();
        assert!(take::<u8>(false).is_none(), "another kind of key");
    }
}
