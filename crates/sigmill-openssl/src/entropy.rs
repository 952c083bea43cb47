//! Random bytes for nonces, requested from the system for many signatures at once. Keys do not use
//! them: for each key the system is asked separately (`generation`).

use std::sync::Mutex;
use std::{fmt, mem};

use sigmill::bulk::forks;
use zeroize::Zeroizing;

/// The random bytes that go into a nonce, in addition to key and digest.
pub(crate) type Entropy = Zeroizing<[u8; 32]>;

/// The number of signatures per request. A request costs 0.3 to 0.5 us, a twentieth of the time of
/// a signature on P-256.
const COUNT: usize = 32;

/// Random bytes of one process that no nonce has used. The child of a process that forks has its
/// own. (A child made without the C library has the same bytes. That does no harm: with the same
/// bytes, nonces are equal only for the same key and digest, RFC 6979 §3.6, and so are the
/// signatures.)
pub(crate) struct Pool {
    pieces: Mutex<Pieces>,
}

struct Pieces {
    /// On the heap: programs load the module with little stack left.
    pieces: Zeroizing<Vec<[u8; 32]>>,
    /// The number of unused pieces, which are the first ones.
    left: usize,
    /// The process of the pieces, by the number of forks that led to it.
    forks: u32,
}

impl Pool {
    /// An empty pool.
    pub(crate) fn new() -> Self {
        Self {
            pieces: Mutex::new(Pieces {
                pieces: Zeroizing::new(vec![[0; 32]; COUNT]),
                left: 0,
                forks: forks(),
            }),
        }
    }

    /// Returns bytes that were never handed out, or `None` if the system has none.
    pub(crate) fn take(&self) -> Option<Entropy> {
        // Instead of waiting for the lock, use the system. This also helps the child of a process
        // that forked while another thread held the lock.
        let Ok(mut pieces) = self.pieces.try_lock() else {
            let mut entropy = Entropy::default();
            getrandom::fill(&mut *entropy).ok()?;
            return Some(entropy);
        };
        pieces.take()
    }
}

impl Pieces {
    fn take(&mut self) -> Option<Entropy> {
        let forks = forks();
        if self.left == 0 || self.forks != forks {
            self.left = 0;
            getrandom::fill(self.pieces.as_flattened_mut()).ok()?;
            (self.left, self.forks) = (COUNT, forks);
        }
        self.left -= 1;
        Some(Zeroizing::new(mem::take(&mut self.pieces[self.left])))
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn nothing_is_handed_out_twice_or_kept() {
        let pool = Pool::new();
        let pieces = || pool.pieces.lock().unwrap();
        let mut seen = HashSet::from([[0; 32]]);
        for _ in 0..3 * COUNT {
            assert!(seen.insert(*pool.take().unwrap()), "the same bytes again");
            let pieces = pieces();
            let used = &pieces.pieces[pieces.left..];
            assert!(used.iter().all(|piece| *piece == [0; 32]));
        }
        // While another thread holds the lock.
        assert!(seen.insert(*pool.take().unwrap()));
        let there = pieces();
        assert!(seen.insert(*pool.take().unwrap()));
        assert!(seen.insert(*pool.take().unwrap()));
        drop(there);
        // A child uses none of its parent's bytes.
        let of_parent = pieces().pieces.clone();
        let mut pool_of_parent = pieces();
        pool_of_parent.forks = pool_of_parent.forks.wrapping_sub(1);
        drop(pool_of_parent);
        assert!(seen.insert(*pool.take().unwrap()));
        let pieces = pieces();
        let kept = &pieces.pieces[..pieces.left];
        assert!(kept.len() == COUNT - 1 && kept.iter().all(|piece| !of_parent.contains(piece)));
    }
}
