//! An agreement: the secret that two keys share, as it is or derived from it by X9.63.

use std::ops::RangeInclusive;
use std::sync::Arc;

use sigmill::on_own_stack;
use zeroize::{Zeroizing, zeroize_stack};

use crate::abi::*;
use crate::digest::Digest;
use crate::keymgmt::Imported;
use crate::params::{Asked, Given};
use crate::provider::{Provider, Reason};

/// How many bytes are derived at once: as many as with OpenSSL.
const DERIVED: RangeInclusive<usize> = 1..=1 << 30;

/// More than a derivation takes of the stack, in bytes: `tests/wiping.rs` finds what lies further
/// down.
const HASH_FRAMES: usize = 8 << 10;

/// Keys that agree on secrets.
pub(crate) trait Agrees: Imported {
    /// Whether the private part is there.
    fn has_secret(&self) -> bool;

    /// Whether both keys are on one curve.
    fn is_like(&self, other: &Self) -> bool;

    /// How long a shared secret is, in bytes.
    fn shared_len(&self) -> usize;

    /// The secret shared with this peer, if there is one. Constant time.
    fn agree(&self, peer: &Self) -> Option<Zeroizing<Vec<u8>>>;
}

/// An agreement, as far as it was told to us.
#[derive(Debug)]
pub(crate) struct Exchange<'a, K> {
    provider: &'a Provider,
    own: Option<Arc<K>>,
    peer: Option<Arc<K>>,
    /// Which part of the cofactor's choices was made; all our curves have the cofactor 1.
    cofactor_mode: u32,
    derivation: Derivation,
}

/// What is derived from a shared secret (ANSI X9.63 §5.6.3, SEC 1 §3.6.1).
#[derive(Clone, Debug, Default)]
struct Derivation {
    /// Otherwise the shared secret is the result.
    is_asked: bool,
    digest: Option<&'static Digest>,
    /// In bytes.
    length: usize,
    /// What is hashed behind the secret and the counter.
    info: Vec<u8>,
}

/// Its keys are shared; all else is copied.
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

    /// The provider that it belongs to.
    pub(crate) fn provider(&self) -> &'a Provider {
        self.provider
    }

    fn failed<T>(&self, reason: Reason) -> Option<T> {
        self.provider.raise(reason);
        None
    }

    /// Begins with our own key.
    pub(crate) fn begin(&mut self, own: Option<Arc<K>>, params: Given<'_>) -> Option<()> {
        let Some(own) = own else {
            return self.failed(Reason::KeyMissing);
        };
        self.own = Some(own);
        self.peer = None;
        self.cofactor_mode = 0;
        self.derivation = Derivation::default();
        self.set(params)
    }

    /// Takes the other's key.
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

    /// How long the result is; of a place of `size` bytes that much is written, if there is one.
    /// Fails where OpenSSL's own fails.
    pub(crate) fn result_len(&self, size: Option<usize>) -> Option<usize> {
        if self.derivation.is_asked {
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
            // OpenSSL cuts the secrets of ECDH off, and refuses to cut those of X25519.
            Some(size) if is_ecdh => Some(own.shared_len().min(size)),
            Some(size) if size < own.shared_len() => self.failed(Reason::OutputTooSmall),
            Some(_) => Some(own.shared_len()),
        }
    }

    /// The secret that both keys share.
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

    /// Writes the result into a place of [`result_len`](Self::result_len) bytes: the secret, or
    /// what is derived from it.
    pub(crate) fn fill(&self, shared: &[u8], place: &mut [u8]) -> Option<()> {
        if !self.derivation.is_asked {
            let length = place.len().min(shared.len());
            place[..length].copy_from_slice(&shared[..length]);
            return Some(());
        }
        match self.derivation.fill(shared, place) {
            Some(()) => Some(()),
            None => self.failed(Reason::DigestUnsupported),
        }
    }

    /// Sets what the parameters say.
    pub(crate) fn set(&mut self, params: Given<'_>) -> Option<()> {
        if self.set_all(params).is_none() {
            return self.failed(Reason::ParameterInvalid);
        }
        Some(())
    }

    fn set_all(&mut self, params: Given<'_>) -> Option<()> {
        if let Some(value) = params.get(OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE) {
            // -1 is "as the key says".
            self.cofactor_mode = match value.signed()? {
                -1 | 0 => 0,
                1 => 1,
                _ => return None,
            };
        }
        if let Some(value) = params.get(OSSL_EXCHANGE_PARAM_KDF_TYPE) {
            self.derivation.is_asked = match value.text()? {
                "" => false,
                "X963KDF" => true,
                _ => return None,
            };
        }
        if let Some(value) = params.get(OSSL_EXCHANGE_PARAM_KDF_DIGEST) {
            // One that we have not leaves none, as with OpenSSL.
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

    /// Answers what is asked for.
    pub(crate) fn get(&self, mut params: Asked<'_>) -> bool {
        let Derivation {
            is_asked,
            digest,
            length,
            ref info,
        } = self.derivation;
        let kind = if is_asked { c"X963KDF" } else { c"" };
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
    /// Hash(secret || counter || info) for the counters 1, 2 and so on; `None` if there is no hash,
    /// or none that we hash by.
    fn fill(&self, secret: &[u8], place: &mut [u8]) -> Option<()> {
        on_own_stack(|| {
            let filled = self.hash_into(secret, place);
            // Hashes have blocks of their input in their frames.
            zeroize_stack::<HASH_FRAMES>();
            filled
        })
    }

    /// [`fill`](Self::fill), which leaves something on the stack.
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
