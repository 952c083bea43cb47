//! Random bytes for nonces, which the system is asked for once for many signatures.

use std::fmt;
use std::mem;
use std::sync::Mutex;

use zeroize::Zeroizing;

/// The random bytes that go into a nonce, beside key and digest.
pub(crate) type Entropy = Zeroizing<[u8; 32]>;

/// For how many signatures the system is asked at once: a call takes half a microsecond, a
/// twentieth of the time of a signature on P-256.
const COUNT: usize = 32;

/// Random bytes that no nonce was made with.
///
/// A process that forks leaves the same to its child, and that is harmless: nonces come of the key
/// and the digest too (RFC 6979 §3.6), so by the same bytes two of them are equal only for the same
/// key and digest, where the signatures are equal as well.
pub(crate) struct Pool(Mutex<Pieces>);

struct Pieces {
    pieces: Zeroizing<[[u8; 32]; COUNT]>,
    /// How many there are, the first ones.
    left: usize,
}

impl Pool {
    /// With nothing in it.
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Pieces {
            pieces: Zeroizing::new([[0; 32]; COUNT]),
            left: 0,
        }))
    }

    /// Bytes that were never handed out. `None` where the system has none.
    pub(crate) fn take(&self) -> Option<Entropy> {
        // Who would have to wait asks the system: so does the child of a process in which another
        // thread was here when it forked.
        let Ok(mut pool) = self.0.try_lock() else {
            let mut entropy = Entropy::default();
            getrandom::fill(&mut *entropy).ok()?;
            return Some(entropy);
        };
        let Pieces { pieces, left } = &mut *pool;
        if *left == 0 {
            getrandom::fill(pieces.as_flattened_mut()).ok()?;
            *left = COUNT;
        }
        *left -= 1;
        Some(Zeroizing::new(mem::take(&mut pieces[*left])))
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
        let mut seen = HashSet::from([[0; 32]]);
        for _ in 0..3 * COUNT {
            assert!(seen.insert(*pool.take().unwrap()), "the same bytes again");
            let Pieces { pieces, left } = &*pool.0.lock().unwrap();
            assert!(pieces[*left..].iter().all(|piece| *piece == [0; 32]));
        }
        // Beside one that is there already.
        let there = pool.0.lock().unwrap();
        assert!(seen.insert(*pool.take().unwrap()));
        assert!(seen.insert(*pool.take().unwrap()));
        drop(there);
        assert!(seen.insert(*pool.take().unwrap()));
    }
}
