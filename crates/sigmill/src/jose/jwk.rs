//! A public key with the members that describe it (RFC 7517 §4, RFC 7518 §6.2).

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use serde_json::Value;

use crate::curve::NamedCurve;
use crate::encoding::json::Member;
use crate::encoding::jwk::encode_with;
use crate::encoding::jwk_members::{JwkPoint, Members};
use crate::encoding::key_purpose::{KeyPurpose, Stated};
use crate::keys::{VerifyingKey, on_curve};
use crate::{Algorithm, AnyVerifyingKey, CurveName, Error, HashName};

/// A public key on an elliptic curve as a JSON Web Key. The members that name the key and state its
/// purpose are kept unchanged: `kid`, `use`, `key_ops`, `alg` (RFC 7517 §4.2 to §4.5).
///
/// The point is on the curve. The stated purpose is kept, not checked.
/// [`may_verify`](Self::may_verify) and [`check`](Self::check) check it, and so does the conversion
/// to a key (`AnyVerifyingKey::try_from`).
///
/// ```
/// use sigmill::jose::Jwk;
/// use sigmill::{CurveName, Error, KeyPurpose};
///
/// // RFC 7517 §A.1.
/// let jwk: Jwk = r#"{"kty":"EC",
///     "crv":"P-256",
///     "x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
///     "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
///     "use":"enc",
///     "kid":"1"}"#.parse()?;
/// assert_eq!((jwk.curve(), jwk.kid()), (CurveName::P256, Some("1")));
/// assert!(!jwk.may_verify());
/// assert_eq!(jwk.check(KeyPurpose::Verify), Err(Error::JwkUse));
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

    /// The key. [`may_verify`](Self::may_verify) reports whether it is for signatures.
    #[must_use]
    pub fn key(&self) -> &AnyVerifyingKey {
        &self.key
    }

    /// The curve (`crv`).
    #[must_use]
    pub fn curve(&self) -> CurveName {
        self.key.curve()
    }

    /// The JOSE algorithm of the curve, which verifies signatures of this key: ES256 for a key on
    /// P-256. The `alg` member is [`alg`](Self::alg).
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.key.algorithm()
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
        purpose.check(self.curve(), &stated)
    }

    /// Reports whether the key may verify signatures: [`check`](Self::check) for
    /// [`KeyPurpose::Verify`].
    #[must_use]
    pub fn may_verify(&self) -> bool {
        self.check(KeyPurpose::Verify).is_ok()
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
    /// space, and the members are in the order of RFC 7638 §3. [`Display`](fmt::Display) writes
    /// the same.
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
        match encode_with(self.curve(), &x, &y, more) {
            Some(json) => json,
            None => unreachable!("JOSE has a name for the curve of a JWK"),
        }
    }
}

impl fmt::Display for Jwk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_json())
    }
}

/// Parses with [`Jwk::from_json`].
impl FromStr for Jwk {
    type Err = Error;

    fn from_str(json: &str) -> Result<Self, Error> {
        Self::from_json(json)
    }
}

/// [`Jwk::from_json`] of parsed JSON. Parsed JSON does not show whether a member was repeated, so
/// read a key from elsewhere from its text.
impl TryFrom<&Value> for Jwk {
    type Error = Error;

    fn try_from(json: &Value) -> Result<Self, Error> {
        Self::of_any_purpose(&Members::of_value(json)?)
    }
}

/// Creates a JWK without descriptive members. Returns [`Error::JwkCurveUnknown`] on a curve that
/// JOSE has no name for.
impl TryFrom<AnyVerifyingKey> for Jwk {
    type Error = Error;

    fn try_from(key: AnyVerifyingKey) -> Result<Self, Error> {
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
}

/// Returns the key, if it is for [`KeyPurpose::Verify`].
impl TryFrom<&Jwk> for AnyVerifyingKey {
    type Error = Error;

    fn try_from(jwk: &Jwk) -> Result<Self, Error> {
        jwk.check(KeyPurpose::Verify)?;
        Ok(*jwk.key())
    }
}

/// Returns the key, if it is on the curve `C` and for [`KeyPurpose::Verify`].
impl<C: NamedCurve + Default> TryFrom<&Jwk> for VerifyingKey<C> {
    type Error = Error;

    fn try_from(jwk: &Jwk) -> Result<Self, Error> {
        let key = AnyVerifyingKey::try_from(jwk)?;
        on_curve(C::default(), key.curve())?;
        Self::from_sec1_bytes(&key.to_sec1_bytes(false))
    }
}
