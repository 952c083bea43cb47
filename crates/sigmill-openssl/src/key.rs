//! Keys on curves, as the core passes them.

use std::ffi::{CStr, c_int};

use sigmill::{AnySigningKey, AnyVerifyingKey, CurveName};
use zeroize::Zeroizing;

use crate::abi::*;
use crate::exchange::Agrees;
use crate::keymgmt::Imported;
use crate::params::{END, PassedParams, QueriedParams, described};
use crate::secret::Secret;

/// A key: the public part, the private one, or both. The private part is wiped when it is dropped.
#[derive(Debug)]
pub(crate) struct Key {
    curve: CurveName,
    public: Option<PublicKey>,
    secret: Option<Secret>,
}

/// The public part of a key.
#[derive(Debug)]
pub(crate) struct PublicKey {
    /// The point.
    pub(crate) key: AnyVerifyingKey,
    /// The point in uncompressed form, which is its name in the key store.
    pub(crate) point: Vec<u8>,
}

impl Key {
    /// Returns the public part.
    pub(crate) fn public(&self) -> Option<&PublicKey> {
        self.public.as_ref()
    }

    /// Returns the private part, for signatures.
    pub(crate) fn signing(&self) -> Option<&AnySigningKey> {
        self.secret.as_ref().map(Secret::signing)
    }

    /// Returns the value of `EVP_PKEY_get_security_bits` for such a key, by the length of the
    /// order.
    fn security_bits(&self) -> u32 {
        match self.curve.order_bits() {
            512.. => 256,
            384.. => 192,
            _ => 128,
        }
    }

    /// Returns the length of the longest signature in DER.
    pub(crate) fn max_signature_len(&self) -> usize {
        // One more byte for the sign if n fills its first byte; then tag and length.
        let integer = self.curve.order_bits() as usize / 8 + 1 + 2;
        let header = if 2 * integer < 128 { 2 } else { 3 };
        header + 2 * integer
    }
}

impl Imported for Key {
    const NAME: &'static CStr = c"EC";

    const IS_IMPORT_ONLY: bool = true;

    const PARAMETERS: &'static [OsslParam] = &[
        described(OSSL_PKEY_PARAM_GROUP_NAME, OSSL_PARAM_UTF8_STRING),
        described(OSSL_PKEY_PARAM_EC_ENCODING, OSSL_PARAM_UTF8_STRING),
        described(
            OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS,
            OSSL_PARAM_INTEGER,
        ),
        described(OSSL_PKEY_PARAM_PUB_KEY, OSSL_PARAM_OCTET_STRING),
        described(OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PARAM_UNSIGNED_INTEGER),
        END,
    ];

    const ANSWERS: &'static [OsslParam] = &[
        described(OSSL_PKEY_PARAM_BITS, OSSL_PARAM_INTEGER),
        described(OSSL_PKEY_PARAM_SECURITY_BITS, OSSL_PARAM_INTEGER),
        described(OSSL_PKEY_PARAM_MAX_SIZE, OSSL_PARAM_INTEGER),
        described(OSSL_PKEY_PARAM_DEFAULT_DIGEST, OSSL_PARAM_UTF8_STRING),
        END,
    ];

    /// No key exists without a curve.
    fn empty() -> Option<Self> {
        None
    }

    fn algorithm(operation: c_int) -> Option<&'static CStr> {
        match operation {
            OSSL_OP_SIGNATURE => Some(c"ECDSA"),
            OSSL_OP_KEYEXCH => Some(c"ECDH"),
            _ => None,
        }
    }

    /// Returns `None` for a key on another curve, with explicit parameters, with neither part, or
    /// invalid; and for one without the encoding of its curve. libcrypto and its providers always
    /// state it when they export a key. Programs that build a key from data do not: such a key must
    /// not become ours.
    fn import(selection: c_int, params: PassedParams<'_>) -> Option<Self> {
        let text = |name| params.get(name).map(|value| value.text());
        let encoding = text(OSSL_PKEY_PARAM_EC_ENCODING)??;
        if encoding.as_bytes() != OSSL_PKEY_EC_ENCODING_GROUP.to_bytes() {
            return None;
        }
        let explicit = params.get(OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS);
        if explicit.is_some_and(|value| value.number() != Some(0)) {
            return None;
        }
        let curve: CurveName = text(OSSL_PKEY_PARAM_GROUP_NAME)??.parse().ok()?;

        let selected = |part: c_int| selection & part != 0;
        let given = params.get(OSSL_PKEY_PARAM_PRIV_KEY);
        let secret = match given.filter(|_| selected(OSSL_KEYMGMT_SELECT_PRIVATE_KEY)) {
            None => None,
            Some(secret) => {
                let secret = secret.big_endian(curve.order_len())?;
                Some(Secret::from_be_bytes(curve, &secret)?)
            }
        };
        let given = params.get(OSSL_PKEY_PARAM_PUB_KEY);
        let public = match given.filter(|_| selected(OSSL_KEYMGMT_SELECT_PUBLIC_KEY)) {
            Some(point) => Some(PublicKey::read(curve, point.octets()?)?),
            // OpenSSL does not verify with such a key, either.
            None => None,
        };
        (public.is_some() || secret.is_some()).then_some(Self {
            curve,
            public,
            secret,
        })
    }

    fn has(&self, selection: c_int) -> bool {
        let lacks = |part: c_int, is_there: bool| selection & part != 0 && !is_there;
        !lacks(OSSL_KEYMGMT_SELECT_PUBLIC_KEY, self.public.is_some())
            && !lacks(OSSL_KEYMGMT_SELECT_PRIVATE_KEY, self.secret.is_some())
    }

    /// Compares private parts in constant time, and only if the public ones are not selected or not
    /// present in both.
    fn matches(&self, other: &Self, selection: c_int) -> bool {
        let selected = |part: c_int| selection & part != 0;
        if selected(OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS) && self.curve != other.curve {
            return false;
        }
        let both = (&self.public, &other.public);
        if selected(OSSL_KEYMGMT_SELECT_PUBLIC_KEY)
            && let (Some(public), Some(others)) = both
        {
            return public.key == others.key;
        }
        if selected(OSSL_KEYMGMT_SELECT_PRIVATE_KEY) {
            return match (&self.secret, &other.secret) {
                (Some(secret), Some(others)) => secret == others,
                _ => false,
            };
        }
        !selected(OSSL_KEYMGMT_SELECT_PUBLIC_KEY)
    }

    fn is_same(&self, other: &Self) -> bool {
        let points = [self, other].map(|key| key.public.as_ref().map(|public| &public.point));
        self.curve == other.curve && points[0] == points[1] && self.secret == other.secret
    }

    fn answer(&self, mut params: QueriedParams<'_>) -> bool {
        params.number(OSSL_PKEY_PARAM_BITS, self.curve.order_bits())
            && params.number(OSSL_PKEY_PARAM_SECURITY_BITS, self.security_bits())
            && params.number(OSSL_PKEY_PARAM_MAX_SIZE, self.max_signature_len() as u32)
            // OpenSSL's answer on every curve.
            && params.text(OSSL_PKEY_PARAM_DEFAULT_DIGEST, c"SHA256")
    }
}

impl Agrees for Key {
    fn has_secret(&self) -> bool {
        self.secret.is_some()
    }

    fn is_like(&self, other: &Self) -> bool {
        self.curve == other.curve
    }

    fn shared_len(&self) -> usize {
        self.curve.field_len()
    }

    fn agree(&self, peer: &Self) -> Option<Zeroizing<Vec<u8>>> {
        let shared = self.secret.as_ref()?.agree(&peer.public.as_ref()?.key)?;
        Some(Zeroizing::new(shared.as_bytes().to_vec()))
    }
}

impl PublicKey {
    fn of(key: AnyVerifyingKey) -> Self {
        let point = key.to_sec1_bytes(false);
        Self { key, point }
    }

    /// Reads a point in any of the three forms of SEC 1 §2.3.4.
    fn read(curve: CurveName, bytes: &[u8]) -> Option<Self> {
        let key = match bytes {
            // The hybrid form: an uncompressed point whose tag also gives the parity of y.
            [tag @ (6 | 7), coordinates @ ..] => {
                if coordinates.last()? & 1 != tag & 1 {
                    return None;
                }
                let uncompressed = [&[4], coordinates].concat();
                AnyVerifyingKey::from_sec1_bytes(curve, &uncompressed)
            }
            _ => AnyVerifyingKey::from_sec1_bytes(curve, bytes),
        };
        key.ok().map(Self::of)
    }
}
