//! Keys of X25519 as the core hands them over.

use std::ffi::{CStr, c_int};

use sigmill::agreement::x25519::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

use crate::abi::*;
use crate::exchange::Agrees;
use crate::keymgmt::Imported;
use crate::params::{Asked, END, Given, described};

/// A key: the public part, or both. The private part is wiped when it is dropped.
#[derive(Debug)]
pub(crate) struct Key {
    public: PublicKey,
    secret: Option<StaticSecret>,
}

impl Imported for Key {
    const NAME: &'static CStr = c"X25519";

    const PARAMETERS: &'static [OsslParam] = &[
        described(OSSL_PKEY_PARAM_PUB_KEY, OSSL_PARAM_OCTET_STRING),
        described(OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PARAM_OCTET_STRING),
        END,
    ];

    fn algorithm(operation: c_int) -> Option<&'static CStr> {
        (operation == OSSL_OP_KEYEXCH).then_some(c"X25519")
    }

    /// `None` for parts that are not 32 bytes.
    fn import(selection: c_int, params: Given<'_>) -> Option<Self> {
        let part = |part: c_int, name: &CStr| params.get(name).filter(|_| selection & part != 0);
        let secret = match part(OSSL_KEYMGMT_SELECT_PRIVATE_KEY, OSSL_PKEY_PARAM_PRIV_KEY) {
            None => None,
            Some(secret) => {
                let secret: [u8; 32] = secret.octets()?.try_into().ok()?;
                Some(StaticSecret::from(*Zeroizing::new(secret)))
            }
        };
        let public = match part(OSSL_KEYMGMT_SELECT_PUBLIC_KEY, OSSL_PKEY_PARAM_PUB_KEY) {
            Some(public) => public.octets()?.try_into().ok()?,
            // OpenSSL computes what is missing, too.
            None => secret.as_ref()?.into(),
        };
        Some(Self { public, secret })
    }

    fn has(&self, selection: c_int) -> bool {
        selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY == 0 || self.secret.is_some()
    }

    /// By the public parts, which the private ones tell.
    fn matches(&self, other: &Self, selection: c_int) -> bool {
        const EITHER: c_int = OSSL_KEYMGMT_SELECT_PRIVATE_KEY | OSSL_KEYMGMT_SELECT_PUBLIC_KEY;
        selection & EITHER == 0 || self.public.as_bytes() == other.public.as_bytes()
    }

    fn answer(&self, mut params: Asked<'_>) -> bool {
        // The numbers of OpenSSL, which has no hash that goes with such a key.
        params.number(OSSL_PKEY_PARAM_BITS, 253)
            && params.number(OSSL_PKEY_PARAM_SECURITY_BITS, 128)
            && params.number(OSSL_PKEY_PARAM_MAX_SIZE, 32)
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

    /// `None` if the peer's point has a small order, for which OpenSSL fails, too.
    fn agree(&self, peer: &Self) -> Option<Zeroizing<Vec<u8>>> {
        let shared = self.secret.as_ref()?.diffie_hellman(&peer.public).ok()?;
        Some(Zeroizing::new(shared.as_bytes().to_vec()))
    }
}
