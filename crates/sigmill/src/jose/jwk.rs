//! A public key with the members that describe it (RFC 7517 §4, RFC 7518 §6.2).

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use crate::encoding::json::Member;
use crate::encoding::jwk::encode_with;
use crate::encoding::jwk_members::{JwkPoint, Members};
use crate::encoding::key_purpose::{KeyPurpose, Stated};
use crate::{AnyVerifyingKey, Error, HashName};

/// A public key on an elliptic curve as a JSON Web Key. The members that name the key and state its
/// purpose are kept unchanged: `kid`, `use`, `key_ops`, `alg` (RFC 7517 §4.2 to §4.5).
///
/// The point is on the curve. The stated purpose is kept; [`check`](Self::check) and
/// [`key_for`](Self::key_for) check it.
///
/// ```
/// use sigmill::jose::Jwk;
/// use sigmill::{CurveName, Error, KeyPurpose};
///
/// // RFC 7517 §A.1.
/// let jwk = Jwk::from_json(r#"{"kty":"EC",
///     "crv":"P-256",
///     "x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
///     "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
///     "use":"enc",
///     "kid":"1"}"#)?;
/// assert_eq!((jwk.key().curve(), jwk.kid()), (CurveName::P256, Some("1")));
/// assert_eq!(jwk.check(KeyPurpose::Verify), Err(Error::JwkUse));
/// assert!(jwk.key_for(KeyPurpose::Verify).is_err() && jwk.key_for(KeyPurpose::Agree).is_ok());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jwk {
    key: AnyVerifyingKey,
    kid: Option<String>,
    usage: Option<String>,
    operations: Option<Vec<String>>,
    alg: Option<String>,
}

impl Jwk {
    /// Reads the JSON text of one key: `kty` "EC", `crv`, `x` and `y` (RFC 7518 §6.2). No object
    /// in it may repeat a member. Members that are not used here are skipped, including the private
    /// `d`. Costs one pass over the text, and the check that the point is on the curve.
    ///
    /// # Errors
    /// One of the `Jwk...` variants of [`Error`]; [`Error::KeyXOutOfRange`],
    /// [`Error::KeyYOutOfRange`], [`Error::KeyNotOnCurve`].
    pub fn from_json(json: &str) -> Result<Self, Error> {
        Self::of_any_purpose(&Members::read(json)?)
    }

    /// [`from_json`](Self::from_json) of parsed JSON. That does not show whether a member was
    /// repeated, so read a key from elsewhere from its text.
    ///
    /// # Errors
    /// Those of [`from_json`](Self::from_json) except [`Error::JwkMemberTwice`].
    pub fn from_value(json: &Value) -> Result<Self, Error> {
        Self::of_any_purpose(&Members::of_value(json)?)
    }

    /// Creates a JWK without members that describe the key.
    ///
    /// # Errors
    /// [`Error::JwkCurveUnknown`] on a curve that JOSE has no name for.
    pub fn from_key(key: AnyVerifyingKey) -> Result<Self, Error> {
        match key.curve().jwk_name() {
            Some(_) => Ok(Self {
                key,
                kid: None,
                usage: None,
                operations: None,
                alg: None,
            }),
            None => Err(Error::JwkCurveUnknown),
        }
    }

    fn of_any_purpose(members: &Members<'_>) -> Result<Self, Error> {
        if !members.kid.may_be_text() {
            return Err(Error::JwkMalformed);
        }
        Self::new(members, &members.point(None)?)
    }

    /// Creates a key from its members and its point.
    pub(super) fn new(members: &Members<'_>, point: &JwkPoint) -> Result<Self, Error> {
        let text = |member: &Member<'_>| member.text().map(str::to_owned);
        Ok(Self {
            key: AnyVerifyingKey::from_jwk_point(point)?,
            kid: text(&members.kid),
            usage: text(&members.usage),
            operations: members.operations.texts().map(<[_]>::to_vec),
            alg: text(&members.algorithm),
        })
    }

    /// The key, if it is for `purpose`.
    ///
    /// # Errors
    /// Those of [`check`](Self::check).
    pub fn key_for(&self, purpose: KeyPurpose) -> Result<&AnyVerifyingKey, Error> {
        self.check(purpose)?;
        Ok(&self.key)
    }

    /// The key, whatever it is for. [`key_for`](Self::key_for) checks that.
    #[must_use]
    pub fn key(&self) -> &AnyVerifyingKey {
        &self.key
    }

    /// The name of the key (`kid`).
    #[must_use]
    pub fn kid(&self) -> Option<&str> {
        self.kid.as_deref()
    }

    /// The use of the key (`use`): "sig", "enc".
    #[must_use]
    pub fn usage(&self) -> Option<&str> {
        self.usage.as_deref()
    }

    /// The operations that the key allows (`key_ops`): "verify", "deriveBits".
    #[must_use]
    pub fn key_operations(&self) -> Option<&[String]> {
        self.operations.as_deref()
    }

    /// The algorithm that the key names (`alg`): "ES256", "ECDH-ES".
    #[must_use]
    pub fn alg(&self) -> Option<&str> {
        self.alg.as_deref()
    }

    /// Checks that the key is for `purpose`, as far as `use`, `key_ops` and `alg` state it.
    ///
    /// # Errors
    /// [`Error::JwkUse`], [`Error::JwkKeyOperations`], [`Error::JwkAlgorithm`].
    pub fn check(&self, purpose: KeyPurpose) -> Result<(), Error> {
        let stated = Stated {
            usage: self.usage(),
            operations: self.key_operations(),
            algorithm: self.alg(),
        };
        purpose.check(self.key.curve(), &stated)
    }

    /// The same key under another name.
    #[must_use]
    pub fn with_kid(self, kid: impl Into<String>) -> Self {
        Self {
            kid: Some(kid.into()),
            ..self
        }
    }

    /// Writes the JSON text of the key, including the members that describe it. It has no white
    /// space, and the members are in the order of RFC 7638 §3.
    #[must_use]
    pub fn to_json(&self) -> String {
        let text = |name, text: Option<&str>| Some((name, Value::from(text?)));
        let operations = self.key_operations().map(Value::from);
        let more: Vec<_> = [
            text("alg", self.alg()),
            operations.map(|operations| ("key_ops", operations)),
            text("kid", self.kid()),
            text("use", self.usage()),
        ]
        .into_iter()
        .flatten()
        .collect();
        self.encode(&more)
    }

    /// The SHA-256 thumbprint of the key (RFC 7638). It is equal for equal keys, whatever their
    /// other members are.
    #[must_use]
    pub fn thumbprint_sha256(&self) -> [u8; 32] {
        let digest = HashName::Sha256.digest(self.encode(&[]).as_bytes());
        match (*digest).try_into() {
            Ok(digest) => digest,
            Err(_) => unreachable!("SHA-256 gives 32 bytes"),
        }
    }

    fn encode(&self, more: &[(&str, Value)]) -> String {
        let (x, y) = self.key.to_coordinates();
        match encode_with(self.key.curve(), &x, &y, more) {
            Some(json) => json,
            None => unreachable!("JOSE has a name for the curve of a JWK"),
        }
    }
}
