//! Private keys of servers and clients.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::{KeyProvider, SecureRandom};
use rustls::pki_types::{PrivateKeyDer, SubjectPublicKeyInfoDer};
use rustls::sign::{Signer, SigningKey};
use rustls::{Error, SignatureAlgorithm, SignatureScheme};
use sigmill::curves::NamedCurve;
use sigmill::{AnySigningKey, CurveName, HashName, Input, SignOptions, keys, p256, p384};
use zeroize::Zeroizing;

/// The number of random bytes mixed into a nonce, in addition to key and digest.
const ENTROPY_LEN: usize = 32;

/// A key provider whose ECDSA keys sign with sigmill.
#[derive(Debug)]
pub(crate) struct Keys {
    replaced: &'static dyn KeyProvider,
    random: &'static dyn SecureRandom,
}

impl Keys {
    pub(crate) fn new(
        replaced: &'static dyn KeyProvider,
        random: &'static dyn SecureRandom,
    ) -> Self {
        Self { replaced, random }
    }
}

/// A private key, wiped on drop.
enum Secret {
    P256(p256::SigningKey),
    P384(p384::SigningKey),
}

impl Secret {
    /// Reads PKCS#8 or SEC 1; `None` if sigmill rejects the key.
    fn read(key: &PrivateKeyDer<'_>) -> Option<Self> {
        let key = match key {
            PrivateKeyDer::Pkcs8(der) => AnySigningKey::from_pkcs8_der(der.secret_pkcs8_der()),
            PrivateKeyDer::Sec1(der) => AnySigningKey::from_sec1_der(der.secret_sec1_der()),
            _ => return None,
        };
        let key = key.ok()?;
        match key.curve() {
            CurveName::P256 => key.try_into().map(Self::P256).ok(),
            CurveName::P384 => key.try_into().map(Self::P384).ok(),
            _ => None,
        }
    }

    fn scheme(&self) -> SignatureScheme {
        match self {
            Self::P256(_) => SignatureScheme::ECDSA_NISTP256_SHA256,
            Self::P384(_) => SignatureScheme::ECDSA_NISTP384_SHA384,
        }
    }
}

impl KeyProvider for Keys {
    /// The original provider decides whether a key is valid, and returns its public part.
    fn load_private_key(&self, key: PrivateKeyDer<'static>) -> Result<Arc<dyn SigningKey>, Error> {
        let secret = Secret::read(&key);
        let replaced = self.replaced.load_private_key(key)?;
        Ok(match secret {
            Some(secret) if replaced.choose_scheme(&[secret.scheme()]).is_some() => {
                Arc::new(Key(Arc::new(Loaded {
                    secret,
                    replaced,
                    random: self.random,
                })))
            }
            _ => replaced,
        })
    }
}

struct Loaded {
    secret: Secret,
    replaced: Arc<dyn SigningKey>,
    random: &'static dyn SecureRandom,
}

impl Loaded {
    /// Signs with the nonce of RFC 6979, with random bytes mixed in. If the system has no random
    /// numbers, the nonce is that of RFC 6979 alone, which needs none.
    fn sign<C: NamedCurve>(
        &self,
        key: &keys::SigningKey<C>,
        hash: HashName,
        message: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let mut entropy = Zeroizing::new([0; ENTROPY_LEN]);
        let is_random = self.random.fill(&mut *entropy).is_ok();
        let entropy: &[u8] = if is_random { &*entropy } else { &[] };
        let options = SignOptions::new().hash(hash).entropy(entropy);
        match key.sign_with(Input::Message(message), &options) {
            Ok((signature, _)) => Ok(signature.to_der()),
            Err(error) => Err(Error::General(error.to_string())),
        }
    }
}

/// A key as rustls uses it.
struct Key(Arc<Loaded>);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Key").field(&self.0.secret.scheme()).finish()
    }
}

impl SigningKey for Key {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let is_offered = offered.contains(&self.0.secret.scheme());
        is_offered.then(|| Box::new(Self(Arc::clone(&self.0))) as _)
    }

    fn public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        self.0.replaced.public_key()
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        self.0.replaced.algorithm()
    }
}

impl Signer for Key {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        match &self.0.secret {
            Secret::P256(key) => self.0.sign(key, HashName::Sha256, message),
            Secret::P384(key) => self.0.sign(key, HashName::Sha384, message),
        }
    }

    fn scheme(&self) -> SignatureScheme {
        self.0.secret.scheme()
    }
}
