//! Operations: signing or verifying digests or messages.

use std::sync::Arc;

use sigmill::{HashName, Input, SignOptions, SignatureFormat};

use crate::abi::{
    OSSL_SIGNATURE_PARAM_ALGORITHM_ID, OSSL_SIGNATURE_PARAM_DIGEST,
    OSSL_SIGNATURE_PARAM_DIGEST_SIZE, OSSL_SIGNATURE_PARAM_NONCE_TYPE,
};
use crate::der::is_signature;
use crate::digest::{Digest, Hasher};
use crate::key::Key;
use crate::params::{PassedParams, QueriedParams};
use crate::provider::{Provider, Reason};

/// An operation and its parameters so far.
#[derive(Clone)]
pub(crate) struct Context<'a> {
    provider: &'a Provider,
    key: Option<Arc<Key>>,
    digest: Option<&'static Digest>,
    /// The required length of a digest in bytes; 0 if any length is allowed.
    digest_size: usize,
    may_set_digest: bool,
    /// The message so far.
    hasher: Option<Hasher>,
    is_deterministic: bool,
}

/// The result of a verifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The signature is that of the digest.
    Valid,
    /// It is not.
    Invalid,
    /// The bytes are not a signature, or could not be judged. The reason was raised.
    Failed,
}

impl<'a> Context<'a> {
    /// An operation without a key.
    pub(crate) fn new(provider: &'a Provider) -> Self {
        Self {
            provider,
            key: None,
            digest: None,
            digest_size: 0,
            may_set_digest: true,
            hasher: None,
            is_deterministic: false,
        }
    }

    /// Returns the provider that it belongs to.
    pub(crate) fn provider(&self) -> &'a Provider {
        self.provider
    }

    /// Returns true if no key was set yet.
    pub(crate) fn is_new(&self) -> bool {
        self.key.is_none()
    }

    fn failed<T>(&self, reason: Reason) -> Option<T> {
        self.provider.raise(reason);
        None
    }

    /// Begins an operation on digests with this key, or with the one set before.
    pub(crate) fn begin(&mut self, key: Option<Arc<Key>>, params: PassedParams<'_>) -> Option<()> {
        match key.or_else(|| self.key.take()) {
            Some(key) => self.key = Some(key),
            None => return self.failed(Reason::KeyMissing),
        }
        self.set(params)
    }

    /// Begins an operation on a message with this hash, or with the one set before.
    pub(crate) fn begin_message(
        &mut self,
        hash: Option<&str>,
        key: Option<Arc<Key>>,
        params: PassedParams<'_>,
    ) -> Option<()> {
        self.begin(key, params)?;
        if let Some(name) = hash {
            self.set_digest(name)?;
        }
        self.may_set_digest = false;
        match self.digest.and_then(Digest::begin) {
            Some(hasher) => self.hasher = Some(hasher),
            None => return self.failed(Reason::DigestUnsupported),
        }
        Some(())
    }

    /// Adds bytes to the message.
    pub(crate) fn update(&mut self, bytes: &[u8]) -> Option<()> {
        match &mut self.hasher {
            Some(hasher) => hasher.update(bytes),
            None => return self.failed(Reason::NotBegun),
        }
        Some(())
    }

    /// Ends the message and returns its digest.
    fn finish(&mut self) -> Option<Box<[u8]>> {
        self.may_set_digest = true;
        match self.hasher.take() {
            Some(hasher) => Some(hasher.finalize()),
            None => self.failed(Reason::NotBegun),
        }
    }

    /// Returns the digest of the message so far. The message continues, as in libcrypto, which ends
    /// a copy of the operation.
    fn digest_so_far(&self) -> Option<Box<[u8]>> {
        match self.hasher.clone() {
            Some(hasher) => Some(hasher.finalize()),
            None => self.failed(Reason::NotBegun),
        }
    }

    /// Returns the length of the longest signature in DER.
    pub(crate) fn max_signature_len(&self) -> Option<usize> {
        match &self.key {
            Some(key) => Some(key.max_signature_len()),
            None => self.failed(Reason::KeyMissing),
        }
    }

    /// [`max_signature_len`](Self::max_signature_len) for a message in progress. After a program
    /// has queried the length (`is_query`), OpenSSL lets it change the hash; a new hash ends the
    /// message.
    pub(crate) fn max_message_signature_len(&mut self, is_query: bool) -> Option<usize> {
        if self.hasher.is_none() {
            return self.failed(Reason::NotBegun);
        }
        self.may_set_digest |= is_query;
        self.max_signature_len()
    }

    /// Signs a digest, in DER.
    pub(crate) fn sign(&self, digest: &[u8]) -> Option<Vec<u8>> {
        let Some(key) = &self.key else {
            return self.failed(Reason::KeyMissing);
        };
        let Some(signing) = key.signing() else {
            return self.failed(Reason::PrivateKeyMissing);
        };
        if !self.has_digest_size(digest) {
            return self.failed(Reason::DigestLength);
        }
        let named = self.digest.and_then(|digest| digest.for_nonces);
        let hash = match named {
            Some(hash) => hash,
            None if self.is_deterministic => return self.failed(Reason::NonceTypeUnsupported),
            // Any hash will do if the nonce is also random. We take one for the length of the
            // digest.
            None => match digest.len() {
                ..=32 => HashName::Sha256,
                33..=48 => HashName::Sha384,
                _ => HashName::Sha512,
            },
        };
        // Without random numbers from the system, the nonce is that of RFC 6979, which needs none.
        let entropy = if self.is_deterministic {
            None
        } else {
            self.provider.entropy()
        };
        let entropy = entropy.as_deref().map_or(&[][..], |bytes| &bytes[..]);
        // As in `Provider::verify`.
        let digest = if digest.is_empty() { &[0] } else { digest };
        let format = SignatureFormat::Der;
        let options = SignOptions::new().hash(hash).entropy(entropy);
        let signed = signing.sign_with(Input::Digest(digest), format, &options);
        // The only possible error is that of an empty digest.
        signed.ok().map(|(signature, _)| signature)
    }

    /// Ends the message and signs it.
    pub(crate) fn sign_message(&mut self) -> Option<Vec<u8>> {
        let digest = self.finish()?;
        self.sign(&digest)
    }

    /// Signs the message so far.
    pub(crate) fn sign_so_far(&self) -> Option<Vec<u8>> {
        let digest = self.digest_so_far()?;
        self.sign(&digest)
    }

    /// Verifies a signature of a digest.
    pub(crate) fn verify(&self, digest: &[u8], signature: &[u8]) -> Verdict {
        let public = match self.key.as_ref().map(|key| key.public()) {
            Some(Some(public)) if self.has_digest_size(digest) => public,
            // The default provider also answers "no" here, without a reason.
            Some(Some(_)) => return Verdict::Invalid,
            Some(None) => {
                self.provider.raise(Reason::PublicKeyMissing);
                return Verdict::Failed;
            }
            None => {
                self.provider.raise(Reason::KeyMissing);
                return Verdict::Failed;
            }
        };
        match self.provider.verify(public, digest, signature) {
            Ok(()) => Verdict::Valid,
            // The default provider also fails here, rather than answering "no".
            Err(_) if !is_signature(signature) => {
                self.provider.raise(Reason::SignatureMalformed);
                Verdict::Failed
            }
            Err(_) => Verdict::Invalid,
        }
    }

    /// Ends the message and verifies a signature of it.
    pub(crate) fn verify_message(&mut self, signature: &[u8]) -> Verdict {
        match self.finish() {
            Some(digest) => self.verify(&digest, signature),
            None => Verdict::Failed,
        }
    }

    /// Verifies a signature of the message so far.
    pub(crate) fn verify_so_far(&self, signature: &[u8]) -> Verdict {
        match self.digest_so_far() {
            Some(digest) => self.verify(&digest, signature),
            None => Verdict::Failed,
        }
    }

    fn has_digest_size(&self, digest: &[u8]) -> bool {
        self.digest_size == 0 || self.digest_size == digest.len()
    }

    /// Sets the parameters.
    pub(crate) fn set(&mut self, params: PassedParams<'_>) -> Option<()> {
        if let Some(value) = params.get(OSSL_SIGNATURE_PARAM_DIGEST) {
            match value.text() {
                Some(name) => self.set_digest(name)?,
                None => return self.failed(Reason::ParameterInvalid),
            }
        }
        if let Some(value) = params.get(OSSL_SIGNATURE_PARAM_DIGEST_SIZE) {
            match value.number() {
                Some(size) if self.may_set_digest || size == self.digest_size => {
                    self.digest_size = size;
                }
                _ => return self.failed(Reason::ParameterInvalid),
            }
        }
        if let Some(value) = params.get(OSSL_SIGNATURE_PARAM_NONCE_TYPE) {
            match value.number() {
                Some(kind @ (0 | 1)) => self.is_deterministic = kind == 1,
                _ => return self.failed(Reason::ParameterInvalid),
            }
        }
        Some(())
    }

    fn set_digest(&mut self, name: &str) -> Option<()> {
        let Some(digest) = Digest::of_name(name) else {
            return self.failed(Reason::DigestUnsupported);
        };
        if !self.may_set_digest {
            return match self.digest {
                Some(other) if other.name() != digest.name() => {
                    self.failed(Reason::DigestNotAllowed)
                }
                _ => Some(()),
            };
        }
        self.hasher = None;
        self.digest = Some(digest);
        self.digest_size = digest.length;
        Some(())
    }

    /// Answers the parameters queried.
    pub(crate) fn get(&self, mut params: QueriedParams<'_>) -> bool {
        let identifier = self
            .digest
            .map_or(&[][..], |digest| digest.algorithm_identifier);
        // OpenSSL has no answer here, either.
        if identifier.is_empty() && params.has(OSSL_SIGNATURE_PARAM_ALGORITHM_ID) {
            return false;
        }
        let name = self.digest.map_or(c"", Digest::name);
        params.octets(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, identifier)
            && params.number(OSSL_SIGNATURE_PARAM_DIGEST_SIZE, self.digest_size as u32)
            && params.text(OSSL_SIGNATURE_PARAM_DIGEST, name)
    }
}
