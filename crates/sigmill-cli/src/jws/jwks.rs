//! The keys of a JWK set (RFC 7517 §5), and which of them a token means.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use sigmill::{Algorithm, AnyVerifyingKey, CurveName, Error, Unambiguous};

use super::defect::Defect;

/// What a key or the parser says of itself is cut off here.
const MAX_SHOWN_LEN: usize = 120;

/// The keys of a JWK set.
#[derive(Debug, Default)]
pub(super) struct KeySet {
    /// Those that may verify, and those that a kid names.
    keys: Vec<Key>,
    by_kid: HashMap<String, Vec<usize>>,
    /// How many keys may not verify, by what they are.
    unusable: BTreeMap<String, u64>,
    /// How many of them are malformed, and the first few by their index in the set and the rule.
    malformed_count: usize,
    malformed: Vec<(usize, String)>,
}

/// So many malformed keys are told one by one.
const MOST_MALFORMED: usize = 8;

/// One key of a set.
#[derive(Debug)]
enum Key {
    /// It may verify signatures of one algorithm.
    Usable(VerifyingKey),
    /// It is something else, or for something else: what.
    Unusable(String),
    /// It breaks this rule.
    Malformed(String),
}

/// A key that may verify.
#[derive(Debug)]
pub(super) struct VerifyingKey {
    /// The algorithm that goes with the curve, and its JOSE name.
    pub(super) algorithm: Algorithm,
    alg: &'static str,
    /// An uncompressed SEC 1 point.
    pub(super) point: Vec<u8>,
}

/// The member of a set that matters: its keys. Each member is there once; the others are read by
/// nobody, but a reader must be able to.
struct SetMembers<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for SetMembers<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SetVisitor).map(Self)
    }
}

struct SetVisitor;

impl<'de> Visitor<'de> for SetVisitor {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut keys, mut names) = (None, BTreeSet::new());
        while let Some(name) = map.next_key::<String>()? {
            if name == "keys" {
                keys = Some(map.next_value()?);
            } else {
                map.next_value::<Unambiguous>()?;
            }
            if let Some(twice) = names.replace(name) {
                let shown = cut(&twice);
                let rule = format!("the member {shown:?} must not be given twice");
                return Err(A::Error::custom(rule));
            }
        }
        keys.ok_or_else(|| A::Error::missing_field("keys"))
    }
}

/// The name of a key whose other members cannot be read.
#[derive(Deserialize)]
struct Named {
    kid: String,
}

/// What a key says of itself. The rest is the library's business.
#[derive(Deserialize)]
struct KeyMembers {
    kty: String,
    crv: Option<String>,
    kid: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    alg: Option<String>,
}

/// The algorithms of JOSE that are judged, by name (RFC 7518 §3.4, RFC 8812 §3.2).
fn algorithms() -> impl Iterator<Item = (&'static str, Algorithm)> {
    let curves = CurveName::ALL.iter();
    curves.filter_map(|curve| Some((curve.jose_algorithm()?, curve.default_algorithm())))
}

impl KeySet {
    /// Reads the JSON text of a set.
    ///
    /// A key of another type or for another purpose is kept as unusable, and one that breaks a rule
    /// as malformed (RFC 7517 §5 has both ignored). A set that is none, or of which readers may
    /// read different keys, is an error.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let SetMembers(keys) = serde_json::from_str(text)
            .map_err(|e| format!("it must be a JSON object with an array of keys: {e}"))?;
        let mut set = Self::default();
        for (index, json) in keys.into_iter().enumerate() {
            let (kid, key) = Key::read(json.get());
            match &key {
                Key::Usable(_) => {}
                Key::Unusable(what) => *set.unusable.entry(what.clone()).or_default() += 1,
                Key::Malformed(rule) => {
                    *set.unusable
                        .entry(format!("malformed: {rule}"))
                        .or_default() += 1;
                    set.malformed_count += 1;
                    if set.malformed.len() < MOST_MALFORMED {
                        set.malformed.push((index, rule.clone()));
                    }
                }
            }
            // What no token can mean is not kept.
            if kid.is_some() || matches!(key, Key::Usable(_)) {
                if let Some(kid) = kid {
                    set.by_kid.entry(kid).or_default().push(set.keys.len());
                }
                set.keys.push(key);
            }
        }
        Ok(set)
    }

    /// The malformed keys, the first of them by their index in the set and the rule, then how many
    /// more there are.
    pub(super) fn malformed(&self) -> impl Iterator<Item = String> {
        let more = self.malformed_count - self.malformed.len();
        let first = self.malformed.iter();
        first
            .map(|(index, rule)| format!("keys[{index}]: {rule}"))
            .chain((more > 0).then(|| format!("{more} more keys are malformed")))
    }

    /// How many keys may verify.
    pub(super) fn usable(&self) -> usize {
        self.keys
            .iter()
            .filter(|key| matches!(key, Key::Usable(_)))
            .count()
    }

    /// How many keys may not, by what they are.
    pub(super) fn unusable(&self) -> &BTreeMap<String, u64> {
        &self.unusable
    }

    /// The one key that a header with this `alg` and `kid` means.
    pub(super) fn find(&self, alg: &str, kid: Option<&str>) -> Result<&VerifyingKey, Defect> {
        let Some((alg, _)) = algorithms().find(|(name, _)| *name == alg) else {
            return Err(match alg {
                "none" => Defect::AlgNone,
                other => Defect::AlgUnsupported(other.into()),
            });
        };
        let Some(kid) = kid else {
            return only(self.keys.iter(), alg).map_err(|matches| match matches {
                0 => Defect::KeyMissing { alg },
                _ => Defect::KidMissing { matches, alg },
            });
        };
        let named = self.by_kid.get(kid).ok_or(Defect::KidUnknown)?;
        let keys = || named.iter().map(|&index| &self.keys[index]);
        only(keys(), alg).map_err(|matches| match (matches, keys().next()) {
            (0, Some(Key::Usable(key))) => Defect::AlgMismatch {
                alg,
                key_alg: key.alg,
            },
            (0, Some(Key::Unusable(what))) => Defect::KeyUnusable(what.clone()),
            (0, Some(Key::Malformed(rule))) => Defect::KeyMalformed(rule.clone()),
            _ => Defect::KidAmbiguous { matches, alg },
        })
    }
}

/// The one key among `keys` that fits `alg`, or how many there are.
fn only<'a>(keys: impl Iterator<Item = &'a Key>, alg: &str) -> Result<&'a VerifyingKey, usize> {
    let mut fitting = keys.filter_map(|key| match key {
        Key::Usable(key) if key.alg == alg => Some(key),
        _ => None,
    });
    match (fitting.next(), fitting.count()) {
        (Some(key), 0) => Ok(key),
        (first, more) => Err(usize::from(first.is_some()) + more),
    }
}

impl Key {
    /// Reads one key of the set; returns its kid too.
    fn read(json: &str) -> (Option<String>, Self) {
        match Self::read_members(json) {
            Ok((kid, key)) => (kid, key),
            Err(rule) => {
                let named = serde_json::from_str(json).map(|Named { kid }| kid);
                (named.ok(), Self::Malformed(cut(&rule)))
            }
        }
    }

    fn read_members(json: &str) -> Result<(Option<String>, Self), String> {
        // Derived deserialization would take an array for an object.
        if !json.starts_with('{') {
            return Err("it must be a JSON object".into());
        }
        serde_json::from_str::<Unambiguous>(json).map_err(|e| e.to_string())?;
        let members: KeyMembers = serde_json::from_str(json).map_err(|e| e.to_string())?;
        let key = match members.crv.as_deref() {
            _ if members.kty != "EC" => Self::Unusable(cut(&format!("kty {}", members.kty))),
            // The library says what is wrong with a key without a curve.
            Some(crv)
                if !CurveName::ALL
                    .iter()
                    .any(|curve| curve.jwk_name() == Some(crv)) =>
            {
                Self::Unusable(cut(&format!("EC {crv}")))
            }
            _ => Self::read_ec(json, &members)?,
        };
        Ok((members.kid, key))
    }

    fn read_ec(json: &str, members: &KeyMembers) -> Result<Self, String> {
        let text = |member: &Option<String>| member.clone().unwrap_or_default();
        let key = match AnyVerifyingKey::from_jwk_str(json) {
            Ok(key) => key,
            // What the key is for (RFC 7517 §4.2 to §4.4).
            Err(error) => {
                let what = match error {
                    Error::JwkUse => format!("use {}", text(&members.usage)),
                    Error::JwkKeyOperations => "key_ops without verify".into(),
                    Error::JwkAlgorithm => {
                        format!("alg {} on {}", text(&members.alg), text(&members.crv))
                    }
                    other => return Err(other.to_string()),
                };
                return Ok(Self::Unusable(cut(&what)));
            }
        };
        let algorithm = key.algorithm();
        let known = algorithms().find(|(_, known)| *known == algorithm);
        Ok(match known {
            None => Self::Unusable(format!("EC {}", key.curve())),
            Some((alg, _)) => Self::Usable(VerifyingKey {
                algorithm,
                alg,
                point: key.to_sec1_bytes(false),
            }),
        })
    }
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_SHOWN_LEN).collect()
}
