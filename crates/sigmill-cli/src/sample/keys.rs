//! The keys that sign a sample.

use p256::ecdsa::signature::hazmat::PrehashSigner;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use sha2::{Digest, Sha256, Sha384};
use sigmill::CurveName;

use crate::sample::Distribution;

/// A private key, and its public one.
pub(crate) struct SampleKey {
    pub(crate) curve: CurveName,
    secret: Secret,
    compressed: Vec<u8>,
    uncompressed: Vec<u8>,
}

enum Secret {
    P256(p256::ecdsa::SigningKey),
    P384(p384::ecdsa::SigningKey),
    Secp256k1(k256::ecdsa::SigningKey),
}

impl SampleKey {
    fn new(curve: CurveName, rng: &mut ChaCha8Rng) -> Self {
        loop {
            let mut bytes = vec![0; curve.field_len()];
            rng.fill_bytes(&mut bytes);
            macro_rules! key {
                ($crate_name:ident, $variant:ident) => {
                    // Fails, rarely, if the bytes are no scalar from 1 to n - 1.
                    if let Ok(secret) = $crate_name::ecdsa::SigningKey::from_slice(&bytes) {
                        let public = secret.verifying_key();
                        return Self {
                            curve,
                            compressed: public.to_sec1_point(true).as_bytes().to_vec(),
                            uncompressed: public.to_sec1_point(false).as_bytes().to_vec(),
                            secret: Secret::$variant(secret),
                        };
                    }
                };
            }
            match curve {
                CurveName::P384 => key!(p384, P384),
                CurveName::Secp256k1 => key!(k256, Secp256k1),
                _ => key!(p256, P256),
            }
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

    /// The digest of `message` by the hash that belongs to the curve.
    pub(crate) fn digest(&self, message: &[u8]) -> Vec<u8> {
        match self.secret {
            Secret::P256(_) | Secret::Secp256k1(_) => Sha256::digest(message).to_vec(),
            Secret::P384(_) => Sha384::digest(message).to_vec(),
        }
    }

    /// Signs `digest` with the nonce of RFC 6979: r and s side by side.
    pub(crate) fn sign(&self, digest: &[u8]) -> Vec<u8> {
        // Fails only for a digest shorter than half the order, or if r or s were 0.
        const SIGNS: &str = "a full-length digest can be signed";
        match &self.secret {
            Secret::P256(key) => {
                let signature: p256::ecdsa::Signature = key.sign_prehash(digest).expect(SIGNS);
                signature.to_bytes().to_vec()
            }
            Secret::P384(key) => {
                let signature: p384::ecdsa::Signature = key.sign_prehash(digest).expect(SIGNS);
                signature.to_bytes().to_vec()
            }
            Secret::Secp256k1(key) => {
                let signature: k256::ecdsa::Signature = key.sign_prehash(digest).expect(SIGNS);
                signature.to_bytes().to_vec()
            }
        }
    }
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
    /// Derives `count` keys from `seed`; `curves` take turns.
    pub(crate) fn new(
        count: u32,
        curves: &[CurveName],
        distribution: Distribution,
        seed: u64,
    ) -> Self {
        // Streams from the top: those from the bottom belong to the rows.
        let key = |number: u64, curve| SampleKey::new(curve, &mut stream(seed, u64::MAX - number));
        let curve = |number: u64| curves[(number % curves.len() as u64) as usize];
        let keys = (0..u64::from(count))
            .into_par_iter()
            .map(|k| key(k, curve(k)))
            .collect();
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
        Self {
            weights: weights.collect(),
            keys,
            strangers,
            curves: curves.len(),
        }
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
