//! X25519 keys. They answer as those of OpenSSL's own KEYMGMT do.

use std::ffi::{CStr, c_int};
use std::sync::Arc;

use sigmill::agreement::x25519::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

use crate::abi::*;
use crate::exchange::Agrees;
use crate::keymgmt::Imported;
use crate::params::{END, PassedParams, QueriedParams, described};

/// A key: the public part, the private one, both, or none.
#[derive(Debug, Default)]
pub(crate) struct Key {
    public: Option<PublicKey>,
    /// Wiped when the last copy of the key is dropped. It has its own allocation, so that no bytes
    /// remain where a key was moved from.
    secret: Option<Arc<StaticSecret>>,
}

/// Makes a private part from any 32 bytes, which are kept as they are.
fn secret(bytes: &[u8; 32]) -> Arc<StaticSecret> {
    Arc::new(StaticSecret::from(*bytes))
}

fn is_selected(selection: c_int, part: c_int) -> bool {
    selection & part != 0
}

impl Key {
    /// Makes a key and computes its public part. Constant time.
    fn of(secret: Arc<StaticSecret>) -> Self {
        Self {
            public: Some(PublicKey::from(&*secret)),
            secret: Some(secret),
        }
    }

    /// Makes a key from random bytes, which it clamps: OpenSSL keeps those of new keys clamped (RFC
    /// 7748 §5).
    pub(crate) fn of_random(bytes: &mut [u8; 32]) -> Self {
        bytes[0] &= 0xf8;
        bytes[31] = bytes[31] & 0x7f | 0x40;
        Self::of(secret(bytes))
    }

    /// Makes a public part from these bytes and no private one. Returns `None` if they are not 32.
    pub(crate) fn of_public(bytes: &[u8]) -> Option<Self> {
        Some(Self {
            public: Some(bytes.try_into().ok()?),
            secret: None,
        })
    }

    /// Copies the selected parts.
    pub(crate) fn copy(&self, selection: c_int) -> Self {
        let is_selected = |part| is_selected(selection, part);
        Self {
            public: self
                .public
                .filter(|_| is_selected(OSSL_KEYMGMT_SELECT_PUBLIC_KEY)),
            secret: self
                .secret
                .clone()
                .filter(|_| is_selected(OSSL_KEYMGMT_SELECT_PRIVATE_KEY)),
        }
    }

    /// Returns the public part as others see it: zeros if there is none, as in OpenSSL.
    pub(crate) fn public_bytes(&self) -> &[u8; 32] {
        self.public.as_ref().map_or(&[0; 32], PublicKey::as_bytes)
    }

    /// Returns the private part as it was made or imported.
    pub(crate) fn secret_bytes(&self) -> Option<&[u8; 32]> {
        self.secret.as_deref().map(StaticSecret::as_bytes)
    }

    /// Reports whether the selected parts are present and, if both are, belong together. Any bytes
    /// are a valid public key, and any are a valid private one.
    pub(crate) fn is_valid(&self, selection: c_int) -> bool {
        if selection & OSSL_KEYMGMT_SELECT_KEYPAIR != OSSL_KEYMGMT_SELECT_KEYPAIR {
            return self.has(selection);
        }
        let (Some(public), Some(secret)) = (&self.public, &self.secret) else {
            return false;
        };
        PublicKey::from(&**secret) == *public
    }
}

impl Imported for Key {
    const NAME: &'static CStr = c"X25519";

    const IS_IMPORT_ONLY: bool = false;

    const PARAMETERS: &'static [OsslParam] = &[
        described(OSSL_PKEY_PARAM_PUB_KEY, OSSL_PARAM_OCTET_STRING),
        described(OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PARAM_OCTET_STRING),
        END,
    ];

    /// No hash: none belongs to such a key.
    const ANSWERS: &'static [OsslParam] = &[
        described(OSSL_PKEY_PARAM_BITS, OSSL_PARAM_INTEGER),
        described(OSSL_PKEY_PARAM_SECURITY_BITS, OSSL_PARAM_INTEGER),
        described(OSSL_PKEY_PARAM_MAX_SIZE, OSSL_PARAM_INTEGER),
        described(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, OSSL_PARAM_OCTET_STRING),
        described(OSSL_PKEY_PARAM_PUB_KEY, OSSL_PARAM_OCTET_STRING),
        described(OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PARAM_OCTET_STRING),
        END,
    ];

    fn empty() -> Option<Self> {
        Some(Self::default())
    }

    fn algorithm(operation: c_int) -> Option<&'static CStr> {
        (operation == OSSL_OP_KEYEXCH).then_some(c"X25519")
    }

    /// Returns `None` without a part, and for parts that are not 32 bytes. A public part is kept as
    /// it is, and computed if missing.
    fn import(selection: c_int, params: PassedParams<'_>) -> Option<Self> {
        if !is_selected(selection, OSSL_KEYMGMT_SELECT_KEYPAIR) {
            return None;
        }
        let public = match params.get(OSSL_PKEY_PARAM_PUB_KEY) {
            None => None,
            Some(public) => Some(public.octets()?.try_into().ok()?),
        };
        let given = params.get(OSSL_PKEY_PARAM_PRIV_KEY);
        let secret = match given {
            Some(bytes) if is_selected(selection, OSSL_KEYMGMT_SELECT_PRIVATE_KEY) => {
                Some(secret(bytes.octets()?.try_into().ok()?))
            }
            _ => None,
        };
        match (public, secret) {
            (None, None) => None,
            (None, Some(secret)) => Some(Self::of(secret)),
            (public, secret) => Some(Self { public, secret }),
        }
    }

    fn has(&self, selection: c_int) -> bool {
        let lacks = |part, is_there: bool| is_selected(selection, part) && !is_there;
        !lacks(OSSL_KEYMGMT_SELECT_PUBLIC_KEY, self.public.is_some())
            && !lacks(OSSL_KEYMGMT_SELECT_PRIVATE_KEY, self.secret.is_some())
    }

    /// Compares the public parts if they are selected and present, otherwise the private ones in
    /// constant time.
    fn matches(&self, other: &Self, selection: c_int) -> bool {
        if !is_selected(selection, OSSL_KEYMGMT_SELECT_KEYPAIR) {
            return true;
        }
        if is_selected(selection, OSSL_KEYMGMT_SELECT_PUBLIC_KEY)
            && let (Some(public), Some(others)) = (&self.public, &other.public)
        {
            return public == others;
        }
        is_selected(selection, OSSL_KEYMGMT_SELECT_PRIVATE_KEY)
            && matches!((&self.secret, &other.secret), (Some(one), Some(other)) if one == other)
    }

    fn is_same(&self, other: &Self) -> bool {
        self.public_bytes() == other.public_bytes() && self.secret == other.secret
    }

    fn answer(&self, mut params: QueriedParams<'_>) -> bool {
        let public = self.public_bytes();
        params.number(OSSL_PKEY_PARAM_BITS, 253)
            && params.number(OSSL_PKEY_PARAM_SECURITY_BITS, 128)
            && params.number(OSSL_PKEY_PARAM_MAX_SIZE, 32)
            && params.octets(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, public)
            && params.octets(OSSL_PKEY_PARAM_PUB_KEY, public)
            && self
                .secret_bytes()
                .is_none_or(|secret| params.octets(OSSL_PKEY_PARAM_PRIV_KEY, secret))
    }
}

impl Agrees for Key {
    fn has_secret(&self) -> bool {
        self.secret.is_some()
    }

    fn is_like(&self, _other: &Self) -> bool {
        true
    }

    fn shared_len(&self) -> usize {
        32
    }

    /// Returns `None` if the peer's point has a small order or is missing; OpenSSL fails then, too.
    fn agree(&self, peer: &Self) -> Option<Zeroizing<Vec<u8>>> {
        let secret = self.secret.as_ref()?;
        let shared = secret.diffie_hellman(peer.public.as_ref()?).ok()?;
        Some(Zeroizing::new(shared.as_bytes().to_vec()))
    }
}
