//! Tests whether operations take the same time for one secret as for others (O. Reparaz, J.
//! Balasch, I. Verbauwhede, "Dude, is my code constant time?", 2016).
//!
//! Two classes of secrets, a fixed one and random ones, alternate at random. The inputs of a class
//! are created beforehand, each in its own memory, so that the two classes differ only in their
//! values. Welch's t-test then compares the means of the two classes: of all times, and of those
//! below each of several percentiles, which removes occasional interference by the system. The
//! largest |t| counts.
//!
//! A test can show a leak but never its absence, and machines are noisy: so this prints results and
//! gates nothing.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sigmill::agreement::x25519::{PublicKey, StaticSecret, diffie_hellman_many, x25519};
use sigmill::agreement::{
    self, CertificateSignature, diffie_hellman, diffie_hellman_with_certificate_from_rng,
};
use sigmill::cpu;
use sigmill::curves::{NamedCurve, P256, P384};
use sigmill::keys::{self, sign_prehash_many};
use sigmill::p256::SigningKey;

use crate::operations::use_up;

/// From this value on the two classes differ beyond doubt (the threshold of the paper's tool).
const LEAK: f64 = 10.0;
/// From this value on a second run with more measurements is advisable.
const SUSPICIOUS: f64 = 4.5;

/// The number of inputs created at a time.
const BATCH: usize = 64;
/// The number of measurements that determine the percentiles and are not counted.
const WARM_UP: usize = 1024;
/// The shares of measurements that are kept, in addition to all.
const KEPT: [f64; 8] = [0.999, 0.99, 0.95, 0.9, 0.75, 0.5, 0.25, 0.1];
/// The index of the share whose means are printed: those of the faster half.
const PRINTED: usize = 6;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only the operations whose names contain this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// How long each is measured
    #[arg(long, value_name = "N", default_value = "10")]
    seconds: u64,
}

/// An operation, ready to measure.
type Ready = Box<dyn FnMut()>;

/// Creates an operation from a secret.
type Prepare = fn(&[u8; 32]) -> Ready;

const OPERATIONS: [(&str, Prepare); 11] = [
    ("p256/sign", |secret| {
        let key = key(secret);
        Box::new(move || use_up(key.sign_prehash(&[7; 32])))
    }),
    ("p256/public-key", |secret| {
        let key = key(secret);
        Box::new(move || use_up(key.secret_scalar().public_key()))
    }),
    ("p256/agree", |secret| {
        let (key, peer) = (key(secret), *key(&[5; 32]).verifying_key());
        Box::new(move || use_up(diffie_hellman(key.secret_scalar(), &peer)))
    }),
    // Many rows with the same secret, in AVX-512 IFMA if available.
    ("p256/sign/many", |secret| {
        let key = key(secret);
        Box::new(move || use_up(sign_prehash_many(&[(&key, &[7; 32][..]); 8])))
    }),
    ("p256/agree/many", |secret| {
        let (key, peer) = (key(secret), *key(&[5; 32]).verifying_key());
        Box::new(move || {
            use_up(agreement::diffie_hellman_many(
                &[(key.secret_scalar(), &peer); 64],
            ))
        })
    }),
    ("x25519/function", |secret| {
        let secret = *secret;
        Box::new(move || use_up(x25519(black_box(secret), [9; 32])))
    }),
    // Sums of digits in eight lanes, in AVX-512 IFMA if available.
    ("p256/agree/with-certificate", with_certificate::<P256>),
    ("p384/agree/with-certificate", with_certificate::<P384>),
    // Eight rows at once, in AVX-512 IFMA if available.
    ("x25519/many", |secret| {
        let secrets: [StaticSecret; 8] = std::array::from_fn(|_| StaticSecret::from(*secret));
        let peer = PublicKey::from(&StaticSecret::from([5; 32]));
        Box::new(move || {
            let rows = secrets.each_ref().map(|secret| (secret, &peer));
            use_up(diffie_hellman_many(&rows));
        })
    }),
    ("control: nothing secret", |_| {
        let key = key(&[5; 32]);
        Box::new(move || use_up(key.sign_prehash(&[7; 32])))
    }),
    // Ends at the first byte that differs from the fixed secret.
    ("control: planted leak", |secret| {
        let secret = secret.repeat(64);
        Box::new(move || {
            let fixed = black_box(FIXED);
            let differs = |(i, byte): (usize, &u8)| *byte != black_box(fixed[i % 32]);
            black_box(secret.iter().enumerate().position(differs));
        })
    }),
];

/// The fixed secret: with few bits set, so that dependence on their number shows.
const FIXED: [u8; 32] = {
    let mut bytes = [0; 32];
    bytes[31] = 1;
    bytes
};

fn key(secret: &[u8; 32]) -> SigningKey {
    let mut secret = *secret;
    // Below the order.
    secret[0] &= 0x7f;
    SigningKey::from_be_bytes(&secret).expect("in range")
}

/// An agreement of a secret with a peer, including a check of the peer's certificate.
fn with_certificate<C: NamedCurve + Default>(secret: &[u8; 32]) -> Ready {
    let key = |last: &[u8; 32]| {
        let mut bytes = vec![0; C::default().name().order_len()];
        let first = bytes.len() - last.len();
        bytes[first..].copy_from_slice(last);
        bytes[first] &= 0x7f;
        keys::SigningKey::<C>::from_be_bytes(&bytes).expect("in range")
    };
    let (secret, issuer, peer) = (key(secret), key(&[3; 32]), key(&[5; 32]));
    let digest = [7; 32];
    let (signature, id) = issuer.sign_prehash_recoverable(&digest).expect("a digest");
    Box::new(move || {
        let certificate = CertificateSignature {
            issuer: issuer.verifying_key(),
            digest: &digest,
            signature: &signature,
            hint: sigmill::Hint::Id(id),
        };
        use_up(diffie_hellman_with_certificate_from_rng(
            secret.secret_scalar(),
            peer.verifying_key(),
            &certificate,
            &mut ChaCha20Rng::seed_from_u64(2),
        ));
    })
}

/// Running mean and variance (Welford).
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn push(&mut self, x: f64) {
        self.count += 1.0;
        let delta = x - self.mean;
        self.mean += delta / self.count;
        self.squares += delta * (x - self.mean);
    }

    /// The variance of the mean.
    fn uncertainty(&self) -> f64 {
        self.squares / (self.count - 1.0) / self.count
    }
}

/// Welch's t of two classes.
fn welch([a, b]: &[Moments; 2]) -> f64 {
    let uncertainty = a.uncertainty() + b.uncertainty();
    if a.count < 100.0 || b.count < 100.0 || uncertainty == 0.0 {
        return 0.0;
    }
    (a.mean - b.mean) / uncertainty.sqrt()
}

/// Measures one operation; returns the largest |t|, the means of the faster half, and the number of
/// measurements.
fn measure(prepare: Prepare, time: Duration) -> (f64, [f64; 2], f64) {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let mut first: Vec<f64> = Vec::with_capacity(WARM_UP);
    let mut limits = [f64::INFINITY; KEPT.len() + 1];
    let mut classes = [[Moments::default(); 2]; KEPT.len() + 1];
    let start = Instant::now();
    while start.elapsed() < time || classes[0][0].count < 100.0 {
        let mut batch: Vec<(usize, Ready)> = (0..BATCH)
            .map(|_| {
                let class = (rng.next_u32() & 1) as usize;
                let mut secret = [0; 32];
                rng.fill_bytes(&mut secret);
                if class == 0 {
                    secret = FIXED;
                }
                (class, prepare(&secret))
            })
            .collect();
        for (class, ready) in &mut batch {
            let begin = Instant::now();
            ready();
            let nanoseconds = begin.elapsed().as_nanos() as f64;
            if first.len() < WARM_UP {
                first.push(nanoseconds);
                if first.len() == WARM_UP {
                    first.sort_by(f64::total_cmp);
                    for (limit, share) in limits[1..].iter_mut().zip(KEPT) {
                        *limit = first[(share * WARM_UP as f64) as usize];
                    }
                }
                continue;
            }
            for (limit, moments) in limits.iter().zip(&mut classes) {
                if nanoseconds <= *limit {
                    moments[*class].push(nanoseconds);
                }
            }
        }
    }
    let t = classes.iter().map(|pair| welch(pair).abs());
    let [all, half] = [&classes[0], &classes[PRINTED]];
    (
        t.fold(0.0, f64::max),
        [half[0].mean, half[1].mean],
        all[0].count + all[1].count,
    )
}

/// Measures the operations selected by `args`, and prints the results.
pub(crate) fn run(args: &Args) -> ExitCode {
    for backend in cpu::backends().iter().filter(|backend| backend.used) {
        println!("backend {}", backend.name);
    }
    println!(
        "{:26} {:>10} {:>10} {:>10} {:>8}",
        "", "fixed ns", "random ns", "number", "max |t|"
    );
    for (name, prepare) in OPERATIONS {
        if !args
            .only
            .as_ref()
            .is_none_or(|text| name.contains(text.as_str()))
        {
            continue;
        }
        let (t, [fixed, random], count) = measure(prepare, Duration::from_secs(args.seconds));
        let verdict = match t {
            t if t >= LEAK => "LEAK",
            t if t >= SUSPICIOUS => "measure again, for longer",
            _ => "no difference seen",
        };
        println!("{name:26} {fixed:10.0} {random:10.0} {count:10.0} {t:8.2}  {verdict}");
    }
    ExitCode::SUCCESS
}
