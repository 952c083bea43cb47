//! Keys of ours that other providers have copies of.
//!
//! What [`replaced`](crate::replaced) says of copies of other providers' keys is so the other way
//! round, too: where an operation is another provider's, libcrypto exports our key to it, and keeps
//! that copy when the key is changed. There is no way to reach the copy. But libcrypto asks for the
//! key each time, and an export that fails leaves no copy to work with: a comparison of keys is
//! then made with our functions, and any other operation fails. All that writes or prints keys
//! takes another callback, and keeps nothing.

use std::cell::Cell;
use std::sync::{Mutex, PoisonError};

/// A callback by its address.
pub(crate) type Address = usize;

/// Through which callbacks a key has gone.
#[derive(Debug, Default)]
pub(crate) struct Exports(Mutex<Callbacks>);

#[derive(Debug, Default)]
struct Callbacks {
    /// Since the key was changed last.
    now: Vec<Address>,
    /// Before.
    before: Vec<Address>,
}

thread_local! {
    static LAST: Cell<Option<Address>> = const { Cell::new(None) };
}

impl Exports {
    /// The key is changed.
    pub(crate) fn key_changed(&mut self) {
        let Callbacks { now, before } = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        now.retain(|callback| !before.contains(callback));
        before.append(now);
    }

    /// Whether the key may go through a callback. It may not if that `keeps` what it gets, and was
    /// called before the key was changed.
    pub(crate) fn allow(&self, callback: Address, keeps: impl Fn(Address) -> bool) -> bool {
        LAST.set(Some(callback));
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let was_called = lock().before.contains(&callback);
        // Asking makes an export of another key.
        if was_called && keeps(callback) {
            return false;
        }
        let mut callbacks = lock();
        if !callbacks.now.contains(&callback) {
            callbacks.now.push(callback);
        }
        true
    }
}

/// The callback of the only export that this thread makes meanwhile.
pub(crate) fn callback_of(export: impl FnOnce()) -> Option<Address> {
    LAST.set(None);
    export();
    LAST.take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_that_is_kept_is_made_of_one_state_of_a_key() {
        let (keeps, writes) = (1, 2);
        let is_keeper = |callback| callback == keeps;
        let mut exports = Exports::default();
        assert!(exports.allow(keeps, is_keeper) && exports.allow(writes, is_keeper));
        assert!(exports.allow(keeps, is_keeper) && exports.allow(writes, is_keeper));
        exports.key_changed();
        assert!(!exports.allow(keeps, is_keeper) && exports.allow(writes, is_keeper));
        exports.key_changed();
        assert!(!exports.allow(keeps, is_keeper) && exports.allow(writes, is_keeper));
        // One that was never copied before.
        let mut exports = Exports::default();
        assert!(exports.allow(writes, is_keeper));
        exports.key_changed();
        assert!(exports.allow(keeps, is_keeper));
    }

    #[test]
    fn the_callback_of_an_export_is_found() {
        let (callback, exports) = (3, Exports::default());
        let found = callback_of(|| assert!(exports.allow(callback, |_| false)));
        assert_eq!(found, Some(3));
        assert_eq!(callback_of(|| ()), None);
    }
}
