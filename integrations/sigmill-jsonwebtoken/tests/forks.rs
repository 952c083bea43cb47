//! Children of a process whose threads verify at the moment of the fork: none waits for a lock that
//! one of them held. A program of its own, as what forks must not have the threads of a test.

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
fn main() {
    unix::main();
}

#[cfg(unix)]
mod unix {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;
    use std::{env, process, thread};

    use fork::{Fork, WEXITSTATUS, WIFEXITED, fork, waitpid};
    use jsonwebtoken::{Algorithm, DecodingKey};
    use sigmill_jsonwebtoken::sigmill::bulk::Engine;
    use sigmill_jsonwebtoken::sigmill::p256::SigningKey;
    use sigmill_jsonwebtoken::{set_engine, v11};

    const KEYS: usize = 60;
    const THREADS: usize = 3;
    /// A child that takes so long hangs. One on a busy machine does not.
    const LONG: Duration = Duration::from_secs(60);

    /// A key, and its signature of the message.
    type Pair = ([u8; 65], Vec<u8>);

    const MESSAGE: &[u8] = b"m";

    fn pairs() -> Vec<Pair> {
        let keys = SigningKey::generate_many(KEYS).unwrap();
        let pair = |key: &SigningKey| {
            let point = key.verifying_key().to_sec1_bytes(false);
            (
                point.try_into().unwrap(),
                key.sign(MESSAGE).to_p1363().to_vec(),
            )
        };
        keys.iter().map(pair).collect()
    }

    /// Numbers that look random.
    fn numbers(mut state: u32) -> impl Iterator<Item = usize> {
        std::iter::from_fn(move || {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            Some((state >> 16) as usize % KEYS)
        })
    }

    fn verify((key, signature): &Pair) {
        let key = DecodingKey::from_ec_der(key);
        let verifier = (v11::provider().verifier_factory)(&Algorithm::ES256, &key).unwrap();
        verifier.verify(MESSAGE, signature).unwrap();
    }

    pub(crate) fn main() {
        let forks = env::var("SIGMILL_FORKS").map_or(300_u32, |forks| forks.parse().unwrap());
        // Too little memory for all tables: so locks are taken to write, too.
        let small = Engine::builder().key_memory(1 << 20).build().unwrap();
        assert!(set_engine(Arc::new(small)).is_ok());
        let (pairs, ends) = (&pairs(), &AtomicBool::new(false));
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
                    // Nothing of its parent's is ended or waited for.
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
}
