//! Keys as the core hands them over.

use std::ffi::c_int;

use sigmill::{AnySigningKey, AnyVerifyingKey, CurveName};

use crate::abi::{
    OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS, OSSL_KEYMGMT_SELECT_PRIVATE_KEY,
    OSSL_KEYMGMT_SELECT_PUBLIC_KEY, OSSL_PKEY_EC_ENCODING_GROUP,
    OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, OSSL_PKEY_PARAM_EC_ENCODING,
    OSSL_PKEY_PARAM_GROUP_NAME, OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PKEY_PARAM_PUB_KEY,
};
use crate::params::Given;

/// A key: the public part, the private one, or both. The private part is wiped when it is dropped.
#[derive(Debug)]
pub(crate) struct Key {
    curve: CurveName,
    public: Option<PublicKey>,
    /// A large value, and not there in most keys.
    signing: Option<Box<AnySigningKey>>,
}

/// The public part of a key.
#[derive(Debug)]
pub(crate) struct PublicKey {
    /// The point.
    pub(crate) key: AnyVerifyingKey,
    /// The same in uncompressed form, which is its name in the store of keys.
    pub(crate) point: Vec<u8>,
}

impl Key {
    /// The key that the parameters describe, as far as it was selected; `None` if it is none that
    /// this module speaks of, and the provider that it came from has to judge: on another curve,
    /// with explicit parameters, without both parts, or not valid.
    pub(crate) fn import(selection: c_int, params: Given<'_>) -> Option<Self> {
        let text = |name| params.get(name).map(|value| value.text());
        if let Some(encoding) = text(OSSL_PKEY_PARAM_EC_ENCODING)
            && encoding.map(str::as_bytes) != Some(OSSL_PKEY_EC_ENCODING_GROUP.to_bytes())
        {
            return None;
        }
        let explicit = params.get(OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS);
        if explicit.is_some_and(|value| value.number() != Some(0)) {
            return None;
        }
        let curve: CurveName = text(OSSL_PKEY_PARAM_GROUP_NAME)??.parse().ok()?;

        let selected = |part: c_int| selection & part != 0;
        let given = params.get(OSSL_PKEY_PARAM_PRIV_KEY);
        let signing = match given.filter(|_| selected(OSSL_KEYMGMT_SELECT_PRIVATE_KEY)) {
            None => None,
            Some(secret) => {
                let secret = secret.big_endian(curve.order_len())?;
                Some(Box::new(AnySigningKey::from_be_bytes(curve, &secret).ok()?))
            }
        };
        let given = params.get(OSSL_PKEY_PARAM_PUB_KEY);
        let public = match given.filter(|_| selected(OSSL_KEYMGMT_SELECT_PUBLIC_KEY)) {
            Some(point) => Some(PublicKey::read(curve, point.octets()?)?),
            // OpenSSL computes what is missing, too.
            None => signing
                .as_ref()
                .map(|key| PublicKey::of(key.verifying_key())),
        };
        (public.is_some() || signing.is_some()).then_some(Self {
            curve,
            public,
            signing,
        })
    }

    /// The curve.
    pub(crate) fn curve(&self) -> CurveName {
        self.curve
    }

    /// The public part.
    pub(crate) fn public(&self) -> Option<&PublicKey> {
        self.public.as_ref()
    }

    /// The private part.
    pub(crate) fn signing(&self) -> Option<&AnySigningKey> {
        self.signing.as_deref()
    }

    /// Whether all parts that are selected are there.
    pub(crate) fn has(&self, selection: c_int) -> bool {
        let lacks = |part: c_int, is_there: bool| selection & part != 0 && !is_there;
        !lacks(OSSL_KEYMGMT_SELECT_PUBLIC_KEY, self.public.is_some())
            && !lacks(OSSL_KEYMGMT_SELECT_PRIVATE_KEY, self.signing.is_some())
    }

    /// Whether the parts that are selected are the same in both. Private parts are compared in
    /// constant time; where the public ones are selected and there, they are not looked at.
    pub(crate) fn matches(&self, other: &Self, selection: c_int) -> bool {
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
            return match (&self.signing, &other.signing) {
                (Some(signing), Some(others)) => signing == others,
                _ => false,
            };
        }
        !selected(OSSL_KEYMGMT_SELECT_PUBLIC_KEY)
    }

    /// What `EVP_PKEY_get_security_bits` says of such a key, by the length of the order.
    pub(crate) fn security_bits(&self) -> u32 {
        match self.curve.order_bits() {
            512.. => 256,
            384.. => 192,
            _ => 128,
        }
    }

    /// The length of the longest signature in DER.
    pub(crate) fn max_signature_len(&self) -> usize {
        // A byte for the sign where the first bit of n is that of a byte; tag and length.
        let integer = self.curve.order_bits() as usize / 8 + 1 + 2;
        let header = if 2 * integer < 128 { 2 } else { 3 };
        header + 2 * integer
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
            // The hybrid form: an uncompressed point that says, too, whether y is odd.
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
