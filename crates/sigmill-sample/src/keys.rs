//! The keys that sign a sample.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sigmill::{AnySigningKey, CurveName, Policy, SignatureFormat};

use crate::{Choices, Distribution};

/// A private key and its public key.
#[derive(Debug)]
pub struct SampleKey {
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
            // The usual policy on this curve.
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

    /// Returns the SEC 1 point.
    pub(crate) fn public(&self, compressed: bool) -> &[u8] {
        if compressed {
            &self.compressed
        } else {
            &self.uncompressed
        }
    }

    /// Returns the public key in SPKI. It ends with the point.
    pub(crate) fn spki(&self) -> Vec<u8> {
        self.secret.verifying_key().to_public_key_der()
    }

    /// Returns the digest of `message` by the hash that belongs to the curve.
    pub(crate) fn digest(&self, message: &[u8]) -> Vec<u8> {
        self.curve.default_algorithm().hash.digest(message).to_vec()
    }
}

/// Signs each digest with its key and the nonce of RFC 6979. A result is r followed by s.
pub(crate) fn sign_many(rows: &[(&SampleKey, &[u8])]) -> Vec<Vec<u8>> {
    let rows = rows.iter().map(|(key, digest)| (&key.secret, *digest));
    let rows: Vec<_> = rows.collect();
    let signatures = AnySigningKey::sign_prehash_many(&rows, SignatureFormat::P1363).into_iter();
    signatures
        .map(|signature| signature.expect("a digest that is not empty can be signed"))
        .collect()
}

impl Choices {
    /// Returns the number of keys: those that sign, and for each curve one that does not.
    pub fn key_count(&self) -> u64 {
        u64::from(self.keys) + self.curves.len() as u64
    }

    /// Returns the key with this number, which is below [`key_count`](Self::key_count).
    pub fn key(&self, number: u64) -> SampleKey {
        // Keys that do not sign come last.
        let turn = number.checked_sub(self.keys.into()).unwrap_or(number);
        let curve = self.curves[(turn % self.curves.len() as u64) as usize];
        // Keys use streams from the top, as rows use those from the bottom.
        SampleKey::new(curve, &mut stream(self.seed, u64::MAX - number))
    }
}

/// The keys of a sample and how often each signs.
#[derive(Debug)]
pub(crate) struct KeyRing {
    /// First the keys that sign, then for each curve one that does not.
    keys: Vec<SampleKey>,
    curves: usize,
    /// For each key that signs, the sum of the weights up to it.
    weights: Vec<f64>,
}

impl KeyRing {
    /// `keys` has all keys of the choices, in order.
    pub(crate) fn new(choices: &Choices, keys: Vec<SampleKey>) -> Self {
        let mut sum = 0.0;
        let weights = (1..=choices.keys).map(|k| {
            sum += match choices.distribution {
                Distribution::Uniform => 1.0,
                Distribution::Zipf => 1.0 / f64::from(k),
            };
            sum
        });
        Self {
            weights: weights.collect(),
            keys,
            curves: choices.curves.len(),
        }
    }

    /// Chooses the key of a row.
    pub(crate) fn choose(&self, rng: &mut ChaCha8Rng) -> usize {
        // 53 random bits make a number below 1.
        let unit = (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let total = self.weights.last().copied().unwrap_or_default();
        let chosen = self.weights.partition_point(|&sum| sum <= unit * total);
        chosen.min(self.weights.len() - 1)
    }

    pub(crate) fn key(&self, number: usize) -> &SampleKey {
        &self.keys[number]
    }

    /// Returns another key on the same curve.
    pub(crate) fn other(&self, number: usize) -> &SampleKey {
        let signers = self.weights.len();
        let candidate = (number + self.curves) % signers;
        if candidate != number && self.keys[candidate].curve == self.keys[number].curve {
            &self.keys[candidate]
        } else {
            &self.keys[signers + number % self.curves]
        }
    }
}

/// Returns random numbers that depend only on `seed` and `number`.
pub(crate) fn stream(seed: u64, number: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    rng
}
