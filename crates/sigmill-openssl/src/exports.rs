//! Keys of ours that other providers have copies of.
//!
//! The defect that [`replaced`](crate::replaced) describes for copies of other providers' keys also
//! works the other way round. For an operation of another provider, libcrypto exports our key to
//! it, and keeps that copy when the key is changed. We cannot reach the copy. But libcrypto
//! requests an export each time, and one that fails leaves no copy to work with: keys are then
//! compared with our functions, and any other operation fails. Code that writes or prints keys uses
//! another callback and keeps nothing.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The address of a callback.
pub(crate) type Address = usize;

/// The callbacks that a key was exported through.
///
/// There is no lock, as the child of a process that forks could find it held.
#[derive(Debug, Default)]
pub(crate) struct Exports {
    /// Callbacks after the last change of the key; 0 for an unused place.
    now: [AtomicUsize; 16],
    /// Callbacks before that change.
    before: Vec<Address>,
}

thread_local! {
    static LAST: Cell<Option<Address>> = const { Cell::new(None) };
}

impl Exports {
    /// Notes that the key is changed.
    pub(crate) fn key_changed(&mut self) {
        for callback in &mut self.now {
            let callback = std::mem::take(callback.get_mut());
            if callback != 0 && !self.before.contains(&callback) {
                self.before.push(callback);
            }
        }
    }

    /// Returns true if the key may be exported through a callback. It may not if the callback
    /// `keeps` what it gets and was called before the key was changed, or if it is the seventeenth.
    pub(crate) fn allow(&self, callback: Address, keeps: impl Fn(Address) -> bool) -> bool {
        LAST.set(Some(callback));
        if self.before.contains(&callback) && keeps(callback) {
            return false;
        }
        self.now.iter().any(|place| {
            match place.compare_exchange(0, callback, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => true,
                Err(other) => other == callback,
            }
        })
    }
}

/// Returns the callback of the only export that this thread makes meanwhile.
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
        // A callback that never copied the key before.
        let mut exports = Exports::default();
        assert!(exports.allow(writes, is_keeper));
        exports.key_changed();
        assert!(exports.allow(keeps, is_keeper));
    }

    #[test]
    fn a_callback_that_cannot_be_noted_is_refused() {
        let exports = Exports::default();
        let count = exports.now.len();
        assert!((1..=count).all(|callback| exports.allow(callback, |_| true)));
        assert!(!exports.allow(count + 1, |_| true) && exports.allow(count, |_| true));
    }

    #[test]
    fn the_callback_of_an_export_is_found() {
        let (callback, exports) = (3, Exports::default());
        let found = callback_of(|| assert!(exports.allow(callback, |_| false)));
        assert_eq!(found, Some(3));
        assert_eq!(callback_of(|| ()), None);
    }
}
