//! The keys of a JWK set (RFC 7517 §5), and which of them a token means.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Error, Header, Jwk};
use crate::encoding::json::{Names, Unambiguous};
use crate::encoding::jwk_members::{Members, curve_of, kid_of};
use crate::encoding::key_purpose::KeyPurpose;
use crate::{AnyPreparedKey, CurveName};

/// What a key or the reader of JSON says of itself is cut off here.
const MAX_SHOWN_LEN: usize = 120;

/// So many malformed keys are told one by one.
const MOST_MALFORMED: usize = 8;

/// The keys of a JWK set (RFC 7517 §5) that may verify, and of the others what they are.
///
/// A key of another type or for another purpose is unusable, and one that breaks a rule malformed.
/// RFC 7517 §5 has both ignored; here they are counted, and told to a token that names one.
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
    /// With tables, in the same order; or none at all.
    prepared: Vec<AnyPreparedKey>,
    /// Which keys a token without a kid may mean.
    all: Candidates,
    /// Those that a kid names.
    by_kid: BTreeMap<String, Candidates>,
    /// How many keys may not verify, by what they are.
    unusable: BTreeMap<String, u64>,
    malformed_count: usize,
    /// The first few by their index in the set, and the rule.
    malformed: Vec<(usize, String)>,
}

/// Keys of one name.
#[derive(Clone, Debug, Default)]
struct Candidates {
    /// Those that may verify, by curve, which says the algorithm.
    fitting: Vec<Fitting>,
    /// The first, whatever it is.
    first: Option<First>,
}

/// The keys on one curve that may verify.
#[derive(Clone, Debug)]
struct Fitting {
    curve: CurveName,
    /// Where the first of them is.
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
    /// It may verify.
    Usable(Box<Jwk>),
    /// It is something else, or for something else: what.
    Unusable(String),
    /// It breaks this rule.
    Malformed(String),
}

impl JwkSet {
    /// Reads the JSON text of a set, in time that grows with its length (but for sorting names),
    /// with one check of a point for each key; keeps what is said of a key, not its text.
    ///
    /// Members of the set beside `keys` are skipped. In the set, and in a key that may verify, no
    /// object has a member twice.
    ///
    /// # Errors
    /// [`Error::KeySetJson`] for a set that is none, or of which readers may read different keys.
    /// What is wrong with a single key is no error: see [`malformed`](Self::malformed).
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

    /// Takes the key that has this index in the set, and its kid.
    fn take(&mut self, index: usize, (kid, entry): (Option<String>, Entry)) {
        let first = match entry {
            Entry::Usable(key) => {
                let (place, curve) = (self.keys.len(), key.curve());
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

    /// How many keys may not verify, by what they are: "kty RSA", "use enc", or "malformed: " and
    /// the rule. Of a text that the set says of itself 120 characters are kept.
    pub fn unusable(&self) -> impl Iterator<Item = (&str, u64)> {
        self.unusable
            .iter()
            .map(|(what, &count)| (what.as_str(), count))
    }

    /// The first eight malformed keys, each by its index in the set (counted from 0), with the rule
    /// that it breaks.
    pub fn malformed(&self) -> impl ExactSizeIterator<Item = (usize, &str)> {
        self.malformed
            .iter()
            .map(|(index, rule)| (*index, rule.as_str()))
    }

    /// How many keys are malformed.
    #[must_use]
    pub fn malformed_count(&self) -> usize {
        self.malformed_count
    }

    /// The same set with a table of multiples for every key that may verify, which makes
    /// verification several times faster. Takes about as long as three to six verifications for
    /// each key, and [`table_bytes`](Self::table_bytes) of memory; for programs that keep a set of
    /// few keys.
    #[must_use]
    pub fn prepare(self) -> Self {
        let prepared = self.keys.iter().map(|jwk| jwk.key().prepare()).collect();
        Self { prepared, ..self }
    }

    /// The memory that [`prepare`](Self::prepare) takes for tables, in bytes: 151,552 for each key
    /// on P-256. A set of many megabytes can ask for more than there is.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        let window = AnyPreparedKey::DEFAULT_WINDOW;
        let bytes = self.keys.iter().map(|jwk| {
            let bytes = jwk.key().table_bytes(window);
            bytes.unwrap_or_else(|_| unreachable!("it is the window of every curve"))
        });
        bytes.fold(0, usize::saturating_add)
    }

    /// The key at `place` in [`keys`](Self::keys) with its table, if there is one.
    pub(super) fn prepared(&self, place: usize) -> Option<&AnyPreparedKey> {
        self.prepared.get(place)
    }

    /// The place of the one key that a header means, by kid and algorithm: the key must be for the
    /// algorithm that the header names.
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

/// As [`JwkSet::from_json`].
impl FromStr for JwkSet {
    type Err = Error;

    fn from_str(json: &str) -> Result<Self, Error> {
        Self::from_json(json)
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

    /// The first key on a curve, and how many there are.
    fn on(&self, curve: CurveName) -> (usize, usize) {
        let fitting = self.fitting.iter().find(|fitting| fitting.curve == curve);
        fitting.map_or((0, 0), |fitting| (fitting.key, fitting.count))
    }
}

impl Entry {
    /// Reads one key of the set; returns its kid too.
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
            // What is wrong with a key without a curve is for the library's errors to say.
            Some(crv) if curve_of(crv).is_none() => Self::Unusable(cut(&format!("EC {crv}"))),
            _ => Self::read_ec(&members)?,
        };
        Ok((members.kid.text().map(String::from), key))
    }

    fn read_ec(members: &Members<'_>) -> Result<Self, String> {
        let point = members.point(Some(KeyPurpose::Verify));
        let key = point.and_then(|point| Jwk::new(members, &point));
        // What the key is for (RFC 7517 §4.2 to §4.4).
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

/// The member of a set that matters: its keys. Each member is there once; the others are read by
/// nobody, but a reader must be able to.
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
