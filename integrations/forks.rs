//! Forks a process whose threads verify: no child waits for a lock that one of them held. Each
//! crate with such an interface includes this file in a test that has no threads except its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{env, process, thread};

use fork::{Fork, WEXITSTATUS, WIFEXITED, fork, waitpid};

use crate::set_engine;
use crate::sigmill::bulk::Engine;
use crate::sigmill::p256::{Signature, SigningKey};

const KEYS: usize = 60;
const THREADS: usize = 3;
/// A child that needs this long hangs; one on a busy machine does not need it.
const LONG: Duration = Duration::from_secs(60);

/// The uncompressed point of a key, and its signature of [`MESSAGE`].
pub(crate) type Pair = ([u8; 65], Vec<u8>);

pub(crate) const MESSAGE: &[u8] = b"m";

fn pair(key: &SigningKey, encode: impl Fn(&Signature) -> Vec<u8>) -> Pair {
    let point = key.verifying_key().to_sec1_bytes(false);
    (point.try_into().unwrap(), encode(&key.sign(MESSAGE)))
}

/// Pseudorandom numbers below [`KEYS`].
fn numbers(mut state: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        Some((state >> 16) as usize % KEYS)
    })
}

/// Forks `SIGMILL_FORKS` times, 300 by default. Panics if a child fails or hangs.
pub(crate) fn children_do_not_hang(
    encode: impl Fn(&Signature) -> Vec<u8>,
    verify: impl Fn(&Pair) + Sync,
) {
    let forks = env::var("SIGMILL_FORKS").map_or(300_u32, |forks| forks.parse().unwrap());
    // Too little memory for all tables, so that write locks are also taken.
    let small = Engine::builder().key_memory(1 << 20).build().unwrap();
    assert!(set_engine(Arc::new(small)).is_ok());
    let keys = SigningKey::generate_many(KEYS).unwrap();
    let pairs: Vec<_> = keys.iter().map(|key| pair(key, &encode)).collect();
    let (pairs, verify, ends) = (&pairs, &verify, &AtomicBool::new(false));
    pairs.iter().for_each(verify);
    thread::scope(|scope| {
        for seed in 0..THREADS {
            scope.spawn(move || {
                for number in numbers(seed as u32) {
                    verify(&pairs[number]);
                    if ends.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
        }
        let ended_well = |&seed: &u32| match fork().unwrap() {
            Fork::Child => {
                thread::spawn(|| {
                    thread::sleep(LONG);
                    process::abort();
                });
                for number in numbers(seed).take(16) {
                    verify(&pairs[number]);
                }
                // This neither ends nor joins the parent's threads.
                process::exit(0);
            }
            Fork::Parent(child) => {
                let status = waitpid(child).unwrap();
                WIFEXITED(status) && WEXITSTATUS(status) == 0
            }
        };
        let well = (1000..1000 + forks).take_while(ended_well).count();
        ends.store(true, Ordering::Relaxed);
        assert_eq!(well, forks as usize, "a child has failed or hung");
    });
    println!("{forks} forks, none hung");
}
