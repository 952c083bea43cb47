//! The members of a JWK (RFC 7517 §4, RFC 7518 §6.2).

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor,
};
use serde_json::Value;
use serde_json::value::RawValue;
use zeroize::Zeroizing;

use super::base64url;
use super::json::{Member, Names, Text, Unambiguous};
use super::key_purpose::{KeyPurpose, Stated};
use crate::curve::CurveName;
use crate::error::Error;

/// The members that define the key, and those that state its purpose and its name. Others (`x5c`,
/// and, for a public key, the private `d`) are skipped.
#[derive(Default)]
pub(crate) struct Members<'a> {
    pub(crate) kty: Member<'a>,
    pub(crate) crv: Member<'a>,
    x: Member<'a>,
    y: Member<'a>,
    /// As in the text, so that no JSON reader has a copy of it.
    d: Option<&'a RawValue>,
    pub(crate) kid: Member<'a>,
    pub(crate) usage: Member<'a>,
    pub(crate) operations: Member<'a>,
    pub(crate) algorithm: Member<'a>,
}

impl<'a> Members<'a> {
    /// Reads the JSON text of one key.
    ///
    /// # Errors
    /// [`Error::JwkMalformed`], [`Error::JwkMemberTwice`].
    pub(crate) fn read(text: &'a str) -> Result<Self, Error> {
        Self::read_alone(Reading::Public, text)
    }

    pub(super) fn read_alone(reading: Reading, text: &'a str) -> Result<Self, Error> {
        // Text that is not an object is malformed. In an object, these readings refuse only one
        // kind of data: members that occur twice.
        if !text.trim_start().starts_with('{') {
            return Err(Error::JwkMalformed);
        }
        reading.read(text).map_err(|error| match error.is_data() {
            true => Error::JwkMemberTwice,
            false => Error::JwkMalformed,
        })
    }

    /// Reads a key from JSON that is already parsed. Of members that occurred twice it has one.
    ///
    /// # Errors
    /// [`Error::JwkMalformed`].
    pub(crate) fn of_value(value: &'a Value) -> Result<Self, Error> {
        Reading::Public
            .deserialize(value)
            .map_err(|_| Error::JwkMalformed)
    }

    /// Reads a key of a set. Errors in `kty` and in the key's statements about itself, and members
    /// that occur twice, are reported with their place.
    pub(crate) fn read_in_set(json: &'a str) -> Result<Self, serde_json::Error> {
        Reading::InSet.read(json)
    }

    /// Returns the curve and the point of a key that is for `purpose`, or for any purpose.
    ///
    /// # Errors
    /// One of the variants whose name begins with `Jwk`.
    pub(crate) fn point(&self, purpose: Option<KeyPurpose>) -> Result<JwkPoint, Error> {
        let texts = [
            &self.kty,
            &self.crv,
            &self.x,
            &self.y,
            &self.usage,
            &self.algorithm,
        ];
        let operations = matches!(self.operations, Member::Absent | Member::Texts(_));
        if !operations || !texts.into_iter().all(Member::may_be_text) {
            return Err(Error::JwkMalformed);
        }
        if required(&self.kty, "kty")? != "EC" {
            return Err(Error::JwkKeyType);
        }
        let curve = curve_of(required(&self.crv, "crv")?).ok_or(Error::JwkCurveUnknown)?;
        if let Some(purpose) = purpose {
            let stated = Stated {
                usage: self.usage.text(),
                operations: self.operations.texts(),
                algorithm: self.algorithm.text(),
            };
            purpose.check(curve, &stated)?;
        }
        let len = curve.field_len();
        let mut sec1 = [0; 1 + 2 * CurveName::MAX_FIELD_LEN];
        sec1[0] = 4;
        coordinate(&self.x, "x", &mut sec1[1..=len])?;
        coordinate(&self.y, "y", &mut sec1[1 + len..=2 * len])?;
        Ok(JwkPoint { curve, sec1 })
    }

    /// Returns the private key, which has the length of the order.
    pub(super) fn secret(&self, curve: CurveName) -> Result<Zeroizing<Vec<u8>>, Error> {
        let json = self.d.map_or("null", RawValue::get);
        if json == "null" {
            return Err(Error::JwkMemberMissing { member: "d" });
        }
        // A backslash, which would start an escape, is not a letter of base64url.
        let text = json.strip_prefix('"').and_then(|d| d.strip_suffix('"'));
        let text = text.ok_or(Error::JwkMalformed)?;
        let (expected, actual) = (curve.order_len(), base64url::decoded_len(text.len()));
        if actual != expected {
            return Err(Error::SecretLength { expected, actual });
        }
        let mut secret = Zeroizing::new(vec![0; expected]);
        let decoded = base64url::decode_into(text.as_bytes(), &mut secret);
        decoded.ok_or(Error::JwkSecretEncoding).map(|()| secret)
    }
}

/// Returns the `kid` of a key that may be malformed, if every reader finds the same.
pub(crate) fn kid_of(json: &str) -> Option<String> {
    serde_json::from_str::<Kid>(json).ok()?.0
}

/// The member `kid` of an object, which may occur only once. Other members are ignored.
struct Kid(Option<String>);

impl<'de> Deserialize<'de> for Kid {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(KidVisitor).map(Self)
    }
}

struct KidVisitor;

impl<'de> Visitor<'de> for KidVisitor {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut kid = None;
        while let Some(Text(name)) = map.next_key()? {
            if name != "kid" {
                map.next_value::<IgnoredAny>()?;
            } else if kid.replace(map.next_value()?).is_some() {
                return Err(A::Error::duplicate_field("kid"));
            }
        }
        Ok(kid)
    }
}

/// Returns the curve with this JOSE name.
pub(crate) fn curve_of(crv: &str) -> Option<CurveName> {
    let mut curves = CurveName::ALL.iter().copied();
    curves.find(|curve| curve.jwk_name() == Some(crv))
}

/// The way to read an object with the members of a key.
#[derive(Clone, Copy)]
pub(super) enum Reading {
    /// Alone, for its public key.
    Public,
    /// Alone, with its private key.
    Private,
    /// In a set, where the JSON reader reports wrong types.
    InSet,
}

impl Reading {
    fn read<'a>(self, text: &'a str) -> Result<Members<'a>, serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let members = self.deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(members)
    }

    fn text<'de, A: MapAccess<'de>>(self, map: &mut A) -> Result<Member<'de>, A::Error> {
        match self {
            Self::InSet => Ok(match map.next_value()? {
                Some(Text(text)) => Member::Text(text),
                None => Member::Absent,
            }),
            Self::Public | Self::Private => map.next_value(),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Reading {
    type Value = Members<'de>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Reading {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut members, mut names) = (Members::default(), Names::default());
        while let Some(name) = names.next(&mut map)? {
            match &*name {
                "kty" => members.kty = self.text(&mut map)?,
                "crv" => members.crv = self.text(&mut map)?,
                "kid" => members.kid = self.text(&mut map)?,
                "use" => members.usage = self.text(&mut map)?,
                "alg" => members.algorithm = self.text(&mut map)?,
                "key_ops" => members.operations = map.next_value()?,
                "x" => members.x = map.next_value()?,
                "y" => members.y = map.next_value()?,
                "d" if matches!(self, Self::Private) => members.d = Some(map.next_value()?),
                _ => {
                    map.next_value::<Unambiguous>()?;
                }
            }
        }
        match (self, &members.kty) {
            (Self::InSet, Member::Absent) => Err(A::Error::missing_field("kty")),
            _ => Ok(members),
        }
    }
}

/// The curve and the point that a JWK names. The caller must check that the point is on the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JwkPoint {
    curve: CurveName,
    sec1: [u8; 1 + 2 * CurveName::MAX_FIELD_LEN],
}

impl JwkPoint {
    /// The curve.
    pub(crate) fn curve(&self) -> CurveName {
        self.curve
    }

    /// Returns the point as SEC 1 §2.3.3 writes it without compression: 04, x, y, with big-endian
    /// coordinates of any value.
    pub(crate) fn sec1_bytes(&self) -> &[u8] {
        &self.sec1[..1 + 2 * self.curve.field_len()]
    }
}

fn required<'a>(value: &'a Member<'_>, member: &'static str) -> Result<&'a str, Error> {
    value.text().ok_or(Error::JwkMemberMissing { member })
}

/// Decodes the member `name` into `out`. It must have exactly the length of `out` (RFC 7518
/// §6.2.1.2).
fn coordinate(value: &Member<'_>, name: &'static str, out: &mut [u8]) -> Result<(), Error> {
    let text = required(value, name)?;
    let encoding = Error::JwkCoordinateEncoding { coordinate: name };
    if !base64url::has_letters_only(text.as_bytes()) {
        return Err(encoding);
    }
    let (expected, actual) = (out.len(), base64url::decoded_len(text.len()));
    if actual != expected {
        return Err(Error::JwkCoordinateLength {
            coordinate: name,
            expected,
            actual,
        });
    }
    // The only remaining error is nonzero bits after the last byte.
    base64url::decode_into(text.as_bytes(), out).ok_or(encoding)
}
