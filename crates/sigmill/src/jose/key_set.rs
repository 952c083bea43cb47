//! The keys of a JWK set (RFC 7517 §5), and the choice of the key that a token means.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Error, Header, Jwk};
use crate::encoding::json::{Names, Unambiguous};
use crate::encoding::jwk_members::{Members, curve_of, kid_of};
use crate::encoding::key_purpose::KeyPurpose;
use crate::{AnyPreparedKey, CurveName};

/// Text from a key or from the JSON reader is truncated to this number of characters.
const MAX_SHOWN_LEN: usize = 120;

/// The number of malformed keys that are listed one by one.
const MOST_MALFORMED: usize = 8;

/// The keys of a JWK set (RFC 7517 §5) that may verify, and a description of the others.
///
/// A key of another type or for another purpose is unusable. A key that breaks a rule is malformed.
/// RFC 7517 §5 ignores both. Here they are counted, and reported for a token that names one.
///
/// ```
/// use sigmill::jose::JwkSet;
///
/// let keys = JwkSet::from_json(r#"{"keys":[
///     {"kty":"EC","crv":"P-256","kid":"2026-11",
///      "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
///      "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},
///     {"kty":"RSA","e":"AQAB","n":"AQAB"},
///     {"kty":"EC"}
/// ]}"#)?;
/// assert_eq!(keys.keys()[0].kid(), Some("2026-11"));
/// assert_eq!(keys.malformed().next(), Some((2, "key: the JWK member crv is missing")));
/// assert!(keys.unusable().any(|(what, count)| (what, count) == ("kty RSA", 1)));
/// # Ok::<(), sigmill::jose::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct JwkSet {
    keys: Vec<Jwk>,
    /// The keys with tables, in the same order; or none at all.
    prepared: Vec<AnyPreparedKey>,
    /// The keys that a token without a kid may mean.
    all: Candidates,
    /// The keys that a kid names.
    by_kid: BTreeMap<String, Candidates>,
    /// The number of keys that may not verify, by description.
    unusable: BTreeMap<String, u64>,
    malformed_count: usize,
    /// The first few malformed keys: the index in the set, and the rule.
    malformed: Vec<(usize, String)>,
}

/// Keys of one name.
#[derive(Clone, Debug, Default)]
struct Candidates {
    /// The keys that may verify, by curve. The curve determines the algorithm.
    fitting: Vec<Fitting>,
    /// The first key, of any kind.
    first: Option<First>,
}

/// The keys on one curve that may verify.
#[derive(Clone, Debug)]
struct Fitting {
    curve: CurveName,
    /// The place of the first of them.
    key: usize,
    count: usize,
}

#[derive(Clone, Debug)]
enum First {
    Usable { place: usize, curve: CurveName },
    Unusable(String),
    Malformed(String),
}

/// A key of a set.
enum Entry {
    /// The key may verify.
    Usable(Box<Jwk>),
    /// The key has another type or purpose, described here.
    Unusable(String),
    /// The key breaks this rule.
    Malformed(String),
}

impl JwkSet {
    /// Reads the JSON text of a set. The time grows with its length (except for sorting names), and
    /// includes one check of a point for each key. Keeps what each key states about itself, not its
    /// text.
    ///
    /// Members of the set other than `keys` are skipped. In the set, and in a key that may verify,
    /// no object repeats a member.
    ///
    /// # Errors
    /// [`Error::KeySetJson`] for text that is not a set, or in which different readers may read
    /// different keys. A defect of a single key is not an error: see
    /// [`malformed`](Self::malformed).
    pub fn from_json(json: &str) -> Result<Self, Error> {
        let Entries(entries) = serde_json::from_str(json).map_err(|e| Error::KeySetJson {
            detail: e.to_string(),
        })?;
        let mut set = Self::default();
        for (index, json) in entries.into_iter().enumerate() {
            set.take(index, Entry::read(json.get()));
        }
        Ok(set)
    }

    /// Adds the key with this index in the set, and its kid.
    fn take(&mut self, index: usize, (kid, entry): (Option<String>, Entry)) {
        let first = match entry {
            Entry::Usable(key) => {
                let (place, curve) = (self.keys.len(), key.key().curve());
                self.keys.push(*key);
                self.all.add(place, curve);
                First::Usable { place, curve }
            }
            Entry::Unusable(what) => {
                *self.unusable.entry(what.clone()).or_default() += 1;
                First::Unusable(what)
            }
            Entry::Malformed(rule) => {
                let what = format!("malformed: {rule}");
                *self.unusable.entry(what).or_default() += 1;
                self.malformed_count += 1;
                if self.malformed.len() < MOST_MALFORMED {
                    self.malformed.push((index, rule.clone()));
                }
                First::Malformed(rule)
            }
        };
        if let Some(kid) = kid {
            let named = self.by_kid.entry(kid).or_default();
            if let First::Usable { place, curve } = first {
                named.add(place, curve);
            }
            named.first.get_or_insert(first);
        }
    }

    /// The keys that may verify, in the order of the set.
    #[must_use]
    pub fn keys(&self) -> &[Jwk] {
        &self.keys
    }

    /// The number of keys that may not verify, by description: "kty RSA", "use enc", or "malformed:
    /// " and the rule. Text from the set itself is truncated to 120 characters.
    pub fn unusable(&self) -> impl Iterator<Item = (&str, u64)> {
        self.unusable
            .iter()
            .map(|(what, &count)| (what.as_str(), count))
    }

    /// The first eight malformed keys: for each, its index in the set (counted from 0), and the
    /// rule that it breaks.
    pub fn malformed(&self) -> impl ExactSizeIterator<Item = (usize, &str)> {
        self.malformed
            .iter()
            .map(|(index, rule)| (*index, rule.as_str()))
    }

    /// The number of malformed keys.
    #[must_use]
    pub fn malformed_count(&self) -> usize {
        self.malformed_count
    }

    /// The same set with a table of multiples for every key that may verify, which makes
    /// verification several times faster. For each key, this costs about as much time as three to
    /// six verifications, and [`table_bytes`](Self::table_bytes) of memory. It is for programs that
    /// keep a set of few keys.
    #[must_use]
    pub fn prepare(self) -> Self {
        let prepared = self.keys.iter().map(|jwk| jwk.key().prepare()).collect();
        Self { prepared, ..self }
    }

    /// The memory that [`prepare`](Self::prepare) needs for tables, in bytes: 151,552 for each key
    /// on P-256. A set of many megabytes can need more memory than is available.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        let window = AnyPreparedKey::DEFAULT_WINDOW;
        let bytes = self.keys.iter().map(|jwk| {
            let bytes = jwk.key().table_bytes(window);
            bytes.unwrap_or_else(|_| unreachable!("it is the window of every curve"))
        });
        bytes.fold(0, usize::saturating_add)
    }

    /// Returns the key at `place` in [`keys`](Self::keys) with its table, if present.
    pub(super) fn prepared(&self, place: usize) -> Option<&AnyPreparedKey> {
        self.prepared.get(place)
    }

    /// Returns the place of the one key that a header means, by kid and algorithm. The key must be
    /// for the algorithm that the header names.
    pub(super) fn find(&self, header: &Header) -> Result<usize, Error> {
        let alg = header.alg().ok_or(Error::AlgMissing)?;
        let mut curves = CurveName::ALL.iter().copied();
        let curve = curves
            .find(|curve| curve.jose_algorithm() == Some(alg))
            .ok_or_else(|| match alg {
                "none" => Error::AlgNone,
                other => Error::AlgUnsupported { alg: other.into() },
            })?;
        let algorithm = curve.default_algorithm();
        let Some(kid) = header.kid() else {
            return match self.all.on(curve) {
                (_, 0) => Err(Error::KeyMissing { algorithm }),
                (key, 1) => Ok(key),
                (_, matches) => Err(Error::KidMissing { matches, algorithm }),
            };
        };
        let named = self.by_kid.get(kid).ok_or(Error::KidUnknown)?;
        match (named.on(curve), &named.first) {
            ((key, 1), _) => Ok(key),
            ((_, 0), Some(First::Usable { curve, .. })) => Err(Error::AlgMismatch {
                algorithm,
                key_algorithm: curve.default_algorithm(),
            }),
            ((_, 0), Some(First::Unusable(what))) => Err(Error::KeyUnusable { what: what.clone() }),
            ((_, 0), Some(First::Malformed(rule))) => {
                Err(Error::KeyMalformed { rule: rule.clone() })
            }
            ((_, matches), _) => Err(Error::KidAmbiguous { matches, algorithm }),
        }
    }
}

impl Candidates {
    fn add(&mut self, key: usize, curve: CurveName) {
        match self.fitting.iter_mut().find(|other| other.curve == curve) {
            Some(fitting) => fitting.count += 1,
            None => self.fitting.push(Fitting {
                curve,
                key,
                count: 1,
            }),
        }
    }

    /// Returns the first key on a curve, and the number of keys on it.
    fn on(&self, curve: CurveName) -> (usize, usize) {
        let fitting = self.fitting.iter().find(|fitting| fitting.curve == curve);
        fitting.map_or((0, 0), |fitting| (fitting.key, fitting.count))
    }
}

impl Entry {
    /// Reads one key of the set. Also returns its kid.
    fn read(json: &str) -> (Option<String>, Self) {
        match Self::read_members(json) {
            Ok(read) => read,
            Err(rule) => (kid_of(json), Self::Malformed(cut(&rule))),
        }
    }

    fn read_members(json: &str) -> Result<(Option<String>, Self), String> {
        if !json.starts_with('{') {
            return Err("it must be a JSON object".into());
        }
        let members = Members::read_in_set(json).map_err(|e| e.to_string())?;
        let kty = members.kty.text().unwrap_or_default();
        let key = match members.crv.text() {
            _ if kty != "EC" => Self::Unusable(cut(&format!("kty {kty}"))),
            // The library's errors describe a key without a curve.
            Some(crv) if curve_of(crv).is_none() => Self::Unusable(cut(&format!("EC {crv}"))),
            _ => Self::read_ec(&members)?,
        };
        Ok((members.kid.text().map(String::from), key))
    }

    fn read_ec(members: &Members<'_>) -> Result<Self, String> {
        let point = members.point(Some(KeyPurpose::Verify));
        let key = point.and_then(|point| Jwk::new(members, &point));
        // The purpose of the key (RFC 7517 §4.2 to §4.4).
        let what = match key {
            Ok(key) => return Ok(Self::Usable(Box::new(key))),
            Err(crate::Error::JwkUse) => {
                format!("use {}", members.usage.text().unwrap_or_default())
            }
            Err(crate::Error::JwkKeyOperations) => "key_ops without verify".into(),
            Err(crate::Error::JwkAlgorithm) => {
                let text = |member: &crate::encoding::json::Member<'_>| {
                    member.text().unwrap_or_default().to_string()
                };
                format!("alg {} on {}", text(&members.algorithm), text(&members.crv))
            }
            Err(other) => return Err(other.to_string()),
        };
        Ok(Self::Unusable(cut(&what)))
    }
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_SHOWN_LEN).collect()
}

/// The member of a set that matters: its keys. Each member occurs once. The others are not used,
/// but they must be readable.
struct Entries<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor).map(Self)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut keys, mut names) = (None, Names::default());
        while let Some(name) = names.next(&mut map)? {
            if name == "keys" {
                keys = Some(map.next_value()?);
            } else {
                map.next_value::<Unambiguous>()?;
            }
        }
        keys.ok_or_else(|| A::Error::missing_field("keys"))
    }
}
