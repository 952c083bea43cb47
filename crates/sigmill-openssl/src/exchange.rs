//! Agreements: the secret that two keys share, either as it is or derived from it by X9.63.

use std::ops::RangeInclusive;
use std::sync::Arc;

use sigmill::on_own_stack;
use zeroize::{Zeroizing, zeroize_stack};

use crate::abi::*;
use crate::digest::Digest;
use crate::keymgmt::Imported;
use crate::params::{PassedParams, QueriedParams};
use crate::provider::{Provider, Reason};

/// The lengths that can be derived at once, the same as with OpenSSL.
const DERIVED: RangeInclusive<usize> = 1..=1 << 30;

/// More bytes of stack than a derivation needs. `tests/wiping.rs` finds secrets that lie further
/// down.
const HASH_FRAMES: usize = 8 << 10;

/// Keys that agree on secrets.
pub(crate) trait Agrees: Imported {
    /// Returns true if the private part is present.
    fn has_secret(&self) -> bool;

    /// Returns true if both keys are on the same curve.
    fn is_like(&self, other: &Self) -> bool;

    /// Returns the length of a shared secret in bytes.
    fn shared_len(&self) -> usize;

    /// Returns the secret shared with this peer, if there is one. Constant time.
    fn agree(&self, peer: &Self) -> Option<Zeroizing<Vec<u8>>>;
}

/// An agreement and its parameters so far.
#[derive(Debug)]
pub(crate) struct Exchange<'a, K> {
    provider: &'a Provider,
    own: Option<Arc<K>>,
    peer: Option<Arc<K>>,
    /// The cofactor mode that was set. It has no effect, as all our curves have the cofactor 1.
    cofactor_mode: u32,
    derivation: Derivation,
}

/// The derivation of a result from a shared secret (ANSI X9.63 §5.6.3, SEC 1 §3.6.1).
#[derive(Clone, Debug, Default)]
struct Derivation {
    /// If false, the shared secret is the result.
    uses_x963: bool,
    digest: Option<&'static Digest>,
    /// In bytes.
    length: usize,
    /// The input that is hashed after the secret and the counter.
    info: Vec<u8>,
}

/// Clones share the keys; everything else is copied.
impl<K> Clone for Exchange<'_, K> {
    fn clone(&self) -> Self {
        Self {
            provider: self.provider,
            own: self.own.clone(),
            peer: self.peer.clone(),
            cofactor_mode: self.cofactor_mode,
            derivation: self.derivation.clone(),
        }
    }
}

impl<'a, K: Agrees> Exchange<'a, K> {
    /// An agreement without keys.
    pub(crate) fn new(provider: &'a Provider) -> Self {
        Self {
            provider,
            own: None,
            peer: None,
            cofactor_mode: 0,
            derivation: Derivation::default(),
        }
    }

    /// Returns the provider that it belongs to.
    pub(crate) fn provider(&self) -> &'a Provider {
        self.provider
    }

    fn failed<T>(&self, reason: Reason) -> Option<T> {
        self.provider.raise(reason);
        None
    }

    /// Begins with our own key.
    pub(crate) fn begin(&mut self, own: Option<Arc<K>>, params: PassedParams<'_>) -> Option<()> {
        let Some(own) = own else {
            return self.failed(Reason::KeyMissing);
        };
        self.own = Some(own);
        self.peer = None;
        self.cofactor_mode = 0;
        self.derivation = Derivation::default();
        self.set(params)
    }

    /// Sets the peer's key.
    pub(crate) fn set_peer(&mut self, peer: Option<Arc<K>>) -> Option<()> {
        let (Some(own), Some(peer)) = (&self.own, peer) else {
            return self.failed(Reason::KeyMissing);
        };
        if !own.is_like(&peer) {
            return self.failed(Reason::CurvesDiffer);
        }
        self.peer = Some(peer);
        Some(())
    }

    /// Returns the length of the result. If there is a buffer, of `size` bytes, that many are
    /// written into it. Fails if OpenSSL's own fails.
    pub(crate) fn result_len(&self, size: Option<usize>) -> Option<usize> {
        if self.derivation.uses_x963 {
            let length = self.derivation.length;
            return match size {
                None => Some(length),
                Some(_) if !DERIVED.contains(&length) => self.failed(Reason::DerivedLength),
                Some(size) if size < length => self.failed(Reason::OutputTooSmall),
                Some(_) => Some(length),
            };
        }
        let (Some(own), Some(_)) = (&self.own, &self.peer) else {
            return self.failed(Reason::KeyMissing);
        };
        let is_ecdh = K::NAME == c"EC";
        match size {
            None if is_ecdh || own.has_secret() => Some(own.shared_len()),
            None => self.failed(Reason::PrivateKeyMissing),
            Some(0) => self.failed(Reason::OutputTooSmall),
            // OpenSSL truncates the secrets of ECDH, and refuses to truncate those of X25519.
            Some(size) if is_ecdh => Some(own.shared_len().min(size)),
            Some(size) if size < own.shared_len() => self.failed(Reason::OutputTooSmall),
            Some(_) => Some(own.shared_len()),
        }
    }

    /// Returns the secret that both keys share.
    pub(crate) fn shared(&self) -> Option<Zeroizing<Vec<u8>>> {
        let (Some(own), Some(peer)) = (&self.own, &self.peer) else {
            return self.failed(Reason::KeyMissing);
        };
        if !own.has_secret() {
            return self.failed(Reason::PrivateKeyMissing);
        }
        match own.agree(peer) {
            Some(shared) => Some(shared),
            None => self.failed(Reason::NothingShared),
        }
    }

    /// Writes the secret, or the result derived from it, into a buffer of
    /// [`result_len`](Self::result_len) bytes.
    pub(crate) fn fill(&self, shared: &[u8], place: &mut [u8]) -> Option<()> {
        if !self.derivation.uses_x963 {
            let length = place.len().min(shared.len());
            place[..length].copy_from_slice(&shared[..length]);
            return Some(());
        }
        match self.derivation.fill(shared, place) {
            Some(()) => Some(()),
            None => self.failed(Reason::DigestUnsupported),
        }
    }

    /// Sets the parameters.
    pub(crate) fn set(&mut self, params: PassedParams<'_>) -> Option<()> {
        if self.set_all(params).is_none() {
            return self.failed(Reason::ParameterInvalid);
        }
        Some(())
    }

    fn set_all(&mut self, params: PassedParams<'_>) -> Option<()> {
        if let Some(value) = params.get(OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE) {
            // -1 means "as the key states".
            self.cofactor_mode = match value.signed()? {
                -1 | 0 => 0,
                1 => 1,
                _ => return None,
            };
        }
        if let Some(value) = params.get(OSSL_EXCHANGE_PARAM_KDF_TYPE) {
            self.derivation.uses_x963 = match value.text()? {
                "" => false,
                "X963KDF" => true,
                _ => return None,
            };
        }
        if let Some(value) = params.get(OSSL_EXCHANGE_PARAM_KDF_DIGEST) {
            // An unknown hash leaves no hash set, as with OpenSSL.
            self.derivation.digest = Digest::of_name(value.text()?);
            self.derivation.digest?;
        }
        if let Some(value) = params.get(OSSL_EXCHANGE_PARAM_KDF_OUTLEN) {
            self.derivation.length = value.number()?;
        }
        if let Some(value) = params.get(OSSL_EXCHANGE_PARAM_KDF_UKM) {
            self.derivation.info = value.octets()?.to_vec();
        }
        Some(())
    }

    /// Answers the parameters queried.
    pub(crate) fn get(&self, mut params: QueriedParams<'_>) -> bool {
        let Derivation {
            uses_x963,
            digest,
            length,
            ref info,
        } = self.derivation;
        let kind = if uses_x963 { c"X963KDF" } else { c"" };
        params.number(
            OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE,
            self.cofactor_mode,
        ) && params.text(OSSL_EXCHANGE_PARAM_KDF_TYPE, kind)
            && params.text(
                OSSL_EXCHANGE_PARAM_KDF_DIGEST,
                digest.map_or(c"", Digest::name),
            )
            && params.size(OSSL_EXCHANGE_PARAM_KDF_OUTLEN, length)
            && params.octets_where_they_are(OSSL_EXCHANGE_PARAM_KDF_UKM, info)
    }
}

impl Derivation {
    /// Writes Hash(secret || counter || info) for the counters 1, 2 and so on. Returns `None`
    /// without a hash, or with one that we cannot compute.
    fn fill(&self, secret: &[u8], place: &mut [u8]) -> Option<()> {
        on_own_stack(|| {
            let filled = self.hash_into(secret, place);
            // Hashes hold blocks of their input in their frames.
            zeroize_stack::<HASH_FRAMES>();
            filled
        })
    }

    /// [`fill`](Self::fill) without wiping the stack.
    #[inline(never)]
    fn hash_into(&self, secret: &[u8], place: &mut [u8]) -> Option<()> {
        let digest = self.digest?;
        let mut hasher = digest.begin()?;
        let mut hash = Zeroizing::new(vec![0; digest.length]);
        for (counter, part) in (1_u32..).zip(place.chunks_mut(digest.length)) {
            hasher.update(secret);
            hasher.update(&counter.to_be_bytes());
            hasher.update(&self.info);
            // In place, as a hasher that is moved out of its box leaves its state behind. It wipes
            // itself when it is dropped.
            hasher.finalize_into_reset(&mut hash).ok()?;
            part.copy_from_slice(&hash[..part.len()]);
        }
        Some(())
    }
}
