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
    use once_cell::race::OnceBox;
    use rustls::crypto::ring;
    use rustls::pki_types::{SignatureVerificationAlgorithm, alg_id};
    use sigmill_rustls::set_engine;
    use sigmill_rustls::sigmill::bulk::Engine;
    use sigmill_rustls::sigmill::p256::SigningKey;

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
                key.sign(MESSAGE).to_der().to_vec(),
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
        let ours = algorithm().verify_signature(key, MESSAGE, signature);
        ours.unwrap();
    }

    fn algorithm() -> &'static dyn SignatureVerificationAlgorithm {
        static FOUND: OnceBox<&'static dyn SignatureVerificationAlgorithm> = OnceBox::new();
        *FOUND.get_or_init(|| {
            let stock = ring::default_provider().signature_verification_algorithms;
            let all = sigmill_rustls::algorithms(stock).all;
            let is_it = |it: &&dyn SignatureVerificationAlgorithm| {
                (it.public_key_alg_id(), it.signature_alg_id())
                    == (alg_id::ECDSA_P256, alg_id::ECDSA_SHA256)
            };
            Box::new(*all.iter().find(|it| is_it(it)).unwrap())
        })
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
