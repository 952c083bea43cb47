//! The keys that sign a sample.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use sigmill::{AnySigningKey, CurveName, Policy, SignatureFormat};

use crate::sample::Distribution;

/// A private key, and its public one.
pub(crate) struct SampleKey {
    pub(crate) curve: CurveName,
    secret: AnySigningKey,
    compressed: Vec<u8>,
    uncompressed: Vec<u8>,
}

impl SampleKey {
    fn new(curve: CurveName, rng: &mut ChaCha8Rng) -> Self {
        let Ok(secret) = AnySigningKey::generate_from_rng(curve, rng);
        let public = secret.verifying_key();
        let policy = match curve {
            // As all do who sign on this curve.
            CurveName::Secp256k1 => Policy::LOW_S,
            _ => Policy::default(),
        };
        Self {
            curve,
            compressed: public.to_sec1_bytes(true),
            uncompressed: public.to_sec1_bytes(false),
            secret: secret.with_policy(policy),
        }
    }

    /// The SEC 1 point.
    pub(crate) fn public(&self, compressed: bool) -> &[u8] {
        if compressed {
            &self.compressed
        } else {
            &self.uncompressed
        }
    }

    /// The public key in SPKI, of which the point is the end.
    pub(crate) fn spki(&self) -> Vec<u8> {
        self.secret.verifying_key().to_public_key_der()
    }

    /// The digest of `message` by the hash that belongs to the curve.
    pub(crate) fn digest(&self, message: &[u8]) -> Vec<u8> {
        self.curve.default_algorithm().hash.digest(message).to_vec()
    }
}

/// Signs each digest by its key with the nonce of RFC 6979: r and s side by side.
pub(crate) fn sign_many(rows: &[(&SampleKey, &[u8])]) -> Vec<Vec<u8>> {
    let rows = rows.iter().map(|(key, digest)| (&key.secret, *digest));
    let rows: Vec<_> = rows.collect();
    let signatures = AnySigningKey::sign_prehash_many(&rows, SignatureFormat::P1363).into_iter();
    signatures
        .map(|signature| signature.expect("a digest that is not empty can be signed"))
        .collect()
}

/// The keys of a sample, and how often each signs.
pub(crate) struct KeyRing {
    keys: Vec<SampleKey>,
    /// Keys that sign nothing, one per curve in `curves`.
    strangers: Vec<SampleKey>,
    curves: usize,
    /// The sum of the weights of all keys up to each.
    weights: Vec<f64>,
}

impl KeyRing {
    /// Derives `count` keys from `seed`; `curves` take turns. `None` when `stop` says so meanwhile.
    pub(crate) fn new(
        count: u32,
        curves: &[CurveName],
        distribution: Distribution,
        seed: u64,
        stop: impl Fn() -> bool + Sync,
    ) -> Option<Self> {
        // Streams from the top: those from the bottom belong to the rows.
        let key = |number: u64, curve| SampleKey::new(curve, &mut stream(seed, u64::MAX - number));
        let curve = |number: u64| curves[(number % curves.len() as u64) as usize];
        let keys = (0..u64::from(count))
            .into_par_iter()
            .map(|k| (!stop()).then(|| key(k, curve(k))))
            .collect::<Option<_>>()?;
        let strangers = (0..curves.len() as u64)
            .map(|k| key(u64::from(count) + k, curve(k)))
            .collect();
        let mut sum = 0.0;
        let weights = (1..=count).map(|k| {
            sum += match distribution {
                Distribution::Uniform => 1.0,
                Distribution::Zipf => 1.0 / f64::from(k),
            };
            sum
        });
        Some(Self {
            weights: weights.collect(),
            keys,
            strangers,
            curves: curves.len(),
        })
    }

    /// Chooses the key of a row.
    pub(crate) fn choose(&self, rng: &mut ChaCha8Rng) -> usize {
        // 53 random bits make a number below 1.
        let unit = (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let total = self.weights.last().copied().unwrap_or_default();
        let chosen = self.weights.partition_point(|&sum| sum <= unit * total);
        chosen.min(self.keys.len() - 1)
    }

    pub(crate) fn key(&self, number: usize) -> &SampleKey {
        &self.keys[number]
    }

    /// Another key on the same curve.
    pub(crate) fn other(&self, number: usize) -> &SampleKey {
        let candidate = (number + self.curves) % self.keys.len();
        if candidate != number && self.keys[candidate].curve == self.keys[number].curve {
            &self.keys[candidate]
        } else {
            &self.strangers[number % self.curves]
        }
    }
}

/// Random numbers that depend on `seed` and `number` only.
pub(crate) fn stream(seed: u64, number: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    rng
}
