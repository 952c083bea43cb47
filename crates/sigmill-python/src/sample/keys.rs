//! The keys that sign a sample.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sigmill::{AnySigningKey, CurveName, Policy};

use crate::blocks;
use crate::watch::Watch;

/// A private key, and its public one as points.
pub(super) struct Key {
    pub(super) secret: AnySigningKey,
    points: [Vec<u8>; 2],
}

impl Key {
    fn new(curve: CurveName, rng: &mut ChaCha8Rng) -> Self {
        let Ok(secret) = AnySigningKey::generate_from_rng(curve, rng);
        let public = secret.verifying_key();
        let policy = match curve {
            // As all do who sign on this curve.
            CurveName::Secp256k1 => Policy::LOW_S,
            _ => Policy::default(),
        };
        Self {
            points: [false, true].map(|compressed| public.to_sec1_bytes(compressed)),
            secret: secret.with_policy(policy),
        }
    }

    /// The SEC 1 point.
    pub(super) fn point(&self, compressed: bool) -> &[u8] {
        &self.points[usize::from(compressed)]
    }
}

/// The keys of a sample, and how often each signs.
pub(super) struct KeyRing {
    /// The last one signs nothing.
    keys: Vec<Option<Key>>,
    /// The sum of the weights of all keys up to each.
    weights: Vec<f64>,
}

impl KeyRing {
    /// Derives `count` keys from `seed`, with weights that are equal or 1/k. `None` when the watch
    /// was told to end meanwhile.
    pub(super) fn new(
        curve: CurveName,
        count: u32,
        is_zipf: bool,
        seed: u64,
        threads: usize,
        watch: &Watch,
    ) -> Option<Self> {
        let mut keys: Vec<Option<Key>> = vec![];
        keys.resize_with(count as usize + 1, || None);
        blocks::fill(&mut keys, threads, watch, |first, block| {
            for (number, key) in (first as u64..).zip(block) {
                if !watch.is_cancelled() {
                    // Streams from the top: those from the bottom belong to the rows.
                    *key = Some(Key::new(curve, &mut stream(seed, u64::MAX - number)));
                }
            }
        });
        let mut sum = 0.0;
        let weights = (1..=count).map(|k| {
            sum += if is_zipf { 1.0 / f64::from(k) } else { 1.0 };
            sum
        });
        let weights = weights.collect();
        let is_whole = keys.iter().all(Option::is_some);
        is_whole.then_some(Self { keys, weights })
    }

    /// Chooses the key of a row.
    pub(super) fn choose(&self, rng: &mut ChaCha8Rng) -> usize {
        // 53 random bits make a number below 1.
        let unit = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let total = self.weights.last().copied().unwrap_or_default();
        let chosen = self.weights.partition_point(|&sum| sum <= unit * total);
        chosen.min(self.weights.len() - 1)
    }

    /// A key by its number.
    pub(super) fn key(&self, number: usize) -> &Key {
        self.keys[number].as_ref().expect("`new` has made all")
    }

    /// Another key.
    pub(super) fn other(&self, number: usize) -> &Key {
        match (number + 1) % self.weights.len() {
            next if next != number => self.key(next),
            _ => self.key(self.weights.len()),
        }
    }
}

/// Random numbers that depend on `seed` and `number` only.
pub(super) fn stream(seed: u64, number: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    rng
}
